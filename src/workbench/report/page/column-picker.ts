/** Which columns the live table shows: the usual ones as far as there is room, or those that the reader picked. */
import { withCompanions } from '../../../contract/companions.ts'
import { shownColumns, type TableColumn } from '../model/shown-columns.ts'
import { isMetric } from '../model/trial-table.ts'
import type { Desk } from './desk.ts'
import { makeButton, makeElement } from './make-element.ts'
import { columnWidth, headText } from './table-cells.ts'

/** All columns that have numbers, the usual ones first. */
function columnsOf({ table, section }: Desk): readonly TableColumn[] {
  const { kept, usual, more } = shownColumns(section.objective, section.varied)
  return [...kept, ...usual, ...more].filter((column) => column === 'sampleSize' || table.columns.includes(column))
}

/** In the order of the table, in so many pixels, of which rank and name take some. What misleads alone has its company with it. */
export function pickColumns(desk: Desk, room: number, taken: number): readonly TableColumn[] {
  const all = columnsOf(desk)
  const { columns } = desk.state()
  if (columns !== null) {
    const picked = new Set<string>(all.flatMap((column) => (columns.includes(column) ? companyOf(column) : [])))
    return all.filter((column) => picked.has(column))
  }
  const { kept, usual } = shownColumns(desk.section.objective, desk.section.varied)
  let left = room - taken
  return all.filter((column) => {
    if (!kept.includes(column) && !usual.includes(column)) return false
    left -= columnWidth(desk, column, room)
    return left >= 0 || kept.includes(column)
  })
}

function companyOf(column: TableColumn): readonly TableColumn[] {
  return column !== 'sampleSize' && isMetric(column) ? withCompanions(column) : [column]
}

/** A list of checkboxes, closed until the reader opens it. */
export function makeColumnPicker(
  desk: Desk,
  shown: () => readonly TableColumn[],
): { readonly element: HTMLElement; readonly show: () => void } {
  const all = columnsOf(desk)
  const summary = makeElement('summary')
  const boxes = all.map((column) => {
    const box = makeElement('input', { is: { type: 'checkbox', value: column } })
    const { title, unit, definition } = headText(column, desk.section)
    const words = unit === '' ? title : `${title}, ${unit}`
    return { column, box, label: makeElement('label', { is: { title: definition }, children: [box, ` ${words}`] }) }
  })
  const list = makeElement('fieldset', {
    children: [makeElement('legend', { text: 'Columns of the table' }), ...boxes.map(({ label }) => label)],
  })
  list.addEventListener('change', () =>
    desk.set({ columns: boxes.flatMap(({ column, box }) => (box.checked ? [column] : [])) }),
  )
  const element = makeElement('details', {
    class: 'column-picker',
    children: [
      summary,
      makeElement('div', {
        class: 'choices',
        children: [
          makeButton('The usual ones', () => desk.set({ columns: null })),
          makeButton('All', () => desk.set({ columns: all })),
          list,
        ],
      }),
    ],
  })
  return {
    element,
    show() {
      const now = shown()
      summary.textContent = `Columns: ${now.length} of ${all.length}`
      for (const { column, box } of boxes) box.checked = now.includes(column)
    },
  }
}
