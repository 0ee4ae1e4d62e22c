/** Of many rows the few that are in view, between two empty ones as high as those that are left out. */
import { makeElement } from './make-element.ts'

/** Rows drawn above and below what is seen, so that a step of the wheel shows no gap. */
const SPARE_ROWS = 6

/** Pixels; the style sheet's for `.scroll.tall`. */
const HIGHEST = 480

export interface VirtualRows {
  /** The heights of all rows, drawn or not, in pixels. `draw` shows them. */
  readonly setRows: (heights: readonly number[]) => void
  /** Draws what is in view; `again` also where the same rows are drawn already. */
  readonly draw: (again?: boolean) => void
  /** Scrolls no farther than it takes to see the row. */
  readonly reveal: (row: number) => void
  /** About how many rows are seen at once. */
  readonly pageSize: () => number
}

interface VirtualRowsInput {
  readonly region: HTMLElement
  readonly body: HTMLTableSectionElement
  readonly head: HTMLElement
  readonly makeRow: (row: number) => HTMLTableRowElement
}

export function createVirtualRows({ region, body, head, makeRow }: VirtualRowsInput): VirtualRows {
  let tops = new Float64Array(1)
  let drawn = ''
  const count = () => tops.length - 1
  const rowAt = (y: number): number => {
    let [low, high] = [0, count()]
    while (low < high) {
      const middle = (low + high) >> 1
      if (tops[middle + 1] <= y) low = middle + 1
      else high = middle
    }
    return low
  }
  const roomFor = () => Math.max(0, region.clientHeight - head.offsetHeight)
  const draw = (again = false): void => {
    const from = Math.max(0, rowAt(region.scrollTop) - SPARE_ROWS)
    const to = Math.min(count(), rowAt(region.scrollTop + Math.min(innerHeight, HIGHEST)) + 1 + SPARE_ROWS)
    if (!again && drawn === `${from} ${to}`) return
    drawn = `${from} ${to}`
    const rows = Array.from({ length: to - from }, (_, i) => makeRow(from + i))
    const space = (height: number) => makeSpace(height, head.querySelectorAll('th').length)
    body.replaceChildren(space(tops[from]), ...rows, space(tops[count()] - tops[to]))
  }
  let asked = 0
  region.addEventListener('scroll', () => {
    cancelAnimationFrame(asked)
    asked = requestAnimationFrame(() => draw())
  })
  return {
    setRows(heights) {
      tops = new Float64Array(heights.length + 1)
      for (const [row, height] of heights.entries()) tops[row + 1] = tops[row] + height
    },
    draw,
    reveal(row) {
      if (tops[row] < region.scrollTop) region.scrollTop = tops[row]
      const lowest = tops[row + 1] - roomFor()
      if (lowest > region.scrollTop) region.scrollTop = lowest
      draw()
    },
    pageSize: () => Math.max(1, Math.floor((roomFor() * count()) / Math.max(1, tops[count()])) - 1),
  }
}

function makeSpace(height: number, columns: number): HTMLTableRowElement {
  const cell = makeElement('td', { is: { colspan: columns } })
  const row = makeElement('tr', { class: 'space', is: { 'aria-hidden': 'true' }, children: [cell] })
  cell.style.setProperty('height', `${height}px`)
  row.hidden = height === 0
  return row
}
