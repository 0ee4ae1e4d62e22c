/** What stands in the heads and cells of the live table. */
import { CONFIG } from '../../../contract/bot.ts'
import { definitionOf, METRICS, type MetricName, withCompanions } from '../../../contract/metrics.ts'
import {
  formatMetric,
  formatMetricWithUnit,
  formatNumber,
  formatValue,
  NOTHING,
  sharpeErrorText,
  unitInWords,
} from '../format.ts'
import type { ColumnName } from '../model/blocks.ts'
import type { Beside, PageSection } from '../model/document.ts'
import { nextSort, shownColumns } from '../model/table-rows.ts'
import { isMetric } from '../model/trial-table.ts'
import { whyNotRanked } from '../model/trial-words.ts'
import { makeButton, makeElement } from './make-element.ts'
import type { SectionView } from './section-view.ts'

const DAY_MS = 86_400_000

interface HeadText {
  readonly title: string
  readonly unit: string
  /** What it means. */
  readonly definition: string
}

export function headText(column: ColumnName, { quote }: PageSection): HeadText {
  if (!isMetric(column)) {
    const { title, says } = CONFIG[column]
    return { title, unit: '', definition: `${column}: ${says}` }
  }
  return {
    title: METRICS[column].title,
    unit: unitInWords(column, quote.asset),
    definition: defineColumn(column),
  }
}

/** What a metric's title means. */
function defineColumn(column: MetricName): string {
  return `${definitionOf(column)}${column === 'sharpe' ? '. What stands behind ± is one standard error, √(365 / days)' : ''}`
}

/** A number as it is shown. */
function cellText({ table, section }: SectionView, trial: number, column: ColumnName): string {
  return numberText(section, column, table.number(trial, column))
}

function numberText({ period, quote }: PageSection, column: ColumnName, value: number | null): string {
  if (!isMetric(column)) return value === null ? NOTHING : formatValue(value)
  const days = (period.to - period.from) / DAY_MS
  return formatMetric(column, value, quote.decimals) + sharpeErrorText(column, value, days)
}

/** The plain ladder or holding: it has no rank, and is no trial to open. */
export function besideCells(
  section: PageSection,
  { name, numbers }: Beside,
  columns: readonly ColumnName[],
): readonly HTMLTableCellElement[] {
  const title = 'on the same days, filled as the trials are'
  return [
    makeElement('td', { text: NOTHING }),
    makeElement('th', { text: name, is: { scope: 'row', title } }),
    ...columns.map((column) => makeElement('td', { text: numberText(section, column, numbers[column] ?? null) })),
  ]
}

/** With every digit as its tooltip, or why it is not known. */
export function numberCell(sectionView: SectionView, trial: number, column: ColumnName): HTMLTableCellElement {
  const text = cellText(sectionView, trial, column)
  const value = sectionView.table.number(trial, column)
  const why = value === null && isMetric(column) ? sectionView.table.whyNull(trial, column) : String(value)
  return makeElement('td', { text, class: value !== null && value < 0 ? 'loss' : '', is: { title: why } })
}

/** Rank and name; under the name why it has no rank. */
export function nameCells(sectionView: SectionView, trial: number): readonly HTMLTableCellElement[] {
  const { table } = sectionView
  const name = makeElement('code', { text: table.id(trial) })
  const reason = reasonOf(sectionView, trial)
  return [
    makeElement('td', { text: formatNumber(table.rank(trial), 0) }),
    makeElement('th', {
      is: { scope: 'row', title: reason },
      children: reason === '' ? [name] : [name, makeElement('small', { text: reason })],
    }),
  ]
}

function reasonOf({ table, section: { objective, quote } }: SectionView, trial: number): string {
  return whyNotRanked(table.standing(trial), objective, {
    value: (metric) => table.number(trial, metric),
    inWords: (metric) => formatMetricWithUnit(metric, table.number(trial, metric), quote),
  })
}

/** Narrower than this many pixels, a table is of smaller letters. */
const NARROW_PX = 600

function isNarrow(room: number): boolean {
  return room < NARROW_PX
}

/** Pixels: wide enough for its lowest and highest number and the longest word of its head. */
export function columnWidth(sectionView: SectionView, column: ColumnName, room: number): number {
  const { title, unit } = headText(column, sectionView.section)
  const words = [...title.split(/[ -]/), ...`${unit}↓`.split(' ')]
  const { digit, letter, padding } = isNarrow(room)
    ? { digit: 7.1, letter: 7.9, padding: 9 }
    : { digit: 7.6, letter: 8.6, padding: 15 }
  const texts = extremesOf(sectionView, column)
  const needed = [...words.map(({ length }) => length * letter), ...texts.map(({ length }) => length * digit)]
  return Math.ceil(Math.max(...needed) + padding)
}

function extremesOf(sectionView: SectionView, column: ColumnName): readonly string[] {
  const values = sectionView.table.values(column)
  let [lowest, highest] = [0, 0]
  values?.forEach((value, trial) => {
    if (value < values[lowest] || Number.isNaN(values[lowest])) lowest = trial
    if (value > values[highest] || Number.isNaN(values[highest])) highest = trial
  })
  return [lowest, highest].map((trial) => cellText(sectionView, trial, column))
}

// The heads of the live table, by which it is sorted, and how wide its columns are.

/** Pixels. */
export function namesWidth({ table }: SectionView, room: number): { readonly rank: number; readonly name: number } {
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

export function makeHeads(sectionView: SectionView, columns: readonly ColumnName[]): readonly HTMLElement[] {
  const { sort } = sectionView.state()
  const sorted = sort ?? { by: 'rank', descending: false }
  const makeHead = (by: string, title: string, unit: string, definition: string): HTMLElement => {
    const button = makeButton('', () => sectionView.set({ sort: nextSort(sectionView.state().sort, by) }))
    button.append(title, ...(unit === '' ? [] : [' ', makeElement('small', { text: unit })]))
    const way = sorted.by === by ? (sorted.descending ? 'descending' : 'ascending') : 'none'
    return makeElement('th', {
      is: { scope: 'col', 'aria-sort': way, title: definition },
      children: [button],
    })
  }
  return [
    makeHead('rank', 'Rank', '', 'place in the ranking of the study'),
    makeHead('id', 'Trial', '', 'the id of its configuration, as commands take it'),
    ...columns.map((column) => {
      const { title, unit, definition } = headText(column, sectionView.section)
      return makeHead(column, title, unit, definition)
    }),
  ]
}

// Which columns the live table shows: the usual ones as far as there is room, or those that the reader picked.

/** All columns that have numbers, the usual ones first. */
function columnsOf({ table, section }: SectionView): readonly ColumnName[] {
  const { kept, usual, more } = shownColumns(section.objective, section.varied)
  return [...kept, ...usual, ...more].filter((column) => table.columns.includes(column))
}

/** In the order of the table, in so many pixels, of which rank and name take some. What misleads alone has its company with it. */
export function pickColumns(sectionView: SectionView, room: number, taken: number): readonly ColumnName[] {
  const all = columnsOf(sectionView)
  const { columns } = sectionView.state()
  if (columns !== null) {
    const picked = new Set<string>(all.flatMap((column) => (columns.includes(column) ? companyOf(column) : [])))
    return all.filter((column) => picked.has(column))
  }
  const { kept, usual } = shownColumns(sectionView.section.objective, sectionView.section.varied)
  let left = room - taken
  return all.filter((column) => {
    if (!kept.includes(column) && !usual.includes(column)) return false
    left -= columnWidth(sectionView, column, room)
    return left >= 0 || kept.includes(column)
  })
}

function companyOf(column: ColumnName): readonly ColumnName[] {
  return isMetric(column) ? withCompanions(column) : [column]
}

/** A list of checkboxes, closed until the reader opens it. */
export function makeColumnPicker(
  sectionView: SectionView,
  shown: () => readonly ColumnName[],
): { readonly element: HTMLElement; readonly show: () => void } {
  const all = columnsOf(sectionView)
  const summary = makeElement('summary')
  const boxes = all.map((column) => {
    const box = makeElement('input', { is: { type: 'checkbox', value: column } })
    const { title, unit, definition } = headText(column, sectionView.section)
    const words = unit === '' ? title : `${title}, ${unit}`
    return { column, box, label: makeElement('label', { is: { title: definition }, children: [box, ` ${words}`] }) }
  })
  const list = makeElement('fieldset', {
    children: [makeElement('legend', { text: 'Columns of the table' }), ...boxes.map(({ label }) => label)],
  })
  list.addEventListener('change', () =>
    sectionView.set({ columns: boxes.flatMap(({ column, box }) => (box.checked ? [column] : [])) }),
  )
  const element = makeElement('details', {
    class: 'column-picker',
    children: [
      summary,
      makeElement('div', {
        class: 'choices',
        children: [
          makeButton('The usual ones', () => sectionView.set({ columns: null })),
          makeButton('All', () => sectionView.set({ columns: all })),
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
