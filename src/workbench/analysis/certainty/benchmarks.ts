/**
 * What the same money would have made without a bot, on the same candles and with the same fee: bought at once, bought at once with as much as the
 * bot had in use on average, or bought in equal parts. Every purchase pays the fee on top and every value is after the fee of selling, as in the
 * engine. Drawdowns are falls from the running peak over closes in percent of all money, idle cash included, as the bot's own. Without candles
 * nothing is bought and nothing gained. Slippage and symbol rules are left out: their effect is small here, and makes the benchmark look better.
 */
import { buyAndHold } from '../../../engine/buy-and-hold.ts'
import { type Candles, lowerBound } from '../../../engine/candles.ts'
import { DAY_MS } from '../../../engine/daily-equity.ts'
import { createDrawdownMeter, observeEquity } from '../../../engine/drawdown.ts'
import type { Benchmark } from './checks.ts'

interface BenchmarkTerms {
  /** Quote. */
  readonly investment: number
  readonly feePercent: number
}

/** All of the investment bought at the first open and valued at the last close. */
export function holdBenchmark(candles: Candles, { investment, feePercent }: BenchmarkTerms): Benchmark {
  const { returnPercent, maxDrawdownPercent } = buyAndHold(candles, feePercent / 100)
  return { profit: (investment * returnPercent) / 100, maxDrawdownPercent }
}

/**
 * Buy & hold at the same average exposure: `averageUsedCapital` (quote, fee included; of a result, `usedCapital.average`) is bought at the first
 * open, the rest of the investment lies idle.
 */
export function exposedHoldBenchmark(
  candles: Candles,
  { investment, feePercent, averageUsedCapital }: BenchmarkTerms & { readonly averageUsedCapital: number },
): Benchmark {
  return purchasesAt(
    candles,
    { investment, feePercent },
    { at: candles.close.length === 0 ? [] : [0], each: averageUsedCapital },
  )
}

/**
 * The investment spent in equal purchases (fees included), at the first open of each UTC day, or of each seven UTC days from that of the first
 * candle; what is not spent yet lies idle. Days without a candle have no purchase, and the others are larger for it.
 */
export function periodicPurchases(
  candles: Candles,
  { investment, feePercent, every }: BenchmarkTerms & { readonly every: 'day' | 'week' },
): Benchmark & { readonly purchases: number } {
  const at = firstOfEach(candles.openTime, every === 'day' ? DAY_MS : 7 * DAY_MS)
  return {
    ...purchasesAt(candles, { investment, feePercent }, { at, each: investment / at.length }),
    purchases: at.length,
  }
}

/** Rows of the first candle of each period; periods are counted from the start of the first candle's UTC day. */
function firstOfEach(openTime: Float64Array, periodMs: number): number[] {
  const rows: number[] = []
  const start = Math.floor((openTime.at(0) ?? 0) / DAY_MS) * DAY_MS
  for (let row = 0; row < openTime.length; ) {
    rows.push(row)
    const period = Math.floor((openTime[row] - start) / periodMs)
    row = lowerBound(openTime, start + (period + 1) * periodMs)
  }
  return rows
}

/** Purchases of `each` quote, fee included, at the opens of the rows `at`. */
function purchasesAt(
  { open, close }: Candles,
  { investment, feePercent }: BenchmarkTerms,
  { at, each }: { readonly at: readonly number[]; readonly each: number },
): Benchmark {
  const fee = feePercent / 100
  const meter = createDrawdownMeter(investment)
  let cash = investment
  let quantity = 0
  let equity = investment
  let bought = 0
  for (let row = 0; row < close.length; row++) {
    if (row === at[bought]) {
      bought++
      cash -= each
      quantity += each / (open[row] * (1 + fee))
    }
    equity = cash + quantity * close[row] * (1 - fee)
    observeEquity(meter, equity, equity)
  }
  return { profit: equity - investment, maxDrawdownPercent: 100 * meter.deepest }
}

/** Returns of the price as fractions, from the end of one of these days to that of the next; the first from the first open. A day without candles keeps its price. */
export function heldReturns(
  { openTime, open, close }: Candles,
  days: readonly { readonly date: string }[],
): readonly number[] {
  let row = 0
  let before = open[0]
  return days.map(({ date }) => {
    const end = Date.parse(date) + DAY_MS
    let last = before
    for (; row < openTime.length && openTime[row] < end; row++) last = close[row]
    const held = last / before - 1
    before = last
    return held
  })
}
