/** A compiler, or a test in a copy, takes seconds for each half-done change: at every run an eighth of them, other ones each day; all of them at length. */
const today = Math.floor(Date.now() / 86_400_000)
const eighths = 8

let asked = 0

/** Of the tests of one file that ask, in their order. */
export function inTurn(isLong: boolean): boolean {
  return asked++ % eighths === today % eighths || isLong
}
