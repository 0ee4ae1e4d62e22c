// biome-ignore-all lint/suspicious/noConfusingLabels: a search that climbs and descends leaves its levels from the middle, without a call or a flag
import { TOUCH } from '../levels.ts'
import {
  BOUGHT,
  type EventLog,
  FILLED_SHIFT,
  FULL,
  OPENED,
  SOLD,
  SOLD_AFTER_LOW,
  SOLD_BEFORE_LOW,
  STOPPED_OUT,
} from './event-log.ts'
import {
  AMBIGUOUS,
  CAP,
  CAPPED,
  COST,
  DEALS,
  FAMILY,
  FILLED,
  FILLS,
  FLAT,
  FLOATS,
  type Flight,
  HELD,
  IN_DEAL,
  INTS,
  INVESTMENT,
  LONGEST,
  NEED,
  ORDERS,
  OUT_OF_CASH,
  PLACED,
  PRICE,
  QUANTITY,
  REALIZED,
  ROW,
  SCALE,
  START,
  STATE,
  STOP,
  STOPPED,
  STOPS,
  TABLE,
  TAKE_PROFIT,
  UNAFFORDABLE,
  WINS,
  writeRows,
} from './flight.ts'
import {
  AMBIGUOUS_SHIFT,
  addCarried,
  createMemo,
  DEEPEST_SHIFT,
  findCarried,
  type Memo,
  MOST_AMBIGUOUS,
  OPEN_END,
  RUNG_MASK,
  UNKNOWN,
} from './memo.ts'
import type { PreparedCandles } from './prepared.ts'
import { SHIFT_1, SHIFT_2, SHIFT_4, TOP_STRETCH } from './pyramid.ts'
import {
  AMBIGUOUS_FLAG,
  CLOSE_PRICE,
  createSettlement,
  DEAL_SCALE,
  HIGH_PRICE,
  LOW_PRICE,
  OPEN_PRICE,
  STAYS,
  STOPS_OUT,
  settleCandle,
} from './settle.ts'

const ABOVE = 1 + TOUCH
const BELOW = 1 - TOUCH
const GROUP = 7

/** Walks one config of a flight over the candles from ≤ i < to; with a log, writes down what happened and returns the entries used. */
export type Walk = (slot: number, from: number, to: number, log: EventLog | null) => number

/**
 * The hot loop. Everything lives in local numbers: no object is made and no function called on the way from one plain event to the next
 * (a double handed to a function that is not inlined costs an allocation). The plain twin is `reference.ts`.
 *
 *     flat? open a deal at this open, from the config's table
 *     find the next candle with low ≤ floor (next buy, or the stop when none is left) or high ≥ ceiling (take profit)
 *     only the high: sold at the take profit    only the low, and the lowered take profit stays out of reach: bought
 *     anything else: the full rule on this one candle (settle.ts)
 *
 * The search climbs from groups of 64 candles, because the group that holds the last event seldom holds the next; a whole group that touches
 * nothing is left with one look although it may begin before the candle we stand on.
 */
export function createWalk(flight: Flight, prepared: PreparedCandles, memo: Memo = createMemo(0)): Walk {
  const { levelsPerDeal } = flight
  const stopsAfterLoss = flight.conventions.afterStopLoss === 'stop'
  const marketBuy = 1 + flight.slippageRate
  const keep = 1 - flight.feeRate
  const settled = createSettlement()
  const candle = new Float64Array(5)
  const settleRules = {
    intrabar: flight.conventions.intrabar,
    feeRate: flight.feeRate,
    slippageRate: flight.slippageRate,
  }

  return function walk(slot, from, to, log) {
    const at = slot * INTS
    const af = slot * FLOATS
    // Copies in local names: what a closure or a module holds is fetched anew at every use.
    const { tables, ints, floats } = flight
    const above = ABOVE
    const below = BELOW
    const { open, high, low, close, openTime, intervalMs, missingMs } = prepared
    const { lowest, highest, level2, level3, level4 } = prepared.pyramid
    let state = ints[at + STATE]
    if (state === STOPPED) return 0
    const family = log === null && !levelsPerDeal ? ints[at + FAMILY] : 0
    const logInts = log === null ? ints : log.ints
    const logFloats = log === null ? floats : log.floats
    let entries = 0

    const table = ints[at + TABLE]
    let scale = floats[af + SCALE]
    let realized = floats[af + REALIZED]
    const investment = floats[af + INVESTMENT]
    let need = floats[af + NEED]
    let longest = floats[af + LONGEST]
    // No deal of fewer candles than this can be longer: most deals need not look at the clock.
    let longestCandles = (longest - missingMs) / intervalMs
    let start = ints[at + START]
    let last = table + ints[at + PLACED] * ROW
    let row = table + ints[at + FILLED] * ROW
    let deals = 0
    let wins = 0
    let stops = 0
    let fills = 0
    let held = 0
    let ambiguous = 0

    // For relatives: an entry that may tell this deal, and what there is to tell since it began (or the block did).
    let known = UNKNOWN
    let deepest = row
    let ambiguousBefore = 0
    const filledBefore = (row - table) / ROW

    let floor = 0
    let ceiling = 0
    if (state === IN_DEAL) {
      floor = row < last ? tables[row + ROW + PRICE] * scale * above : stopFloor(tables[row + STOP] * scale)
      ceiling = tables[row + TAKE_PROFIT] * scale * below
      if (family !== 0) known = findCarried(memo, family, start, filledBefore)
    }
    const top = (to + TOP_STRETCH - 1) >> SHIFT_4

    for (let i = from; i < to; i++) {
      if (state === FLAT) {
        scale = open[i] * marketBuy
        if (levelsPerDeal) {
          writeRows(flight, slot, flight.terms[slot], scale)
          scale = 1
          need = floats[af + NEED]
        }
        let orders = ints[at + CAPPED]
        const limit = (investment + realized) * CAP
        if (need > limit) {
          orders = 0
          while (tables[table + orders * ROW + COST] <= limit) orders++
        }
        if (orders === 0) {
          state = STOPPED
          ints[at + OUT_OF_CASH] = 1
          break
        }
        ints[at + UNAFFORDABLE] += ints[at + ORDERS] - orders
        state = IN_DEAL
        start = i
        row = table
        last = table + (orders - 1) * ROW
        if (family !== 0) {
          if (memo.family[i - from] === family) known = i - from
          deepest = table
          ambiguousBefore = ambiguous
        }
        floor = row < last ? tables[row + ROW + PRICE] * scale * above : stopFloor(tables[row + STOP] * scale)
        ceiling = tables[row + TAKE_PROFIT] * scale * below
        if (log !== null) {
          logInts[2 * entries] = i
          logInts[2 * entries + 1] = OPENED + (row === last ? FULL : 0)
          logFloats[4 * entries] = tables[row + QUANTITY] / scale
          logFloats[4 * entries + 1] = tables[row + COST]
          logFloats[4 * entries + 2] = floor
          logFloats[4 * entries + 3] = ceiling
          entries++
        }
      }

      let kind = SOLD
      let price = 0
      decide: {
        if (known !== UNKNOWN) {
          const marks = memo.marks[known]
          const end = memo.end[known]
          known = UNKNOWN
          if (table + ((marks >> DEEPEST_SHIFT) & RUNG_MASK) * ROW < last) {
            row = table + (marks & RUNG_MASK) * ROW
            ambiguous += marks >> AMBIGUOUS_SHIFT
            deepest = last // what others know already need not be remembered
            if (end === OPEN_END) break
            i = end
            price = tables[row + TAKE_PROFIT] * scale
            break decide
          }
        }

        // The next candle with low ≤ floor or high ≥ ceiling; `to` or beyond when there is none in this block.
        search: {
          let g1: number
          let g2 = i >> SHIFT_2
          down1: {
            down2: {
              let g3: number
              down3: {
                let g4: number
                climb: {
                  if (lowest[level2 + g2] <= floor || highest[level2 + g2] >= ceiling) {
                    g1 = i >> SHIFT_1
                    if (lowest[g1] <= floor || highest[g1] >= ceiling) {
                      const end = Math.min(to, (g1 + 1) << SHIFT_1)
                      for (; i < end; i++) if (low[i] <= floor || high[i] >= ceiling) break search
                    }
                    for (g1++; (g1 & GROUP) !== 0; g1++) {
                      if (lowest[g1] <= floor || highest[g1] >= ceiling) break down1
                    }
                  }
                  for (g2++; (g2 & GROUP) !== 0; g2++) {
                    if (lowest[level2 + g2] <= floor || highest[level2 + g2] >= ceiling) break down2
                  }
                  for (g3 = g2 >> SHIFT_1; (g3 & GROUP) !== 0; g3++) {
                    if (lowest[level3 + g3] <= floor || highest[level3 + g3] >= ceiling) break down3
                  }
                  for (g4 = g3 >> SHIFT_1; g4 < top; g4++) {
                    if (lowest[level4 + g4] <= floor || highest[level4 + g4] >= ceiling) break climb
                  }
                  i = to
                  break search
                }
                g3 = g4 << SHIFT_1
                if (
                  lowest[level3 + g3] > floor &&
                  highest[level3 + g3] < ceiling &&
                  lowest[level3 + ++g3] > floor &&
                  highest[level3 + g3] < ceiling &&
                  lowest[level3 + ++g3] > floor &&
                  highest[level3 + g3] < ceiling &&
                  lowest[level3 + ++g3] > floor &&
                  highest[level3 + g3] < ceiling &&
                  lowest[level3 + ++g3] > floor &&
                  highest[level3 + g3] < ceiling &&
                  lowest[level3 + ++g3] > floor &&
                  highest[level3 + g3] < ceiling &&
                  lowest[level3 + ++g3] > floor &&
                  highest[level3 + g3] < ceiling
                )
                  g3++
              }
              g2 = g3 << SHIFT_1
              if (
                lowest[level2 + g2] > floor &&
                highest[level2 + g2] < ceiling &&
                lowest[level2 + ++g2] > floor &&
                highest[level2 + g2] < ceiling &&
                lowest[level2 + ++g2] > floor &&
                highest[level2 + g2] < ceiling &&
                lowest[level2 + ++g2] > floor &&
                highest[level2 + g2] < ceiling &&
                lowest[level2 + ++g2] > floor &&
                highest[level2 + g2] < ceiling &&
                lowest[level2 + ++g2] > floor &&
                highest[level2 + g2] < ceiling &&
                lowest[level2 + ++g2] > floor &&
                highest[level2 + g2] < ceiling
              )
                g2++
            }
            g1 = g2 << SHIFT_1
            if (
              lowest[g1] > floor &&
              highest[g1] < ceiling &&
              lowest[++g1] > floor &&
              highest[g1] < ceiling &&
              lowest[++g1] > floor &&
              highest[g1] < ceiling &&
              lowest[++g1] > floor &&
              highest[g1] < ceiling &&
              lowest[++g1] > floor &&
              highest[g1] < ceiling &&
              lowest[++g1] > floor &&
              highest[g1] < ceiling &&
              lowest[++g1] > floor &&
              highest[g1] < ceiling
            )
              g1++
          }
          i = g1 << SHIFT_1
          if (
            low[i] > floor &&
            high[i] < ceiling &&
            low[++i] > floor &&
            high[i] < ceiling &&
            low[++i] > floor &&
            high[i] < ceiling &&
            low[++i] > floor &&
            high[i] < ceiling &&
            low[++i] > floor &&
            high[i] < ceiling &&
            low[++i] > floor &&
            high[i] < ceiling &&
            low[++i] > floor &&
            high[i] < ceiling
          )
            i++
        }
        if (i >= to) break

        const lowPrice = low[i]
        if (lowPrice > floor) {
          price = tables[row + TAKE_PROFIT] * scale
          break decide
        }
        let deeper = row
        while (deeper < last && lowPrice <= tables[deeper + ROW + PRICE] * scale * above) deeper += ROW
        const lowered = tables[deeper + TAKE_PROFIT] * scale * below
        const beneath =
          deeper < last ? tables[deeper + ROW + PRICE] * scale * above : stopFloor(tables[deeper + STOP] * scale)
        if (high[i] < lowered && high[i] < ceiling && lowPrice > beneath) {
          kind = BOUGHT
          row = deeper
          if (deeper > deepest) deepest = deeper
          floor = beneath
          ceiling = lowered
          break decide
        }

        candle[OPEN_PRICE] = open[i]
        candle[HIGH_PRICE] = high[i]
        candle[LOW_PRICE] = lowPrice
        candle[CLOSE_PRICE] = close[i]
        candle[DEAL_SCALE] = scale
        const rung = (row - table) / ROW
        const verdict = settleCandle(settled, settleRules, tables, table, rung, (last - table) / ROW, candle)
        if (verdict >= AMBIGUOUS_FLAG) ambiguous++
        deepest = Math.max(deepest, table + Math.max(settled.filled[0], settled.filled[1]) * ROW)
        const path = verdict & 1
        row = table + settled.filled[path] * ROW
        if (settled.exit[path] === STAYS) {
          kind = BOUGHT
          floor = row < last ? tables[row + ROW + PRICE] * scale * above : stopFloor(tables[row + STOP] * scale)
          ceiling = tables[row + TAKE_PROFIT] * scale * below
        } else {
          price = settled.price[path]
          if (settled.exit[path] === STOPS_OUT) kind = STOPPED_OUT
          else kind = settled.seenAtLow[path] === 1 ? SOLD_AFTER_LOW : SOLD_BEFORE_LOW
        }
      }

      if (log !== null) {
        logInts[2 * entries] = i
        logInts[2 * entries + 1] = kind + (row === last ? FULL : 0) + (((row - table) / ROW) << FILLED_SHIFT)
        logFloats[4 * entries] = tables[row + QUANTITY] / scale
        logFloats[4 * entries + 1] = tables[row + COST]
        logFloats[4 * entries + 2] = kind === BOUGHT ? floor : price
        logFloats[4 * entries + 3] = ceiling
        entries++
      }
      if (kind === BOUGHT) continue

      const profit = (tables[row + QUANTITY] / scale) * price * keep - tables[row + COST]
      realized += profit
      deals++
      if (profit > 0) wins++
      fills += (row - table) / ROW
      held += i - start + 1
      if (i - start + 1 > longestCandles) {
        longest = Math.max(longest, openTime[i] + intervalMs - openTime[start])
        longestCandles = (longest - missingMs) / intervalMs
      }
      state = FLAT
      if (kind === STOPPED_OUT) {
        stops++
        if (stopsAfterLoss) {
          state = STOPPED
          break
        }
      } else if (family !== 0 && deepest < last && ambiguous - ambiguousBefore <= MOST_AMBIGUOUS) {
        const entry = start >= from ? start - from : addCarried(memo, start, filledBefore)
        memo.family[entry] = family
        memo.end[entry] = i
        memo.marks[entry] =
          (row - table) / ROW +
          (((deepest - table) / ROW) << DEEPEST_SHIFT) +
          ((ambiguous - ambiguousBefore) << AMBIGUOUS_SHIFT)
      }
    }

    if (family !== 0 && state === IN_DEAL && deepest < last && ambiguous - ambiguousBefore <= MOST_AMBIGUOUS) {
      const entry = start >= from ? start - from : addCarried(memo, start, filledBefore)
      memo.family[entry] = family
      memo.end[entry] = OPEN_END
      memo.marks[entry] =
        (row - table) / ROW +
        (((deepest - table) / ROW) << DEEPEST_SHIFT) +
        ((ambiguous - ambiguousBefore) << AMBIGUOUS_SHIFT)
    }
    ints[at + STATE] = state
    ints[at + START] = start
    ints[at + FILLED] = (row - table) / ROW
    ints[at + PLACED] = (last - table) / ROW
    ints[at + DEALS] += deals
    ints[at + WINS] += wins
    ints[at + STOPS] += stops
    ints[at + FILLS] += fills
    ints[at + HELD] += held
    ints[at + AMBIGUOUS] += ambiguous
    floats[af + SCALE] = scale
    floats[af + REALIZED] = realized
    floats[af + LONGEST] = longest
    return entries
  }
}

/** Where only a stop can be touched from above; nothing below it without one. */
function stopFloor(stop: number): number {
  return stop > 0 ? stop * ABOVE : Number.NEGATIVE_INFINITY
}
