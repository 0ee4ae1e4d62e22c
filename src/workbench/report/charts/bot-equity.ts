/** Equity of a bot and of its backtest, day by day. */
import { chartData } from './columns.ts'
import { axisTitle, CHART_FRAME, type ChartSpec } from './theme.ts'

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
