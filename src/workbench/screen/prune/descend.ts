/** Runs the points of a grid from the highest bound downwards, as far as they are needed. */
import type { Depth } from '../measures.ts'
import type { ScreenCrew } from '../messages.ts'
import { createShortlist, type Shortlist } from '../shortlist.ts'
import { countAboveFloor, createDescentLeft } from './descent-left.ts'
import { createDistinctFloor } from './distinct-floor.ts'
import { orderBounds } from './order-bounds.ts'
import type { Families } from './plan-families.ts'

/** How far to go: until so many different scores lie above all that was not run, or until nothing at or above a floor is left. */
export type DescentTarget = { readonly places: number } | { readonly floor: number }

export interface Descent {
  /** The best of all that was run. */
  readonly shortlist: Shortlist
  /** Returns the floor that was reached: no point whose score is at or above it was left out. −∞ = all were run. */
  descend(target: DescentTarget): Promise<number>
  readonly computed: () => number
  /** Simulations on each market. */
  readonly simulated: () => readonly number[]
}

interface DescentOf {
  readonly crew: ScreenCrew
  readonly depth: Depth
  readonly families: Families
  /** Of the shortlist. */
  readonly places: number
  /** The most points that a worker takes at a time. */
  readonly portion: number
  readonly fingerprintOf: (index: number) => string
  /** Once aborted, the round is finished and no other begun. */
  readonly signal?: AbortSignal
  /** Monotonic, in milliseconds; with it is told how long the rest takes at most. */
  readonly now?: () => number
  readonly onPoints: (computed: number, left: StillLeft) => void
}

/** At most, by the floor there is now; null = not known yet. Asking takes a millisecond. */
export interface StillLeft {
  /** About how many points are to be run. */
  readonly points: () => number | null
  readonly mostMs: () => number | null
}

/** Points that a worker takes at a time. */
export const PORTION_POINTS = 256
/**
 * Points of a round: small at first, so that a floor is there soon; then enough for eight workers. A round is run against the floor of the one before,
 * so the points that are run are the same for any number of workers.
 */
const FIRST_ROUND = 64
const LARGEST_ROUND = 8 * PORTION_POINTS
/** Scores of a sweep may lie so far from those of a backtest, relative to the larger of them and 1, with room to spare. */
const MARGIN = 4e-9

export function createDescent(of: DescentOf): Descent {
  const { crew, depth, families, signal } = of
  const shortlist = createShortlist(of.places, of.fingerprintOf)
  const order = orderBounds(families.bounds)
  /** For each family: its members were run down to this bound. */
  const runDownTo = new Float64Array(families.count).fill(Number.POSITIVE_INFINITY)
  const size = Math.min(of.portion, PORTION_POINTS)
  let computed = 0
  let simulated: number[] = []
  return { shortlist, descend, computed: () => computed, simulated: () => simulated }

  async function descend(target: DescentTarget): Promise<number> {
    const floorOf = floorFor(target)
    const left = of.now === undefined ? null : createDescentLeft(of.now)
    let at = 0
    const above = () => countAboveFloor({ families, order, at, floor: floorOf.now(), runDownTo })
    for (let round = FIRST_ROUND; ; round = Math.min(2 * round, LARGEST_ROUND)) {
      const floor = floorOf.now()
      const points: number[] = []
      for (; at < order.length && points.length < round; at++) {
        const family = order[at]
        if (families.bounds[family] < floor || floor >= runDownTo[family]) continue
        points.push(...families.membersBetween(family, floor, runDownTo[family]))
        runDownTo[family] = floor
      }
      if (points.length === 0) return floor
      await runRound(points, { wanted: floor, note: floorOf.note })
      left?.note(computed)
      of.onPoints(computed, { points: above, mostMs: () => left?.mostMs(above()) ?? null })
      if (signal?.aborted) return Number.POSITIVE_INFINITY
    }
  }

  function floorFor(target: DescentTarget): { readonly now: () => number; readonly note: (score: number) => void } {
    if ('floor' in target) return { now: () => target.floor, note: () => {} }
    const places = createDistinctFloor(target.places)
    for (const { score } of shortlist.ranked()) places.offer(score)
    const now = () => {
      const score = places.score()
      return score === null ? Number.NEGATIVE_INFINITY : score - MARGIN * Math.max(1, Math.abs(score))
    }
    return { now, note: places.offer }
  }

  async function runRound(
    points: readonly number[],
    { wanted, note }: { readonly wanted: number; readonly note: (score: number) => void },
  ): Promise<void> {
    const floor = shortlist.floor()
    const questions = []
    for (let from = 0; from < points.length; from += size) {
      const some = points.slice(from, from + size)
      const giveUp = depth === 'profit' ? families.giveUp(some, wanted) : null
      questions.push(crew.ask({ kind: 'chosen', depth, indices: Float64Array.from(some), floor, giveUp }))
    }
    for (const reply of await Promise.all(questions)) {
      if (reply.kind !== 'chosen') throw new Error(`chosen points were asked for, and the answer is a ${reply.kind}`)
      shortlist.offerAll(reply)
      for (const score of reply.scores) note(score)
      simulated = reply.simulated.map((count, market) => count + (simulated[market] ?? 0))
    }
    computed += points.length
  }
}
