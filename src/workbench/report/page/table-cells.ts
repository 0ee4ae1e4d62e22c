/** What stands in the heads and cells of the live table. */
import { METRICS } from '../../../contract/metrics.ts'
import {
  formatMetric,
  formatMetricWithUnit,
  formatNumber,
  formatValue,
  NOTHING,
  sharpeErrorText,
  unitInWords,
} from '../format.ts'
import { whyNotRanked } from '../model/not-ranked.ts'
import { defineColumn, type TableColumn } from '../model/shown-columns.ts'
import { isMetric } from '../model/trial-table.ts'
import type { Desk } from './desk.ts'
import { makeElement } from './make-element.ts'

const DAY_MS = 86_400_000

interface HeadText {
  readonly title: string
  readonly unit: string
  /** What it means. */
  readonly definition: string
}

export function headText(column: TableColumn, { quote, varied }: Desk['section']): HeadText {
  if (column === 'sampleSize') {
    return { title: 'Sample size', unit: 'deals', definition: defineColumn(column) }
  }
  if (!isMetric(column)) {
    const definition = varied.includes(column) ? 'a field that the study varies' : 'a field of the configuration'
    return { title: column, unit: '', definition }
  }
  return {
    title: METRICS[column].title,
    unit: unitInWords(column, quote.asset),
    definition: defineColumn(column),
  }
}

/** A number as it is shown. */
export function cellText({ table, section }: Desk, trial: number, column: TableColumn): string {
  if (column === 'sampleSize') return table.sampleSize(trial) ?? NOTHING
  const value = table.number(trial, column)
  if (!isMetric(column)) return value === null ? NOTHING : formatValue(value)
  const days = (section.period.to - section.period.from) / DAY_MS
  return formatMetric(column, value, section.quote.decimals) + sharpeErrorText(column, value, days)
}

/** With every digit as its tooltip, or why it is not known. */
export function numberCell(desk: Desk, trial: number, column: TableColumn): HTMLTableCellElement {
  const text = cellText(desk, trial, column)
  if (column === 'sampleSize') return makeElement('td', { text })
  const value = desk.table.number(trial, column)
  const why = value === null && isMetric(column) ? desk.table.whyNull(trial, column) : String(value)
  return makeElement('td', { text, class: value !== null && value < 0 ? 'loss' : '', is: { title: why } })
}

/** Rank and name; under the name why it has no rank. */
export function nameCells(desk: Desk, trial: number): readonly HTMLTableCellElement[] {
  const { table } = desk
  const fingerprint = table.fingerprint(trial)
  const name = makeElement('code', {
    children: [fingerprint.slice(0, 8), makeElement('span', { class: 'rest', text: fingerprint.slice(8) })],
  })
  const reason = reasonOf(desk, trial)
  return [
    makeElement('td', { text: formatNumber(table.rank(trial), 0) }),
    makeElement('th', {
      is: { scope: 'row', title: reason },
      children: reason === '' ? [name] : [name, makeElement('small', { text: reason })],
    }),
  ]
}

function reasonOf({ table, section: { objective, quote } }: Desk, trial: number): string {
  return whyNotRanked(table.standing(trial), objective, {
    value: (metric) => table.number(trial, metric),
    inWords: (metric) => formatMetricWithUnit(metric, table.number(trial, metric), quote),
  })
}

/** Narrower than this many pixels, a table is of smaller letters. */
const NARROW_PX = 600

export function isNarrow(room: number): boolean {
  return room < NARROW_PX
}

/** Pixels: wide enough for its lowest and highest number and the longest word of its head. */
export function columnWidth(desk: Desk, column: TableColumn, room: number): number {
  const { title, unit } = headText(column, desk.section)
  const words = [...title.split(/[ -]|(?=[A-Z][a-z])/), ...`${unit}↓`.split(' ')]
  const texts = column === 'sampleSize' ? ['107 to 132'] : extremesOf(desk, column)
  const { digit, letter, padding } = isNarrow(room)
    ? { digit: 7.1, letter: 7.9, padding: 9 }
    : { digit: 7.6, letter: 8.6, padding: 15 }
  const needed = [...words.map(({ length }) => length * letter), ...texts.map(({ length }) => length * digit)]
  return Math.ceil(Math.max(...needed) + padding)
}

function extremesOf(desk: Desk, column: TableColumn): readonly string[] {
  const values = column === 'sampleSize' ? undefined : desk.table.values(column)
  let [lowest, highest] = [0, 0]
  values?.forEach((value, trial) => {
    if (value < values[lowest] || Number.isNaN(values[lowest])) lowest = trial
    if (value > values[highest] || Number.isNaN(values[highest])) highest = trial
  })
  return [lowest, highest].map((trial) => cellText(desk, trial, column))
}
