/** Equity and what lies below it over time, thinned for a screen: the highest and the lowest close of every stretch are kept. Pure. */

import type { Metrics } from '../../../contract/metrics.ts'
import type { Candles } from '../../../engine/candles.ts'
import { DAY_MS, monthlyReturns } from '../../../engine/daily-equity.ts'
import type { EquitySeries } from './blocks.ts'
import type { TrialRun } from './run-trial.ts'

interface PanelPoint {
  /** Close of the candle, ms UTC. */
  readonly time: number
  readonly value: number
}

export const PANELS = ['equity', 'drawdown', 'used', 'hold'] as const
export type PanelName = (typeof PANELS)[number]

export interface EquityPanels {
  /** Equity, capital used and holding the same average amount in quote; drawdown in percent, 0 or negative. */
  readonly points: Readonly<Record<PanelName, readonly PanelPoint[]>>
  /** The deepest fall over closes; null = equity never fell. */
  readonly worst: {
    readonly time: number
    readonly equity: number
    readonly drawdownPercent: number
    readonly peakTime: number
  } | null
}

const MOST_POINTS = 600

/** @param feePercent of the costs the run was made with */
export function equityPanels(
  run: TrialRun,
  {
    candles,
    investment,
    feePercent,
  }: { readonly candles: Candles; readonly investment: number; readonly feePercent: number },
): EquityPanels {
  const { equity, used, metrics } = run
  const count = equity.length
  const drawdown = new Float64Array(count)
  const hold = new Float64Array(count)
  const exposure = metrics.usedCapital.average / investment
  const fee = feePercent / 100
  const kept = (1 - fee) / (1 + fee)
  let peak = investment
  let [peakAt, worstAt, worstPeakAt] = [0, -1, 0]
  for (let i = 0; i < count; i++) {
    if (equity[i] > peak) [peak, peakAt] = [equity[i], i]
    drawdown[i] = 100 * (equity[i] / peak - 1)
    if (drawdown[i] < (worstAt < 0 ? -1e-12 : drawdown[worstAt])) [worstAt, worstPeakAt] = [i, peakAt]
    hold[i] = investment * (1 + exposure * ((candles.close[i] / candles.open[0]) * kept - 1))
  }
  const points = (values: Float64Array) =>
    extremes(values).map((i) => ({ time: candles.openTime[i] + candles.intervalMs, value: values[i] }))
  const at = (i: number) => candles.openTime[i] + candles.intervalMs
  return {
    points: { equity: points(equity), drawdown: points(drawdown), used: points(used), hold: points(hold) },
    worst:
      worstAt < 0
        ? null
        : {
            time: at(worstAt),
            equity: equity[worstAt],
            drawdownPercent: -drawdown[worstAt],
            peakTime: at(worstPeakAt),
          },
  }
}

/** Equity and drawdown at day ends as the result states them: all that is known where nothing is computed. */
export function panelsOfDays({ firstDay, values }: EquitySeries, investment: number): EquityPanels {
  let peak = investment
  let worst: EquityPanels['worst'] = null
  let peakTime = firstDay * DAY_MS
  const equity: PanelPoint[] = []
  const drawdown: PanelPoint[] = []
  for (const [day, value] of values.entries()) {
    const time = (firstDay + day + 1) * DAY_MS
    if (value > peak) [peak, peakTime] = [value, time]
    const percent = 100 * (value / peak - 1)
    if (percent < -(worst?.drawdownPercent ?? 0)) worst = { time, equity: value, drawdownPercent: -percent, peakTime }
    equity.push({ time, value })
    drawdown.push({ time, value: percent })
  }
  return { points: { equity, drawdown, used: [], hold: [] }, worst }
}

/** Places of the lowest and the highest value of each of many equal stretches, in order; first and last included. */
export function extremes(values: Float64Array): number[] {
  const count = values.length
  if (count <= MOST_POINTS) return Array.from(values, (_, i) => i)
  const stretches = MOST_POINTS / 2
  const kept = new Set<number>([0])
  for (let stretch = 0; stretch < stretches; stretch++) {
    const [from, to] = [Math.floor((stretch * count) / stretches), Math.floor(((stretch + 1) * count) / stretches)]
    let [low, high] = [from, from]
    for (let i = from + 1; i < to; i++) {
      if (values[i] < values[low]) low = i
      if (values[i] > values[high]) high = i
    }
    kept.add(Math.min(low, high)).add(Math.max(low, high))
  }
  kept.add(count - 1)
  return [...kept]
}

// A trial month by month. Pure.

interface MonthRow {
  /** `2025-06`, UTC. */
  readonly month: string
  readonly returnPercent: number
  /** Length of its bar: its size over the largest, 0 to 1. */
  readonly share: number
}

/** The first and the last month may be partial. Empty without days. */
export function monthsOfDays({ firstDay, values }: EquitySeries, investment: number): MonthRow[] {
  return withShares(monthlyReturns({ firstDay, values: [...values] }, investment))
}

export function withShares(months: Metrics['monthlyReturns']): MonthRow[] {
  const largest = Math.max(...months.map(({ returnPercent }) => Math.abs(returnPercent)))
  return months.map(({ month, returnPercent }) => ({
    month,
    returnPercent,
    share: largest === 0 ? 0 : Math.abs(returnPercent) / largest,
  }))
}
