/** Random candles that a folder accepts, folders that vanish, and folders as plain values to compare. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { INTERVAL_NAMES, INTERVALS, type Interval } from '../../src/contract/market.ts'
import type { Candles } from '../../src/engine/candles.ts'
import { Failure } from '../../src/errors.ts'

/** Runs of each property; raise it by hand for a long night. */
export const RUNS = 60

export interface Market {
  readonly interval: Interval
  readonly candles: Candles
}

const price = fc.double({ min: 1e-8, max: 1e7, noNaN: true })
const row = fc.record({
  gap: fc.oneof({ weight: 6, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.integer({ min: 2, max: 4000 }) }),
  open: price,
  close: price,
  above: fc.double({ min: 0, max: 0.5, noNaN: true }),
  below: fc.double({ min: 0, max: 0.5, noNaN: true }),
  volume: fc.double({ min: 0, max: 1e9, noNaN: true }).map((volume) => volume + 0), // no −0
})

/** Years beyond are refused as a wrong unit of time. */
const endOfTime = Date.UTC(2100, 0, 1)

/** Up to 60 candles of any interval, near the end of a month more often than not, with gaps. */
export const anyMarket: fc.Arbitrary<Market> = fc
  .record({
    interval: fc.constantFrom(...INTERVAL_NAMES),
    month: fc.integer({ min: 0, max: 12 * 90 }),
    before: fc.integer({ min: 0, max: 40 }),
    rows: fc.array(row, { minLength: 1, maxLength: 60 }),
  })
  .map(({ interval, month, before, rows }) => {
    const intervalMs = INTERVALS[interval]
    let time = Date.UTC(2001, month, 1) - (before + 1) * intervalMs
    const times = rows
      .map(({ gap }) => {
        time += gap * intervalMs
        return time
      })
      .filter((open, i) => i === 0 || open < endOfTime)
    const candles: Candles = {
      intervalMs,
      openTime: Float64Array.from(times),
      open: Float64Array.from(rows.slice(0, times.length), (r) => r.open),
      high: Float64Array.from(rows.slice(0, times.length), (r) => Math.max(r.open, r.close) * (1 + r.above)),
      low: Float64Array.from(rows.slice(0, times.length), (r) => Math.min(r.open, r.close) * (1 - r.below)),
      close: Float64Array.from(rows.slice(0, times.length), (r) => r.close),
      volume: Float64Array.from(rows.slice(0, times.length), (r) => r.volume),
    }
    return { interval, candles }
  })

/** The rows for which `keep` holds, as candles of their own. */
export function pickRows(candles: Candles, keep: (row: number) => boolean): Candles {
  const pick = (column: Float64Array) => column.filter((_, i) => keep(i))
  return {
    intervalMs: candles.intervalMs,
    openTime: pick(candles.openTime),
    open: pick(candles.open),
    high: pick(candles.high),
    low: pick(candles.low),
    close: pick(candles.close),
    volume: pick(candles.volume),
  }
}

/** `count` candles of a plain market, one after the other. */
export function plainCandles(from: number, count: number, intervalMs: number): Candles {
  const column = (value: (i: number) => number) => Float64Array.from({ length: count }, (_, i) => value(i))
  return {
    intervalMs,
    openTime: column((i) => from + i * intervalMs),
    open: column((i) => 100 + (i % 7)),
    high: column((i) => 102 + (i % 7)),
    low: column((i) => 99 + (i % 7)),
    close: column((i) => 101 + (i % 7)),
    volume: column((i) => 1 + (i % 3)),
  }
}

/** Every file and folder below `folder` with its content: equal snapshots are equal bytes. */
export function snapshot(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name)
      return [name, statSync(path).isDirectory() ? 'folder' : readFileSync(path).toString('base64')]
    }),
  )
}

interface SeenFailure {
  readonly code: unknown
  readonly message: string
  readonly hint: string
  readonly places: string[]
  readonly problems: string[]
}

/** The Failure that `work` ends with; anything else ends the test. */
export function failureOf(work: () => unknown): SeenFailure {
  try {
    work()
  } catch (error) {
    return seen(error)
  }
  throw new Error('expected a failure, found none')
}

/** The same for work that is waited for. */
export async function rejectionOf(work: Promise<unknown>): Promise<SeenFailure> {
  try {
    await work
  } catch (error) {
    return seen(error)
  }
  throw new Error('expected a failure, found none')
}

function seen(error: unknown): SeenFailure {
  if (!(error instanceof Failure)) throw error
  const { code, message, hint, problems } = error
  return {
    code,
    message,
    hint,
    places: problems.map(({ place }) => place),
    problems: problems.map((one) => one.message),
  }
}
