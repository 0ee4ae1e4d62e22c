/**
 * Finds the best of a whole grid exactly, and evaluates configs only as closely as needed (decision 0007).
 *
 *     pass       every point, as closely as the ranking needs ──► shortlist: a fixed number of places, best score first
 *     walk down  the shortlist with every metric, until the top is filled with configs inside all bounds
 *     not filled, and the shortlist was full? a closer pass, which applies more of the bounds itself
 */
import type { ParameterSummary } from '../store/screen-record.ts'

import { GOLDEN_RATIO } from './chunks.ts'

import type { Depth } from './measures.ts'
import type { ChunkReply, MeasuredConfig, ScreenWorkers } from './messages.ts'
import type { Shortlist } from './shortlist.ts'

// One pass over the grid, or over a stretch of it: gives chunks to free workers and collects their reports.

export interface Pass {
  /** Points computed; all of them when `complete`. */
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
  /** Monotonic, in milliseconds; with it the time left is reported. */
  readonly now?: () => number
  /** `leftMs`: how long the rest will take; null = not known. */
  readonly onPoints?: (done: number, leftMs: () => number | null) => void
}

/** Reports that may wait for their turn to be read: a few kilobytes each, and half a megabyte with the metrics of every point. */
const MOST_AHEAD = { sums: 256, points: 16 }

/** Stretches of the grid that have a mean of their own. */
const MOST_STRETCHES = 64
/** Of all chunks, before the others are worked in their turn. */
const SHARE_OF_SAMPLES = 0.015

interface TimeLeft extends ChunkOrder {
  /** A chunk took so long on its thread, ms. */
  note(number: number, ms: number): void
  /** Milliseconds for all threads together to finish; null = not known yet. */
  leftMs(): number | null
}

interface ChunkOrder {
  /** The number of a chunk, each once; undefined = all are begun. */
  next(): number | undefined
}

interface HandOut {
  /** How many are asked at a time. */
  readonly size: number
  /** Points from ≤ index < to. */
  readonly from: number
  readonly to: number
  readonly chunk: number
  /** Which comes next; default the next in their order. */
  readonly order?: ChunkOrder
  /** Once aborted, running chunks are finished and no other is begun. */
  readonly signal?: AbortSignal
}

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
    totals.feasible += reply.points - reply.breaksLimit
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

// In which order the chunks of a grid are worked, and how long the rest will take. Chunks differ in their cost by their place in the grid: a
// small take profit trades more often. So a few are taken out of their turn, from all over the grid, and what is left is counted stretch by
// stretch, each by what its own chunks took. What is taken early waits to be read in its turn, so only so many are ahead at a time.

/** @param mostAhead chunks that may wait to be read in their turn */
export function createTimeLeft({
  chunks,
  threads,
  mostAhead,
}: {
  readonly chunks: number
  readonly threads: number
  readonly mostAhead: number
}): TimeLeft {
  const isBegun = new Uint8Array(chunks)
  const samples = Math.min(mostAhead, Math.ceil(chunks * SHARE_OF_SAMPLES))
  const stretches = Math.min(MOST_STRETCHES, chunks)
  const stretchOf = (number: number) => Math.floor((number * stretches) / chunks)
  const rest = new Float64Array(stretches)
  for (let number = 0; number < chunks; number++) rest[stretchOf(number)]++
  const spent = new Float64Array(stretches)
  const measured = new Float64Array(stretches)
  /** These compile the engine too, so their times say nothing of the others. */
  const firstOfThreads = new Set<number>()
  let [begun, noted, ahead, drawn, inTurn] = [0, 0, 0, 0, 0]

  function next(): number | undefined {
    const isSample = begun >= threads && ahead < mostAhead && (begun < threads + samples || begun % 2 === 0)
    const number = (isSample ? nextSample() : undefined) ?? nextInTurn()
    if (number === undefined) return undefined
    isBegun[number] = 1
    if (begun++ < threads) firstOfThreads.add(number)
    return number
  }

  function nextSample(): number | undefined {
    const number = Math.floor((((drawn++ + 1) * GOLDEN_RATIO) % 1) * chunks)
    if (isBegun[number] === 1) return undefined
    ahead++
    return number
  }

  function nextInTurn(): number | undefined {
    while (inTurn < chunks && isBegun[inTurn] === 1) {
      inTurn++
      if (ahead > 0) ahead--
    }
    return inTurn < chunks ? inTurn++ : undefined
  }

  function note(number: number, ms: number): void {
    const stretch = stretchOf(number)
    rest[stretch]--
    noted++
    if (firstOfThreads.has(number)) return
    spent[stretch] += ms
    measured[stretch]++
  }

  function leftMs(): number | null {
    const all = measured.reduce((sum, count) => sum + count, 0)
    if (all < Math.min(samples, chunks - threads) || all === 0) return null
    const mean = spent.reduce((sum, ms) => sum + ms, 0) / all
    let work = 0
    for (let stretch = 0; stretch < stretches; stretch++) work += rest[stretch] * meanNear(stretch)
    const halfDone = (mean * Math.min(threads, chunks - noted)) / 2 // those that are being worked on
    return Math.max(0, work - halfDone) / threads
  }

  /** Of a stretch that has none yet, between its neighbours. */
  function meanNear(stretch: number): number {
    let [below, above] = [stretch, stretch]
    while (below >= 0 && measured[below] === 0) below--
    while (above < stretches && measured[above] === 0) above++
    if (below < 0) return spent[above] / measured[above]
    const before = spent[below] / measured[below]
    if (above === below || above === stretches) return before
    return before + ((stretch - below) / (above - below)) * (spent[above] / measured[above] - before)
  }

  return { next, note, leftMs }
}

// Hands the chunks of a grid, or of a stretch of it, to whichever worker of a group is free.

/** @param ask `number`: of the chunk, from 0; its points are from ≤ index < to */
async function handOut(
  { size, from: first, to: end, chunk, order, signal }: HandOut,
  ask: (chunk: { readonly number: number; readonly from: number; readonly to: number }) => Promise<void>,
): Promise<void> {
  const { next } = order ?? inTheirOrder(Math.ceil((end - first) / chunk))

  async function work(): Promise<void> {
    while (!signal?.aborted) {
      const number = next()
      if (number === undefined) return
      const from = first + number * chunk
      await ask({ number, from, to: Math.min(end, from + chunk) })
    }
  }

  await Promise.all(Array.from({ length: size }, work))
}

function inTheirOrder(count: number): ChunkOrder {
  let begun = 0
  return { next: () => (begun < count ? begun++ : undefined) }
}

// The whole grid: as many passes as it takes to fill the top.

export interface ScreenProgress {
  readonly pass: Depth
  /** Points of this pass; the first pass is mostly the only one. */
  readonly done: number
  readonly total: number
  /** Milliseconds until this pass is through; null = not known. Asking takes microseconds. */
  readonly leftMs: () => number | null
}

export interface GridScreening {
  /** Points computed; all of them when `complete`. */
  readonly points: number
  /** Of these, the ones inside the study's `where`: they have a result. */
  readonly feasible: number
  readonly complete: boolean
  /** Best first by the objective, inside the objective's bounds on every market, no two that trade identically. */
  readonly top: readonly MeasuredConfig[]
  /** Configs that were left out of it, because they trade exactly like one of it. */
  readonly folded: number
  /** How many of the best were compared, where fewer of them than wanted trade differently; null = the top is full, or there are no others. */
  readonly comparedOnly: number | null
  /** In the order of the setting. */
  readonly markets: readonly MarketSums[]
}

/** What the first pass took and found on one market. */
interface MarketSums {
  readonly simulated: number
  /** Every value of every axis, over all trials. */
  readonly parameters: readonly ParameterSummary[]
}

export type PointSink = (depth: Depth, reply: ChunkReply) => void
