/**
 * Cuts a grid into chunks for workers. The cut does not depend on the number of workers, so the sums are always the same.
 *
 * Points are ordered so that similar configs are neighbours: the fields that only decide the ladder's length and stop vary
 * fastest, because configs that differ in nothing else share deals (`engine/jump/assembly/memo.ts`). A chunk holds whole
 * families of such configs.
 */
import type { ConfigField } from '../../contract/bot.ts'
import type { Axis, Study } from '../study/study.ts'

/** Slowest first. */
const ORDER: readonly ConfigField[] = [
  'leverage',
  'dcaInitialOrderSize',
  'takeProfit',
  'dcaPriceScalePercent',
  'dcaVolumeScale',
  'dcaPriceStepMultiplier',
  'investment',
  'dcaTotalBudget',
  'stopLoss',
  'dcaMaxSafetyOrders',
]
/** The fields in which the configs of one family differ. */
const WITHIN_FAMILY: readonly ConfigField[] = ORDER.slice(ORDER.indexOf('investment'))

/** Whether configs of one family may differ in it. These fields vary fastest. */
function isWithinFamily(field: ConfigField): boolean {
  return WITHIN_FAMILY.includes(field)
}

/**
 * Candles times points of a chunk: a fraction of a second of work, so that Ctrl-C takes effect soon and the workers finish at
 * about the same time.
 */
const CANDLE_POINTS = 1e9
const FEWEST_POINTS = 256
const MOST_POINTS = 2048

export interface Chunks {
  /** The study's axes in the order that points are numbered in. */
  readonly order: readonly Axis[]
  readonly size: number
}

export function planChunks({ axes }: Study, candleCount: number): Chunks {
  const order = axes.toSorted((a, b) => ORDER.indexOf(a.field) - ORDER.indexOf(b.field))
  const family = order
    .filter(({ field }) => isWithinFamily(field))
    .reduce((product, { values }) => product * values.length, 1)
  const wanted = Math.min(MOST_POINTS, Math.max(FEWEST_POINTS, Math.floor(CANDLE_POINTS / Math.max(1, candleCount))))
  return { order, size: family > MOST_POINTS ? wanted : family * Math.max(1, Math.floor(wanted / family)) }
}

// In which order the chunks of a grid are worked, and how long the rest will take. Chunks differ in their cost by their place in the grid: a
// small take profit trades more often. So a few are taken out of their turn, from all over the grid, and what is left is counted stretch by
// stretch, each by what its own chunks took. What is taken early waits to be read in its turn, so only so many are ahead at a time.

/** Stretches of the grid that have a mean of their own. */
const MOST_STRETCHES = 64
/** Of all chunks, before the others are worked in their turn. */
const SHARE_OF_SAMPLES = 0.015
/** Multiples of it, cut to their fractions, lie evenly and with no period that an axis of the grid could have, too. */
export const GOLDEN_RATIO = 0.618_033_988_749_894_9

interface TimeLeft extends ChunkOrder {
  /** A chunk took so long on its thread, ms. */
  note(number: number, ms: number): void
  /** Milliseconds for all threads together to finish; null = not known yet. */
  leftMs(): number | null
}

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

/** @param ask `number`: of the chunk, from 0; its points are from ≤ index < to */
export async function handOut(
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
