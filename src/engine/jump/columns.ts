import { FEWEST_DAYS, yearlyRatio } from '../risk-adjusted.ts'
import type { Batch } from './batch.ts'
import { createDurationColumns, readDurations } from './durations.ts'
import {
  AMBIGUOUS,
  CANDLES_FULL,
  COST,
  DAY,
  DAY_EQUITY,
  DEALS,
  DEEPEST,
  DEEPEST_AT_LOW,
  ENDED,
  FIELD_INVESTMENT,
  FILLED,
  FILLS,
  FIRST,
  FLOATING_LOSS,
  FLOATS,
  IN_DEAL,
  INTS,
  LAST,
  LONGEST,
  LOSS_SQUARE_SUM,
  LOST,
  OUT_OF_CASH,
  QUANTITY,
  REALIZED,
  RETURN_SUM,
  ROW,
  SCALE,
  SQUARE_SUM,
  START,
  STATE,
  STOPPED,
  STOPS,
  TABLE,
  UNAFFORDABLE,
  UNPLACED,
  USED_MAX,
  USED_SUM,
  WATCH,
  WINS,
} from './layout.ts'
import type { PreparedCandles } from './prepared.ts'

/** Results of a sweep, one value per config row and column. Amounts in quote; an undefined value is NaN (in `Metrics` it is null). */
export interface SweepColumns {
  readonly netProfit: Float64Array
  readonly realizedProfit: Float64Array
  /** Of the closed deals that lost, summed: 0 or negative. */
  readonly lostProfit: Float64Array
  readonly closedDeals: Int32Array
  readonly wins: Int32Array
  readonly stopLosses: Int32Array
  /** Safety orders filled, the open deal's included. */
  readonly safetyOrders: Int32Array
  /** Candles on which a position was held. */
  readonly candlesInDeal: Int32Array
  /** The open deal included; 0 without deals. */
  readonly longestDealMinutes: Float64Array
  readonly ambiguousCandles: Int32Array
  readonly unaffordableOrders: Int32Array
  readonly unplacedOrders: Int32Array
  readonly openDeal: Uint8Array
  readonly outOfCash: Uint8Array
  /** Null when only profit was asked for. */
  readonly used: UsedColumns | null
  /** Null when less was asked for. */
  readonly returns: ReturnColumns | null
  /** The same. */
  readonly risk: RiskColumns | null
  /** Null when it was not asked for. */
  readonly durations: ReturnType<typeof createDurationColumns> | null
}

/** Quote that deals held, fees included. */
interface UsedColumns {
  readonly max: Float64Array
  /** Over all candles. */
  readonly average: Float64Array
}

interface ReturnColumns {
  readonly sharpe: Float64Array
  readonly sortino: Float64Array
}

interface RiskColumns {
  readonly maxDrawdownPercent: Float64Array
  readonly maxDrawdownLowPercent: Float64Array
  readonly maxFloatingLoss: Float64Array
  readonly candlesFullyInvested: Int32Array
}

export interface WantedColumns {
  /** `used` adds how much capital deals use, `returns` also Sharpe and Sortino, `full` also drawdowns. */
  readonly want: 'profit' | 'used' | 'returns' | 'full'
  /** Adds how long deals take; on candles that lie on their interval. */
  readonly durations?: boolean
}

export function createColumns(count: number, { want, durations = false }: WantedColumns): SweepColumns {
  const floats = () => new Float64Array(count)
  const ints = () => new Int32Array(count)
  return {
    netProfit: floats(),
    realizedProfit: floats(),
    lostProfit: floats(),
    closedDeals: ints(),
    wins: ints(),
    stopLosses: ints(),
    safetyOrders: ints(),
    candlesInDeal: ints(),
    longestDealMinutes: floats(),
    ambiguousCandles: ints(),
    unaffordableOrders: ints(),
    unplacedOrders: ints(),
    openDeal: new Uint8Array(count),
    outOfCash: new Uint8Array(count),
    used: want === 'profit' ? null : { max: floats(), average: floats() },
    returns: want === 'returns' || want === 'full' ? { sharpe: floats(), sortino: floats() } : null,
    risk:
      want !== 'full'
        ? null
        : {
            maxDrawdownPercent: floats(),
            maxDrawdownLowPercent: floats(),
            maxFloatingLoss: floats(),
            candlesFullyInvested: ints(),
          },
    durations: durations ? createDurationColumns(count) : null,
  }
}

const MINUTE_MS = 60_000

/** Writes the results of a batch so far; config `slot` goes to row `first + slot`. The batch can still be advanced. */
export function readBatch(columns: SweepColumns, first: number, batch: Batch, prepared: PreparedCandles): void {
  const { tables, ints, floats, feeRate } = batch.flight
  const { openTime, close, intervalMs } = prepared
  for (let slot = 0; slot < batch.configs; slot++) {
    const at = slot * INTS
    const from = ints[at + FIRST]
    const end = Math.min(prepared.count, ints[at + LAST])
    const af = slot * FLOATS
    const to = first + slot
    const isOpen = ints[at + STATE] === IN_DEAL
    let unrealized = 0
    let longest = floats[af + LONGEST]
    if (isOpen) {
      const row = ints[at + TABLE] + ints[at + FILLED] * ROW
      const quantity = tables[row + QUANTITY] / floats[af + SCALE]
      unrealized = quantity * close[end - 1] * (1 - feeRate) - tables[row + COST]
      longest = Math.max(longest, openTime[end - 1] + intervalMs - openTime[ints[at + START]])
    }
    const netProfit = floats[af + REALIZED] + unrealized
    columns.netProfit[to] = netProfit
    columns.realizedProfit[to] = floats[af + REALIZED]
    columns.lostProfit[to] = floats[af + LOST]
    columns.closedDeals[to] = ints[at + DEALS]
    columns.wins[to] = ints[at + WINS]
    columns.stopLosses[to] = ints[at + STOPS]
    columns.safetyOrders[to] = ints[at + FILLS] + (isOpen ? ints[at + FILLED] : 0)
    columns.candlesInDeal[to] = (ints[at + STATE] === STOPPED ? ints[at + ENDED] : end) - from
    columns.longestDealMinutes[to] = longest / MINUTE_MS
    columns.ambiguousCandles[to] = ints[at + AMBIGUOUS]
    columns.unaffordableOrders[to] = ints[at + UNAFFORDABLE]
    columns.unplacedOrders[to] = ints[at + UNPLACED]
    columns.openDeal[to] = isOpen ? 1 : 0
    columns.outOfCash[to] = ints[at + OUT_OF_CASH]
    if (columns.durations !== null) {
      const { durations: counts, durationCounts } = batch.flight
      const { bins, stride } = durationCounts
      readDurations(columns.durations, to, {
        counts,
        from: slot * stride,
        bins,
        closedDeals: ints[at + DEALS],
        intervalMs,
      })
    }
    const { watches } = batch.flight
    const watch = slot * WATCH
    if (columns.used !== null) {
      columns.used.max[to] = watches[watch + USED_MAX]
      columns.used.average[to] = end === from ? 0 : watches[watch + USED_SUM] / (end - from)
    }
    const equity = floats[af + FIELD_INVESTMENT] + netProfit
    if (columns.returns !== null) readReturns(columns.returns, to, { watches, watch, prepared, from, end, equity })
    if (columns.risk === null) continue
    columns.risk.maxDrawdownPercent[to] = 100 * watches[watch + DEEPEST]
    columns.risk.maxDrawdownLowPercent[to] = 100 * watches[watch + DEEPEST_AT_LOW]
    columns.risk.maxFloatingLoss[to] = watches[watch + FLOATING_LOSS]
    columns.risk.candlesFullyInvested[to] = watches[watch + CANDLES_FULL]
  }
}

interface AtSlot {
  readonly watches: Float64Array
  readonly watch: number
  readonly prepared: PreparedCandles
  /** The candles from ≤ i < end are those of the config. */
  readonly from: number
  readonly end: number
  readonly equity: number
}

/** A variance smaller than this fraction of the squared mean is a rounding error of the subtraction. */
const NO_VARIANCE = 1e-14

function readReturns(
  columns: ReturnColumns,
  to: number,
  { watches, watch, prepared, from, end, equity }: AtSlot,
): void {
  const { dayNumber } = prepared
  const lastDay = dayOf(prepared, end - 1)
  const returns = end === 0 ? 0 : dayNumber[lastDay] - dayNumber[dayOf(prepared, from)] + 1
  // The last day is not ended in the watch, because more candles may be appended; unless they are there and not the config's.
  const before = watches[watch + DAY_EQUITY]
  const last = end > 0 && before > 0 && watches[watch + DAY] <= lastDay ? equity / before - 1 : 0
  const loss = Math.min(last, 0)
  const sum = watches[watch + RETURN_SUM] + last
  const mean = sum / returns
  const variance = (watches[watch + SQUARE_SUM] + last * last - mean * sum) / (returns - 1)
  columns.sharpe[to] = ratioOf(returns, mean, variance < NO_VARIANCE * mean * mean ? 0 : variance)
  columns.sortino[to] = ratioOf(returns, mean, (watches[watch + LOSS_SQUARE_SUM] + loss * loss) / returns)
}

/** The day of a candle: its place in `dayEnd`. */
export function dayOf({ dayEnd }: PreparedCandles, candle: number): number {
  let low = 0
  let high = dayEnd.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (dayEnd[middle] < candle) low = middle + 1
    else high = middle
  }
  return low
}

function ratioOf(returns: number, mean: number, variance: number): number {
  return returns < FEWEST_DAYS ? Number.NaN : (yearlyRatio(mean, Math.sqrt(variance)) ?? Number.NaN)
}
