import type { BacktestInput, BacktestResult, ClosedDeal, OpenDeal } from '../backtest.ts'
import { type BuyAndHold, buyAndHold } from '../buy-and-hold.ts'
import { computeMetrics } from '../metrics.ts'
import { createEventLog, type EventLog, FILLED_SHIFT, KIND_MASK, OPENED, SOLD, STOPPED_OUT } from './event-log.ts'
import {
  AMBIGUOUS,
  boardConfig,
  createFlight,
  ENDED,
  FILLED,
  type Flight,
  IN_DEAL,
  OUT_OF_CASH,
  START,
  STATE,
  STOPPED,
  UNAFFORDABLE,
} from './flight.ts'
import { gapsOf, missingInDeals } from './gaps.ts'
import { createWalk } from './kernel.ts'
import { createObserver } from './observer.ts'
import { type PreparedCandles, prepareCandles } from './prepared.ts'
import { TOP_STRETCH } from './pyramid.ts'
import { createWatch, endDay, MOST_PUT_OFF, type Watch } from './watch.ts'

/** Candles walked before what happened on them is read: the log stays small and warm. */
const BLOCK = TOP_STRETCH

/**
 * The jump engine: the same result as `runReference`, found by visiting only candles on which something can happen. Decisions (fills, exits,
 * stops, durations, counters) are identical; money is within 1e-9 of max(1, turnover), because sums in another order differ in the last
 * bits. Whoever runs more than one config on the same candles hands over `prepared`.
 */
export function runJump(
  input: BacktestInput,
  prepared: PreparedCandles = prepareCandles(input.candles),
): BacktestResult {
  const { config } = input
  const flight = createFlight(input, {
    configs: 1,
    rows: config.dcaMaxSafetyOrders + 1,
    maxSafetyOrders: config.dcaMaxSafetyOrders,
  })
  boardConfig(flight, { slot: 0, table: 0, family: 0 }, config, input)

  const walk = createWalk(flight, prepared)
  const log = createEventLog(Math.min(BLOCK, prepared.count))
  const series: number[] = []
  const watch = createWatch(config.investment, { slot: 0, putOff: new Float64Array(MOST_PUT_OFF), series })
  const observer = createObserver(prepared, { feeRate: flight.feeRate, intrabar: input.conventions.intrabar, log })
  const deals: ClosedDeal[] = []
  for (let from = 0; from < prepared.count; from += BLOCK) {
    const to = Math.min(prepared.count, from + BLOCK)
    const entries = walk(0, from, to, log)
    listDeals(deals, watch, { log, entries, prepared, feeRate: flight.feeRate })
    observer.read(watch, entries, from, to)
  }
  return finish(input, prepared, { flight, watch, series, deals })
}

interface BlockEvents {
  readonly log: EventLog
  readonly entries: number
  readonly prepared: PreparedCandles
  readonly feeRate: number
}

/** Adds the deals that closed in a block. `watch.openedAt` remembers the one that is still open when the block ends. */
function listDeals(deals: ClosedDeal[], watch: Watch, { log, entries, prepared, feeRate }: BlockEvents): void {
  for (let entry = 0; entry < entries; entry++) {
    const candle = log.ints[2 * entry]
    const code = log.ints[2 * entry + 1]
    const kind = code & KIND_MASK
    if (kind === OPENED) watch.start = candle
    if (kind < SOLD) continue
    const quantity = log.floats[4 * entry]
    const cost = log.floats[4 * entry + 1]
    const price = log.floats[4 * entry + 2]
    const proceeds = quantity * price * (1 - feeRate)
    deals.push({
      openedAt: prepared.openTime[watch.start],
      closedAt: prepared.openTime[candle],
      exit: kind === STOPPED_OUT ? 'stopLoss' : 'takeProfit',
      safetyOrders: code >> FILLED_SHIFT,
      quantity,
      cost,
      proceeds,
      profit: proceeds - cost,
      price,
    })
  }
}

interface Landed {
  readonly flight: Flight
  readonly watch: Watch
  readonly series: number[]
  readonly deals: readonly ClosedDeal[]
}

function finish(
  input: BacktestInput,
  prepared: PreparedCandles,
  { flight, watch, series, deals }: Landed,
): BacktestResult {
  const { ints, feeRate } = flight
  const { count, openTime, dayNumber } = prepared
  const openDeal = ints[STATE] === IN_DEAL ? valueOpenDeal(prepared, watch, ints, feeRate) : null
  if (count > 0) endDay(watch, prepared, watch.cash + (openDeal?.profit ?? 0))
  const metrics = computeMetrics({
    investment: input.config.investment,
    feeRate,
    candles: {
      count,
      intervalMs: prepared.intervalMs,
      firstOpen: openTime.at(0) ?? 0,
      lastOpen: openTime.at(-1) ?? 0,
    },
    deals,
    openDeal,
    drawdown: watch,
    maxFloatingLoss: watch.floatingLoss,
    candlesInDeal: ints[STATE] === STOPPED ? ints[ENDED] : count,
    candlesFullyInvested: watch.heldFull,
    usedCapital: { max: watch.usedMax, sumOverCandles: watch.usedSum },
    dailyEquity: { firstDay: dayNumber.at(0) ?? null, values: series },
    buyAndHold: knownBuyAndHold(input, prepared, feeRate),
    ambiguousCandles: ints[AMBIGUOUS],
    missingInDeals: missingInDeals(deals, openDeal, gapsOf(prepared)),
    unaffordableOrders: ints[UNAFFORDABLE],
    outOfCash: ints[OUT_OF_CASH] === 1,
  })
  return { metrics, deals, openDeal }
}

function valueOpenDeal(prepared: PreparedCandles, watch: Watch, ints: Int32Array, feeRate: number): OpenDeal {
  const { quantity, cost } = watch
  const value = quantity * prepared.close[prepared.count - 1] * (1 - feeRate)
  const openedAt = prepared.openTime[ints[START]]
  return { openedAt, safetyOrders: ints[FILLED], quantity, cost, value, profit: value - cost }
}

const buyAndHolds = new WeakMap<PreparedCandles, Map<number, BuyAndHold>>()

/** It depends on candles and fee alone, and looks at every candle: once is enough for all configs. */
function knownBuyAndHold({ candles }: BacktestInput, prepared: PreparedCandles, feeRate: number): BuyAndHold {
  const byFee = buyAndHolds.get(prepared) ?? new Map<number, BuyAndHold>()
  buyAndHolds.set(prepared, byFee)
  const known = byFee.get(feeRate) ?? buyAndHold(candles, feeRate)
  byFee.set(feeRate, known)
  return known
}
