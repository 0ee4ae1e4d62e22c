/** Deals of a bot and of its backtest on one price: a filled mark of the bot inside of a hollow one of the backtest is a deal that matches. */
import { axisTitle, CHART_FRAME, type ChartSpec, chartData } from './theme.ts'

export interface BotDealsInput {
  readonly yTitle: string
  readonly price: readonly { readonly time: number; readonly price: number }[]
  readonly marks: readonly BotDealMark[]
  /** From the opening to the close of each deal that has both. */
  readonly spans: readonly {
    readonly who: 'bot' | 'backtest'
    readonly from: number
    readonly to: number
    readonly fromPrice: number
    readonly toPrice: number
  }[]
}

export interface BotDealMark {
  readonly who: 'bot' | 'backtest'
  readonly end: 'opened' | 'closed'
  /** Ms UTC. */
  readonly time: number
  readonly price: number
  /** On the same candles in both. */
  readonly isMatched: boolean
  readonly tooltip: string
}

/** One scale for lines and marks. */
const COLOUR = {
  type: 'nominal' as const,
  scale: { domain: ['bot', 'backtest', 'unmatched'], range: ['var(--accent)', 'var(--ink)', 'var(--loss)'] },
  legend: null,
}

/** Layers in order: price, lines from open to close, the backtest's marks, the bot's. */
export function botDealsSpec({ yTitle, price, marks, spans }: BotDealsInput): ChartSpec {
  const prices = chartData(['time', 'price'], price)
  const lines = chartData(['who', 'from', 'to', 'fromPrice', 'toPrice'], spans)
  const x = { type: 'temporal' as const, scale: { type: 'utc' as const }, axis: { title: null, tickCount: 6 } }
  const y = { type: 'quantitative' as const, axis: { title: axisTitle(yTitle) }, scale: { zero: false, nice: true } }
  return {
    ...CHART_FRAME,
    height: 280,
    layer: [
      {
        name: 'price',
        data: { values: [...prices.values] },
        mark: { type: 'line', color: 'var(--faint)', strokeWidth: 1, tooltip: false },
        encoding: { x: { field: prices.field.time, ...x }, y: { field: prices.field.price, ...y } },
      },
      {
        name: 'spans',
        data: { values: [...lines.values] },
        mark: { type: 'rule', strokeWidth: 1, opacity: 0.45, tooltip: false },
        encoding: {
          x: { field: lines.field.from, ...x },
          x2: { field: lines.field.to },
          y: { field: lines.field.fromPrice, ...y },
          y2: { field: lines.field.toPrice },
          color: { field: lines.field.who, ...COLOUR },
        },
      },
      markLayer('backtest', marks),
      markLayer('bot', marks),
    ],
  }

  function markLayer(who: BotDealMark['who'], all: readonly BotDealMark[]) {
    const rows = all
      .filter((mark) => mark.who === who)
      .map(({ isMatched, ...mark }) => ({ ...mark, look: isMatched ? who : 'unmatched' }))
    const data = chartData(['end', 'time', 'price', 'look', 'tooltip'], rows)
    return {
      name: who,
      data: { values: [...data.values] },
      mark: {
        type: 'point' as const,
        filled: who === 'bot',
        size: who === 'bot' ? 50 : 150,
        strokeWidth: 1.5,
        opacity: 1,
      },
      encoding: {
        x: { field: data.field.time, ...x },
        y: { field: data.field.price, ...y },
        shape: {
          field: data.field.end,
          type: 'nominal' as const,
          scale: { domain: ['opened', 'closed'], range: ['triangle-up', 'triangle-down'] },
          legend: null,
        },
        color: { field: data.field.look, ...COLOUR },
        tooltip: { field: data.field.tooltip, type: 'nominal' as const },
      },
    }
  }
}

// Equity of a bot and of its backtest, day by day.

export interface BotEquityInput {
  readonly yTitle: string
  /** `time`: the end of a UTC day, ms; `value` in quote. */
  readonly points: readonly {
    readonly who: 'bot' | 'backtest'
    readonly time: number
    readonly value: number
    readonly tooltip: string
  }[]
}

const WHO = ['backtest', 'bot'] as const

/** The backtest is dashed, and below the bot: where they agree, only the bot is seen between its dashes. */
export function botEquitySpec({ yTitle, points }: BotEquityInput): ChartSpec {
  const data = chartData(['who', 'time', 'value', 'tooltip'], points)
  const x = {
    field: data.field.time,
    type: 'temporal' as const,
    scale: { type: 'utc' as const },
    axis: { title: null, tickCount: 6 },
  }
  const y = {
    field: data.field.value,
    type: 'quantitative' as const,
    axis: { title: axisTitle(yTitle) },
    scale: { zero: false, nice: true },
  }
  const perWho = <Value>(bot: Value, backtest: Value) => ({ domain: [...WHO], range: [backtest, bot] })
  const who = { field: data.field.who, type: 'nominal' as const }
  const colour = { ...who, scale: perWho('var(--accent)', 'var(--ink)'), legend: null }
  return {
    ...CHART_FRAME,
    height: 200,
    data: { values: [...data.values] },
    layer: [
      {
        name: 'lines',
        mark: { type: 'line', strokeJoin: 'round', tooltip: false },
        encoding: {
          x,
          y,
          stroke: colour,
          strokeWidth: { condition: { test: `datum['${data.field.who}'] === 'bot'`, value: 2.25 }, value: 1.5 },
          strokeDash: { ...who, scale: perWho([1, 0], [5, 3]), legend: null },
        },
      },
      {
        name: 'days',
        mark: { type: 'point', filled: true, size: 26, opacity: 1 },
        encoding: { x, y, fill: colour, tooltip: { field: data.field.tooltip, type: 'nominal' } },
      },
    ],
  }
}
