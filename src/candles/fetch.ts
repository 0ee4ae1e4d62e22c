/**
 * Downloads recorded candles from a public source into the folder. Stored pieces are not downloaded again; every piece is stored
 * when it arrives.
 */

import { createFetch } from 'ofetch'
import PQueue from 'p-queue'
import { INTERVALS, type Market, marketName } from '../contract/market.ts'
import { sliceCandles } from '../engine/candles.ts'
import { Failure } from '../errors.ts'
import type { System } from '../system.ts'
import { type ImportReport, intervalFolder, storeCandles } from './folder/folder.ts'
import { createMonthReader, readMonthHeads } from './folder/stored-months.ts'
import type { ConflictPolicy } from './merge.ts'
import { describePeriod } from './months.ts'
import type { Answer, CandleSource, FetchRequest, Get, Piece, SourceName } from './sources/source.ts'

// Sends GET requests to public addresses, with a least pause between two requests, a limit on time and size, and a few more
// attempts when a source is busy or the connection breaks. ofetch's own retries and redirects are switched off.

const attempts = 5
const timeoutMs = 120_000
/** One month of 1-second candles is about 80 MB. */
const largestBody = 512 * 2 ** 20
const longestWaitMs = 300_000

type Tried =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'busy'; readonly reason: string; readonly waitMs: number | null }

/** Makes the function that sends requests to a source; all its requests share one pause. `onWait`: called with why one is tried again, and when. */
function createGet(
  system: System,
  source: CandleSource,
  { signal, onWait }: Partial<{ signal: AbortSignal | undefined; onWait: ((reason: string) => void) | undefined }> = {},
): Get {
  let nextStart = system.clock.monotonic()
  const turn = async (): Promise<void> => {
    const now = system.clock.monotonic()
    const wait = nextStart - now
    nextStart = Math.max(now, nextStart) + source.pauseMs
    if (wait > 0) await system.clock.sleep(wait, signal)
  }
  return async (path) => {
    const url = `${source.baseUrl}${path}`
    for (let attempt = 1; ; attempt++) {
      await turn()
      const tried = await request(system, url, signal)
      if (tried.kind === 'answer') return tried.answer
      if (attempt === attempts) {
        throw new Failure('serviceUnreachable', `${url} did not answer after ${attempts} attempts: ${tried.reason}`, {
          hint: 'check the network and run the same command again; what was fetched so far is stored',
        })
      }
      const waitMs = tried.waitMs ?? 1000 * 2 ** (attempt - 1)
      onWait?.(`waiting ${Math.ceil(waitMs / 1000)} s: ${url}: ${tried.reason}`)
      await system.clock.sleep(waitMs, signal)
    }
  }
}

async function request(system: System, url: string, signal?: AbortSignal): Promise<Tried> {
  const deadline = new AbortController()
  const over = new AbortController()
  const abort = () => deadline.abort(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  const strike = () => deadline.abort(new Error(`no complete answer within ${timeoutMs / 1000} s`))
  void system.clock.sleep(timeoutMs, over.signal).then(strike, () => {}) // rejected when the request ends before its time limit
  try {
    const response = await createFetch({ fetch: system.fetch }).raw(url, {
      redirect: 'manual', // a redirect would lead to an address that we do not know
      retry: false,
      ignoreResponseError: true,
      responseType: 'stream',
      signal: deadline.signal,
    })
    const { status } = response
    if (status === 200) return { kind: 'answer', answer: { status, bytes: await readBody(url, response.body) } }
    await response.body?.cancel()
    if (status === 404) return { kind: 'answer', answer: { status, bytes: new Uint8Array(0) } }
    // Binance answers 418 to a client that continued after a 429.
    if (status === 429 || status === 418 || status >= 500) {
      return { kind: 'busy', reason: `it answered ${status}`, waitMs: readWait(response.headers.get('retry-after')) }
    }
    throw new Failure('serviceRefused', `${url} answered ${status}`, {
      hint: 'the source may not serve your country or this market; try another --source',
    })
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    if (cause instanceof Failure) throw cause
    const reason = deadline.signal.aborted ? deadline.signal.reason : cause
    return { kind: 'busy', reason: describe(reason), waitMs: null }
  } finally {
    over.abort()
    signal?.removeEventListener('abort', abort)
  }
}

async function readBody(url: string, body: ReadableStream<Uint8Array> | null | undefined): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > largestBody) throw new Failure('serviceUnreadable', `${url} answered more than ${largestBody} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/** The wait in ms that Retry-After asks for. All of these sources write it in seconds. */
function readWait(retryAfter: string | null): number | null {
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds * 1000, 1000), longestWaitMs) : null
}

/** ofetch and fetch wrap errors; the innermost one has the reason. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : describe(error.cause)
}

interface FetchProgress {
  readonly name: string
  readonly done: number
  readonly total: number
}

export interface FetchOptions {
  readonly source: CandleSource
  readonly request: FetchRequest
  /** Default `keep`. */
  readonly conflict?: ConflictPolicy
  readonly signal?: AbortSignal
  onProgress?(progress: FetchProgress): void
  /** Called with the reason when a request is to be tried again later. */
  onWait?(reason: string): void
}

/** `from` and `to` are those of the period; `missing` counts the candles of it that are still not stored. */
interface FetchReport extends ImportReport {
  readonly source: SourceName
  /** Pieces that were downloaded, and that were stored already. */
  readonly downloaded: number
  readonly skipped: number
  /** Pieces that the source does not have (yet). */
  readonly absent: readonly string[]
}

/**
 * After an interruption run it again: it continues where it stopped.
 * @throws Failure usage, candlesMissing, candlesInvalid, serviceUnreachable, serviceRefused, serviceUnreadable, storeUnusable
 */
export async function fetchCandles(system: System, folder: string, options: FetchOptions): Promise<FetchReport> {
  const { source, signal, onWait } = options
  const now = system.clock.wall()
  const request = wholeCandles(options.request, now)
  const tally = { added: 0, same: 0, conflicting: 0, downloaded: 0, skipped: 0, absent: [] as string[] }
  const pieces = source.plan(request, now)
  let total = pieces.length
  let done = 0
  const work = async (piece: Piece, get: Get): Promise<readonly Piece[]> => {
    signal?.throwIfAborted()
    options.onProgress?.({ name: piece.name, done, total })
    const instead = await take(piece, get)
    total += instead.length
    done++
    return instead
  }
  const take = async (piece: Piece, get: Get): Promise<readonly Piece[]> => {
    if (missingIn(folder, { ...request, from: piece.from, to: piece.to }) === 0) {
      tally.skipped++
      return []
    }
    const candles = await piece.download(get)
    if (candles === undefined) {
      if (piece.instead.length === 0) tally.absent.push(piece.name)
      return piece.instead
    }
    tally.downloaded++
    if (candles.openTime.length === 0) return []
    const { market, interval } = request
    const stored = { market: marketName(market), interval, candles, synthetic: false }
    const report = storeCandles(folder, { ...stored, conflict: options.conflict ?? 'keep' })
    tally.added += report.added
    tally.same += report.same
    tally.conflicting += report.conflicting
    return []
  }
  await workOff(pieces, {
    atOnce: source.atOnce,
    get: createGet(system, source, { signal, onWait }),
    work,
  })
  return finish(folder, request, source, tally)
}

/**
 * Several pieces at once. What `work` answers is to be done in place of its piece, before anything else that waits. The first failure
 * ends it: what waits is forgotten, and what is under way asks for nothing more.
 */
async function workOff(
  pieces: readonly Piece[],
  how: { readonly atOnce: number; readonly get: Get; work(piece: Piece, get: Get): Promise<readonly Piece[]> },
): Promise<void> {
  const queue = new PQueue({ concurrency: how.atOnce })
  let failure: { readonly cause: unknown } | undefined
  const get: Get = (path) => {
    if (failure !== undefined) throw failure.cause
    return how.get(path)
  }
  const fail = (cause: unknown) => {
    failure ??= { cause }
    queue.clear()
  }
  const add = (piece: Piece, priority: number): void => {
    const task = async () => {
      for (const instead of await how.work(piece, get)) add(instead, priority + 1)
    }
    queue.add(task, { priority }).catch(fail) // never waited for: what is cleared does not end
  }
  for (const piece of pieces) add(piece, 0)
  await queue.onIdle()
  if (failure !== undefined) throw failure.cause
}

function finish(
  folder: string,
  request: FetchRequest,
  source: CandleSource,
  tally: Omit<FetchReport, 'market' | 'interval' | 'from' | 'to' | 'missing' | 'synthetic' | 'source'>,
): FetchReport {
  const { interval, from, to } = request
  const market = marketName(request.market)
  const missing = missingIn(folder, request)
  if (missing === (to - from) / INTERVALS[interval]) {
    throw new Failure(
      'candlesMissing',
      `${source.name} has no ${interval} candles of ${market} for ${describePeriod(request)}`,
      { hint: 'check the name of the market and the period, or choose another --source' },
    )
  }
  return { market, interval, from, to, missing, synthetic: false, source: source.name, ...tally }
}

/** The period on the interval's grid, up to the last complete candle. */
function wholeCandles(request: FetchRequest, now: number): FetchRequest {
  const intervalMs = INTERVALS[request.interval]
  const from = Math.ceil(request.from / intervalMs) * intervalMs
  const to = Math.min(Math.ceil(request.to / intervalMs), Math.floor(now / intervalMs)) * intervalMs
  if (from < to) return { ...request, from, to }
  throw new Failure('usage', `no candle of ${request.interval} has been completed in ${describePeriod(request)}`)
}

/** How many candles of the period are not stored; months completely inside it are counted from their heads. */
function missingIn(folder: string, { market, interval, from, to }: FetchRequest & { market: Market }): number {
  const months = readMonthHeads(intervalFolder(folder, marketName(market), interval), interval, { from, to })
  const reader = createMonthReader()
  const stored = months.reduce((count, { month, path, head }) => {
    if (head.first >= from && head.last < to) return count + head.count
    if (head.first >= to || head.last < from) return count
    return count + sliceCandles(reader.read(path, month).candles, from, to).openTime.length
  }, 0)
  return (to - from) / INTERVALS[interval] - stored
}
