// biome-ignore-all lint/suspicious/noConfusingLabels: a search that climbs and descends leaves its levels from the middle, without a call or a flag
import { TOUCH } from '../levels.ts'
import { BOUGHT, type EventLog, FILLED_SHIFT, FULL, OPENED, SOLD, STOPPED_OUT } from './event-log.ts'
import {
  AMBIGUOUS,
  BUDGET,
  CAP,
  CAPPED,
  CEILING,
  COST,
  DEALS,
  ENDED,
  EVENTS,
  FAMILY,
  FILLED,
  FILLS,
  FLAT,
  FLOATS,
  FLOOR,
  type Flight,
  IN_DEAL,
  INTS,
  INVESTMENT,
  LONGEST,
  NEED,
  NEXT,
  ORDERS,
  OUT_OF_CASH,
  PLACED,
  PROFIT,
  QUANTITY,
  REALIZED,
  ROW,
  ROW_SHIFT,
  SCALE,
  START,
  STATE,
  STOP,
  STOPPED,
  STOPS,
  SURE_COST,
  SURE_COST_PER_PRICE,
  SURE_HIGH,
  SURE_LOW,
  SURE_ORDERS,
  TABLE,
  TAKE_PROFIT,
  UNAFFORDABLE,
  WHOLE,
  WINS,
  WRITTEN,
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
  CLOSE_PRICE,
  createSettlement,
  DEAL_SCALE,
  HIGH_PRICE,
  LOW_PRICE,
  OPEN_PRICE,
  STOP_FILL,
  settleCandle,
} from './settle.ts'

const ABOVE = 1 + TOUCH
const BELOW = 1 - TOUCH
/** Beyond every index. */
const NONE = 0x3fffffff
/** Candles, or nodes, of one group are apart by at most this. */
const GROUP = 7
/** A block with an event in fewer candles than this makes the next one begin its searches candle by candle. */
const DENSE = 40

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
  const { prices } = settled
  const settleRules = {
    intrabar: flight.conventions.intrabar,
    feeRate: flight.feeRate,
    slippageRate: flight.slippageRate,
  }

  return walk

  /** Writes rows of a sure deal that were left out as it began, up to `row`; returns the first that is still missing. */
  function writeMore(slot: number, start: number, row: number): number {
    const { ints } = flight
    const at = slot * INTS
    const orders = ints[at + SURE_ORDERS]
    for (let stage = 1; stage <= WHOLE; stage++) {
      const terms = flight.stages[slot][stage]
      if (stage < WHOLE && ints[at + TABLE] + terms.maxSafetyOrders * ROW < row) continue
      writeRows(flight, slot, terms, prepared.open[start] * marketBuy)
      const written = ints[at + WRITTEN]
      ints[at + ORDERS] = orders
      ints[at + CAPPED] = orders
      return written < orders ? ints[at + TABLE] + written * ROW : NONE
    }
    return NONE
  }

  function walk(slot: number, from: number, to: number, log: EventLog | null): number {
    const at = slot * INTS
    const af = slot * FLOATS
    // Copies under local names: what a closure or a module holds is fetched anew at every use.
    const { tables, ints, floats } = flight
    const { open, high, low, close, openTime, intervalMs, missingMs } = prepared
    const { lowest, highest, level2, level3, level4 } = prepared.pyramid
    const above = ABOVE
    const below = BELOW
    let state = ints[at + STATE]
    if (state === STOPPED) return 0
    const family = log === null ? ints[at + FAMILY] : 0
    const logInts = log === null ? ints : log.ints
    const logFloats = log === null ? floats : log.floats
    let entries = 0

    const table = ints[at + TABLE]
    let scale = floats[af + SCALE]
    let realized = floats[af + REALIZED]
    const investment = floats[af + INVESTMENT]
    let need = floats[af + NEED]
    let capped = ints[at + CAPPED]
    let tooDear = ints[at + ORDERS] - capped
    let longest = floats[af + LONGEST]
    // No deal of fewer candles than this can be longer: most deals need not look at the clock.
    let longestCandles = Math.floor((longest - missingMs) / intervalMs)
    let start = ints[at + START]
    let last = table + ints[at + PLACED] * ROW
    let row = table + ints[at + FILLED] * ROW
    // The last row of a deal whose ladder the cash has shortened: there `NEXT` still names an order. Otherwise no row at all.
    let cut = ints[at + PLACED] + 1 < capped ? last : -1
    // Rows from this one on are not written yet, though they exist (levels per deal only).
    let unwritten = ints[at + WRITTEN] < ints[at + ORDERS] ? table + ints[at + WRITTEN] * ROW : NONE
    let floor = floats[af + FLOOR]
    let ceiling = floats[af + CEILING]

    let deals = 0
    let wins = 0
    let stops = 0
    let rowsFilled = 0
    let ambiguous = 0
    let unaffordable = 0
    let events = 0

    // For relatives: an entry that may tell this deal, and what there is to tell since it began (or the block did).
    let known = UNKNOWN
    let deepest = row
    let ambiguousBefore = 0
    const filledBefore = (row - table) >> ROW_SHIFT
    if (family !== 0 && state === IN_DEAL) known = findCarried(memo, family, start, filledBefore)

    const top = (to + TOP_STRETCH - 1) >> SHIFT_4
    const isDense = ints[at + EVENTS] > (to - from) / DENSE

    for (let i = from; i < to; i++) {
      if (state === FLAT) {
        scale = open[i] * marketBuy
        const limit = (investment + realized) * CAP
        let isSure = true
        if (levelsPerDeal) {
          const sureCost = floats[af + SURE_COST] + scale * floats[af + SURE_COST_PER_PRICE]
          isSure =
            scale >= floats[af + SURE_LOW] &&
            scale <= floats[af + SURE_HIGH] &&
            sureCost <= limit &&
            sureCost <= floats[af + BUDGET]
          unwritten = NONE
          if (!isSure) writeRows(flight, slot, flight.stages[slot][WHOLE], scale)
          else {
            ints[at + ORDERS] = ints[at + SURE_ORDERS]
            ints[at + CAPPED] = ints[at + SURE_ORDERS]
            ints[at + WRITTEN] = 0
          }
          need = isSure ? 0 : floats[af + NEED]
          capped = ints[at + CAPPED]
          tooDear = ints[at + ORDERS] - capped
        }
        last = table + (capped - 1) * ROW
        cut = -1
        unaffordable += tooDear
        if (need > limit || capped === 0) {
          let orders = 0
          while (orders < capped && tables[table + orders * ROW + COST] <= limit) orders++
          if (orders === 0) {
            unaffordable -= tooDear
            state = STOPPED
            ints[at + ENDED] = i
            ints[at + OUT_OF_CASH] = 1
            break
          }
          unaffordable += capped - orders
          last = table + (orders - 1) * ROW
          if (orders < capped) cut = last
        }
        state = IN_DEAL
        start = i
        row = table
        if (family !== 0) {
          if (isSure && memo.family[i - from] === family) known = i - from
          deepest = isSure ? table : last // an unsure deal is nobody else's
          ambiguousBefore = ambiguous
          if (known !== UNKNOWN && levelsPerDeal) {
            // A relative has been here: no level is needed when it stayed above the last rung and has closed.
            const marks = memo.marks[known]
            if (table + ((marks >> DEEPEST_SHIFT) & RUNG_MASK) * ROW < last && memo.end[known] !== OPEN_END) {
              const profit = memo.profit[known]
              ambiguous += marks >> AMBIGUOUS_SHIFT
              i = memo.end[known]
              known = UNKNOWN
              realized += profit
              deals++
              if (profit > 0) wins++
              rowsFilled += (marks & RUNG_MASK) * ROW
              if (i - start >= longestCandles) {
                longest = Math.max(longest, openTime[i] + intervalMs - openTime[start])
                longestCandles = Math.floor((longest - missingMs) / intervalMs)
              }
              state = FLAT
              continue
            }
          }
        }
        if (levelsPerDeal) {
          if (isSure) {
            writeRows(flight, slot, flight.stages[slot][0], scale)
            if (ints[at + WRITTEN] < capped) unwritten = table + ints[at + WRITTEN] * ROW
            ints[at + ORDERS] = capped
            ints[at + CAPPED] = capped
          }
          scale = 1
        }
        floor = row === cut ? stopFloor(tables[row + STOP] * scale) : tables[row + NEXT] * scale * above
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
      decide: {
        if (known !== UNKNOWN) {
          const marks = memo.marks[known]
          const end = memo.end[known]
          known = UNKNOWN
          if (table + ((marks >> DEEPEST_SHIFT) & RUNG_MASK) * ROW < last) {
            row = table + (marks & RUNG_MASK) * ROW
            ambiguous += marks >> AMBIGUOUS_SHIFT
            deepest = last // what others know already need not be remembered
            if (row + ROW >= unwritten) unwritten = writeMore(slot, start, row + ROW)
            if (end === OPEN_END) {
              floor = row === cut ? stopFloor(tables[row + STOP] * scale) : tables[row + NEXT] * scale * above
              ceiling = tables[row + TAKE_PROFIT] * scale * below
              break
            }
            i = end
            break decide
          }
        }

        // The next candle with low ≤ floor or high ≥ ceiling; `to` or beyond when there is none in this block.
        search: {
          let g1: number
          let g2 = 0
          down1: {
            down2: {
              let g3: number
              down3: {
                let g4: number
                climb: {
                  if (isDense) {
                    const near = Math.min(to, (i + 2 * GROUP) & ~GROUP)
                    for (; i < near; i++) if (low[i] <= floor || high[i] >= ceiling) break search
                  }
                  g2 = i >> SHIFT_2
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

        events++
        const lowPrice = low[i]
        if (lowPrice > floor) break decide
        if (row + 2 * ROW >= unwritten) unwritten = writeMore(slot, start, row + 2 * ROW)
        if (row < last) {
          let deeper = row + ROW
          let next = deeper === cut ? stopFloor(tables[deeper + STOP] * scale) : tables[deeper + NEXT] * scale * above
          while (lowPrice <= next && deeper < last) {
            deeper += ROW
            if (deeper + ROW >= unwritten) unwritten = writeMore(slot, start, deeper + ROW)
            next = deeper === cut ? stopFloor(tables[deeper + STOP] * scale) : tables[deeper + NEXT] * scale * above
          }
          const lowered = tables[deeper + TAKE_PROFIT] * scale * below
          if (lowPrice > next && high[i] < lowered && high[i] < ceiling) {
            kind = BOUGHT
            row = deeper
            if (deeper > deepest) deepest = deeper
            floor = next
            ceiling = lowered
            break decide
          }
        }

        if (unwritten !== NONE) unwritten = writeMore(slot, start, NONE)
        prices[OPEN_PRICE] = open[i]
        prices[HIGH_PRICE] = high[i]
        prices[LOW_PRICE] = lowPrice
        prices[CLOSE_PRICE] = close[i]
        prices[DEAL_SCALE] = scale
        settleCandle(settled, settleRules, tables, row, last)
        if (settled.ambiguous) ambiguous++
        if (settled.deepest > deepest) deepest = settled.deepest
        row = settled.row
        kind = settled.kind
        if (kind === BOUGHT) {
          floor = row === cut ? stopFloor(tables[row + STOP] * scale) : tables[row + NEXT] * scale * above
          ceiling = tables[row + TAKE_PROFIT] * scale * below
        }
      }

      if (log !== null) {
        const sold = kind === STOPPED_OUT ? prices[STOP_FILL] : tables[row + TAKE_PROFIT] * scale
        logInts[2 * entries] = i
        logInts[2 * entries + 1] = kind + (row === last ? FULL : 0) + (((row - table) >> ROW_SHIFT) << FILLED_SHIFT)
        logFloats[4 * entries] = tables[row + QUANTITY] / scale
        logFloats[4 * entries + 1] = tables[row + COST]
        logFloats[4 * entries + 2] = kind === BOUGHT ? floor : sold
        logFloats[4 * entries + 3] = ceiling
        entries++
      }
      if (kind === BOUGHT) continue

      let profit = tables[row + PROFIT]
      if (kind === STOPPED_OUT)
        profit = (tables[row + QUANTITY] / scale) * prices[STOP_FILL] * keep - tables[row + COST]
      else if (Number.isNaN(profit)) {
        profit = (tables[row + QUANTITY] / scale) * (tables[row + TAKE_PROFIT] * scale) * keep - tables[row + COST]
      }
      realized += profit
      deals++
      if (profit > 0) wins++
      rowsFilled += row - table
      if (i - start >= longestCandles) {
        longest = Math.max(longest, openTime[i] + intervalMs - openTime[start])
        longestCandles = Math.floor((longest - missingMs) / intervalMs)
      }
      state = FLAT
      if (kind === STOPPED_OUT) {
        stops++
        if (stopsAfterLoss) {
          state = STOPPED
          ints[at + ENDED] = i + 1
          break
        }
      } else if (family !== 0 && deepest < last && ambiguous - ambiguousBefore <= MOST_AMBIGUOUS) {
        const entry = start >= from ? start - from : addCarried(memo, start, filledBefore)
        memo.family[entry] = family
        memo.end[entry] = i
        memo.profit[entry] = profit
        memo.marks[entry] =
          ((row - table) >> ROW_SHIFT) +
          (((deepest - table) >> ROW_SHIFT) << DEEPEST_SHIFT) +
          ((ambiguous - ambiguousBefore) << AMBIGUOUS_SHIFT)
      }
    }

    if (family !== 0 && state === IN_DEAL && deepest < last && ambiguous - ambiguousBefore <= MOST_AMBIGUOUS) {
      const entry = start >= from ? start - from : addCarried(memo, start, filledBefore)
      memo.family[entry] = family
      memo.end[entry] = OPEN_END
      memo.marks[entry] =
        ((row - table) >> ROW_SHIFT) +
        (((deepest - table) >> ROW_SHIFT) << DEEPEST_SHIFT) +
        ((ambiguous - ambiguousBefore) << AMBIGUOUS_SHIFT)
    }
    ints[at + STATE] = state
    ints[at + START] = start
    ints[at + FILLED] = (row - table) >> ROW_SHIFT
    ints[at + PLACED] = (last - table) >> ROW_SHIFT
    ints[at + DEALS] += deals
    ints[at + WINS] += wins
    ints[at + STOPS] += stops
    ints[at + FILLS] += rowsFilled >> ROW_SHIFT
    ints[at + AMBIGUOUS] += ambiguous
    ints[at + UNAFFORDABLE] += unaffordable
    ints[at + EVENTS] = events
    floats[af + SCALE] = scale
    floats[af + REALIZED] = realized
    floats[af + LONGEST] = longest
    floats[af + FLOOR] = floor
    floats[af + CEILING] = ceiling
    return entries
  }
}

/** Where only a stop can be touched from above; nothing below it without one. */
function stopFloor(stop: number): number {
  return stop > 0 ? stop * ABOVE : Number.NEGATIVE_INFINITY
}
