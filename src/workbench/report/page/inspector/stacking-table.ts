/** A table that shows each row as a block of its own where there is little room: every number then stands beside its title. */
import { makeElement } from '../make-element.ts'

interface StackingTable {
  readonly name: string
  readonly caption: string
  /** One for each cell of a row. */
  readonly heads: readonly string[]
  readonly rows: readonly HTMLElement[]
}

/** In a place that scrolls sideways where even that is too narrow. The roles stay, however the style sheet lays it out. */
export function stackingTable({ name, caption, heads, rows }: StackingTable): HTMLElement {
  for (const row of rows) {
    row.setAttribute('role', 'row')
    Array.from(row.children).forEach((cell, index) => {
      cell.setAttribute('role', cell.tagName === 'TH' ? 'rowheader' : 'cell')
      cell.setAttribute('data-head', heads[index])
    })
  }
  const titles = heads.map((text) => makeElement('th', { text, is: { scope: 'col', role: 'columnheader' } }))
  const headRow = makeElement('tr', { is: { role: 'row' }, children: titles })
  const table = makeElement('table', {
    class: 'stacking',
    is: { role: 'table' },
    children: [
      makeElement('caption', { text: caption }),
      makeElement('thead', { is: { role: 'rowgroup' }, children: [headRow] }),
      makeElement('tbody', { is: { role: 'rowgroup' }, children: rows }),
    ],
  })
  return makeElement('div', {
    class: 'scroll',
    is: { tabindex: 0, role: 'group', 'aria-label': name },
    children: [table],
  })
}
