/** The heads of the live table, by which it is sorted, and how wide its columns are. */
import type { TableColumn } from '../model/shown-columns.ts'
import { nextSort } from '../model/table-rows.ts'
import type { Desk } from './desk.ts'
import { makeButton, makeElement } from './make-element.ts'
import { headText, isNarrow } from './table-cells.ts'

/** Pixels. */
export function namesWidth({ table }: Desk, room: number): { readonly rank: number; readonly name: number } {
  const rank = Math.max(isNarrow(room) ? 44 : 56, 16 + 8 * String(table.count).length)
  return { rank, name: isNarrow(room) ? 74 : 118 }
}

interface GridWidths {
  readonly columns: readonly number[]
  /** What is seen of it at once. */
  readonly room: number
}

/** The style sheet reads the variables: where the name sticks, and how long the reason below it may be. */
export function setWidths(group: HTMLElement, grid: HTMLElement, { columns, room }: GridWidths): void {
  group.replaceChildren(
    ...columns.map((width) => {
      const column = makeElement('col')
      column.style.setProperty('width', `${width}px`)
      return column
    }),
  )
  grid.style.setProperty('width', `${columns.reduce((sum, width) => sum + width, 0)}px`)
  grid.style.setProperty('--rank-width', `${columns[0]}px`)
  grid.style.setProperty('--reason-width', `${room - columns[0] - 12}px`)
}

export function makeHeads(desk: Desk, columns: readonly TableColumn[]): readonly HTMLElement[] {
  const { sort } = desk.state()
  const sorted = sort ?? { by: 'rank', descending: false }
  const makeHead = (by: string, title: string, unit: string, definition: string): HTMLElement => {
    const button = makeButton('', () => desk.set({ sort: nextSort(desk.state().sort, by) }))
    button.append(...breakable(title), ...(unit === '' ? [] : [' ', makeElement('small', { text: unit })]))
    const way = sorted.by === by ? (sorted.descending ? 'descending' : 'ascending') : 'none'
    return makeElement('th', {
      is: { scope: 'col', 'aria-sort': way, 'data-by': by, title: definition },
      children: [button],
    })
  }
  return [
    makeHead('rank', 'Rank', '', 'place in the ranking of the study'),
    makeHead('fingerprint', 'Trial', '', 'first digits of its fingerprint'),
    ...columns.map((column) => {
      const { title, unit, definition } = headText(column, desk.section)
      return makeHead(column, title, unit, definition)
    }),
  ]
}

/** `dcaMaxSafetyOrders` may break before its capitals. */
function breakable(name: string): readonly (Node | string)[] {
  return name.split(/(?=[A-Z][a-z])/).flatMap((word, index) => (index === 0 ? [word] : [makeElement('wbr'), word]))
}
