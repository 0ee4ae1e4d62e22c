/** The large heat map: a table whose cells are buttons, so that it can be read, walked by arrow keys, and printed. */
import type { ShownCell } from '../../model/heat-cells.ts'
import { type LevelColumn, levelText } from '../../model/level-column.ts'
import { makeElement } from '../make-element.ts'
import { brokenName } from './broken-name.ts'

export interface HeatTable {
  readonly element: HTMLElement
  readonly show: (cells: readonly ShownCell[], caption: string) => void
}

/** `choose` hears of the cell that was clicked. */
export function createHeatTable(x: LevelColumn, y: LevelColumn, choose: (cell: number) => void): HeatTable {
  const width = x.levels.length
  const cells = new Map<number, HTMLElement>()
  const caption = makeElement('p', { class: 'heat-caption' })
  const rows = [...y.levels.keys()].reverse().map((row) => {
    const boxes = [...x.levels.keys()].map((column) => {
      const box = makeElement('td')
      cells.set(row * width + column, box)
      return box
    })
    return makeElement('tr', {
      children: [makeElement('th', { text: levelText(y.levels[row]), is: { scope: 'row' } }), ...boxes],
    })
  })
  const heads = x.levels.map((level) => makeElement('th', { text: levelText(level), is: { scope: 'col' } }))
  const fieldRow = makeElement('tr', {
    children: [
      makeElement('td', { class: 'corner', children: [...brokenName(y.field), ' ↓'], is: { rowspan: 2 } }),
      makeElement('th', { text: `${x.field} →`, is: { colspan: width, scope: 'colgroup' } }),
    ],
  })
  const table = makeElement('table', {
    class: 'heat-table',
    children: [
      makeElement('thead', { children: [fieldRow, makeElement('tr', { children: heads })] }),
      makeElement('tbody', { children: rows }),
    ],
  })
  walkByKeys(table, cells, width)
  return {
    element: makeElement('div', { children: [caption, makeElement('div', { class: 'scroll', children: [table] })] }),
    show(shown, words) {
      caption.textContent = words
      table.setAttribute('aria-label', words)
      shown.forEach((cell, index) => {
        const box = cells.get(index)
        if (box !== undefined) fillCell(box, cell, () => choose(index))
      })
      offerOneStop(cells)
    },
  }
}

/** Only what changes is written, at every step of a brush. */
function fillCell(box: HTMLElement, cell: ShownCell, choose: () => void): void {
  const look = [
    'heat-cell',
    cell.kind,
    ...(cell.tone === null ? [] : [`heat-${cell.tone}`, `ink-${cell.tone}`]),
    ...cell.edges.map((side) => `edge-${side}`),
    ...cell.marks,
  ].join(' ')
  if (box.className === look && box.title === cell.words) return
  box.className = look
  box.title = cell.words
  if (cell.kind === 'blank') {
    box.replaceChildren(makeElement('span', { class: 'unseen', text: cell.words }))
    return
  }
  const button = box.querySelector('button') ?? newButton(box, choose)
  button.setAttribute('aria-pressed', String(cell.marks.includes('chosen')))
  button.replaceChildren(
    cell.label,
    makeElement('small', { text: cell.kind === 'number' ? `n ${cell.count}` : '' }),
    makeElement('span', { class: 'unseen', text: cell.words }),
  )
}

function newButton(box: HTMLElement, choose: () => void): HTMLButtonElement {
  const button = makeElement('button', { is: { type: 'button', tabindex: -1 } })
  button.addEventListener('click', choose)
  box.replaceChildren(button)
  return button
}

/** The table is one stop for the tab key, at the cell that had the focus last. */
function offerOneStop(cells: ReadonlyMap<number, HTMLElement>): void {
  const buttons = [...cells.values()].flatMap((box) => box.querySelector('button') ?? [])
  if (!buttons.some(({ tabIndex }) => tabIndex === 0)) buttons.at(0)?.setAttribute('tabindex', '0')
}

const STEPS: Readonly<Record<string, readonly [across: number, up: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
}

/** An arrow goes to the next cell with a button in its direction. */
function walkByKeys(table: HTMLElement, cells: ReadonlyMap<number, HTMLElement>, width: number): void {
  table.addEventListener('keydown', (event) => {
    const step = STEPS[event.key]
    const here = [...cells].find(([, box]) => box.contains(document.activeElement))
    if (step === undefined || here === undefined) return
    event.preventDefault()
    const [across, up] = step
    let [column, row] = [here[0] % width, Math.floor(here[0] / width)]
    for (;;) {
      column += across
      row += up
      const box = column < 0 || column >= width ? undefined : cells.get(row * width + column)
      if (box === undefined) return
      const button = box.querySelector('button')
      if (button === null) continue
      here[1].querySelector('button')?.setAttribute('tabindex', '-1')
      button.setAttribute('tabindex', '0')
      button.focus()
      return
    }
  })
}
