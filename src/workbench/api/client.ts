/** Creates the client: makes the calls of `calls.ts` from an address, keys and a dialect. Its calls throw only when a read is interrupted. */

import type { JobRequestBody } from '../../contract/bodies.ts'
import { ENDPOINTS, type EndpointName } from '../../contract/endpoints.ts'
import { Failure } from '../../errors.ts'
import type { System } from '../../system.ts'
import type { ActivityOperations, BotControls, BotOperations, Client, JobOperations, ServiceIdentity } from './calls.ts'
import { demoBody, demoText, everyMentionIsTrue, plainPayload } from './demo-only.ts'
import type { PostOutcome, ReadOutcome, Reply } from './outcome.ts'
import type { Dialect, ListFound, PageAsked, Translate } from './reading/dialect.ts'
import { probeBody, type ReadEndpoint } from './reading/probe.ts'
import {
  readConfig,
  readItems,
  readJobBody,
  readMarket,
  readOpenDeal,
  readSettingParts,
  rereadJob,
  usableIdOf,
  whyUnusableId,
} from './reading/read-job.ts'
import type {
  BotReading,
  BotReadingState,
  BotReply,
  ExecutionReading,
  JobReading,
  LimitsReading,
  OrderReading,
  Page,
  PnlReading,
  SymbolReading,
  ValidationReading,
} from './reading/readings.ts'
import {
  BOT_SHAPE,
  booleanOf,
  EXECUTION_SHAPE,
  fieldsOf,
  firstOwn,
  idOf,
  LIMITS_SHAPE,
  numberOf,
  ORDER_SHAPE,
  own,
  PNL_SHAPE,
  readShape,
  SYMBOL_SHAPE,
  textOf,
  timeOf,
} from './reading/shape.ts'
import { saysItFailed, wordsIn } from './reading/spoken-refusal.ts'
import { type CallOptions, Gate, type RateLog } from './wire/gate.ts'
import { checkBaseUrl, type Keys, keyIdentity } from './wire/keys.ts'
import { type AskedCall, toPostOutcome, toReadOutcome, type Understand } from './wire/read-answer.ts'
import { type Operation, ownServiceName, ProvenDemoBot, type Transport } from './wire/send.ts'

const hourMs = 3_600_000

// What every call uses: the functions that send through the gate, and the dialect that writes requests and reads replies.

interface ServiceLine {
  readonly dialect: Dialect
  /** Identifies this service with these keys: a proof is valid only for the same one. */
  readonly service: object
  read<T>(operation: Operation, understand: Understand<T>, call?: CallOptions): Promise<ReadOutcome<T>>
  write<T>(operation: Operation, understand: Understand<T>, call?: CallOptions): Promise<PostOutcome<T>>
}

/** `next` of a page: a query string, with or without the part before its `?`; a single word is a cursor. */
function readQuery(next: string): Record<string, string> {
  const query = next.slice(next.indexOf('?') + 1)
  return /=/.test(query.replace(/=+$/, '')) ? Object.fromEntries(new URLSearchParams(query)) : { cursor: query }
}

/** ms UTC as the ISO time that queries take. */
function queryTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

/** What a kind of list is read by. */
interface ListRules<T> {
  readonly listOf: (body: unknown, asked: PageAsked) => ListFound
  readonly translate: Translate
  readonly readItem: (item: unknown, text: string) => T | null
}

/** One page. `next`: of the page before it; its query was read from there. A body that says it failed is no list. */
function readPage<T>(
  { read }: ServiceLine,
  { query, next, ...operation }: Omit<Operation, 'page'> & PageAsked & { readonly next: string | undefined },
  { listOf, translate, readItem }: ListRules<T>,
  call: CallOptions,
): Promise<ReadOutcome<Page<T>>> {
  return read(
    { ...operation, query, ...(next === undefined ? {} : { page: next }) },
    (body, reply) => {
      const page = readItems(reply, { ...listOf(body, { query }), query, translate }, readItem)
      return page === null || isEmptyFailure(page, body) ? null : page
    },
    call,
  )
}

/** No list at all, though it has the form of an empty one: nothing may be taken for absent because of it. */
function isEmptyFailure({ items, unreadable }: Page<unknown>, body: unknown): boolean {
  return items.length === 0 && unreadable === 0 && saysItFailed(body)
}

// The calls for backtest jobs.

function makeJobCalls(line: ServiceLine): Omit<JobOperations, 'identify' | 'limits'> {
  const { dialect, read, write } = line
  const understandJob: Understand<JobReading> = (body, reply) => {
    const job = dialect.job(body)
    const reading = readJobBody(job, reply.raw.text, dialect.jobState)
    const problem = reading === null ? whyUnusableId(job) : null
    if (problem !== null) throw new Error(problem) // becomes the reason why the reply cannot be read
    return reading
  }
  return {
    listJobs: ({ limit, since, next, ...call } = {}) => {
      const query = next === undefined ? dialect.jobListQuery({ limit, since: queryTime(since) }) : readQuery(next)
      const readItem = (item: unknown, text: string) => readJobBody(item, text, dialect.jobState)
      const rules = { listOf: dialect.jobList, translate: dialect.job, readItem }
      return readPage(line, { endpoint: 'listJobs', query, next }, rules, call)
    },
    readJob: (id, call) => read({ endpoint: 'readJob', parameter: id }, understandJob, call),
    rereadJob: (text) => {
      const found = rereadJob(text, dialect)
      return 'reading' in found ? found.reading : null
    },
    createJob: async (request, call) =>
      write({ endpoint: 'createJob', body: jobBody(dialect, request) }, understandJob, call),
    deleteJob: (id, call) =>
      write({ endpoint: 'deleteJob', parameter: id }, (body) => (saysItFailed(body) ? null : { id }), call),
  }
}

/** @throws Failure settingInvalid when a dialect module does not return an object */
function jobBody(dialect: Dialect, request: JobRequestBody): string {
  const body = fieldsOf(dialect.jobRequest(request))
  if (body === null) throw new Failure('settingInvalid', 'DCALAB_DIALECT: jobRequest did not return an object')
  return JSON.stringify(body)
}

// The calls for bots: list, read, validate, create and, with a proof that the bot is a demo, change and start; and for what they do.

function makeBotCalls(line: ServiceLine): Omit<BotOperations, 'identify'> & BotControls & ActivityOperations {
  const { dialect, service, read, write } = line
  const understandBot: Understand<BotReading> = (body, reply) =>
    readBotBody(dialect.bot(body), reply.raw.text, dialect.botState)
  /** A 2xx status is the answer, unless the body says that it failed; the bot in it is optional. */
  const understandBotReply: Understand<BotReply> = (body, reply) => {
    const bot = body === undefined ? null : understandBot(body, reply)
    return bot === null && saysItFailed(body) ? null : { bot }
  }
  return {
    listBots: (userEmail, { next, ...call } = {}) => {
      const asked = next === undefined ? dialect.botListQuery({ userEmail }) : readQuery(next)
      const readItem = (item: unknown, text: string) => readBotBody(item, text, dialect.botState)
      const rules = { listOf: dialect.botList, translate: dialect.bot, readItem }
      return readPage(line, { endpoint: 'listBots', query: { ...asked, userEmail }, next }, rules, call)
    },
    readBot: (id, call) => read({ endpoint: 'readBot', parameter: id }, understandBot, call),
    validateBot: async (payload, call) => {
      const body = spelledBody('validateRequest', dialect.validateRequest(plainPayload(payload)))
      return write({ endpoint: 'validateBot', body }, (reply) => readValidationBody(dialect.validation(reply)), call)
    },
    createBot: (payload, call) => write({ endpoint: 'createBot', body: demoBody(payload) }, understandBot, call),
    proveDemo: (id, call) =>
      read(
        { endpoint: 'readBot', parameter: id },
        (body, reply) => {
          const bot = understandBot(body, reply)
          return bot && { bot, proof: ProvenDemoBot.readBack(bot, { id, reply, service }) ?? null }
        },
        call,
      ),
    startBot: (proof, call) => write({ endpoint: 'startBot', parameter: proof.id, proof }, understandBotReply, call),
    updateBot: async (proof, payload, call) => {
      const body = spelledBody('updateRequest', dialect.updateRequest(plainPayload(payload)))
      return write({ endpoint: 'updateBot', parameter: proof.id, proof, body }, understandBotReply, call)
    },
    stopBot: (id, call) =>
      write({ endpoint: 'stopBot', parameter: id, query: { closePosition: 'false' } }, understandBotReply, call),
    closeBot: (proof, call) =>
      write(
        { endpoint: 'stopBot', parameter: proof.id, proof, query: { closePosition: 'true' } },
        understandBotReply,
        call,
      ),
    listExecutions: (id, { limit, since, next, ...call } = {}) => {
      const query =
        next === undefined ? dialect.executionListQuery({ limit, since: queryTime(since) }) : readQuery(next)
      const rules = { listOf: dialect.executionList, translate: dialect.execution, readItem: readExecution }
      return readPage(line, { endpoint: 'listExecutions', parameter: id, query, next }, rules, call)
    },
    listOrders: (id, { limit, state, next, ...call } = {}) => {
      const query = next === undefined ? dialect.orderListQuery({ limit, state }) : readQuery(next)
      const rules = { listOf: dialect.orderList, translate: dialect.order, readItem: readOrder }
      return readPage(line, { endpoint: 'listOrders', parameter: id, query, next }, rules, call)
    },
    readPnl: (id, call) =>
      read(
        { endpoint: 'readPnl', parameter: id },
        (body, reply) => readPnlBody(dialect.pnl(body), reply.raw.text),
        call,
      ),
  }
}

/** @throws Failure settingInvalid when a dialect module does not return an object */
function spelledBody(name: keyof Dialect, spelled: unknown): string {
  const body = fieldsOf(spelled)
  if (body === null) throw new Failure('settingInvalid', `DCALAB_DIALECT: ${name} did not return an object`)
  return demoText(body)
}

/** Keys are removed from all of it. */
interface HeardReply {
  readonly identity: string
  /** As the API document spells it: `GET /api/bots/{id}`. */
  readonly endpoint: string
  /** The bot or exchange that was asked for, and which later page of a list; '' where there is neither. */
  readonly object: string
  readonly status: number
  /** Wall clock, ms UTC. */
  readonly receivedAt: number
  /** As received; bytes where it is not UTF-8. */
  readonly body: string | Uint8Array
}

interface ClientOptions {
  readonly baseUrl: string
  readonly keys: Keys
  readonly system: System
  readonly dialect: Dialect
  readonly rateLog: RateLog
  /** NODE_TLS_REJECT_UNAUTHORIZED=0 was set; only loopback is then allowed. */
  readonly tlsUnverified?: boolean
  /** Limit for one request with its reply, body included. */
  readonly timeoutMs?: number
  /** Called with the reason when a request has to wait. */
  readonly onWait?: (reason: string) => void
  /** Called every minute while slow replies leave nothing else to be said; absent where somebody else reports how far it is. */
  readonly onSilence?: (words: string) => void
  /** Called with what is to be kept of a reply, before it is understood. It must neither throw nor take long. */
  readonly onReply?: (reply: HeardReply) => void
}

const defaultTimeoutMs = 30_000

/** Replies about single jobs are kept by the run, each of them. */
const KEPT_ELSEWHERE: ReadonlySet<EndpointName> = new Set(['createJob', 'readJob', 'deleteJob'])

/** Opens no connection. @throws Failure settingInvalid when the base address cannot be used */
export function createClient(options: ClientOptions): Client {
  const { keys, system, dialect, rateLog } = options
  const base = checkBaseUrl(options.baseUrl, { tlsUnverified: options.tlsUnverified ?? false })
  const transport: Transport = { system, base, keys, timeoutMs: options.timeoutMs ?? defaultTimeoutMs }
  const gate = new Gate({
    transport,
    rateLog,
    onWait: options.onWait ?? (() => {}),
    onSilence: options.onSilence,
    onReply: (operation, reply) => {
      const heard = hearReply(transport, operation, reply)
      if (heard !== null) options.onReply?.(heard)
    },
  })
  const askedBy = ({ endpoint }: Operation): AskedCall => ({
    endpoint,
    refusal: dialect.refusal,
    now: system.clock.wall(),
  })
  const line: ServiceLine = {
    dialect,
    service: transport,
    read: async (operation, understand, call = {}) =>
      toReadOutcome(await gate.read(operation, call), understand, askedBy(operation)),
    write: async (operation, understand, call = {}) =>
      toPostOutcome(await gate.write(operation, call), understand, askedBy(operation)),
  }
  const understandLimits: Understand<LimitsReading> = (body) => {
    const limits = readLimitsBody(dialect.limits(body))
    return limits !== null && hasNoCount(limits) && saysItFailed(body) ? null : limits
  }
  const understandIdentity: Understand<ServiceIdentity> = (body, reply) => {
    const limits = understandLimits(body, reply)
    const simulated = ownServiceName(base, reply.announced) !== undefined
    return limits && { identity: identityBehind(transport, reply), simulated, origin: base.origin, limits }
  }
  return {
    identify: (call) => line.read({ endpoint: 'readLimits' }, understandIdentity, call),
    limits: (call) => line.read({ endpoint: 'readLimits' }, understandLimits, call),
    ...makeJobCalls(line),
    ...makeBotCalls(line),
    listSymbols: ({ exchange, quote }, call) =>
      line.read(
        { endpoint: 'listSymbols', parameter: exchange, query: { type: 'spot', ...(quote && { quote }) } },
        (body) => {
          const items = dialect.symbols(body)
          return Array.isArray(items) ? items.map(readSymbolBody).filter((symbol) => symbol !== null) : null
        },
        call,
      ),
    probe: (endpoint, { query: given, parameter, ...call } = {}) => {
      const query = { ...firstPage(endpoint, dialect), ...given }
      const operation = { endpoint, query, ...(parameter === undefined ? {} : { parameter }) }
      return line.read(operation, (body) => probeBody(endpoint, body, { dialect, query }), call)
    },
  }
}

/** null = there is nothing to keep that is not kept elsewhere: single jobs, and later pages of their list. */
function hearReply(transport: Transport, operation: Operation, reply: Reply): HeardReply | null {
  const { endpoint, parameter = '', page } = operation
  if (KEPT_ELSEWHERE.has(endpoint) || (endpoint === 'listJobs' && page !== undefined)) return null
  const { method, path } = ENDPOINTS[endpoint]
  return {
    identity: identityBehind(transport, reply),
    endpoint: `${method} ${path}`,
    object: transport.keys.scrub(page === undefined ? parameter : `${parameter}?${page.slice(page.indexOf('?') + 1)}`),
    status: reply.raw.status,
    receivedAt: reply.raw.receivedAt,
    body: reply.binary ?? reply.raw.text,
  }
}

/** Which service answered, and with whose key: `embedded:<service id>` for our own on this machine, else origin # SHA-256 of the API key. */
function identityBehind({ base, keys }: Transport, { announced }: Reply): string {
  return ownServiceName(base, announced) ?? keyIdentity(base.origin, keys)
}

function hasNoCount({ limit, used, remaining }: LimitsReading): boolean {
  return limit === null && used === null && remaining === null
}

/** What a dialect puts into the query of a list's first page beside what the command asks for. */
function firstPage(endpoint: ReadEndpoint, dialect: Dialect): Readonly<Record<string, string>> {
  if (endpoint === 'listJobs') return dialect.jobListQuery({ limit: undefined, since: undefined })
  if (endpoint === 'listExecutions') return dialect.executionListQuery({ limit: undefined, since: undefined })
  if (endpoint === 'listOrders') return dialect.orderListQuery({ limit: undefined, state: undefined })
  return {}
}

/** null when the body is not an object; a number that it does not contain is null. */
function readLimitsBody(body: unknown): LimitsReading | null {
  const read = readShape(body, LIMITS_SHAPE)
  if (read === null) return null
  const { windowHours, windowType, scopes, ...counts } = read
  return {
    ...counts,
    windowMs: windowHours === null ? null : windowHours * hourMs,
    windowType: (['sliding', 'fixed'] as const).find((type) => type === windowType) ?? null,
    ...(scopes === null ? {} : { scopes: scopes.flatMap((scope) => textOf(scope) ?? []) }),
  }
}

function readSymbolBody(item: unknown): SymbolReading | null {
  const found = readShape(item, SYMBOL_SHAPE)
  if (found === null) return null
  const { exchange, type, baseAsset, quoteAsset, ...read } = found
  if (baseAsset === null || quoteAsset === null) return null
  const candles = (read.candles ?? []).map(readSpan).filter((span) => span !== null)
  return { ...read, symbol: read.symbol ?? `${baseAsset}${quoteAsset}`, baseAsset, quoteAsset, candles }
}

function readSpan(item: unknown): SymbolReading['candles'][number] | null {
  const fields = fieldsOf(item)
  const interval = textOf(own(fields, 'interval'))
  return interval === null ? null : { interval, from: timeOf(own(fields, 'from')), to: timeOf(own(fields, 'to')) }
}

/**
 * `rawText`: the text as received, of the whole reply or of the bot's item in a list. This text decides whether the bot is a
 * demo. Returns null without a usable id.
 */
export function readBotBody(
  body: unknown,
  rawText: string,
  stateOf: (word: string) => BotReadingState,
): BotReading | null {
  const fields = fieldsOf(body)
  const id = usableIdOf(fields)
  const read = readShape(fields, BOT_SHAPE)
  if (id === null || read === null) return null
  const { name, userEmail, strategyType, stopReason, problem } = read
  const { createdAt, updatedAt, startedAt, stoppedAt, tradedUntil } = read
  const stateText = textOf(firstOwn(fields, ['state', 'status'])) ?? ''
  return {
    ...{ id, name, userEmail, strategyType, stopReason, problem },
    ...{ createdAt, updatedAt, startedAt, stoppedAt, tradedUntil },
    market: readMarket(fields),
    config: readConfig(fields),
    isDemo: own(fields, 'isDemo') === true && everyMentionIsTrue(rawText),
    state: stateOf(stateText),
    stateText,
    rawText,
  }
}

/** null when the body does not say whether the payload is valid. */
function readValidationBody(body: unknown): ValidationReading | null {
  const fields = fieldsOf(body)
  const valid = booleanOf(own(fields, 'valid'))
  if (valid === null) return null
  const errors = own(fields, 'errors')
  return { valid, errors: Array.isArray(errors) ? errors.map(readProblem) : [] }
}

function readProblem(item: unknown): { field: string; message: string } {
  const fields = fieldsOf(item)
  return {
    field: textOf(own(fields, 'field')) ?? '',
    message: textOf(own(fields, 'message')) ?? idOf(item) ?? (wordsIn(item).join('; ') || JSON.stringify(item)),
  }
}

// Reads executions, orders, profit and loss of a bot (A-35 … A-37), tolerantly: a field that cannot be read is null.

/** null without price and quantity: then it is not an execution. */
export function readExecution(item: unknown): ExecutionReading | null {
  const execution = readShape(item, EXECUTION_SHAPE)
  return execution === null || (execution.price === null && execution.quantity === null) ? null : execution
}

/** null without price and quantity: then it is not an order. */
export function readOrder(item: unknown): OrderReading | null {
  const order = readShape(item, ORDER_SHAPE)
  return order === null || (order.price === null && order.quantity === null) ? null : order
}

/** null when it contains none of the amounts of profit. */
export function readPnlBody(body: unknown, rawText: string): PnlReading | null {
  const read = readShape(body, PNL_SHAPE)
  if (read === null) return null
  const { candles, conventions, costs, engineVersion, openDeal, dailyEquity, ...numbers } = read
  const amounts = [numbers.netProfit, numbers.realizedProfit, numbers.unrealizedProfit, numbers.equity]
  if (amounts.every((amount) => amount === null)) return null
  const deal = readOpenDeal(openDeal)
  const days = (dailyEquity ?? []).map((row) => {
    const date = textOf(own(fieldsOf(row), 'date'))
    const equity = numberOf(own(fieldsOf(row), 'equity'))
    return date === null || equity === null ? null : { date, equity }
  })
  const stated = readSettingParts({ conventions, costs })
  return {
    ...numbers,
    openDeal: deal,
    hasOpenDeal: openDeal !== null ? true : own(fieldsOf(body), 'openDeal') === null ? false : null,
    dailyEquity: days.filter((day) => day !== null),
    seen: readSeen(candles),
    terms: { conventions: stated.conventions, costs: stated.costs },
    rawText,
  }
}

function readSeen(candles: ReturnType<typeof fieldsOf>): PnlReading['seen'] {
  const interval = textOf(own(candles, 'interval'))
  if (interval === null) return null
  const [from, to] = [timeOf(own(candles, 'from')), timeOf(own(candles, 'to'))]
  return { interval, from, to, count: numberOf(own(candles, 'count')) }
}
