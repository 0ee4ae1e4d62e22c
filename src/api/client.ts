/**
 * Typed calls, one per documented operation we use. Reads come back as `ReadOutcome`, writes as `PostOutcome`; nothing here throws
 * except when a read is interrupted. The scheduler takes `JobOperations`, promotion takes `BotOperations`, and neither can do more.
 */
import type { JobRequestBody } from '../contract/bodies.ts'
import type { DemoBotPayload } from '../contract/bot.ts'
import { Failure } from '../errors.ts'
import type { System } from '../system.ts'
import { checkBaseUrl } from './address.ts'
import { demoBody } from './demo-only.ts'
import type { Dialect } from './dialect.ts'
import { fieldsOf } from './fields.ts'
import { Gate, type RateLog } from './gate.ts'
import { type Keys, keyIdentity } from './keys.ts'
import type { Operation } from './operations.ts'
import type { PostOutcome, ReadOutcome } from './outcome.ts'
import { readBotBody, readLimitsBody, readSymbolBody, readValidationBody } from './read-account.ts'
import { readJobBody } from './read-job.ts'
import { readItems, textOfItem } from './read-list.ts'
import type {
  BotPage,
  BotReading,
  JobPage,
  JobReading,
  LimitsReading,
  SymbolReading,
  ValidationReading,
} from './readings.ts'
import { settleRead, settleWrite, type Understand } from './settle.ts'

export interface CallOptions {
  /** Ends waiting and reading at once; a write on its way gets ten more seconds to tell its outcome. */
  readonly signal?: AbortSignal
}

export interface ServiceIdentity {
  /** `embedded:<service id>` for our own service on this machine, else origin # SHA-256 of the API key. */
  readonly identity: string
  /** Our embedded service: results are simulated. */
  readonly simulated: boolean
  readonly origin: string
  readonly limits: LimitsReading
}

export interface JobListOptions extends CallOptions {
  /** Jobs per page; the service may give fewer. */
  readonly limit?: number
  /** Jobs changed at or after this time, ms UTC. */
  readonly since?: number
  /** `next` of the page before; `limit` and `since` are then not sent again. */
  readonly next?: string
}

export interface JobOperations {
  identify(options?: CallOptions): Promise<ReadOutcome<ServiceIdentity>>
  limits(options?: CallOptions): Promise<ReadOutcome<LimitsReading>>
  /** One page, newest first. */
  listJobs(options?: JobListOptions): Promise<ReadOutcome<JobPage>>
  readJob(id: string, options?: CallOptions): Promise<ReadOutcome<JobReading>>
  createJob(request: JobRequestBody, options?: CallOptions): Promise<PostOutcome<JobReading>>
  /** A job that is already gone is `rejected` with status 404. */
  deleteJob(id: string, options?: CallOptions): Promise<PostOutcome<{ readonly id: string }>>
}

export interface BotOperations {
  identify(options?: CallOptions): Promise<ReadOutcome<ServiceIdentity>>
  /** One page of the account's bots. */
  listBots(userEmail: string, options?: CallOptions & { readonly next?: string }): Promise<ReadOutcome<BotPage>>
  readBot(id: string, options?: CallOptions): Promise<ReadOutcome<BotReading>>
  /** An invalid payload may also come back as `rejected`. */
  validateBot(payload: DemoBotPayload, options?: CallOptions): Promise<PostOutcome<ValidationReading>>
  createBot(payload: DemoBotPayload, options?: CallOptions): Promise<PostOutcome<BotReading>>
}

export interface MarketOperations {
  listSymbols(
    request: { readonly exchange: string; readonly quote?: string },
    options?: CallOptions,
  ): Promise<ReadOutcome<readonly SymbolReading[]>>
}

export interface Client extends JobOperations, BotOperations, MarketOperations {}

export interface ClientOptions {
  readonly baseUrl: string
  readonly keys: Keys
  readonly system: System
  readonly dialect: Dialect
  readonly rateLog: RateLog
  /** NODE_TLS_REJECT_UNAUTHORIZED=0 was set; only loopback is then allowed. */
  readonly tlsUnverified?: boolean
  /** For one whole exchange, body included. */
  readonly timeoutMs?: number
  /** Told in words when a request has to wait. */
  readonly onWait?: (reason: string) => void
}

const defaultTimeoutMs = 30_000

/** Opens no connection. @throws Failure settingInvalid when the base address cannot be used */
export function createClient(options: ClientOptions): Client {
  const { keys, system, dialect, rateLog } = options
  const base = checkBaseUrl(options.baseUrl, { tlsUnverified: options.tlsUnverified ?? false })
  const gate = new Gate({
    transport: { system, base, keys, timeoutMs: options.timeoutMs ?? defaultTimeoutMs },
    rateLog,
    onWait: options.onWait ?? (() => {}),
  })
  const read = async <T>(operation: Operation, understand: Understand<T>, call: CallOptions = {}) =>
    settleRead(await gate.read(operation, call.signal), understand)
  const write = async <T>(operation: Operation, understand: Understand<T>, call: CallOptions = {}) =>
    settleWrite(await gate.write(operation, call.signal), understand)

  const understandJob: Understand<JobReading> = (body, reply) => {
    const job = dialect.job(body)
    return readJobBody(job, textOfItem(reply, job), dialect.jobState)
  }
  const understandBot: Understand<BotReading> = (body, reply) => {
    const bot = dialect.bot(body)
    return readBotBody(bot, textOfItem(reply, bot))
  }
  const understandLimits: Understand<LimitsReading> = (body) => readLimitsBody(dialect.limits(body))
  const understandIdentity: Understand<ServiceIdentity> = (body, reply) => {
    const limits = understandLimits(body, reply)
    // Only this machine may call itself simulated: another could make its results look worthless, or ours look real.
    const announced = base.loopback && isEmbeddedName(reply.announced) ? reply.announced : undefined
    const identity = announced ?? keyIdentity(base.origin, keys)
    return limits && { identity, simulated: announced !== undefined, origin: base.origin, limits }
  }

  return {
    identify: (call) => read({ endpoint: 'readLimits' }, understandIdentity, call),
    limits: (call) => read({ endpoint: 'readLimits' }, understandLimits, call),
    listJobs: ({ limit, since, next, signal } = {}) => {
      const page = { limit, since: since === undefined ? undefined : new Date(since).toISOString() }
      const query = next === undefined ? dialect.jobListQuery(page) : readQuery(next)
      return read(
        { endpoint: 'listJobs', query },
        (body, reply) => {
          const list = readItems(reply, dialect.jobList(body), (item, text) =>
            readJobBody(dialect.job(item), text, dialect.jobState),
          )
          return list && { jobs: list.readings, next: list.next, unreadable: list.unreadable }
        },
        withSignal(signal),
      )
    },
    readJob: (id, call) => read({ endpoint: 'readJob', parameter: id }, understandJob, call),
    createJob: async (request, call) =>
      write({ endpoint: 'createJob', body: jobBody(dialect, request) }, understandJob, call),
    deleteJob: (id, call) => write({ endpoint: 'deleteJob', parameter: id }, () => ({ id }), call),
    listSymbols: ({ exchange, quote }, call) =>
      read(
        { endpoint: 'listSymbols', parameter: exchange, query: { type: 'spot', ...(quote && { quote }) } },
        (body) => {
          const items = dialect.symbols(body)
          return Array.isArray(items) ? items.map(readSymbolBody).filter((symbol) => symbol !== null) : null
        },
        call,
      ),
    listBots: (userEmail, { next, signal } = {}) =>
      read(
        { endpoint: 'listBots', query: { ...(next === undefined ? {} : readQuery(next)), userEmail } },
        (body, reply) => {
          const list = readItems(reply, dialect.botList(body), (item, text) => readBotBody(dialect.bot(item), text))
          return list && { bots: list.readings, next: list.next, unreadable: list.unreadable }
        },
        withSignal(signal),
      ),
    readBot: (id, call) => read({ endpoint: 'readBot', parameter: id }, understandBot, call),
    validateBot: (payload, call) =>
      write(
        { endpoint: 'validateBot', body: demoBody(payload) },
        (body) => readValidationBody(dialect.validation(body)),
        call,
      ),
    createBot: (payload, call) => write({ endpoint: 'createBot', body: demoBody(payload) }, understandBot, call),
  }
}

function withSignal(signal: AbortSignal | undefined): CallOptions {
  return signal === undefined ? {} : { signal }
}

function isEmbeddedName(text: string | null): text is string {
  return text !== null && /^embedded:[\w.-]{1,100}$/.test(text)
}

/** `next` of a page: a query string, with or without what stands before its `?`; a bare word is a cursor. */
function readQuery(next: string): Record<string, string> {
  const query = next.slice(next.indexOf('?') + 1)
  return query.includes('=') ? Object.fromEntries(new URLSearchParams(query)) : { cursor: query }
}

/** @throws Failure settingInvalid when a dialect module makes no object of the request */
function jobBody(dialect: Dialect, request: JobRequestBody): string {
  const body = fieldsOf(dialect.jobRequest(request))
  if (body === null) throw new Failure('settingInvalid', 'DCALAB_DIALECT: jobRequest did not return an object')
  return JSON.stringify(body)
}
