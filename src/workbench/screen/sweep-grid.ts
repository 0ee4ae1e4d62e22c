/** One pass over the grid, or over a stretch of it: gives chunks to free workers and collects their reports. */

import type { Depth } from './measures.ts'
import type { ChunkReply, ScreenWorkers } from './messages.ts'
import type { Shortlist } from './shortlist.ts'
import { createTimeLeft, handOut } from './time-left.ts'

export interface Pass {
  /** Points looked at; all of them when `complete`. */
  readonly points: number
  /** Of these, the ones that have a result. */
  readonly feasible: number
  /** One of each for every market. */
  readonly simulated: readonly number[]
  readonly complete: boolean
}

export interface PassRequest {
  readonly workerGroup: ScreenWorkers
  readonly depth: Depth
  /** Points from ≤ index < to; `from` begins a chunk. */
  readonly from: number
  readonly to: number
  /** Points of a chunk. */
  readonly chunk: number
  /** How many there are. */
  readonly markets: number
  /** Collects the best candidates. */
  readonly shortlist: Shortlist
  /** Whether a report holds the metrics of all its points. */
  readonly wantsPoints?: boolean
  /** Once aborted, running chunks are finished and no other is started. */
  readonly signal?: AbortSignal
  /** Gets each report once, in the order of the grid: the last bits of a sum depend on it. */
  readonly onChunk: (reply: ChunkReply) => void
  /** Monotonic, in milliseconds; with it the time left is told. */
  readonly now?: () => number
  /** `leftMs`: how long the rest will take; null = not known. */
  readonly onPoints?: (done: number, leftMs: () => number | null) => void
}

/** Reports that may wait for their turn to be read: a few kilobytes each, and half a megabyte with the metrics of every point. */
const MOST_AHEAD = { sums: 256, points: 16 }

/** The result is the same for any number of workers: chunks depend on the grid alone, and their reports are read in its order. */
export async function sweepGrid(request: PassRequest): Promise<Pass> {
  const { workerGroup, depth, from: first, to: end, chunk, shortlist, wantsPoints = false, signal, now } = request
  const simulated = Array.from({ length: request.markets }, () => 0)
  const totals = { points: 0, feasible: 0 }
  const early = new Map<number, ChunkReply>()
  const timeLeft = createTimeLeft({
    chunks: Math.ceil((end - first) / chunk),
    threads: workerGroup.size,
    mostAhead: wantsPoints ? MOST_AHEAD.points : MOST_AHEAD.sums,
  })
  let read = 0

  function take(number: number, reply: ChunkReply): void {
    shortlist.offerAll(reply)
    totals.points += reply.points
    totals.feasible += reply.points - reply.infeasible
    reply.simulated.forEach((count, market) => {
      simulated[market] += count
    })
    early.set(number, reply)
    for (let next = early.get(read); next !== undefined; next = early.get(read)) {
      request.onChunk(next)
      early.delete(read++)
    }
    request.onPoints?.(totals.points, now === undefined ? () => null : timeLeft.leftMs)
  }

  const stop = signal === undefined ? {} : { signal }
  const work = { size: workerGroup.size, from: first, to: end, chunk, order: timeLeft, ...stop }
  await handOut(work, async ({ number, from, to }) => {
    const begun = now?.() ?? 0
    const reply = await workerGroup.ask({ kind: 'chunk', depth, from, to, floor: shortlist.floor(), wantsPoints })
    if (reply.kind !== 'chunk') throw new Error(`a chunk was asked for, and the answer is a ${reply.kind}`)
    timeLeft.note(number, (now?.() ?? 0) - begun)
    take(number, reply)
  })
  return { ...totals, simulated, complete: totals.points === end - first }
}
