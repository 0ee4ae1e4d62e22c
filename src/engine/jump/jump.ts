import { EXIT_NAMES } from '../../contract/bot.ts'
import { type OwnRun, withOtherRuns } from '../ambiguity-pair.ts'
import { type BuyAndHold, buyAndHold } from '../buy-and-hold.ts'
import { missingBetween } from '../candles.ts'
import type { BacktestInput, BacktestResult, ClosedDeal, OpenDeal } from '../deal.ts'
import { computeMetrics } from '../metrics.ts'
import { boardConfig, createFlight, type Flight } from './flight.ts'
import {
  AMBIGUOUS,
  BLOCK,
  CANDLES_FULL,
  CASH,
  DAY,
  DEAL_LOWEST,
  DEEPEST,
  DEEPEST_AT_LOW,
  ENDED,
  FILLED,
  FILLED_SHIFT,
  FLOATING_LOSS,
  HELD_COST,
  HELD_QUANTITY,
  IN_DEAL,
  KIND_MASK,
  LOG_FLOATS,
  LOG_INTS,
  OPENED,
  OUT_OF_CASH,
  SOLD,
  SOLD_AFTER_LOW,
  START,
  STATE,
  STOPPED,
  UNAFFORDABLE,
  UNPLACED,
  USED_MAX,
  USED_SUM,
} from './layout.ts'
import { type PreparedCandles, prepareForOneRun } from './prepared.ts'
import { type Workbench, workbenchOf } from './workbench.ts'

/** Time between two candles that no candle covers. */
interface Gap {
  /** Open time of the candle before it. */
  readonly after: number
  readonly missing: number
}

const knownGaps = new WeakMap<PreparedCandles, readonly Gap[]>()

/** The gaps in time order. They depend on the candles alone, so they are computed once for all configs. */
function gapsOf(prepared: PreparedCandles): readonly Gap[] {
  const known = knownGaps.get(prepared)
  if (known !== undefined) return known
  const { openTime, intervalMs } = prepared
  const gaps: Gap[] = []
  for (let i = 1; i < openTime.length; i++) {
    const missing = missingBetween(openTime[i - 1], openTime[i], intervalMs)
    if (missing > 0) gaps.push({ after: openTime[i - 1], missing })
  }
  knownGaps.set(prepared, gaps)
  return gaps
}

/** Counts the candles missing inside deals. Deals and gaps are both in time order, so one pass over both is enough. */
function missingInDeals(deals: readonly ClosedDeal[], openDeal: OpenDeal | null, gaps: readonly Gap[]): number {
  let total = 0
  let deal = 0
  for (const { after, missing } of gaps) {
    while (deal < deals.length && deals[deal].closedAt <= after) deal++
    const openedAt = deal < deals.length ? deals[deal].openedAt : openDeal?.openedAt
    if (openedAt !== undefined && openedAt <= after) total += missing
  }
  return total
}

/**
 * The jump engine: the same result as `runReference`, found by visiting only candles on which something can happen. Decisions
 * (fills, exits, stops, durations, counters) are identical; money is within 1e-9 of max(1, turnover), because adding in another
 * order changes the last bits. Pass `prepared` when you run more than one config on the same candles.
 */
export function runJump(
  input: BacktestInput,
  prepared: PreparedCandles = prepareForOneRun(input.candles),
): BacktestResult {
  return withOtherRuns(input, (asked) => runJumpOnce(asked, prepared))
}

/** One walk, which is all that the own metrics of a config need. */
export function runJumpOnce(input: BacktestInput, prepared: PreparedCandles): OwnRun {
  const { config } = input
  const flight = createFlight(input, {
    configs: 1,
    rows: config.dcaMaxSafetyOrders + 1,
    maxSafetyOrders: config.dcaMaxSafetyOrders,
    observes: 'all',
  })
  boardConfig(flight, { slot: 0, table: 0, family: 0 }, config, input)

  const bench = workbenchOf(prepared)
  bench.board(flight, { wantsSeries: true })
  const deals: ClosedDeal[] = []
  let opened = 0
  for (let from = 0; from < prepared.count; from += BLOCK) {
    const entries = bench.kernel.reportBlock(from, Math.min(prepared.count, from + BLOCK))
    opened = listDeals(deals, opened, { bench, entries, prepared, feeRate: flight.feeRate })
  }
  bench.leave(flight)
  return finish(input, prepared, { flight, deals, bench })
}

interface BlockEvents {
  readonly bench: Workbench
  readonly entries: number
  readonly prepared: PreparedCandles
  readonly feeRate: number
}

/** Adds the deals that closed in a block. Takes and returns the candle on which the open deal began, which may be in an earlier block. */
function listDeals(deals: ClosedDeal[], openedBefore: number, events: BlockEvents): number {
  const { bench, entries, prepared, feeRate } = events
  const { logInts, logFloats } = bench
  let opened = openedBefore
  for (let entry = 0; entry < entries; entry++) {
    const candle = logInts[LOG_INTS * entry]
    const code = logInts[LOG_INTS * entry + 1]
    const kind = code & KIND_MASK
    if (kind === OPENED) opened = candle
    if (kind < SOLD) continue
    const quantity = logFloats[LOG_FLOATS * entry]
    const cost = logFloats[LOG_FLOATS * entry + 1]
    const price = logFloats[LOG_FLOATS * entry + 2]
    const lowestValue = logFloats[LOG_FLOATS * entry + 3]
    const proceeds = quantity * price * (1 - feeRate)
    deals.push({
      openedAt: prepared.openTime[opened],
      closedAt: prepared.openTime[candle],
      exit: EXIT_NAMES[Math.max(0, kind - SOLD_AFTER_LOW)],
      safetyOrders: code >> FILLED_SHIFT,
      quantity,
      cost,
      proceeds,
      profit: proceeds - cost,
      price,
      lowestValue,
    })
  }
  return opened
}

interface Landed {
  readonly flight: Flight
  readonly deals: readonly ClosedDeal[]
  readonly bench: Workbench
}

function finish(input: BacktestInput, prepared: PreparedCandles, { flight, deals, bench }: Landed): OwnRun {
  const { ints, watches: watch, feeRate } = flight
  const { count, openTime, dayNumber } = prepared
  const openDeal = ints[STATE] === IN_DEAL ? valueOpenDeal(prepared, flight) : null
  const equity = watch[CASH] + (openDeal?.profit ?? 0)
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
    drawdown: { deepest: watch[DEEPEST], deepestAtLow: watch[DEEPEST_AT_LOW] },
    maxFloatingLoss: watch[FLOATING_LOSS],
    candlesInDeal: ints[STATE] === STOPPED ? ints[ENDED] : count,
    candlesFullyInvested: watch[CANDLES_FULL],
    usedCapital: { max: watch[USED_MAX], sumOverCandles: watch[USED_SUM] },
    dailyEquity: {
      firstDay: dayNumber.at(0) ?? null,
      values: count === 0 ? [] : equityByDay(bench.series.subarray(0, watch[DAY]), dayNumber, equity),
    },
    buyAndHold: knownBuyAndHold(input, prepared, feeRate),
    ambiguousCandles: ints[AMBIGUOUS],
    missingInDeals: missingInDeals(deals, openDeal, gapsOf(prepared)),
    unaffordableOrders: ints[UNAFFORDABLE],
    unplacedOrders: ints[UNPLACED],
    outOfCash: ints[OUT_OF_CASH] === 1,
  })
  return { metrics, deals, openDeal }
}

function valueOpenDeal(prepared: PreparedCandles, { ints, watches, feeRate }: Flight): OpenDeal {
  const quantity = watches[HELD_QUANTITY]
  const cost = watches[HELD_COST]
  const value = quantity * prepared.close[prepared.count - 1] * (1 - feeRate)
  const openedAt = prepared.openTime[ints[START]]
  const lowestValue = watches[DEAL_LOWEST]
  return { openedAt, safetyOrders: ints[FILLED], quantity, cost, value, profit: value - cost, lowestValue }
}

/** Equity at the end of every calendar day, from the days that have candles; the last day ends with the last candle. */
function equityByDay(ended: Float64Array, dayNumber: Int32Array, last: number): number[] {
  const values: number[] = []
  for (let day = 0; day < dayNumber.length; day++) {
    const passed = day === 0 ? 1 : dayNumber[day] - dayNumber[day - 1]
    for (let idle = 1; idle < passed; idle++) values.push(values[values.length - 1])
    values.push(day < ended.length ? ended[day] : last)
  }
  return values
}

const buyAndHolds = new WeakMap<PreparedCandles, Map<number, BuyAndHold>>()

/** Buy & hold reads every candle and depends on candles and fee alone, so it is computed once for all configs. */
function knownBuyAndHold({ candles }: BacktestInput, prepared: PreparedCandles, feeRate: number): BuyAndHold {
  const byFee = buyAndHolds.get(prepared) ?? new Map<number, BuyAndHold>()
  buyAndHolds.set(prepared, byFee)
  const known = byFee.get(feeRate) ?? buyAndHold(candles, feeRate)
  byFee.set(feeRate, known)
  return known
}
