/**
 * The table of all trials that the filter selects. Of its rows only those in view are in the document; a screen reader hears how many
 * there are and which it is at. The table itself has the focus, and names the row that is chosen by the arrow keys.
 */
import { formatCount } from '../format.ts'
import type { ColumnName } from '../model/blocks.ts'
import type { Beside } from '../model/document.ts'
import { rowAfter, type TableRow, tableRows } from '../model/table-rows.ts'
import { GROUP_TITLES } from '../model/trial-words.ts'
import { keepFocus, makeElement } from './make-element.ts'
import type { SectionView } from './section-view.ts'
import {
  besideCells,
  columnWidth,
  headText,
  makeColumnPicker,
  makeHeads,
  nameCells,
  namesWidth,
  numberCell,
  pickColumns,
  setWidths,
} from './table-cells.ts'

/** Pixels; a finger needs 44, and a row that says why it is not ranked has two lines. The style sheet sets the same. */
const HEIGHTS = { plain: 34, touched: 44, withReason: 50 } as const

/** What is shown now; the view knows what is chosen. */
interface Shown {
  rows: readonly (TableRow | Beside)[]
  columns: readonly ColumnName[]
  /** The trial that the arrow keys are at. */
  active: number | null
}

export function mountTable(place: HTMLElement, sectionView: SectionView): void {
  const shown: Shown = { rows: [], columns: [], active: sectionView.opened() }
  const { region, grid, columnGroup, head, heads, body } = makeGrid(sectionView)
  const virtual = createVirtualRows({ region, body, head, makeRow: (index) => makeRow(sectionView, shown, index) })
  const picker = makeColumnPicker(sectionView, () => shown.columns)
  const empty = makeElement('p', { class: 'empty', text: 'No trial is selected by the filter.' })
  place.append(makeElement('div', { class: 'toolbar', children: [picker.element] }), region, empty)
  place.dataset.works = ''

  const order = document.querySelector(`[data-order="${place.dataset.section}"]`)
  const byRank = order?.textContent ?? ''
  const placeOf = (trial: number | null) => shown.rows.findIndex((row) => 'trial' in row && row.trial === trial)
  const draw = (): void => {
    virtual.draw(true)
    const id = shown.active === null ? '' : rowId(sectionView, shown.active)
    if (document.getElementById(id) === null) grid.removeAttribute('aria-activedescendant')
    else grid.setAttribute('aria-activedescendant', id)
  }
  const showRows = (): void => {
    const trials = tableRows(sectionView.table, sectionView.selection().mask, sectionView.state().sort)
    shown.rows = trials.length === 0 ? [] : [...sectionView.section.beside, ...trials]
    grid.setAttribute('aria-rowcount', String(shown.rows.length + 1))
    empty.hidden = shown.rows.length > 0
    region.hidden = shown.rows.length === 0
    virtual.setRows(rowHeights(sectionView, shown.rows))
    if (order !== null) order.textContent = orderInWords(sectionView) ?? byRank
  }
  const showColumns = (): void => {
    const room = region.clientWidth
    const { rank, name } = namesWidth(sectionView, room)
    shown.columns = pickColumns(sectionView, room, rank + name)
    const widths = shown.columns.map((column) => columnWidth(sectionView, column, room))
    setWidths(columnGroup, grid, { columns: [rank, name, ...widths], room })
    keepFocus(heads, () => heads.replaceChildren(...makeHeads(sectionView, shown.columns)))
    grid.setAttribute('aria-colcount', String(shown.columns.length + 2))
    picker.show()
  }
  const activate = (trial: number): void => {
    shown.active = trial
    virtual.reveal(placeOf(trial))
    draw()
  }
  answerKeys(grid, sectionView, {
    active: () => (placeOf(shown.active) < 0 ? null : shown.active),
    next: (key) => rowAfter(key, { rows: shown.rows, at: placeOf(shown.active), page: virtual.pageSize() }),
    activate,
  })
  answerClicks(body, sectionView)
  sectionView.watch((before) => {
    const now = sectionView.state()
    if (now.columns !== before.columns || now.sort !== before.sort) showColumns()
    if (now.filter !== before.filter || now.sort !== before.sort) {
      region.scrollTop = 0
      showRows()
    }
    const opened = sectionView.opened()
    if (now.trial !== before.trial && opened !== null && placeOf(opened) >= 0) activate(opened)
    else draw()
  })
  showRows()
  let width = -1
  const adapt = (): void => {
    if (region.hidden || region.clientWidth === width) return // without rows it has no width
    width = region.clientWidth
    showColumns()
    draw()
  }
  new ResizeObserver(adapt).observe(region)
  adapt()
  if (placeOf(shown.active) >= 0 && shown.active !== null) activate(shown.active)
}

function makeGrid(sectionView: SectionView) {
  const { prefix, study, market } = sectionView.section
  const caption = makeElement('caption', {
    text: `Trials of ${study} on ${market}`,
    is: { id: `${prefix}trials-caption` },
  })
  const columnGroup = makeElement('colgroup')
  const heads = makeElement('tr', { is: { 'aria-rowindex': 1 } })
  const head = makeElement('thead', { children: [heads] })
  const body = makeElement('tbody')
  const grid = makeElement('table', {
    class: 'ranking',
    is: { role: 'grid', tabindex: 0, 'aria-labelledby': caption.id },
    children: [caption, columnGroup, head, body],
  })
  return {
    region: makeElement('div', { class: 'scroll tall', children: [grid] }),
    grid,
    columnGroup,
    head,
    heads,
    body,
  }
}

/** Of a table that is sorted by another column than the ranking; null = it stands in the order of the ranking. */
function orderInWords({ section, table, state }: SectionView): string | null {
  const { sort } = state()
  if (sort === null) return null
  if (sort.by === 'rank') return 'By rank, the last first.'
  if (sort.by === 'id') return `By id, ${sort.descending ? 'backwards' : 'forwards'}.`
  const column = table.columns.find((name) => name === sort.by)
  if (column === undefined) return null // then nothing is sorted by it
  const way = sort.descending ? 'highest first' : 'lowest first'
  return `By ${headText(column, section).title}, ${way}; the rank is still the study’s.`
}

function rowId({ section }: SectionView, trial: number): string {
  return `${section.prefix}row-${trial}`
}

function makeRow(sectionView: SectionView, { rows, columns, active }: Shown, index: number): HTMLTableRowElement {
  const row = rows[index]
  const { table, section } = sectionView
  const is = { 'aria-rowindex': index + 2 }
  if ('group' in row) {
    const title = makeElement('span', { text: `${GROUP_TITLES[row.group]}: ${formatCount(row.count, 'trial')}` })
    const cell = makeElement('th', { is: { colspan: columns.length + 2, scope: 'rowgroup' }, children: [title] })
    return makeElement('tr', { class: 'group', is, children: [cell] })
  }
  if ('numbers' in row) {
    return makeElement('tr', { class: 'beside', is, children: besideCells(section, row, columns) })
  }
  const { trial } = row
  const classes = [table.standing(trial), trial === active && 'active', table.rank(trial) === 1 && 'best']
  return makeElement('tr', {
    class: classes.filter(Boolean).join(' '),
    is: {
      ...is,
      id: rowId(sectionView, trial),
      'data-trial': trial,
      'aria-selected': String(sectionView.opened() === trial),
    },
    children: [...nameCells(sectionView, trial), ...columns.map((column) => numberCell(sectionView, trial, column))],
  })
}

function rowHeights({ table }: SectionView, rows: Shown['rows']): readonly number[] {
  const plain = matchMedia('(pointer: coarse)').matches ? HEIGHTS.touched : HEIGHTS.plain
  return rows.map((row) => {
    if ('group' in row) return HEIGHTS.touched
    if ('numbers' in row) return HEIGHTS.plain
    const standing = table.standing(row.trial)
    return standing === 'outside' || standing === 'noValue' ? HEIGHTS.withReason : plain
  })
}

interface KeyAnswers {
  readonly active: () => number | null
  readonly next: (key: string) => number | undefined
  readonly activate: (trial: number) => void
}

function answerKeys(grid: HTMLElement, sectionView: SectionView, { active, next, activate }: KeyAnswers): void {
  grid.addEventListener('keydown', (event) => {
    if (event.target !== grid || event.ctrlKey || event.metaKey || event.altKey) return
    const at = active()
    const to = next(event.key)
    if (to !== undefined) activate(to)
    else if (at !== null && (event.key === 'Enter' || event.key === ' ')) sectionView.open(at)
    else return
    event.preventDefault()
  })
  grid.addEventListener('focus', () => {
    const first = active() ?? next('Home')
    if (first !== undefined && grid.matches(':focus-visible')) activate(first)
  })
}

function answerClicks(body: HTMLElement, sectionView: SectionView): void {
  body.addEventListener('click', (event) => {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-trial]') : null
    if (row !== null) sectionView.open(Number(row.dataset.trial))
  })
}

// Of many rows the few that are in view, between two empty ones as high as those that are left out.

/** Rows drawn above and below what is seen, so that a step of the wheel shows no gap. */
const SPARE_ROWS = 6

/** Pixels; the style sheet's for `.scroll.tall`. */
const HIGHEST = 480

interface VirtualRows {
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

function createVirtualRows({ region, body, head, makeRow }: VirtualRowsInput): VirtualRows {
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
