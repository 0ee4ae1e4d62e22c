/** The functions of the kernel that the program calls. Compiled by `npm run kernel` into `kernel-code.ts`. */
import { logLowestValues } from './lowest-values'
import { beginBlock } from './memo'
import { observe } from './observe'
import { beginRisk } from './risk'
import { walk, walkLogged, walkReturns, walkStart, walkUsing, walkWatched } from './walk'

export { setScene } from './scene'

/** Walks the configs in the slots 0 ≤ slot < configs over one block of candles, from ≤ i < to. Configs of one family share deals (memo.ts). */
export function walkBlock(configs: i32, from: i32, to: i32): void {
  beginBlock()
  for (let slot = 0; slot < configs; slot++) walk(slot, from, to)
}

/** The same, and sums what deals used. */
export function useBlock(configs: i32, from: i32, to: i32): void {
  beginBlock()
  for (let slot = 0; slot < configs; slot++) walkUsing(slot, from, to)
}

/** The same, and sums daily returns. */
export function returnBlock(configs: i32, from: i32, to: i32): void {
  beginBlock()
  for (let slot = 0; slot < configs; slot++) walkReturns(slot, from, to)
}

/** The same, and observes everything that metrics need (risk.ts). */
export function watchBlock(configs: i32, from: i32, to: i32): void {
  beginBlock()
  beginRisk(from, to)
  for (let slot = 0; slot < configs; slot++) walkWatched(slot, from, to)
}

/** The same, and all slots have one config: they share every deal that does not end at a stop for good. A block has STARTS_BLOCK candles. */
export function watchStarts(configs: i32, from: i32, to: i32): void {
  beginBlock()
  beginRisk(from, to)
  for (let slot = 0; slot < configs; slot++) walkStart(slot, from, to)
}

/** The same for slot 0 alone, and logs its deals with the lowest value of each. Returns the number of log entries. */
export function reportBlock(from: i32, to: i32): i32 {
  const entries = walkLogged(0, from, to)
  logLowestValues(entries, from, to)
  observe(0, entries, from, to)
  return entries
}
