/** What the page computes of one trial, against the engine that answers for the numbers; and what it draws of it. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backtest } from '../../../src/engine/backtest.ts'
import type { Candles } from '../../../src/engine/candles.ts'
import { CHOICE_NAMES, CONVENTION_VALUES } from '../../../src/engine/conventions.ts'
import { runReference, runReferenceOnce } from '../../../src/engine/reference.ts'
import { thinCandles } from '../../../src/workbench/report/embed.ts'
import { drawDeals, moved, priceBars, wholeWindow, zoomed } from '../../../src/workbench/report/model/deal-marks.ts'
import { equityPanels, extremes } from '../../../src/workbench/report/model/equity-panels.ts'
import { ladderAt, runTrial, turnoverOf } from '../../../src/workbench/report/model/run-trial.ts'
import { someCandles, someInput } from '../../engine/arbitraries.ts'
import { candlesOf, inputOf, PLAIN_CONFIG } from '../../engine/inputs.ts'
import { findDifferences } from '../../engine/jump/agreement.ts'

const CASES = 300
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

function requestOf({ candles, config, conventions, costs, symbol }: ReturnType<typeof inputOf>) {
  return { candles, config, terms: { conventions, costs, symbol } }
}

describe('a trial computed in the page', () => {
  it('is what the engine makes of it: net profit, every other metric, every deal, under every convention', () => {
    const met = new Set<string>()
    fc.assert(
      fc.property(someInput, (input) => {
        const { metrics, deals, openDeal } = runTrial(requestOf(input))
        const {
          netProfitPessimistic: _,
          netProfitOptimistic: __,
          stressedPerUsed: ___,
          ...own
        } = backtest(input).metrics
        const expected = { metrics: own, deals: backtest(input).deals, openDeal: backtest(input).openDeal }
        expect(findDifferences(expected, { metrics, deals, openDeal }, own.volume)).toEqual([])
        expect(turnoverOf(requestOf(input)).netProfit).toBe(metrics.netProfit)
        for (const name of CHOICE_NAMES) met.add(`${name} ${input.conventions[name]}`)
      }),
      { numRuns: CASES, seed: 15 },
    )
    expect(met.size).toBe(CHOICE_NAMES.reduce((sum, name) => sum + CONVENTION_VALUES[name].length, 0))
  })

  it('is not changed by being watched', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const { traced: _, equity: __, used: ___, ...watched } = runTrial(requestOf(input))
        expect(watched).toEqual(runReferenceOnce(input))
        expect(runReference(input).metrics).toMatchObject(watched.metrics)
      }),
    )
  })

  it('tells of each deal what its result says: its fills, its cost, its profit; and equity to the last close', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const { traced, deals, openDeal, equity, used, metrics } = runTrial(requestOf(input))
        expect(traced).toHaveLength(deals.length + (openDeal === null ? 0 : 1))
        for (const [index, deal] of [...deals, ...(openDeal === null ? [] : [openDeal])].entries()) {
          const { filledAt, ladder, openedAt, profit } = traced[index]
          expect(filledAt).toHaveLength(deal.safetyOrders + 1)
          expect([...filledAt].sort((a, b) => a - b)).toEqual(filledAt)
          expect(filledAt[0]).toBe(openedAt)
          expect(ladder.cost[deal.safetyOrders]).toBe(deal.cost)
          expect(profit).toBe(deal.profit)
        }
        expect(equity[equity.length - 1]).toBeCloseTo(input.config.investment + metrics.netProfit, 6)
        expect(Math.max(...used)).toBe(metrics.usedCapital.max)
      }),
    )
  })

  it('has its worst moment where the drawdown of its metrics is', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const { candles, config, costs } = input
        const run = runTrial(requestOf(input))
        const panels = equityPanels(run, { candles, investment: config.investment, feePercent: costs.feePercent })
        expect(panels.worst?.drawdownPercent ?? 0).toBeCloseTo(run.metrics.maxDrawdownPercent, 9)
        const atEnd = panels.points.hold.at(-1)?.value ?? Number.NaN
        expect(100 * (atEnd / config.investment - 1)).toBeCloseTo(run.metrics.exposedHoldPercent, 6)
      }),
    )
  })
})

/** A fifth of the moves, so that most minutes do nothing to a deal. */
function calmed({ open, high, low, close, ...rest }: Candles): Candles {
  const calm = (prices: Float64Array) => prices.map((price) => 100 + (price - 100) / 5)
  return { ...rest, open: calm(open), high: calm(high), low: calm(low), close: calm(close) }
}

describe('the candles of a long period, thinned', () => {
  it('make the same deals of a trial they were kept for, to the bit, and lose no price', () => {
    let merged = 0
    fc.assert(
      fc.property(someInput, (hourly) => {
        const minutes = hourly.candles.openTime.map((time, i) => time - i * (HOUR_MS - MINUTE_MS))
        const candles = { ...calmed(hourly.candles), intervalMs: MINUTE_MS, openTime: minutes }
        const request = requestOf({ ...hourly, candles })
        const fewest = Array.from(candles.openTime, (_, i) =>
          thinCandles(candles, { trials: [request], most: i + 1 }),
        ).find(({ traced }) => traced === 1)
        if (fewest === undefined) throw new Error('there is room for all candles')
        const [whole, thin] = [runTrial(request), runTrial({ ...request, candles: fewest.candles })]
        expect(thin.traced).toEqual(whole.traced)
        expect(thin.metrics.netProfit).toBe(whole.metrics.netProfit)
        expect(Math.max(...fewest.candles.high)).toBe(Math.max(...candles.high))
        expect(Math.min(...fewest.candles.low)).toBe(Math.min(...candles.low))
        expect(fewest.candles.close.at(-1)).toBe(candles.close.at(-1))
        expect(fewest.candles.openTime.every((time) => candles.openTime.includes(time))).toBe(true)
        merged += candles.openTime.length - fewest.candles.openTime.length
      }),
      { numRuns: CASES, seed: 15 },
    )
    expect(merged).toBeGreaterThan(2 * CASES)
  })

  it('are merged by the hour alone where not even the events of the best trial have room', () => {
    const candles = candlesOf(Array.from({ length: 150 }, () => [100, 102, 98, 100]))
    const { candles: left, traced } = thinCandles(candles, { trials: [requestOf(inputOf({ candles }))], most: 4 })
    expect(traced).toBe(0)
    expect(left.openTime).toHaveLength(4)
    expect(wholeWindow(left)).toEqual(wholeWindow(candles))
  })
})

describe('the ladder of a trial', () => {
  const deepening = inputOf({
    candles: candlesOf([
      [100, 100, 100, 100],
      [100, 100, 97.5, 98],
      [98, 103, 98, 103],
    ]),
    config: {
      ...PLAIN_CONFIG,
      dcaMaxSafetyOrders: 3,
      dcaInitialOrderSize: 100,
      dcaVolumeScale: 1.5,
      dcaTotalBudget: 700,
    },
  })

  it('answers what the third safety order cost, and that it does not fit a smaller budget', () => {
    const { traced } = runTrial(requestOf(deepening))
    const { rows, missing } = ladderAt(deepening.config, requestOf(deepening).terms, { startPrice: 100, deals: traced })
    // 100, then 150, 225 and 337.50 at 1, 2 and 3 % below; each with a fee of 0.1 %
    expect(rows.map(({ price, size }) => [price, size])).toEqual([
      [100, 100],
      [99, 150],
      [98, 225],
      [97, 337.5],
    ])
    expect(rows[3].cost).toBeCloseTo(337.8375, 9)
    expect(rows[3].totalCost).toBeCloseTo(813.3125, 9)
    expect(rows.map(({ isPlaced }) => isPlaced)).toEqual([true, true, true, false])
    expect(rows.map(({ filledIn }) => filledIn)).toEqual([1, 1, 1, 0])
    expect(missing).toBe(0)
  })

  it('is that of the deal itself, whose base order filled at that price', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const { traced } = runTrial(requestOf(input))
        for (const { ladder } of traced) {
          const { rows } = ladderAt(input.config, requestOf(input).terms, {
            startPrice: ladder.price[0],
            deals: traced,
          })
          expect(rows).toHaveLength(ladder.price.length)
          for (const [order, row] of rows.entries()) {
            expect(row.price).toBeCloseTo(ladder.price[order], 9)
            expect(row.totalCost).toBeCloseTo(ladder.cost[order], 9)
            expect(row.takeProfit).toBeCloseTo(ladder.takeProfit[order], 9)
          }
        }
      }),
    )
  })

  it('tells of rungs that do not exist, because they would lie 100 % deep', () => {
    const { rows, missing } = ladderAt(
      { ...PLAIN_CONFIG, dcaMaxSafetyOrders: 4, dcaPriceScalePercent: 40 },
      requestOf(deepening).terms,
      {
        startPrice: 50,
        deals: null,
      },
    )
    expect(rows.map(({ price }) => Math.round(price))).toEqual([50, 30, 10])
    expect(missing).toBe(2)
    expect(rows[0].filledIn).toBeNull()
  })
})

describe('a picture of a run', () => {
  it('keeps every price that was touched, in few bars, whatever is shown', () => {
    fc.assert(
      fc.property(
        someCandles,
        fc.double({ min: 0.05, max: 1, noNaN: true }),
        fc.double({ min: -1, max: 1, noNaN: true }),
        (candles, factor, share) => {
          const whole = wholeWindow(candles)
          const window = moved(zoomed(whole, factor, { whole, intervalMs: candles.intervalMs }), share, whole)
          expect(window.from).toBeGreaterThanOrEqual(whole.from)
          expect(window.to).toBeLessThanOrEqual(whole.to)
          const bars = priceBars(candles, window)
          const inside = [...candles.openTime.keys()].filter(
            (i) => candles.openTime[i] >= window.from && candles.openTime[i] < window.to,
          )
          expect(Math.max(...bars.map(({ high }) => high))).toBe(Math.max(...inside.map((i) => candles.high[i])))
          expect(Math.min(...bars.map(({ low }) => low))).toBe(Math.min(...inside.map((i) => candles.low[i])))
          expect(bars.at(-1)?.close).toBe(candles.close[inside.at(-1) ?? 0])
          expect(bars.length).toBeLessThanOrEqual(601)
        },
      ),
    )
  })

  it('marks each fill and each exit once where all is shown, between the borders of the chart', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        const { candles } = input
        const { traced, metrics } = runTrial(requestOf(input))
        const window = wholeWindow(candles)
        const { marks, levels, low, high } = drawDeals(traced, {
          window,
          bars: priceBars(candles, window),
          quote: { asset: 'USDT', decimals: 2 },
        })
        expect(marks).toHaveLength(metrics.orders)
        for (const { price } of [...marks, ...levels]) {
          expect(price).toBeGreaterThan(low)
          expect(price).toBeLessThan(high)
        }
        for (const { time, end } of levels) expect(time <= end && time >= window.from && end <= window.to).toBe(true)
      }),
    )
  })

  it('thins a long line to at most 602 points and loses neither its highest nor its lowest', () => {
    const values = Float64Array.from(
      { length: 130_708 },
      (_, i) => Math.sin(i / 9000) + (i === 77_777 ? 5 : i === 3 ? -5 : 0),
    )
    const kept = extremes(values)
    expect(kept.length).toBeLessThanOrEqual(602)
    expect(kept).toEqual([...kept].sort((a, b) => a - b))
    expect(kept).toContain(77_777)
    expect(kept).toContain(3)
    expect([kept[0], kept.at(-1)]).toEqual([0, 130_707])
  })
})
