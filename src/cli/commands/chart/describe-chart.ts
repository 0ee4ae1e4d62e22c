/** A trial drawn with letters. */
import { marketName } from '../../../contract/market.ts'
import { metricValue } from '../../../contract/metric-values.ts'
import { METRICS } from '../../../contract/metrics.ts'
import type { WholeTrial } from '../../../workbench/store/records.ts'
import type { Study } from '../../../workbench/study/study.ts'
import { drawLine } from '../../line-chart.ts'
import { formatNumber, type Line } from '../../output.ts'
import { fittingTable } from '../../table.ts'

export interface Chart {
  readonly trial: WholeTrial
  /** null = the trial is in no study, or its study does not tell two parameters apart. */
  readonly heat: HeatOfStudy | null
}

/** Two values that trials have, and what the trials with both came to; at least one. */
export interface PairCell {
  readonly x: number
  readonly y: number
  readonly count: number
  readonly mean: number
  readonly best: number
}

export interface HeatOfStudy {
  readonly study: Pick<Study, 'name' | 'objective'>
  readonly xField: keyof WholeTrial['config']
  readonly yField: keyof WholeTrial['config']
  /** Of the objective's metric; in ascending order of y, then x. */
  readonly cells: readonly PairCell[]
}

const HEIGHT = 8
const MOST_WIDTH = 100

export function describeChart({ trial, heat }: Chart, columns: number): Line[] {
  const { fingerprint, market, metrics, config } = trial
  if (metrics === null) return [`trial ${fingerprint.slice(0, 12)} has no result yet: it is ${trial.state}`]
  const profit = metricValue(metrics, 'netProfit')
  const used = metricValue(metrics, 'usedCapital.average')
  const drawdown = metricValue(metrics, 'maxDrawdownPercent')
  const quote = market.quoteAsset
  return [
    `${fingerprint.slice(0, 12)} on ${marketName(market)}: net profit ${shown(profit)} ${quote} on ${config.investment}, ${shown(used)} in use on average, drawdown ${shown(drawdown)} %`,
    '',
    ...describeEquity(metrics.dailyEquity, columns),
    '',
    ...(heat === null
      ? ['no heat map: no study of the store varies two parameters around it']
      : describeHeat(heat, trial)),
  ]
}

function shown(value: number | null): string {
  return value === null ? '–' : formatNumber(value, 2)
}

type Days = NonNullable<Chart['trial']['metrics']>['dailyEquity']

/** Highest and lowest stand at their height, the dates below the ends. */
function describeEquity(days: Days, columns: number): string[] {
  const values = days.map(({ equity }) => equity)
  if (!values.every(Number.isFinite)) return ['no daily equity: the result has days without a number']
  if (values.length === 0) return ['no daily equity: the result does not keep it']
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const labels = Array.from({ length: HEIGHT }, (_, row) =>
    row === 0 ? formatNumber(high, 2) : row === HEIGHT - 1 ? formatNumber(low, 2) : '',
  )
  const margin = Math.max(...labels.map((label) => label.length))
  const width = Math.max(10, Math.min(columns, MOST_WIDTH) - margin - 1)
  const lines = drawLine(values, { width, height: HEIGHT })
  const [first, last] = [days[0].date, days[days.length - 1].date]
  return [
    'equity at the end of each day',
    ...lines.map((line, row) => `${labels[row].padStart(margin)} ${line}`),
    `${' '.repeat(margin + 1)}${first}${last.padStart(Math.max(last.length + 1, width - first.length))}`,
  ]
}

/** Lightest to darkest, so that a picture is there without colours. */
const SHADES = ['·', '░', '▒', '▓', '█']

function describeHeat({ study, xField, yField, cells }: HeatOfStudy, { config }: Chart['trial']): Line[] {
  const { metric } = study.objective
  const [low, high] = [Math.min(...cells.map(({ mean }) => mean)), Math.max(...cells.map(({ mean }) => mean))]
  const shade = (mean: number) =>
    SHADES[high === low ? 0 : Math.round(((mean - low) / (high - low)) * (SHADES.length - 1))]
  const xs = [...new Set(cells.map(({ x }) => x))].sort((a, b) => a - b)
  const ys = [...new Set(cells.map(({ y }) => y))].sort((a, b) => b - a)
  const textOf = (x: number, y: number) => {
    const cell = cells.find((each) => each.x === x && each.y === y)
    if (cell === undefined) return ''
    const mark = config[xField] === x && config[yField] === y ? '*' : ' '
    return `${shade(cell.mean)}${mark}${formatNumber(cell.mean, 1)} (${cell.count})`
  }
  return [
    `mean ${METRICS[metric].title.toLowerCase()} of study ${study.name}, and of how many trials; * is this one; darker is more`,
    fittingTable(ys, [
      { title: `${yField} ↓ ${xField} →`, value: String },
      ...xs.map((x) => ({ title: String(x), value: (y: number) => textOf(x, y) })),
    ]),
  ]
}
