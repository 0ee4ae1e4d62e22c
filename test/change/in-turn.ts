/** A compiler, or a test in a copy, takes seconds for each half-done change: at every run a sixteenth of them, other ones at each commit; all of them at length. */
import { turn } from '../support/turn.ts'

const parts = 16

let asked = 0

/** Of the tests of one file that ask, in their order. */
export function inTurn(isLong: boolean): boolean {
  return asked++ % parts === turn % parts || isLong
}
