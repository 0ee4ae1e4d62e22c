import type { DcaSpotConfig } from '../../contract/bot.ts'
import type { Market } from '../jump/flight.ts'
import type { PreparedCandles } from '../jump/prepared.ts'
import { CAP_TOLERANCE } from '../levels.ts'
import { createDeal, DealWalk } from './deal-walk.ts'

// A deal as a row of doubles, so that what most take profits need of it lies in one cache line.
const SLOT = 8
/** Ratio up to which it earns PROFIT. */
const UNTIL = 0
const LEAST = 1
const MOST = 2
const PROFIT = 3
const CLOSED = 4
const NEXT = 5
/** The slot of the deal that came next, at the last take profit; 0 where there is none. */
const FOLLOWING = 6
const BOUND = 7

// What few need, in another row.
/** The slot of another deal from the same candle; 0 where there is none. */
const OTHER = 0
const START = 1
const QUANTITY = 2
const AVERAGE = 3
const COST = 4

/**
 * One bot at take profits that rise, as the engine counts it, to the double, cash that runs short included. From one of them to the next nearly
 * all deals fill the same orders on the same candles, so only those are walked whose bound is passed, or of which the cash pays other orders
 * that matter.
 */
export class StepRun {
  readonly #count: number
  readonly #investment: number
  readonly #walks: DealWalk
  readonly #walked = createDeal(0)
  /** The first slot is no deal: what follows it begins on the first candle. */
  #slots = new Float64Array(SLOT * 1024)
  #rests = new Float64Array(SLOT * 1024)
  #used = SLOT
  /** The slot of the last deal that was added from each candle. */
  readonly #known: Int32Array

  /** @param most the largest ratio */
  constructor(prepared: PreparedCandles, market: Market, config: DcaSpotConfig, most: number) {
    this.#count = prepared.count
    this.#investment = config.investment
    this.#walks = new DealWalk(prepared, market, config, most)
    this.#known = new Int32Array(prepared.count)
  }

  /** @param ratio not below that of the call before */
  at(ratio: number): { readonly profit: number; readonly closedDeals: number } {
    let slots = this.#slots
    let profit = 0
    let closedDeals = 0
    for (let before = 0; ; ) {
      const cash = this.#investment + profit
      const limit = cash * (1 + CAP_TOLERANCE)
      let slot = slots[before + FOLLOWING]
      if (slot === 0 || ratio > slots[slot + BOUND] || limit < slots[slot + LEAST] || limit >= slots[slot + MOST]) {
        slot = this.#find(slots[before + NEXT], ratio, cash)
        slots = this.#slots
        slots[before + FOLLOWING] = slot
      }
      if (ratio > slots[slot + UNTIL]) this.#price(slot, ratio)
      profit += slots[slot + PROFIT]
      closedDeals += slots[slot + CLOSED]
      if (slots[slot + NEXT] >= this.#count) return { profit, closedDeals }
      before = slot
    }
  }

  #find(start: number, ratio: number, cash: number): number {
    const limit = cash * (1 + CAP_TOLERANCE)
    const slots = this.#slots
    let free = 0
    for (let slot = this.#known[start]; slot !== 0; slot = this.#rests[slot + OTHER]) {
      if (slots[slot + BOUND] < ratio) free = slot
      else if (limit >= slots[slot + LEAST] && limit < slots[slot + MOST]) return slot
    }
    const slot = free === 0 ? this.#addSlot(start) : free
    this.#walk(slot, ratio, cash)
    return slot
  }

  #walk(slot: number, ratio: number, cash: number): void {
    const deal = this.#walked
    const slots = this.#slots
    const rests = this.#rests
    deal.start = rests[slot + START]
    this.#walks.walk(deal, ratio, cash)
    slots[slot + UNTIL] = deal.slope === 0 ? Number.POSITIVE_INFINITY : 0
    slots[slot + LEAST] = this.#walks.least
    slots[slot + MOST] = this.#walks.most
    slots[slot + PROFIT] = deal.constant
    slots[slot + CLOSED] = deal.closed
    slots[slot + NEXT] = deal.next
    slots[slot + FOLLOWING] = 0
    slots[slot + BOUND] = deal.bound
    rests[slot + QUANTITY] = this.#walks.quantity
    rests[slot + AVERAGE] = this.#walks.average
    rests[slot + COST] = this.#walks.cost
  }

  #price(slot: number, ratio: number): void {
    const rests = this.#rests
    const average = rests[slot + AVERAGE]
    const target = this.#walks.targetOf(average, ratio)
    this.#slots[slot + PROFIT] = this.#walks.profitOf(
      target,
      rests[slot + QUANTITY],
      rests[slot + COST],
      rests[slot + START],
    )
    this.#slots[slot + UNTIL] = this.#walks.lastRatioOf(target, average, ratio)
  }

  #addSlot(start: number): number {
    const slot = this.#used
    this.#used += SLOT
    if (slot === this.#slots.length) {
      this.#slots = doubled(this.#slots)
      this.#rests = doubled(this.#rests)
    }
    this.#rests[slot + START] = start
    this.#rests[slot + OTHER] = this.#known[start]
    this.#known[start] = slot
    return slot
  }
}

function doubled(values: Float64Array): Float64Array<ArrayBuffer> {
  const twice = new Float64Array(2 * values.length)
  twice.set(values)
  return twice
}
