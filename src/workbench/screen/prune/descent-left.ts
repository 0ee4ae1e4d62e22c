/**
 * How long a descent will take at most. The floor only rises, so no more points are run than lie above it now; and the lower a point's bound, the sooner it is
 * given up, so none takes longer than those before it. How much shorter it will be is not known: on recorded grids half to all of what is said.
 */
import type { Families } from './plan-families.ts'

export interface DescentLeft {
  /** So many points were run by now, all rounds together. */
  note(computed: number): void
  /** Milliseconds; null = not known yet. @param points still to be run at most */
  mostMs(points: number | null): number | null
}

/** Rounds before anything is said: the first compile the engine. */
const FEWEST_ROUNDS = 5
/** What points cost is taken from the last of them: this share of all. */
const RECENT = 0.25

/** @param now monotonic, milliseconds */
export function createDescentLeft(now: () => number): DescentLeft {
  const rounds: { readonly computed: number; readonly at: number }[] = []
  return {
    note: (computed) => void rounds.push({ computed, at: now() }),
    mostMs(points) {
      const last = rounds.at(-1)
      if (last === undefined || rounds.length < FEWEST_ROUNDS || points === null) return null
      const since = rounds[Math.min(Math.floor(rounds.length * (1 - RECENT)), rounds.length - 3)]
      return (points * (last.at - since.at)) / (last.computed - since.computed)
    },
  }
}

/** Families that are looked at to count the points of all: about a millisecond. */
const SAMPLES = 64

interface Descending {
  readonly families: Pick<Families, 'bounds' | 'membersBetween'>
  /** The families, highest bound first; those from `at` on were not begun. */
  readonly order: Uint32Array
  readonly at: number
  readonly floor: number
  /** For each family: its members were run down to this bound. */
  readonly runDownTo: Float64Array
}

/** About how many points are not run yet and lie above the floor; null = there is no floor yet. */
export function countAboveFloor({ families, order, at, floor, runDownTo }: Descending): number | null {
  if (floor === Number.NEGATIVE_INFINITY) return null
  const count = firstBelow() - at
  const samples = Math.min(SAMPLES, count)
  let found = 0
  for (let sample = 0; sample < samples; sample++) {
    const family = order[at + Math.floor(((sample + 0.5) * count) / samples)]
    found += families.membersBetween(family, floor, runDownTo[family]).length
  }
  return samples === 0 ? 0 : (found * count) / samples

  function firstBelow(): number {
    let [from, to] = [at, order.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (families.bounds[order[middle]] >= floor) from = middle + 1
      else to = middle
    }
    return from
  }
}
