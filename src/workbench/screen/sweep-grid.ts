/** One pass over the whole grid: gives portions to free workers and merges their reports. */

import type { Axis } from '../study/study.ts'
import { handOut } from './hand-out.ts'
import type { Depth } from './measures.ts'
import type { PortionReply, ScreenCrew } from './messages.ts'
import type { Shortlist } from './shortlist.ts'
import { createTally, mergeTally, type Tally } from './tally.ts'

export interface Pass {
  /** Points looked at; all of them when `complete`. */
  readonly points: number
  /** Of these, the ones that have a result. */
  readonly feasible: number
  /** One of each for every market. */
  readonly simulated: readonly number[]
  readonly tallies: readonly Tally[]
  readonly complete: boolean
}

export interface PassRequest {
  readonly crew: ScreenCrew
  readonly depth: Depth
  /** Points of the grid, and of a portion. */
  readonly points: number
  readonly portion: number
  readonly axes: readonly Axis[]
  /** How many there are. */
  readonly markets: number
  /** Collects the best candidates. */
  readonly shortlist: Shortlist
  /** Once aborted, running portions are finished and no other is started. */
  readonly signal?: AbortSignal
  readonly onPoints?: (done: number) => void
}

/** The result is the same for any number of workers: portions depend on the grid alone, and sums are made in its order. */
export async function sweepGrid(request: PassRequest): Promise<Pass> {
  const { crew, depth, points, portion, shortlist, signal } = request
  const tallies = Array.from({ length: request.markets }, () => createTally(request.axes))
  const simulated = tallies.map(() => 0)
  const totals = { points: 0, feasible: 0 }
  const early = new Map<number, PortionReply>()
  let merged = 0

  function take(number: number, reply: PortionReply): void {
    shortlist.offerAll(reply)
    totals.points += reply.points
    totals.feasible += reply.points - reply.infeasible
    reply.simulated.forEach((count, market) => {
      simulated[market] += count
    })
    early.set(number, reply)
    for (let next = early.get(merged); next !== undefined; next = early.get(merged)) {
      const { tallies: rows } = next
      tallies.forEach((tally, market) => {
        mergeTally(tally, rows[market])
      })
      early.delete(merged++)
    }
    request.onPoints?.(totals.points)
  }

  const stop = signal === undefined ? {} : { signal }
  await handOut({ size: crew.size, points, portion, ...stop }, async ({ number, from, to }) => {
    const reply = await crew.ask({ kind: 'portion', depth, from, to, floor: shortlist.floor() })
    if (reply.kind !== 'portion') throw new Error(`a portion was asked for, and the answer is a ${reply.kind}`)
    take(number, reply)
  })
  return { ...totals, simulated, tallies, complete: totals.points === points }
}
