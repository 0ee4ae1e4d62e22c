/** The axes of parallel coordinates: varied fields, then key metrics, each from its lowest value to its highest. Pure. */
import { CONFIG, type ConfigField } from '../../../contract/bot.ts'
import { METRICS, type MetricName } from '../../../contract/metrics.ts'
import { formatMetric, formatValue, type Quote } from '../format.ts'
import type { ColumnName } from './blocks.ts'
import type { TrialNumbers } from './heat.ts'
import { isMetric } from './trial-table.ts'

/** One of so many lines. */
export function lineOpacity(count: number): number {
  return count > 200 ? 0.18 : 0.35
}

export interface DrawnAxis {
  /** Lines of its title. */
  readonly title: readonly string[]
  /** `at` from 0, the bottom, to 1. */
  readonly ticks: readonly { readonly at: number; readonly label: string }[]
}

/** One point of a trial's line. */
export interface LinePoint {
  /** Index of the axis. */
  readonly axis: number
  readonly at: number
  readonly trial: number
}

export interface ParallelAxis extends DrawnAxis {
  readonly column: ColumnName
  readonly low: number
  readonly high: number
}

/** What a trader weighs a configuration by, beside the study's objective. */
const KEY_METRICS: readonly MetricName[] = ['netProfit', 'usedCapital.average', 'maxDrawdownPercent', 'closedDeals']

/** More lines than this are a blur, and slow. */
export const MOST_LINES = 1000

/** Of a selection, which is painted again at every step of a brush. */
export const MOST_SELECTED_LINES = 500

/** More values of a field than this are not written beside its axis one by one. */
const MOST_TICKS = 8

/** Empty where no field varies. A column without numbers has no axis. */
export function parallelAxes(
  trials: TrialNumbers,
  study: { readonly varied: readonly ConfigField[]; readonly metric: MetricName; readonly quote: Quote },
): ParallelAxis[] {
  if (study.varied.length === 0) return []
  return [...new Set<ColumnName>([...study.varied, study.metric, ...KEY_METRICS])].flatMap((column) => {
    const known = trials.values(column)?.filter(Number.isFinite)
    if (known === undefined || known.length === 0) return []
    const [low, high] = known.reduce(
      ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
      [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    )
    const distinct = isMetric(column) ? [] : [...new Set(known)]
    const marked = distinct.length > 0 && distinct.length <= MOST_TICKS ? distinct : [...new Set([low, high])]
    const write = (value: number) =>
      isMetric(column) ? formatMetric(column, value, study.quote.decimals) : formatValue(value)
    const ticks = marked.map((value) => ({ at: axisAt({ low, high }, value), label: write(value) }))
    return [{ column, low, high, title: titleLines(column), ticks }]
  })
}

/** Position of a value on its axis, from 0, the bottom, to 1; in the middle where all values are the same. */
export function axisAt({ low, high }: Pick<ParallelAxis, 'low' | 'high'>, value: number): number {
  return low === high ? 0.5 : (value - low) / (high - low)
}

/** The value at a position on an axis. */
export function numberOnAxis({ low, high }: Pick<ParallelAxis, 'low' | 'high'>, at: number): number {
  return low + Math.min(1, Math.max(0, at)) * (high - low)
}

/** The places where `mask` is 1, or, where they are more than `most`, as many of them evenly spaced; the first one, the best, always. */
export function evenSample(mask: Uint8Array, most: number): number[] {
  const places: number[] = []
  for (let place = 0; place < mask.length; place++) if (mask[place] === 1) places.push(place)
  if (places.length <= most) return places
  return Array.from({ length: most }, (_, index) => places[Math.floor((index * places.length) / most)])
}

/** Short lines, broken between words. */
function titleLines(column: ColumnName): string[] {
  if (!isMetric(column)) return [CONFIG[column].title]
  const { title, unit } = METRICS[column]
  const lines: string[] = []
  for (const word of title.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && `${last} ${word}`.length <= 10) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return unit === 'percent' ? [...lines.slice(0, -1), `${lines[lines.length - 1]} %`] : lines
}
