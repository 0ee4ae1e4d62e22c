/** A backtest service with a book. The book is the only truth that the oracle reads; how it counts and what it echoes varies. */
import type { Counter } from './counters.ts'
import type { Random } from './random.ts'

export interface BookedJob {
  readonly id: string
  /** Which sending of ours brought it; null = another client of the key. Two deliveries of one sending share it. */
  readonly send: number | null
  readonly name: string | null
  /** The request without its name. */
  readonly config: string
  readonly request: Readonly<Record<string, unknown>>
  readonly createdAt: number
  readonly endsAt: number
  readonly fails: boolean
}

export interface ServiceTraits {
  readonly allowance: Counter
  readonly minute: Counter
  readonly windowType: 'sliding' | 'fixed' | null
  readonly allowanceCount: number
  readonly echoes: 'all' | 'request' | 'nothing'
  readonly pageSize: number
  /** The list leaves results out. */
  readonly bareList: boolean
  readonly sendsDate: boolean
  /** Its clock against true time. */
  readonly skewMs: number
  /** Jobs take between these. */
  readonly shortestJobMs: number
  readonly longestJobMs: number
  readonly failingShare: number
  /** Which jobs fail, in place of a share of them by chance. */
  readonly fails?: (request: Readonly<Record<string, unknown>>) => boolean
  /** What it does not understand, as a 400. */
  readonly rejects: (request: Readonly<Record<string, unknown>>) => boolean
  /** The limits body tells numbers. */
  readonly tellsLimits: boolean
}

export interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export interface SimService {
  readonly book: readonly BookedJob[]
  /** Ids of jobs that were deleted: the book remembers them, the list does not show them. */
  readonly deleted: ReadonlySet<string>
  /** 429s by what was used up. */
  readonly refused: { rate: number; allowance: number }
  readonly requests: { reads: number; posts: number }
  handle(request: ArrivedRequest, at: number): Answer
  /** Another client of the same key. */
  submitForeign(n: number, at: number): void
}

export interface ArrivedRequest {
  readonly method: string
  readonly url: string
  readonly body: string | undefined
  readonly send: number
}

export function createService(traits: ServiceTraits, random: Random): SimService {
  const book: BookedJob[] = []
  const deleted = new Set<string>()
  const refused = { rate: 0, allowance: 0 }
  const requests = { reads: 0, posts: 0 }

  const iso = (at: number) => new Date(at + traits.skewMs).toISOString()

  function answer(at: number, status: number, body: unknown): Answer {
    const date = new Date(at + traits.skewMs).toUTCString()
    return {
      status,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(traits.sendsDate ? { date } : {}) },
    }
  }

  function refuse(at: number, status: number, code: string): Answer {
    return answer(at, status, { error: { code, message: 'no' } })
  }

  function accept(request: Readonly<Record<string, unknown>>, send: number | null, at: number): BookedJob {
    const { name, ...rest } = request
    const job: BookedJob = {
      id: `j${book.length + 1}-${random.below(1e6)}`,
      send,
      name: typeof name === 'string' ? name : null,
      config: JSON.stringify(rest),
      request: rest,
      createdAt: at,
      endsAt: Math.round(at + random.between(traits.shortestJobMs, traits.longestJobMs)),
      fails: traits.fails?.(rest) ?? random.chance(traits.failingShare),
    }
    book.push(job)
    return job
  }

  function show(job: BookedJob, at: number, bare: boolean): Record<string, unknown> {
    const ended = at >= job.endsAt
    return {
      id: job.id,
      ...(traits.echoes === 'all' ? { name: job.name } : {}),
      state: ended ? (job.fails ? 'failed' : 'completed') : 'running',
      createdAt: iso(job.createdAt),
      finishedAt: ended ? iso(job.endsAt) : null,
      ...(traits.echoes === 'nothing' ? {} : { request: job.request }),
      result: ended && !job.fails && !bare ? { metrics: { netProfit: Number(job.request.takeProfit) } } : null,
      error: ended && job.fails ? { code: 'NoCandles', message: 'no candles' } : null,
    }
  }

  function list(url: URL, at: number): Answer {
    const since = url.searchParams.get('since')
    const sinceMs = since === null ? Number.NEGATIVE_INFINITY : Date.parse(since) - traits.skewMs
    const offset = Number(url.searchParams.get('offset') ?? 0)
    const size = Math.min(traits.pageSize, Number(url.searchParams.get('limit') ?? 100))
    // Changed at or after `since`: jobs change when they are made and when they end.
    const wanted = book.filter(
      (job) => !deleted.has(job.id) && (job.createdAt >= sinceMs || (job.endsAt <= at && job.endsAt >= sinceMs)),
    )
    const page = wanted.toReversed().slice(offset, offset + size)
    const rest = offset + size < wanted.length
    const query = new URLSearchParams({ limit: String(size), offset: String(offset + size) })
    if (since !== null) query.set('since', since)
    return answer(at, 200, {
      jobs: page.map((job) => show(job, at, traits.bareList)),
      next: rest ? `?${query.toString()}` : null,
    })
  }

  function limits(at: number): Answer {
    const used = traits.allowance.used(at)
    const nextAt = traits.allowance.nextAt(at)
    if (!traits.tellsLimits) return answer(at, 200, {})
    return answer(at, 200, {
      limit: traits.allowanceCount,
      windowHours: 24,
      windowType: traits.windowType,
      used,
      remaining: traits.allowanceCount - used,
      nextAt: nextAt === null ? null : iso(nextAt),
    })
  }

  function post(request: ArrivedRequest, at: number): Answer {
    requests.posts++
    const body = JSON.parse(request.body ?? '{}') as Record<string, unknown> // made by our client
    if (traits.rejects(body)) {
      traits.allowance.note(at, 'reject')
      return refuse(at, 400, 'InvalidPayload')
    }
    if (!traits.allowance.admit(at)) {
      refused.allowance++
      traits.allowance.note(at, 'reject')
      return refuse(at, 429, 'ApiKeyBacktestLimit')
    }
    return answer(at, 201, show(accept(body, request.send, at), at, true))
  }

  function remove(id: string, at: number): Answer {
    if (deleted.has(id) || !book.some((job) => job.id === id)) return refuse(at, 404, 'NotFound')
    deleted.add(id)
    traits.allowance.note(at, 'delete')
    return answer(at, 200, {})
  }

  return {
    book,
    deleted,
    refused,
    requests,
    submitForeign: (n, at) => {
      if (traits.allowance.admit(at))
        accept({ name: `other-${n}`, exchange: 'binance', takeProfit: 10_000 + n }, null, at)
    },
    handle: (request, at) => {
      if (!traits.minute.admit(at)) {
        refused.rate++
        traits.minute.note(at, 'reject')
        return refuse(at, 429, 'ApiKeyRateLimit')
      }
      if (request.method === 'POST') return post(request, at)
      requests.reads++
      const url = new URL(request.url)
      if (url.pathname === '/api/backtest/limits') return limits(at)
      if (url.pathname === '/api/backtest/jobs') return list(url, at)
      const id = decodeURIComponent(url.pathname.split('/').at(-1) ?? '')
      if (request.method === 'DELETE') return remove(id, at)
      const job = book.find((booked) => booked.id === id && !deleted.has(id))
      return job === undefined ? refuse(at, 404, 'NotFound') : answer(at, 200, show(job, at, false))
    },
  }
}
