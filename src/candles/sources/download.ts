/**
 * Sends GET requests to public addresses, with a least pause between two requests, a limit on time and size, and a few more
 * attempts when a source is busy or the connection breaks. ofetch's own retries and redirects are switched off.
 */
import { createFetch } from 'ofetch'
import { Failure } from '../../errors.ts'
import type { System } from '../../system.ts'
import type { Answer, CandleSource, Get } from './source.ts'

const attempts = 5
const timeoutMs = 120_000
/** One month of 1-second candles is about 80 MB. */
const largestBody = 512 * 2 ** 20
const longestWaitMs = 300_000

type Tried =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'busy'; readonly reason: string; readonly waitMs: number | null }

/** Makes the function that sends requests to a source; all its requests share one pause. `onWait`: called with why one is tried again, and when. */
export function createGet(
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
