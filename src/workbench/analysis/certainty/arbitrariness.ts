/** How much of a figure is chance: the minute on which the bot was started, and the last digit of its take profit. Neither is advice. */
import { CONFIG_BOUNDS, type DcaSpotConfig } from '../../../contract/bot.ts'
import { keptOfFees } from '../../../engine/buy-and-hold.ts'
import { type CurvePiece, type TakeProfitCurve, takeProfitCurve } from '../../../engine/curve/take-profit.ts'
import { DAY_MS } from '../../../engine/daily-equity.ts'
import type { Market } from '../../../engine/jump/flight.ts'
import type { PreparedCandles } from '../../../engine/jump/prepared.ts'
import { runStarts } from '../../../engine/jump/starts.ts'
import { CONFIG_ROW, createSweep, writeConfigRow } from '../../../engine/jump/sweep.ts'
import { ascending, percentileAmong, quantile } from '../quantiles.ts'

/** A distribution. Its unit is that of its values. */
interface Spread {
  readonly low5: number
  readonly q1: number
  readonly median: number
  readonly q3: number
  readonly high95: number
}

/** Net profit of a bot by its start, quote. */
export interface StartsSpread extends Spread {
  /** Starts. */
  readonly of: number
  /** Of the first one, which is the reported one. */
  readonly reported: number
  /** Of the reported one among all of them, 100 = best. */
  readonly percentile: number
  /** Starts whose profit has the other sign. */
  readonly otherSignPercent: number
}

/** The same bot, started on every candle of the first day. */
export interface StartsFact extends StartsSpread {
  /** Into how many different bots they had merged after ten days; null where there are fewer days. */
  readonly botsAfterTenDays: number | null
  /** Net profit less what the average used capital earned when it was held from the same candle on, quote. */
  readonly excess: Spread
  /** Maximum drawdown, percent. */
  readonly drawdown: Spread
}

const MERGED_DAYS = 10

/** @param prepared one candle at least */
export function factOfStarts(prepared: PreparedCandles, market: Market, config: DcaSpotConfig): StartsFact {
  const { open, close, count } = prepared
  const starts = Array.from({ length: firstAfter(prepared, 1) }, (_, candle) => candle)
  const { netProfit, used, risk } = runStarts(prepared, market, config, starts, { want: 'full' })
  const profits = [...netProfit]
  const kept = keptOfFees(market.costs.feePercent / 100)
  const excess = profits.map(
    (profit, start) => profit - (used?.average[start] ?? 0) * ((close[count - 1] / open[start]) * kept - 1),
  )
  const merged = firstAfter(prepared, MERGED_DAYS)
  return {
    ...spreadOfStarts(profits),
    botsAfterTenDays: merged >= count ? null : botsFrom(merged),
    excess: spreadOf(excess),
    drawdown: spreadOf([...(risk?.maxDrawdownPercent ?? [])]),
  }

  /** Bots that earn the same from a candle on are one. */
  function botsFrom(candle: number): number {
    const until = starts.map((first) => ({ first, last: candle }))
    const before = runStarts(prepared, market, config, until, { want: 'profit' }).netProfit
    return new Set(profits.map((profit, start) => (profit - before[start]).toPrecision(9))).size
  }
}

/** The first candle so many days after the first one; their count where there is none. */
export function firstAfter({ openTime, count }: PreparedCandles, days: number): number {
  const found = openTime.findIndex((time) => time >= openTime[0] + days * DAY_MS)
  return found === -1 ? count : found
}

/** @param profits by start, the reported one first */
export function spreadOfStarts(profits: readonly number[]): StartsSpread {
  const [reported] = profits
  const others = profits.filter((profit) => (profit < 0 && reported > 0) || (profit > 0 && reported < 0))
  return {
    of: profits.length,
    reported,
    percentile: percentileAmong(profits, reported, { direction: 'maximize' }) ?? 50,
    ...spreadOf(profits),
    otherSignPercent: (100 * others.length) / profits.length,
  }
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = ascending(values)
  const at = (p: number) => quantile(sorted, p) ?? 0
  return { low5: at(0.05), q1: at(0.25), median: at(0.5), q3: at(0.75), high95: at(0.95) }
}

const NEAR_FIELDS = ['takeProfit', 'dcaPriceScalePercent', 'dcaVolumeScale'] as const
/** On either side of the own value. */
const NEAR_STEPS = 20

/** The field within ± 5 % of whose own value the median profit is lowest, and that median, quote. */
export interface NearFact {
  readonly field: (typeof NEAR_FIELDS)[number]
  readonly median: number
}

/** Percent of the own value: what lies nearer differs from it by nothing that was meant. */
export const WITHIN = 5

export function factOfNear(prepared: PreparedCandles, market: Market, config: DcaSpotConfig): NearFact {
  const factors = Array.from(
    { length: 2 * NEAR_STEPS + 1 },
    (_, n) => 1 + ((n - NEAR_STEPS) / NEAR_STEPS) * (WITHIN / 100),
  )
  const found = NEAR_FIELDS.map((field): NearFact => {
    const rows = new Float64Array(factors.length * CONFIG_ROW)
    factors.forEach((factor, row) => {
      writeConfigRow(rows, row, { ...config, [field]: config[field] * factor })
    })
    const { netProfit } = createSweep(prepared, { ...market, want: 'profit' }).run(rows)
    return { field, median: quantile(ascending([...netProfit]), 0.5) ?? 0 }
  })
  return found.reduce((least, one) => (one.median < least.median ? one : least))
}

/** Net profit over every number of safety orders that is allowed. */
export interface LadderLengthFact {
  readonly from: number
  readonly to: number
  /** The numbers that earn most, quote: the first of them, and the last of those behind it that earn the same. */
  readonly best: { readonly from: number; readonly to: number; readonly netProfit: number }
}

export function factOfLadderLengths(
  prepared: PreparedCandles,
  market: Market,
  config: DcaSpotConfig,
): LadderLengthFact {
  const { min: from = 0, max: to } = CONFIG_BOUNDS.dcaMaxSafetyOrders
  const rows = new Float64Array((to - from + 1) * CONFIG_ROW)
  for (let orders = from; orders <= to; orders++) {
    writeConfigRow(rows, orders - from, { ...config, dcaMaxSafetyOrders: orders })
  }
  const { netProfit } = createSweep(prepared, { ...market, want: 'profit' }).run(rows)
  const best = Math.max(...netProfit)
  const first = netProfit.indexOf(best)
  let last = first
  while (netProfit[last + 1] === best) last++
  return { from, to, best: { from: from + first, to: from + last, netProfit: best } }
}

/** Net profit over every take profit between `from` and `to`, percent and quote. */
export interface TakeProfitFact {
  readonly from: number
  readonly to: number
  readonly pieces: number
  /** How much of the range is proved; elsewhere steps were tried, and the reason says why. */
  readonly certified: { readonly percent: number; readonly reason: string | null }
  /** The take profits that make most. */
  readonly best: { readonly from: number; readonly to: number; readonly netProfit: number }
  /** Around the best: less than a tenth of its profit is lost there. */
  readonly basin: { readonly from: number; readonly to: number }
  /** Take profits within so many percent of the own one, and where that stands among them; null where it lies outside the range. */
  readonly band: {
    readonly within: number
    readonly percentile: number
    readonly q1: number
    readonly median: number
    readonly q3: number
  } | null
  /** Take profit in the middle of a column, and the least and most that is made within the column. */
  readonly envelope: readonly (readonly [at: number, low: number, high: number])[]
}

/** What the best take profit of a period earned on the next one, as it was measured (`method.md`). */
export const PEAK_AFTERWARDS = 'in our own test over 119 windows of market history it earned nothing more afterwards'

const BASIN_LOSS = 0.1
const COLUMNS = 512

export function factOfTakeProfits(
  prepared: PreparedCandles,
  market: Market,
  config: DcaSpotConfig,
  range: { readonly from: number; readonly to: number },
): TakeProfitFact {
  return factOfCurve(takeProfitCurve(prepared, market, config, range), config.takeProfit, range)
}

/** @param own the take profit that is set */
export function factOfCurve(
  { pieces, certified, best: { from, to, netProfit } }: TakeProfitCurve,
  own: number,
  range: { readonly from: number; readonly to: number },
): TakeProfitFact {
  return {
    ...range,
    pieces: pieces.length,
    certified,
    best: { from, to, netProfit },
    basin: basinOf(pieces, { from, to, netProfit }),
    band: bandOf(pieces.map(middleOfStairs), own, range),
    envelope: envelopeOf(pieces, range),
  }
}

function basinOf(pieces: readonly CurvePiece[], best: TakeProfitFact['best']): TakeProfitFact['basin'] {
  const least = best.netProfit - BASIN_LOSS * Math.abs(best.netProfit)
  const at = pieces.findIndex(({ to }) => to === best.to)
  let { from } = best
  let { to } = best
  for (let n = at; n >= 0 && pieces[n].profit >= least; n--) {
    from = whereLineIs(pieces[n], least)
    if (pieces[n].fromProfit < least) break
  }
  for (let n = at + 1; n < pieces.length && pieces[n].fromProfit >= least; n++) to = pieces[n].to
  return { from, to }
}

/** Where a rising piece reaches an amount; its left end where it begins above. */
function whereLineIs({ from, to, fromProfit, profit }: CurvePiece, amount: number): number {
  return fromProfit >= amount ? from : from + ((amount - fromProfit) / (profit - fromProfit)) * (to - from)
}

/** The pieces of a span, cut to it. */
function within(
  pieces: readonly CurvePiece[],
  { from, to }: { readonly from: number; readonly to: number },
): CurvePiece[] {
  const atLine = (piece: CurvePiece, at: number) =>
    piece.to === piece.from
      ? piece.profit
      : piece.fromProfit + ((at - piece.from) / (piece.to - piece.from)) * (piece.profit - piece.fromProfit)
  return pieces
    .filter((piece) => piece.to > from && piece.from < to)
    .map((piece) => {
      const [left, right] = [Math.max(from, piece.from), Math.min(to, piece.to)]
      return { ...piece, from: left, to: right, fromProfit: atLine(piece, left), profit: atLine(piece, right) }
    })
}

/** With a tick the line lies under a staircase: half a step above it is what is earned on average. */
function middleOfStairs(piece: CurvePiece): CurvePiece {
  const half = piece.stair / 2
  return { ...piece, fromProfit: piece.fromProfit + half, profit: piece.profit + half }
}

function bandOf(
  pieces: readonly CurvePiece[],
  own: number,
  range: { readonly from: number; readonly to: number },
): TakeProfitFact['band'] {
  const span = {
    from: Math.max(range.from, own * (1 - WITHIN / 100)),
    to: Math.min(range.to, own * (1 + WITHIN / 100)),
  }
  const inside = within(pieces, span)
  const piece = pieces.find(({ to }) => own <= to)
  if (own < range.from || own > range.to || piece === undefined || inside.length === 0) return null
  const ownProfit = within([piece], { from: piece.from, to: own }).at(0)?.profit ?? piece.fromProfit
  /** Share of the span on which less is made, ties half. */
  const below = (amount: number) => {
    let sum = 0
    for (const { from, to, fromProfit, profit } of inside) {
      const share =
        profit === fromProfit
          ? amount > profit
            ? 1
            : amount < profit
              ? 0
              : 0.5
          : (amount - fromProfit) / (profit - fromProfit)
      sum += (to - from) * Math.min(1, Math.max(0, share))
    }
    return sum / (span.to - span.from)
  }
  const least = Math.min(...inside.map(({ fromProfit }) => fromProfit))
  const most = Math.max(...inside.map(({ profit }) => profit))
  const at = (share: number) => {
    let [low, high] = [least, most]
    for (let halving = 0; halving < 60; halving++) {
      const middle = low + (high - low) / 2
      if (below(middle) < share) low = middle
      else high = middle
    }
    return high
  }
  return { within: WITHIN, percentile: 100 * below(ownProfit), q1: at(0.25), median: at(0.5), q3: at(0.75) }
}

function envelopeOf(
  pieces: readonly CurvePiece[],
  { from, to }: { readonly from: number; readonly to: number },
): TakeProfitFact['envelope'] {
  const width = (to - from) / COLUMNS
  let next = 0
  return Array.from({ length: COLUMNS }, (_, column) => {
    const span = { from: from + column * width, to: from + (column + 1) * width }
    while (next < pieces.length - 1 && pieces[next].to <= span.from) next++
    let end = next
    while (end < pieces.length && pieces[end].from < span.to) end++
    const inside = within(pieces.slice(next, end), span)
    const low = inside.reduce((least, { fromProfit }) => Math.min(least, fromProfit), Number.POSITIVE_INFINITY)
    const high = inside.reduce((most, { profit }) => Math.max(most, profit), Number.NEGATIVE_INFINITY)
    return [span.from + width / 2, low, high] as const
  })
}
