/**
 * Profit over every take profit of a range, exactly. Between two breakpoints a bot makes the same fills, and its profit is a line; so the
 * whole range is a list of lines, and no take profit makes more than the best of their right ends.
 *
 *     ratio       1.005        1.00612              1.00745 …
 *                   └─ piece 1 ──┴───── piece 2 ──────┴─ …       each has its right end, and not its left one
 *
 * The sweep goes upwards. Each deal says up to which ratio it stays the same; when the least of these bounds is passed, that deal is walked
 * anew, and those behind it until the new path comes to a candle on which the old one began a deal.
 */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import type { Market } from '../jump/flight.ts'
import type { PreparedCandles } from '../jump/prepared.ts'
import { CONFIG_ROW, createSweep, writeConfigRow } from '../jump/sweep.ts'
import { CAP_TOLERANCE, takeProfitRatio } from '../levels.ts'
import { type CurveDeal, createDeal, DealWalk, lastWhere } from './deal-walk.ts'
import { StepRun } from './step-run.ts'

/** Take profits in percent: above `from` (the first piece: from it on) up to and with `to`. Profit is linear between the ends. */
export interface CurvePiece {
  readonly from: number
  readonly to: number
  /** Net profit just behind `from` and at `to`, quote. With a tick it may be up to `stair` more anywhere between. */
  readonly fromProfit: number
  readonly profit: number
  readonly stair: number
  readonly closedDeals: number
  /** Σ over candles of the cost with fees, quote; null where it is not certified. */
  readonly usedSum: number | null
  /** The cash covers every order of every deal, so that the line is what the bot earns. */
  readonly isCertified: boolean
}

export interface TakeProfitCurve {
  readonly pieces: readonly CurvePiece[]
  readonly certified: { readonly percent: number; readonly reason: string | null }
  /** The take profits that make most, and how much: no value of the range makes more, where all of it is certified. */
  readonly best: {
    readonly from: number
    readonly to: number
    readonly netProfit: number
    readonly closedDeals: number
  }
}

/** Where a piece is not certified the engine is asked at these steps of the take profit, percent. */
const STEP = 0.001

/**
 * @param config its own take profit does not matter
 * @param range take profits in percent, above 0
 */
export function takeProfitCurve(
  prepared: PreparedCandles,
  market: Market,
  config: DcaSpotConfig,
  range: { readonly from: number; readonly to: number },
): TakeProfitCurve {
  const ratioOf = (percent: number) => takeProfitRatio(percent, market.conventions, market.costs)
  const lines = sweepRatios(prepared, market, config, { from: ratioOf(range.from), most: ratioOf(range.to) })
  let from = range.from
  const found = lines.map((line): CurvePiece => {
    const to = line.ratio >= lines[lines.length - 1].ratio ? range.to : lastPercent(line.ratio, range, ratioOf)
    const piece = {
      from,
      to,
      fromProfit: line.slope * line.first + line.constant,
      profit: line.slope * line.ratio + line.constant,
      stair: line.stair,
      closedDeals: line.deals,
      usedSum: line.used,
      isCertified: line.isCertified,
    }
    from = to
    return piece
  })
  const steps = new StepRun(prepared, market, config, ratioOf(range.to))
  const pieces = steppedWhereShort(found, (percent) => steps.at(ratioOf(percent)))
  const covered = found.reduce((sum, { from: left, to, isCertified }) => sum + (isCertified ? to - left : 0), 0)
  const percent = range.to > range.from ? (100 * covered) / (range.to - range.from) : found[0].isCertified ? 100 : 0
  return { pieces, certified: { percent, reason: reasonOf(percent) }, best: bestOf(prepared, market, config, pieces) }
}

/** The curves of ranges that follow one another, as one: who shows it while a reader waits computes it in parts. */
export function joinCurves(curves: readonly TakeProfitCurve[]): TakeProfitCurve {
  const pieces = curves.flatMap((curve) => curve.pieces)
  const widths = curves.map((curve) => (curve.pieces.at(-1)?.to ?? 0) - (curve.pieces.at(0)?.from ?? 0))
  const whole = widths.reduce((sum, width) => sum + width, 0)
  const isWhole = curves.every(({ certified }) => certified.percent === 100)
  const covered = curves.reduce((sum, { certified }, n) => sum + certified.percent * widths[n], 0)
  const percent = isWhole ? 100 : covered / whole
  const best = curves.map((curve) => curve.best).reduce((most, one) => (one.netProfit > most.netProfit ? one : most))
  return { pieces, certified: { percent, reason: reasonOf(percent) }, best }
}

function reasonOf(percent: number): string | null {
  if (percent === 100) return null
  const short = 100 - percent
  const share = short < 1 ? 'less than 1' : String(Math.round(short))
  return `the bot ran short of cash on ${share} % of these take profits; there ${STEP} % steps were tried`
}

interface Line {
  /** The first ratio of the piece, and its last. */
  readonly first: number
  ratio: number
  readonly slope: number
  readonly constant: number
  readonly stair: number
  readonly deals: number
  readonly used: number
  readonly isCertified: boolean
}

interface ChainedDeal extends CurveDeal {
  following: ChainedDeal | undefined
  /** Another one whenever it is walked or comes into the chain; −1 while it is no part of it. */
  version: number
}

function sweepRatios(
  prepared: PreparedCandles,
  market: Market,
  config: DcaSpotConfig,
  { from, most }: { readonly from: number; readonly most: number },
): Line[] {
  const { count } = prepared
  const walks = new DealWalk(prepared, market, config, most)
  /** The last deal from each candle, in the chain or not: from many of them the chain comes to the same deal again. */
  const known = new Array<ChainedDeal | undefined>(count)
  let versions = 0
  const bounds = createBounds()
  const sums = createSums()
  const cash = createCashWatch(config.investment)
  const lines: Line[] = []
  let ratio = from
  const first = enter(0, undefined)
  for (;;) {
    const right = Math.min(most, bounds.least())
    const isCertified = cash.covers(first, ratio)
    const before = lines.at(-1)
    // Where nothing is certified the engine is asked: that is one line.
    if (before?.isCertified === false && !isCertified) before.ratio = right
    else lines.push({ first: ratio, ratio: right, ...readSums(sums), isCertified })
    if (right >= most) return lines
    ratio = after(right)
    for (let deal = bounds.take(ratio); deal !== undefined; deal = bounds.take(ratio)) walkAnew(deal)
  }

  /** Walks from a candle on, until a deal of the old chain begins where a new one would; returns the first of these deals. */
  function enter(start: number, old: ChainedDeal | undefined): ChainedDeal | undefined {
    let next = old
    let head: ChainedDeal | undefined
    let tail: ChainedDeal | undefined
    for (let at = start; ; ) {
      while (next !== undefined && next.start < at) {
        next.version = -1
        tally(next, -1)
        next = next.following
      }
      const isMet = next !== undefined && next.start === at
      const deal: ChainedDeal | undefined = isMet ? next : at < count ? walked(at) : undefined
      if (tail === undefined) head = deal
      else tail.following = deal
      if (isMet || deal === undefined) return head
      tail = deal
      at = deal.next
    }
  }

  function walked(start: number): ChainedDeal {
    const deal = known[start] ?? { ...createDeal(start), following: undefined, version: 0 }
    known[start] = deal
    if (deal.bound < ratio) walks.walk(deal, ratio)
    add(deal)
    return deal
  }

  function add(deal: ChainedDeal): void {
    tally(deal, 1)
    deal.version = ++versions
    bounds.add(deal)
  }

  function walkAnew(deal: ChainedDeal): void {
    const { next } = deal
    tally(deal, -1)
    walks.walk(deal, ratio)
    add(deal)
    if (deal.next !== next) deal.following = enter(deal.next, deal.following)
    cash.endReplacing()
  }

  function tally(deal: ChainedDeal, sign: 1 | -1): void {
    addTo(sums, deal, sign)
    cash.count(deal, sign, ratio)
  }
}

/** The double after a positive one. */
export function after(value: number): number {
  return value + value * 0.75 * Number.EPSILON
}

function createSums() {
  return { slope: new Sum(), constant: new Sum(), stair: new Sum(), used: new Sum(), deals: 0 }
}

function readSums({ slope, constant, stair, used, deals }: ReturnType<typeof createSums>) {
  return { slope: slope.value, constant: constant.value, stair: stair.value, used: used.value, deals }
}

function addTo(sums: ReturnType<typeof createSums>, deal: CurveDeal, sign: 1 | -1): void {
  sums.slope.add(sign * deal.slope)
  sums.constant.add(sign * deal.constant)
  sums.stair.add(sign * deal.stair)
  sums.used.add(sign * deal.used)
  sums.deals += sign * deal.closed
}

/** The deals of a chain by the ratio up to which they stay the same: a heap. */
function createBounds() {
  interface Entry {
    readonly bound: number
    readonly deal: ChainedDeal
    readonly version: number
  }
  const heap: Entry[] = []
  return { add, least, take }

  function add(deal: ChainedDeal): void {
    if (deal.bound === Number.POSITIVE_INFINITY) return
    const entry = { bound: deal.bound, deal, version: deal.version }
    let at = heap.push(entry) - 1
    for (let parent = (at - 1) >> 1; at > 0 && heap[parent].bound > entry.bound; parent = (at - 1) >> 1) {
      heap[at] = heap[parent]
      at = parent
    }
    heap[at] = entry
  }

  function least(): number {
    while (heap.length > 0 && heap[0].version !== heap[0].deal.version) drop()
    return heap.length === 0 ? Number.POSITIVE_INFINITY : heap[0].bound
  }

  /** Takes out a deal whose bound lies below this ratio. */
  function take(ratio: number): ChainedDeal | undefined {
    if (least() >= ratio) return undefined
    const { deal } = heap[0]
    drop()
    return deal
  }

  function drop(): void {
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let at = 0
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && heap[child + 1].bound < heap[child].bound) child++
      if (heap[child].bound >= last.bound) break
      heap[at] = heap[child]
      at = child
    }
    heap[at] = last
  }
}

/** Of a sum of many deals, relative to the investment. */
const ROUNDING = 1e-9

/**
 * Whether the cash before each deal pays all of its orders. Only losses take cash away: as long as no deal of the chain loses, what it began
 * with is enough. Otherwise the chain is counted through, and what is to spare before the deal that has least of it is known from then on
 * within bounds: at least what it was, less what new deals came down by or earn less; at most what it was, plus all that was won and no longer
 * lost before that deal, as the deals there are worth more at a higher ratio. It is counted again once the bounds do not decide.
 */
function createCashWatch(investment: number) {
  const cap = 1 + CAP_TOLERANCE / 2
  let need = 0
  let atLeast = Number.NEGATIVE_INFINITY
  let atMost = Number.POSITIVE_INFINITY
  let scarcest: ChainedDeal | undefined
  let slope = 0
  let last = 0
  // Of the deals that are being replaced: what the new ones earn more, and what they earn, up to now and at least up to any of them.
  let gained = 0
  let earned = 0
  let lowest = 0
  const losers = new Set<ChainedDeal>()
  return { count, endReplacing, covers }

  function count(deal: ChainedDeal, sign: 1 | -1, ratio: number): void {
    const profit = deal.closed * (deal.slope * ratio + deal.constant)
    moveTo(ratio)
    slope += sign * deal.closed * deal.slope
    gained += sign * profit
    if (sign === 1) {
      if (profit < 0) losers.add(deal)
      earned += profit
      lowest = Math.min(lowest, earned)
      atLeast -= Math.max(0, deal.need - need)
      need = Math.max(need, deal.need)
    } else {
      losers.delete(deal)
      if (deal === scarcest && deal.version < 0) atMost = Number.POSITIVE_INFINITY
    }
  }

  /** Call when deals that follow one another have taken the places of others. */
  function endReplacing(): void {
    atLeast += Math.min(gained, lowest)
    atMost += Math.max(0, gained)
    gained = 0
    earned = 0
    lowest = 0
  }

  /** Each deal is worth more by its slope. */
  function moveTo(ratio: number): void {
    atMost += slope * (ratio - last)
    last = ratio
  }

  function covers(first: ChainedDeal | undefined, ratio: number): boolean {
    if (losers.size === 0) return need <= investment * cap
    moveTo(ratio)
    if (atLeast >= 0) return true
    if (atMost < -ROUNDING * investment) return false
    let money = investment * cap
    atLeast = Number.POSITIVE_INFINITY
    for (let deal = first; deal !== undefined; deal = deal.following) {
      if (money - need < atLeast) {
        atLeast = money - need
        scarcest = deal
      }
      money += deal.closed * (deal.slope * ratio + deal.constant)
    }
    atMost = atLeast
    gained = 0
    earned = 0
    lowest = 0
    return atLeast >= 0
  }
}

/** A sum that numbers are added to and taken from again, without the errors of rounding that would be left of them. */
class Sum {
  #sum = 0
  #rest = 0

  add(value: number): void {
    const sum = this.#sum + value
    const added = sum - this.#sum
    this.#rest += this.#sum - (sum - added) + (value - added)
    this.#sum = sum
  }

  get value(): number {
    return this.#sum + this.#rest
  }
}

/** The largest take profit, in percent, whose ratio is not above this one, below that of `to`: about a hundred of them share one ratio. */
function lastPercent(
  ratio: number,
  { from, to }: { readonly from: number; readonly to: number },
  ratioOf: (percent: number) => number,
): number {
  const guess = from + ((ratio - ratioOf(from)) / (ratioOf(to) - ratioOf(from))) * (to - from)
  return lastWhere((percent) => ratioOf(percent) <= ratio, { from, to, guess }) ?? to
}

/** Pieces that are not certified become steps, each as the engine says. */
function steppedWhereShort(
  pieces: readonly CurvePiece[],
  profitAt: (percent: number) => { readonly profit: number; readonly closedDeals: number },
): CurvePiece[] {
  return pieces.flatMap((piece) => {
    if (piece.isCertified) return [piece]
    let { from } = piece
    return endsOfSteps(piece).map((to): CurvePiece => {
      const { profit, closedDeals } = profitAt(to)
      const step = { from, to, fromProfit: profit, profit, stair: 0, closedDeals, usedSum: null, isCertified: false }
      from = to
      return step
    })
  })
}

function endsOfSteps({ from, to }: CurvePiece): number[] {
  const first = Math.floor(from / STEP) + 1
  const ends = Array.from({ length: Math.max(0, Math.ceil(to / STEP) - first) }, (_, n) => (first + n) * STEP)
  return [...ends, to]
}

/** The best right end as the engine counts it: of all that may be the best, when the steps of a tick and errors of rounding are added. */
function bestOf(
  prepared: PreparedCandles,
  market: Market,
  config: DcaSpotConfig,
  pieces: readonly CurvePiece[],
): TakeProfitCurve['best'] {
  const most = pieces.reduce((before, { profit }) => Math.max(before, profit), Number.NEGATIVE_INFINITY)
  const candidates = pieces.filter(({ profit, stair }) => profit + stair >= most - ROUNDING * config.investment)
  const rows = new Float64Array(candidates.length * CONFIG_ROW)
  candidates.forEach(({ to }, row) => {
    writeConfigRow(rows, row, { ...config, takeProfit: to })
  })
  const { netProfit, closedDeals } = createSweep(prepared, { ...market, want: 'profit' }).run(rows)
  const best = netProfit.indexOf(netProfit.reduce((most, one) => Math.max(most, one)))
  const { from, to } = candidates[best]
  return { from, to, netProfit: netProfit[best], closedDeals: closedDeals[best] }
}
