/** The kernel: what the program calls. Compiled by `npm run kernel` into `kernel-code.ts`. */
import { WATCH } from '../layout'
import { beginBlock } from './memo'
import { endDay as endDayOf, observe } from './observe'
import { watches } from './scene'
import { walk, walkLogged } from './walk'

export { forgetDeals } from './memo'
export { setScene } from './scene'

/** The configs of the slots 0 ≤ slot < configs over one block of candles, from ≤ i < to; relatives share deals. */
export function walkBlock(configs: i32, from: i32, to: i32): void {
  beginBlock()
  for (let slot = 0; slot < configs; slot++) walk(slot, from, to)
}

/** The same, with everything that metrics need observed; deals are not shared. Returns the entries that the last slot has logged. */
export function watchBlock(configs: i32, from: i32, to: i32): i32 {
  let entries = 0
  for (let slot = 0; slot < configs; slot++) {
    entries = walkLogged(slot, from, to)
    observe(slot, entries, from, to)
  }
  return entries
}

/** Ends the day that is next in turn for a slot, with this equity. */
export function endDay(slot: i32, equity: f64): void {
  endDayOf(watches + usize(slot) * (WATCH * 8), equity)
}
