/**
 * Every chart of a report is one row here: what it shows, what is said where nothing can be drawn, how the page frames it, and the pure
 * function from its data to a spec. A part of the page draws it by `figure`; its golden file is `test/golden/report/<name>.json`.
 */
import type { HeatPicture } from '../model/heat.ts'
import { type BotDealsInput, type BotEquityInput, botDealsSpec, botEquitySpec } from './bot-charts.ts'
import { type ImportanceBar, importanceSpec } from './importance-bars.ts'
import { type DrawnLines, overTimeSpec } from './over-time.ts'
import { type ParallelInput, parallelSpec } from './parallel.ts'
import { type ScatterInput, scatterSpec } from './scatter.ts'
import type { ChartSpec } from './theme.ts'

/** What each chart is drawn from. */
interface ChartInputs {
  readonly equity: DrawnLines
  readonly drawdown: DrawnLines
  readonly scatter: ScatterInput
  readonly heat: HeatPicture
  readonly importance: readonly ImportanceBar[]
  readonly parallel: ParallelInput
  readonly 'bot-deals': BotDealsInput
  readonly 'bot-equity': BotEquityInput
}

export type ChartName = keyof ChartInputs
export type ChartInput<Name extends ChartName> = ChartInputs[Name]

/** A Vega-Lite spec with its data, or of the heat map what an SVG of ours is drawn from. */
export type StillChart = ChartSpec | HeatPicture

export function isPicture(chart: StillChart): chart is HeatPicture {
  return 'cells' in chart
}

interface ChartRow<Input> {
  /** What it shows, for those who cannot see it too. */
  readonly title: string
  /** Why there is none, where the data lack what it needs. */
  readonly without: string
  /** The style sheet's class. */
  readonly kind: 'scatter' | 'heat' | 'bars' | 'parallel' | 'lines'
  readonly spec: (input: Input) => StillChart
}

/** In the order of the page. */
export const CHARTS: { readonly [Name in ChartName]: ChartRow<ChartInput<Name>> } = {
  equity: {
    title: 'Return since the start',
    without: 'the best stores no daily equity',
    kind: 'lines',
    spec: (drawn) => overTimeSpec({ yTitle: 'Return, %', height: 170, ...drawn }),
  },
  drawdown: {
    title: 'Fall below the highest day so far',
    without: 'the best stores no daily equity',
    kind: 'lines',
    spec: (drawn) => overTimeSpec({ yTitle: 'Below peak, %', height: 80, ...drawn }),
  },
  scatter: {
    title: 'Net profit against maximum drawdown',
    without: 'no trial has both a net profit and a drawdown',
    kind: 'scatter',
    spec: scatterSpec,
  },
  heat: {
    title: 'Two parameters together',
    without: 'it needs two varied parameters, and this study varies one',
    kind: 'heat',
    spec: (picture) => picture,
  },
  importance: {
    title: 'What each parameter explains',
    without: 'the trials vary no parameter',
    kind: 'bars',
    spec: importanceSpec,
  },
  parallel: {
    title: 'Parameters and results of every trial',
    without: 'the trials vary no parameter',
    kind: 'parallel',
    spec: parallelSpec,
  },
  'bot-deals': {
    title: 'Deals of the bot and of its backtest on the price',
    without: 'the service tells no deals of the bot',
    kind: 'lines',
    spec: botDealsSpec,
  },
  'bot-equity': {
    title: 'Equity of the bot and of its backtest',
    without: 'neither has a whole day yet',
    kind: 'lines',
    spec: botEquitySpec,
  },
}
