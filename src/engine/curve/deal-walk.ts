/** One deal under a take profit that is swept: what it does, and up to which take profit it does just that. */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { areAmbiguous, type Candle, choosePathEnd, type PathEnd, type Position, walkCandle } from '../candle-path.ts'
import type { Conventions } from '../conventions.ts'
import { type Market, NOTHING } from '../jump/flight.ts'
import { SHIFT_1 } from '../jump/layout.ts'
import type { PreparedCandles } from '../jump/prepared.ts'
import {
  affordableOrders,
  createLevels,
  createLevelWriter,
  type Levels,
  ladderTerms,
  orderRules,
  TOUCH,
  writeLevels,
} from '../levels.ts'
import { type DecimalStep, NEAR, roundUp } from '../numbers.ts'

/**
 * A deal from one candle on. `ratio` is the take profit over the average price (1 + p / 100, by the gross basis). From the ratio at which it was
 * walked up to `bound` the deal fills the same orders on the same candles, and it earns slope · ratio + constant: exactly so without a tick,
 * with one at most `stair` more.
 */
export interface CurveDeal {
  start: number
  /** The candle on which the next deal begins; the number of candles where none does. */
  next: number
  bound: number
  slope: number
  constant: number
  stair: number
  /** 1 when it closed. */
  closed: number
  /** Cost with fees over its candles, quote. */
  used: number
  /** What all of its orders cost; 0 where there are none. */
  need: number
}

export function createDeal(start: number): CurveDeal {
  return { start, next: 0, bound: 0, slope: 0, constant: 0, stair: 0, closed: 0, used: 0, need: 0 }
}

/** Relative to what the two ends of an ambiguous candle cost: their difference is known to this, so nearer to the crossing each double is tried. */
const CROSSING = 16 * Number.EPSILON

/** Relative: up to here a price is rounded up to the same tick, whatever the errors of rounding. */
const SURELY_BELOW = 1 - 1e-11

/** Walks single deals of a bot whose take profit is swept. */
export class DealWalk {
  readonly #prepared: PreparedCandles
  readonly #conventions: Conventions
  readonly #budget: number
  readonly #most: number
  readonly #feeRate: number
  readonly #keep: number
  readonly #slippageRate: number
  readonly #tick: DecimalStep | null
  readonly #isRounded: boolean
  readonly #findsPath: boolean
  readonly #write: (startPrice: number, levels: Levels) => void
  /** Of a deal that starts at 1. */
  readonly #table: Levels
  readonly #levels: Levels
  /** The deal walked last is the same with this much cash (times its tolerance, as the engines count it), and with any more that is less than `most`. */
  least = 0
  most = 0
  /** What its take profit sells: base, average price and cost with fees; base and price as of a deal that starts at 1, where nothing is rounded. */
  quantity = 0
  average = 0
  cost = 0
  /** Of the deal at hand: its prices over those of the rows that say its averages, the deepest order that either path reached, and where it stands. */
  #scale = 1
  #reached = 0
  readonly #position: Position & { placed: number; filled: number }

  /** @param most the largest ratio of the sweep */
  constructor(prepared: PreparedCandles, market: Market, config: DcaSpotConfig, most: number) {
    const { conventions, costs, symbol } = market
    const terms = ladderTerms(config, conventions, costs)
    const rules = orderRules(symbol, conventions.lotRounding)
    this.#prepared = prepared
    this.#conventions = conventions
    this.#budget = config.dcaTotalBudget
    this.#most = most
    this.#feeRate = terms.feeRate
    this.#keep = 1 - terms.feeRate
    this.#slippageRate = costs.slippagePercent / 100
    this.#tick = rules.tick
    this.#isRounded = rules.tick !== null || rules.lot !== null
    this.#findsPath = conventions.intrabar === 'pessimistic' || conventions.intrabar === 'optimistic'
    this.#write = createLevelWriter(terms, rules)
    this.#levels = createLevels(terms.maxSafetyOrders)
    this.#table = createLevels(terms.maxSafetyOrders)
    writeLevels(terms, rules, 1, this.#table)
    this.#position = { levels: this.#levels, placed: 0, filled: 0, slippageRate: this.#slippageRate }
  }

  /** The take profit of a row, to the double that the engines compute. */
  #targetOf(row: number, ratio: number): number {
    return this.targetOf(this.#averageOf(row), ratio) * this.#scale
  }

  #averageOf(row: number): number {
    const { quote, quantity } = this.#isRounded ? this.#levels : this.#table
    return quote[row] / quantity[row]
  }

  /** Take profit of what was bought at an average price, as `quantity` and `average` say it. */
  targetOf(average: number, ratio: number): number {
    return this.#tick === null ? average * ratio : roundUp(average * ratio, this.#tick)
  }

  /** Up to which ratio that take profit surely stays the same. */
  lastRatioOf(target: number, average: number, ratio: number): number {
    return this.#tick === null ? ratio : (target / average) * SURELY_BELOW
  }

  /** Profit, quote, of a deal that sells there, to the double that the engines compute. */
  profitOf(target: number, quantity: number, cost: number, start: number): number {
    const profit = quantity * target * this.#keep - cost
    if (this.#isRounded || Math.abs(profit) >= NOTHING * cost) return profit
    const scale = this.#prepared.open[start] * (1 + this.#slippageRate)
    return (quantity / scale) * (target * scale) * this.#keep - cost
  }

  /** Writes what the deal does at a ratio, from its start candle on, with the orders that the budget allows and the cash pays. */
  walk(deal: CurveDeal, ratio: number, cash = Number.POSITIVE_INFINITY): void {
    const { count, open } = this.#prepared
    const levels = this.#levels
    const startPrice = open[deal.start] * (1 + this.#slippageRate)
    this.#scale = this.#isRounded ? 1 : startPrice
    this.#write(startPrice, levels)
    const allowed = affordableOrders(levels, this.#budget)
    const orders = cash < this.#budget ? affordableOrders(levels, cash) : allowed
    deal.next = count
    deal.bound = Number.POSITIVE_INFINITY
    deal.slope = 0
    deal.constant = 0
    deal.stair = 0
    deal.closed = 0
    deal.used = 0
    deal.need = orders === 0 ? 0 : levels.cost[orders - 1]
    this.#reached = 0
    if (orders > 0) this.#pass(deal, ratio, orders)
    this.least = orders === 0 ? Number.NEGATIVE_INFINITY : levels.cost[this.#reached]
    this.most = orders === allowed || this.#reached + 1 < orders ? Number.POSITIVE_INFINITY : levels.cost[orders]
  }

  #pass(deal: CurveDeal, ratio: number, orders: number): void {
    const { count, open, high, low, close } = this.#prepared
    const levels = this.#levels
    const { cost } = levels
    for (let row = 0; row < levels.orders; row++) levels.takeProfit[row] = this.#targetOf(row, ratio)
    this.#position.placed = orders - 1
    let filled = 0
    let since = deal.start
    for (let i = deal.start; ; i++) {
      const floor = floorOf(levels, filled, orders - 1)
      i = nextTouch(this.#prepared, i, floor, levels.takeProfit[filled] * (1 - TOUCH))
      if (i >= count) {
        deal.used += cost[filled] * (count - since)
        deal.constant = levels.quantity[filled] * close[count - 1] * this.#keep - cost[filled]
        return
      }
      this.#position.filled = filled
      const end =
        this.#passQuickly(deal, ratio, i, floor) ??
        this.#passCandle(deal, ratio, { open: open[i], high: high[i], low: low[i], close: close[i] })
      deal.used += cost[filled] * (i - since)
      since = i
      filled = end.filled
      if (end.exit === null) continue
      deal.used += cost[end.filled]
      this.#sell(deal, i, end)
      return
    }
  }

  #sell(deal: CurveDeal, candle: number, end: Extract<PathEnd, { price: number }>): void {
    const { quantity, quote, cost } = this.#levels
    const row = end.filled
    deal.closed = 1
    deal.constant = -cost[row]
    if (end.exit === 'takeProfit') {
      deal.slope = quote[row] * this.#keep
      deal.stair = this.#tick === null ? 0 : quantity[row] * this.#tick.step * this.#keep
      this.quantity = (this.#isRounded ? this.#levels : this.#table).quantity[row]
      this.average = this.#averageOf(row)
      this.cost = cost[row]
    } else deal.constant += quantity[row] * end.price * this.#keep
    deal.next =
      end.exit === 'stopLoss' && this.#conventions.afterStopLoss === 'stop' ? this.#prepared.count : candle + 1
  }

  /** The same of a candle that only fills orders, or only touches the take profit; undefined where more may happen. */
  #passQuickly(deal: CurveDeal, ratio: number, candle: number, floor: number): PathEnd | undefined {
    const high = this.#prepared.high[candle]
    const low = this.#prepared.low[candle]
    const { takeProfit } = this.#levels
    const { filled } = this.#position
    if (low > floor) {
      this.#boundTouch(deal, ratio, filled, high)
      return { filled, filledAtLow: filled, exit: 'takeProfit', price: takeProfit[filled] }
    }
    const deepest = this.#fillDown(low, filled)
    if (this.#isStopTouched(deepest, low)) return undefined
    for (let row = filled; row <= deepest; row++) if (high >= takeProfit[row] * (1 - TOUCH)) return undefined
    this.#reached = Math.max(this.#reached, deepest)
    return { filled: deepest, filledAtLow: deepest, exit: null }
  }

  /** What the candle does, and the bounds of it. */
  #passCandle(deal: CurveDeal, ratio: number, candle: Candle): PathEnd {
    const lowFirst = walkCandle(this.#position, candle, 'low-first')
    const highFirst = walkCandle(this.#position, candle, 'high-first')
    const opened = this.#fillDown(candle.open, this.#position.filled)
    const deepest = this.#fillDown(candle.low, opened)
    this.#reached = Math.max(this.#reached, deepest)
    this.#boundTouch(deal, ratio, opened, candle.high)
    // A stop at the low counts where the deal is sold at the open, too: at a higher ratio it is not.
    if (deepest > opened || this.#isStopTouched(deepest, candle.low)) {
      this.#boundTouch(deal, ratio, opened, candle.open)
      this.#boundTouch(deal, ratio, deepest, candle.high)
      this.#boundTouch(deal, ratio, deepest, candle.close)
    }
    const kept = choosePathEnd(
      this.#conventions.intrabar,
      { lowFirst, highFirst },
      { levels: this.#levels, feeRate: this.#feeRate, candle },
    )
    if (this.#findsPath && areAmbiguous(lowFirst, highFirst))
      this.#boundChoice(deal, ratio, { lowFirst, highFirst, kept, candle })
    return kept
  }

  #fillDown(price: number, filled: number): number {
    let deeper = filled
    while (deeper < this.#position.placed && price <= this.#levels.price[deeper + 1] * (1 + TOUCH)) deeper++
    return deeper
  }

  #isStopTouched(row: number, price: number): boolean {
    const stop = this.#levels.stop[row]
    return stop > 0 && price <= stop * (1 + TOUCH)
  }

  /** Up to which ratio a price that touches a row's take profit still does. */
  #boundTouch(deal: CurveDeal, ratio: number, row: number, price: number): void {
    const average = this.#averageOf(row)
    const isTouched = (at: number) => price >= this.targetOf(average, at) * this.#scale * (1 - TOUCH)
    if (!isTouched(ratio)) return
    const reach = price / (1 - TOUCH) / this.#scale
    const tick = this.#tick?.step
    // The highest price that is rounded up to the highest take profit within reach: off by more, the guess would save little halving.
    const target = tick === undefined ? reach : (Math.floor((reach / tick) * (1 + TOUCH)) * tick) / (1 - NEAR)
    const guess = target / average
    deal.bound = lastWhere(isTouched, { from: ratio, to: Math.min(this.#most, deal.bound), guess }) ?? deal.bound
  }

  /** Up to which ratio the convention keeps the same path of an ambiguous candle. */
  #boundChoice(
    deal: CurveDeal,
    ratio: number,
    ends: { readonly lowFirst: PathEnd; readonly highFirst: PathEnd; readonly kept: PathEnd; readonly candle: Candle },
  ): void {
    const { lowFirst, highFirst, kept, candle } = ends
    const at = (end: PathEnd, its: number) =>
      end.exit === 'takeProfit' ? { ...end, price: this.#targetOf(end.filled, its) } : end
    const keepsHighFirst = kept === highFirst
    const isSame = (its: number) => {
      const moved = { lowFirst: at(lowFirst, its), highFirst: at(highFirst, its) }
      return (
        (choosePathEnd(this.#conventions.intrabar, moved, { levels: this.#levels, feeRate: this.#feeRate, candle }) ===
          moved.highFirst) ===
        keepsHighFirst
      )
    }
    const to = Math.min(this.#most, deal.bound)
    if (lowFirst.exit !== 'takeProfit' || highFirst.exit !== 'takeProfit') {
      // Only one end moves, so their difference is monotone, to the last bit.
      deal.bound = lastWhere(isSame, { from: ratio, to, guess: (ratio + to) / 2 }) ?? deal.bound
      return
    }
    // Both ends move. Their difference is a line with steps of a tick and errors of rounding: beside the threshold by more than these the choice is sure.
    const cost = this.#levels.cost[lowFirst.filled] + this.#levels.cost[highFirst.filled]
    const quantity = this.#levels.quantity[lowFirst.filled] + this.#levels.quantity[highFirst.filled]
    const margin = cost * CROSSING + (this.#tick === null ? 0 : quantity * this.#tick.step * this.#keep)
    const slope = (this.#levels.quote[highFirst.filled] - this.#levels.quote[lowFirst.filled]) * this.#keep
    const equal = TOUCH * Math.max(this.#levels.cost[lowFirst.filled], this.#levels.cost[highFirst.filled])
    const threshold = this.#conventions.intrabar === 'pessimistic' ? -equal : equal
    const beside = slope * ratio + this.#levels.cost[lowFirst.filled] - this.#levels.cost[highFirst.filled] - threshold
    if (Math.abs(beside) <= margin) {
      const [one, other] = [lowFirst.filled, highFirst.filled].map((row) => ({
        row,
        target: this.#targetOf(row, ratio),
      }))
      const isLevel = (its: number) =>
        this.#targetOf(one.row, its) === one.target && this.#targetOf(other.row, its) === other.target
      deal.bound = lastWhere(isLevel, { from: ratio, to, guess: ratio }) ?? deal.bound
      return
    }
    if (beside > 0 !== slope < 0) return // the line leads away from the threshold
    const crossing = ratio - (beside - Math.sign(beside) * margin) / slope
    deal.bound = Math.min(deal.bound, Math.max(ratio, before(crossing)))
  }
}

function floorOf({ price, stop }: Levels, filled: number, placed: number): number {
  const floor = filled < placed ? Math.max(price[filled + 1], stop[filled]) : stop[filled]
  return floor > 0 ? floor * (1 + TOUCH) : Number.NEGATIVE_INFINITY
}

function before(value: number): number {
  return value - 4 * value * Number.EPSILON
}

/**
 * The last double of [from, to] where a condition holds that holds at `from`, and from some double on does not; undefined where it
 * holds at `to`. A good guess saves most of the halving.
 */
export function lastWhere(
  holds: (at: number) => boolean,
  { from, to, guess }: { readonly from: number; readonly to: number; readonly guess: number },
): number | undefined {
  if (holds(to)) return undefined
  let known = from
  let beyond = to
  let step = 2 * from * Number.EPSILON
  for (let at = Math.min(Math.max(guess, from), to); at > known && at < beyond; step *= 4) {
    if (holds(at)) {
      known = at
      at = known + step
    } else {
      beyond = at
      at = beyond - step
    }
  }
  for (;;) {
    const middle = known + (beyond - known) / 2
    if (middle <= known || middle >= beyond) return known
    if (holds(middle)) known = middle
    else beyond = middle
  }
}

/** The first candle at or after `from` whose low is at most the floor or whose high is at least the ceiling; their number where there is none. */
function nextTouch(
  { count, low, high, pyramid }: PreparedCandles,
  from: number,
  floor: number,
  ceiling: number,
): number {
  const { lowest, highest, level2, level3, level4 } = pyramid
  for (let i = from; i < count; ) {
    if (low[i] <= floor || high[i] >= ceiling) return i
    i++
    // Climbs where a stretch begins, as long as nothing in it touches.
    for (let level = 4; level > 0; level--) {
      const shift = SHIFT_1 * level
      if (i & ((1 << shift) - 1)) continue
      const node = (level === 1 ? 0 : level === 2 ? level2 : level === 3 ? level3 : level4) + (i >> shift)
      if (i >= count || lowest[node] <= floor || highest[node] >= ceiling) continue
      i += 1 << shift
      level = 5
    }
  }
  return count
}
