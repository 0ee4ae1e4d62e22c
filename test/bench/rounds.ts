/** Measures taken in turn, so that all suffer alike from whatever else the machine does. */
import { median } from './measure.ts'

export const ROUNDS = 7
/** Candles walked per round and loop: about a second of C. */
export const CANDLES_PER_ROUND = 1.6e9
export const YEAR_MINUTES = 525_600

/** Each measure once per round, in turn; the median of its rounds. The first round only warms up. */
export function interleave<Name extends string>(measures: Readonly<Record<Name, () => number>>): Record<Name, number> {
  const names = Object.keys(measures) as Name[] // the keys it was made with
  const all = new Map(names.map((name) => [name, [] as number[]]))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of names) {
      const value = measures[name]()
      if (round > 0) all.get(name)?.push(value)
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(all.get(name) ?? [])])) as Record<Name, number> // one per name
}

export function ratio(one: number, other: number): string {
  return Number.isFinite(one / other) ? (one / other).toFixed(2) : '–'
}
