/** One pass over the whole grid: gives portions to free workers and merges their reports. */

import type { Axis } from '../study/study.ts'
import type { Depth } from './measures.ts'
import type { PortionReply, ScreenCrew } from './messages.ts'
import type { Shortlist } from './shortlist.ts'
import { createTally, mergeTally, type Tally } from './tally.ts'

export interface Pass {
  /** Points looked at; all of them when `complete`. */
  readonly points: number
  /** Of these, the ones that have a result. */
  readonly feasible: number
  readonly simulated: number
  readonly tally: Tally
  readonly complete: boolean
}

export interface PassRequest {
  readonly crew: ScreenCrew
  readonly depth: Depth
  /** Points of the grid, and of a portion. */
  readonly points: number
  readonly portion: number
  readonly axes: readonly Axis[]
  /** Collects the best candidates. */
  readonly shortlist: Shortlist
  /** Once aborted, running portions are finished and no other is started. */
  readonly signal?: AbortSignal
  readonly onPoints?: (done: number) => void
}

/** The result is the same for any number of workers: portions depend on the grid alone, and sums are made in its order. */
export async function sweepGrid(request: PassRequest): Promise<Pass> {
  const { crew, depth, points, portion, shortlist, signal } = request
  const count = Math.ceil(points / portion)
  const tally = createTally(request.axes)
  const totals = { points: 0, feasible: 0, simulated: 0 }
  const early = new Map<number, PortionReply>()
  let begun = 0
  let merged = 0

  async function work(): Promise<void> {
    while (begun < count && !signal?.aborted) {
      const number = begun++
      const from = number * portion
      const to = Math.min(points, from + portion)
      const reply = await crew.ask({ kind: 'portion', depth, from, to, floor: shortlist.floor() })
      if (reply.kind !== 'portion') throw new Error(`a portion was asked for, and the answer is a ${reply.kind}`)
      take(number, reply)
    }
  }

  function take(number: number, reply: PortionReply): void {
    reply.indices.forEach((index, at) => {
      shortlist.offer({ index, score: reply.scores[at] })
    })
    totals.points += reply.points
    totals.feasible += reply.points - reply.infeasible
    totals.simulated += reply.simulated
    early.set(number, reply)
    for (let next = early.get(merged); next !== undefined; next = early.get(merged)) {
      mergeTally(tally, next.tally)
      early.delete(merged++)
    }
    request.onPoints?.(totals.points)
  }

  await Promise.all(Array.from({ length: crew.size }, work))
  return { ...totals, tally, complete: totals.points === points }
}
