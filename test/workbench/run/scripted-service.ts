/**
 * A backtest service in memory, behind the client's own interface: its book is the truth that the tests judge by. What happens to
 * each submission on its way is scripted; time is the system's.
 */
import type { JobRequestBody } from '../../../src/contract/bodies.ts'
import { CONFIG_FIELDS } from '../../../src/contract/bot.ts'
import type { SettingsReading } from '../../../src/contract/result-reading.ts'
import type { JobListOptions, JobOperations } from '../../../src/workbench/api/calls.ts'
import type { PostOutcome, RawReply, ReadOutcome } from '../../../src/workbench/api/outcome.ts'
import type { JobReading } from '../../../src/workbench/api/reading/readings.ts'
import { resultOf } from './scripted-result.ts'
import type { BookedJob, Script } from './scripted-script.ts'

export interface ScriptedService extends JobOperations {
  readonly book: BookedJob[]
  readonly counts: { posts: number; reads: number }
  /** Arrival times of every submission that was counted. */
  readonly counted: number[]
  /** As if another client of the key had submitted it. */
  submitForeign(request: JobRequestBody): void
}

export function scriptedService(script: Script): ScriptedService {
  const { clock } = script.system
  const book: BookedJob[] = []
  const counted: number[] = []
  const counts = { posts: 0, reads: 0 }
  const late: { readonly at: number; readonly request: JobRequestBody }[] = []

  function used(): number {
    return counted.filter((at) => at > clock.wall() - (script.windowMs ?? 86_400_000)).length
  }

  function accept(request: JobRequestBody, createdAt = clock.wall()): BookedJob {
    const job = { id: `job-${book.length + 1}`, request, createdAt, deleted: false }
    book.push(job)
    counted.push(createdAt)
    return job
  }

  function arrivals(): void {
    for (const { at, request } of late.splice(0)) {
      if (at <= clock.wall()) accept(request, at)
      else late.push({ at, request })
    }
  }

  function raw(status: number, text: string): RawReply {
    return { status, text, receivedAt: clock.wall(), serverDate: Math.floor(clock.wall() / 1000) * 1000 }
  }

  function read<T>(value: () => T): Promise<ReadOutcome<T>> {
    script.onRequest?.('before')
    counts.reads++
    arrivals()
    const outcome: ReadOutcome<T> = script.readFailure?.() ?? { kind: 'ok', value: value(), raw: raw(200, '{}') }
    script.onRequest?.('after')
    return Promise.resolve(outcome)
  }

  function toReading(job: BookedJob, bare: boolean): JobReading {
    const endsAt = job.createdAt + (script.durationMs ?? 100)
    const state = script.state?.(job) ?? (clock.wall() >= endsAt ? 'done' : 'pending')
    const result = state === 'done' && !bare ? resultOf(job, script.feePercent ?? 0.1, script.netProfit?.(job)) : null
    const echoes = script.echoes ?? 'all'
    const { exchange, baseAsset, quoteAsset, from, to, interval } = job.request
    const reading = {
      id: job.id,
      name: echoes === 'all' ? (job.request.name ?? null) : null,
      state,
      stateText: state,
      createdAt: job.createdAt,
      finishedAt: state === 'done' ? endsAt : null,
      request:
        echoes === 'nothing'
          ? null
          : {
              market: { exchange, baseAsset, quoteAsset },
              period: { from: Date.parse(from), to: Date.parse(to) },
              interval: interval ?? null,
              config: Object.fromEntries(CONFIG_FIELDS.map((field) => [field, job.request[field]])),
              settings: toldSettings(job.request),
            },
      result,
      error: state === 'failed' ? 'no candles' : null,
    }
    return { ...reading, rawText: JSON.stringify(reading) }
  }

  function post(request: JobRequestBody): PostOutcome<JobReading> {
    arrivals()
    const n = counts.posts++
    const fate = script.fate?.(n, request) ?? 'ok'
    if (fate === 'notSent') return { kind: 'notSent', reason: 'connection refused' }
    if (fate === 'requestLost') return { kind: 'ambiguous', reason: 'connection reset', raw: null }
    if (typeof fate === 'object') {
      if ('arrivesLate' in fate) {
        late.push({ at: clock.wall() + fate.arrivesLate, request })
        return { kind: 'ambiguous', reason: 'no answer in time', raw: null }
      }
      if ('answeredWith' in fate) return acknowledge(book[fate.answeredWith])
      if ('rejected' in fate) {
        return { kind: 'rejected', status: 400, code: 'InvalidPayload', message: fate.rejected, raw: raw(400, '{}') }
      }
      return {
        kind: 'refused',
        code: fate.refused,
        status: fate.status,
        message: 'no',
        retryAfterMs: null,
        raw: raw(fate.status, '{}'),
      }
    }
    if (used() >= (script.allowance ?? 100)) {
      return {
        kind: 'refused',
        code: 'ApiKeyBacktestLimit',
        status: 429,
        message: 'used up',
        retryAfterMs: null,
        raw: raw(429, '{}'),
      }
    }
    const job = accept(request)
    if (fate === 'delivered twice') accept(request)
    if (fate === 'answerLost') return { kind: 'ambiguous', reason: 'connection reset', raw: null }
    return acknowledge(job)
  }

  function acknowledge(job: BookedJob): PostOutcome<JobReading> {
    const value = toReading(job, true)
    return { kind: 'acked', value, raw: raw(201, value.rawText) }
  }

  return {
    book,
    counts,
    counted,
    submitForeign: (request) => {
      accept(request)
    },
    identify: () =>
      read(() => ({
        identity: script.identity ?? 'https://bots.example#1234',
        simulated: (script.identity ?? '').startsWith('embedded:'),
        origin: 'https://bots.example',
        limits: limits(),
      })),
    limits: () => read(limits),
    listJobs: (options: JobListOptions = {}) =>
      read(() => {
        const { since, next } = options
        const wanted = book.filter((job) => {
          const { deleted, createdAt } = job
          return (
            !deleted &&
            !script.hidden?.(job) &&
            (since === undefined || createdAt + (script.durationMs ?? 100) >= since)
          )
        })
        const newest = [...wanted].reverse()
        const from = next === undefined ? 0 : Number(next)
        const size = script.pageSize ?? 1000
        const page = {
          items: newest.slice(from, from + size).map((job) => toReading(job, script.bareList ?? false)),
          next: from + size < newest.length ? String(from + size) : null,
          firstUnreadable: null,
          unreadable: 0,
        }
        return script.page?.(page) ?? page
      }),
    readJob: async (id) => {
      const job = book.find((candidate) => candidate.id === id && !candidate.deleted)
      if (job !== undefined) return read(() => toReading(job, false))
      const outcome = await read(() => null)
      return outcome.kind === 'ok' ? { kind: 'missing', raw: outcome.raw } : outcome
    },
    rereadJob: (text) => JSON.parse(text),
    createJob: async (request) => {
      script.onRequest?.('before')
      const outcome = post(request)
      script.onRequest?.('after')
      return outcome
    },
    deleteJob: async () => ({ kind: 'notSent', reason: 'a run deletes nothing' }),
  }

  function limits() {
    const limit = script.allowance ?? 100
    const windowMs = script.windowMs ?? 86_400_000
    const spent = counted.filter((at) => at > clock.wall() - windowMs)
    const isFull = spent.length >= limit
    return {
      limit,
      windowMs,
      windowType: 'sliding' as const,
      used: spent.length,
      remaining: Math.max(0, limit - spent.length),
      nextAt: isFull ? (spent.at(-limit) ?? 0) + windowMs : null,
      ...(script.scopes === null ? {} : { scopes: script.scopes ?? ['CanUseLab'] }),
    }
  }
}

/** As our own service, which says what it was asked for; another was asked for nothing. */
function toldSettings({ settings }: JobRequestBody): SettingsReading | null {
  if (settings === undefined) return null
  const { conventions = null, costs = null, symbol } = settings
  return { conventions, costs, symbol: symbol === undefined ? null : { ...symbol } }
}
