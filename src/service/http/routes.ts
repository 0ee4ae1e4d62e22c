/** Every endpoint of the document: its handler, its input and its answer. The router, openapi.json and the page are made from this table. */
import { findSymbolRules, listCandles } from '../../candles/folder/folder.ts'
import type { FieldProblem, JobRequestBody, SymbolBody, SymbolListBody, ValidationBody } from '../../contract/bodies.ts'
import type { BotListBody, ExecutionListBody, OrderListBody } from '../../contract/bot-bodies.ts'
import type { EndpointName } from '../../contract/endpoints.ts'
import { findMarket, marketName } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import { createBot, demandLife, findBot, isPlanFull, type LiveBot, listBots, PLAN_FULL } from '../bots/live-bots.ts'
import { toBotBody, toExecutionBody, toOrderBody, toPnlBody, toTime } from '../bots/to-body.ts'
import type { JobTerms } from '../job-terms.ts'
import { periodOf } from '../jobs/job-runner.ts'
import { createJob, deleteJob, findJob, listJobs, readSpending, toLimitsBody, withoutSettings } from '../jobs/jobs.ts'
import type { Caller } from '../keys.ts'
import { type BotPayload, type JobOrder, readBotPayload, readJobOrder } from '../payload.ts'
import { invalidPayload, Refusal, tooMany } from '../refusal.ts'
import type { BODY_SCHEMAS } from './body-schemas.ts'
import { readParameters } from './parameters.ts'
import type { Service } from './service.ts'

// The endpoints of limits, jobs and symbols.

/** One admitted request for one endpoint. */
interface Call {
  readonly caller: Caller
  /** The value of the path's `{id}` or `{exchange}`; '' where the path has none. */
  readonly parameter: string
  /** Known query parameters, each at most once. */
  readonly query: Readonly<Record<string, string | undefined>>
  /** Parsed JSON; undefined where the endpoint takes no body. */
  readonly body: unknown
}

interface Answer {
  readonly status: 200 | 201 | 204
  /** JSON text; null = no body. */
  readonly json: string | null
}

function answerLimits({ db, system, allowance, discloses }: Service, { caller }: Call): Answer {
  const limits = toLimitsBody(allowance, readSpending(db, allowance, caller.accountId, system.clock.wall()))
  return ok(discloses ? { ...limits, scopes: caller.scopes } : limits)
}

function ok(body: unknown): Answer {
  return { status: 200, json: JSON.stringify(body) }
}

function answerJobs({ db, jobs, discloses }: Service, { caller, query }: Call): Answer {
  jobs.check()
  const page = readParameters('listJobs', query)
  return { status: 200, json: listJobs(db, { accountId: caller.accountId, discloses, ...page }) }
}

function answerJob({ db, jobs, discloses }: Service, { caller, parameter }: Call): Answer {
  jobs.check()
  const json = findJob(db, { accountId: caller.accountId, discloses }, parameter)
  if (json === undefined) throw noSuchJob()
  return { status: 200, json }
}

/** Checks everything about a job before the allowance is used. */
function answerCreateJob(service: Service, { caller, body }: Call): Answer {
  const { db, system, allowance, discloses } = service
  const decoded = readJobOrder(body, { markets: knownMarkets(service), readsSettings: discloses })
  if ('problems' in decoded) throw invalidPayload(decoded.problems)
  const { request } = decoded.value
  requireCandles(service, request)
  const terms = termsOf(service, decoded.value)
  const { accountId } = caller
  const created = createJob(db, system, { accountId, discloses, request, terms, allowance })
  if ('nextAt' in created) {
    const nextAt = new Date(created.nextAt).toISOString()
    const message = `the allowance of ${allowance.allowance} backtests in 24 hours is used up until ${nextAt}`
    throw tooMany('ApiKeyBacktestLimit', message, created.nextAt - system.clock.wall())
  }
  service.jobs.check()
  return { status: 201, json: created.body }
}

/** Names of the markets that can be backtested and traded here. */
function knownMarkets({ candlesFolder }: Service): ReadonlySet<string> {
  return new Set(listCandles(candlesFolder).map(({ market }) => market))
}

function answerDeleteJob({ db, system, jobs }: Service, { caller, parameter }: Call): Answer {
  if (!deleteJob(db, system, caller.accountId, parameter)) throw noSuchJob()
  jobs.abandon(parameter)
  return { status: 204, json: null }
}

/** Fixed now: what the service is set to later, and symbol rules imported later, are for later jobs. */
function termsOf({ terms, candlesFolder }: Service, { request, asked }: JobOrder): JobTerms {
  return {
    conventions: asked.conventions ?? terms.conventions,
    costs: asked.costs ?? terms.costs,
    symbol: asked.symbol ?? findSymbolRules(candlesFolder, marketName(request)),
  }
}

function requireCandles({ candleCache, candlesFolder }: Service, request: JobRequestBody): void {
  try {
    candleCache.take(periodOf(request))
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'candlesMissing') throw error
    const stored = error.problems.map(({ place, message }) => `${place}: ${message}`)
    const stocked = listCandles(candlesFolder).some(
      ({ market, interval }) => market === marketName(request) && interval === request.interval,
    )
    const field = request.interval === undefined || stocked ? 'from' : 'interval'
    throw invalidPayload([{ field, message: [error.message, ...stored].join('; ') }])
  }
}

function noSuchJob(): Refusal {
  return new Refusal('NotFound', 'no such job in this account')
}

// Endpoint of an exchange's symbols: those with stored candles.

function answerSymbols({ candlesFolder }: Service, { parameter: exchange, query }: Call): Answer {
  const { type, quote } = readParameters('listSymbols', query)
  const symbols = listSymbols(candlesFolder, exchange).filter((symbol) => symbol.type === type)
  if (symbols.length === 0) throw new Refusal('NotFound', 'no candles of this exchange here')
  const body: SymbolListBody = {
    symbols: symbols.filter(({ quoteAsset }) => quote === undefined || quoteAsset === quote),
  }
  return ok(body)
}

function listSymbols(candlesFolder: string, exchange: string): SymbolBody[] {
  const stored = listCandles(candlesFolder)
  const names = new Set(stored.map(({ market }) => market))
  return [...names].flatMap((name) => {
    const market = findMarket(name)
    if (market?.exchange !== exchange) return []
    const { tick, lot, minNotional } = findSymbolRules(candlesFolder, name)
    return {
      exchange,
      type: 'spot' as const,
      symbol: `${market.baseAsset}-${market.quoteAsset}`,
      baseAsset: market.baseAsset,
      quoteAsset: market.quoteAsset,
      tickSize: tick,
      lotSize: lot,
      minNotional,
      candles: stored
        .filter((candles) => candles.market === name)
        .map(({ interval, from, to }) => ({ interval, from: toTime(from), to: toTime(to) })),
    }
  })
}

// Endpoints of bots: create, command and read the bots of the caller's account.

const demoOnly = 'the plan of this service offers demo bots only'

/** The e-mail of another account is refused in the same way whether that account exists or not. */
function answerBots({ db, bots }: Service, { caller, query }: Call): Answer {
  const { userEmail, limit, before } = readParameters('listBots', query)
  if (userEmail !== undefined && userEmail.toLowerCase() !== caller.userEmail) {
    throw invalidPayload([{ field: 'userEmail', message: 'is not the account of this key' }])
  }
  const records = listBots(db, { accountId: caller.accountId, limit, before })
  const page = records.slice(0, limit)
  const next = records.length > limit ? `limit=${limit}&before=${page[limit - 1].seq}` : null
  const body: BotListBody = { bots: bots.readAll(page).map(toBotBody), next }
  return ok(body)
}

function answerBot(service: Service, call: Call): Answer {
  return ok(toBotBody(getBot(service, call)))
}

/** The bot of the path at this moment. @throws Refusal NotFound for an id that the account does not have */
function getBot({ db, bots }: Service, { caller, parameter }: Call): LiveBot {
  const record = findBot(db, caller.accountId, parameter)
  if (record === undefined) throw noSuchBot()
  return bots.read(record)
}

function answerValidateBot(service: Service, { caller, body }: Call): Answer {
  const decoded = readBotPayload(body, { markets: knownMarkets(service), userEmail: caller.userEmail })
  const errors: FieldProblem[] = 'problems' in decoded ? [...decoded.problems] : []
  if ('value' in decoded && !decoded.value.isDemo) errors.push({ field: 'isDemo', message: demoOnly })
  if (isPlanFull(service.db, caller.accountId)) errors.push({ field: '', message: PLAN_FULL })
  const validation: ValidationBody = { valid: errors.length === 0, errors }
  return ok(validation)
}

function answerCreateBot(service: Service, { caller, body }: Call): Answer {
  const { db, system, market } = service
  const decoded = readBotPayload(body, { markets: knownMarkets(service), userEmail: caller.userEmail })
  if ('problems' in decoded) throw invalidPayload(decoded.problems)
  const { isDemo, ...rest } = decoded.value
  if (!isDemo) throw new Refusal('BotPlanLimit', demoOnly)
  const order = { accountId: caller.accountId, payload: { ...rest, isDemo }, now: market.now() }
  const record = createBot(db, system, order)
  if (record === undefined) throw new Refusal('BotPlanLimit', PLAN_FULL)
  return { status: 201, json: JSON.stringify(toBotBody(service.bots.read(record))) }
}

/** Takes a whole payload; a field that can no longer change is refused when it differs. */
function answerUpdateBot(service: Service, { caller, parameter, body }: Call): Answer {
  if (findBot(service.db, caller.accountId, parameter) === undefined) throw noSuchBot()
  const decoded = readBotPayload(body, { markets: knownMarkets(service), userEmail: caller.userEmail })
  if ('problems' in decoded) throw invalidPayload(decoded.problems)
  const payload = decoded.value
  const bot = service.bots.update(caller.accountId, parameter, ({ record }) => {
    const problems = findFixed(record.payload, payload, record.commands.length > 0)
    if (problems.length > 0) throw invalidPayload(problems)
    return payload
  })
  return answerWith(bot)
}

function answerStartBot({ bots }: Service, { caller, parameter }: Call): Answer {
  return answerWith(bots.start(caller.accountId, parameter))
}

function answerStopBot({ bots }: Service, { caller, parameter, query }: Call): Answer {
  const { closePosition } = readParameters('stopBot', query)
  return answerWith(bots.stop(caller.accountId, parameter, closePosition === 'true'))
}

function answerWith(bot: LiveBot | undefined): Answer {
  if (bot === undefined) throw noSuchBot()
  return ok(toBotBody(bot))
}

const fixedForever = ['isDemo'] as const
const fixedByStart = ['exchange', 'baseAsset', 'quoteAsset', 'investment'] as const

function findFixed(before: BotPayload, after: BotPayload, started: boolean): FieldProblem[] {
  return [...fixedForever, ...(started ? fixedByStart : [])]
    .filter((field) => before[field] !== after[field])
    .map((field) => ({ field, message: `cannot change any more; it is ${JSON.stringify(before[field])}` }))
}

function noSuchBot(): Refusal {
  return new Refusal('NotFound', 'no such bot in this account')
}

// What a bot did: executions, orders, profit and loss. Items are numbered as they came, so pages do not shift.

function answerExecutions(service: Service, call: Call): Answer {
  const { since, ...order } = readParameters('listExecutions', call.query)
  const bot = getComputedBot(service, call)
  const state = bot.life?.state
  const page = newestFirst(state?.fills ?? [], order, ({ at }) => since === null || at >= since)
  const body: ExecutionListBody = {
    executions: page.numbers.flatMap((number) => (state === undefined ? [] : toExecutionBody(bot, state, number))),
    next: toQuery(page.last, order.limit, since === null ? {} : { since: new Date(since).toISOString() }),
  }
  return ok(body)
}

function answerOrders(service: Service, call: Call): Answer {
  const { state: wanted, ...order } = readParameters('listOrders', call.query)
  const bot = getComputedBot(service, call)
  const state = bot.life?.state
  const page = newestFirst(state?.orders ?? [], order, (item) => wanted === null || item.state === wanted)
  const body: OrderListBody = {
    orders: page.numbers.flatMap((number) => (state === undefined ? [] : toOrderBody(bot, state, number))),
    next: toQuery(page.last, order.limit, wanted === null ? {} : { state: wanted }),
  }
  return ok(body)
}

function answerPnl(service: Service, call: Call): Answer {
  const body = toPnlBody(getComputedBot(service, call))
  return ok(service.discloses ? body : withoutSettings(body))
}

/** @throws Refusal NotFound, BotUnusable: an empty list for a bot that cannot be computed would look as if it had done nothing */
function getComputedBot(service: Service, call: Call): LiveBot {
  const bot = getBot(service, call)
  demandLife(bot)
  return bot
}

interface PageOrder {
  readonly limit: number
  readonly before: number | null
}

/** Numbers (from 0) of one page; `last` is the cursor of the next one, null when there is none. Cursors count from 1, as ids do. */
function newestFirst<T>(
  items: readonly T[],
  { limit, before }: PageOrder,
  belongs: (item: T) => boolean,
): { readonly numbers: number[]; readonly last: number | null } {
  const numbers: number[] = []
  for (let number = Math.min(items.length, (before ?? items.length + 1) - 1) - 1; number >= 0; number--) {
    if (!belongs(items[number])) continue
    if (numbers.length === limit) return { numbers, last: numbers[limit - 1] + 1 }
    numbers.push(number)
  }
  return { numbers, last: null }
}

function toQuery(last: number | null, limit: number, filter: Record<string, string>): string | null {
  if (last === null) return null
  return new URLSearchParams({ limit: String(limit), before: String(last), ...filter }).toString()
}

export interface Route {
  answer(service: Service, call: Call): Answer | Promise<Answer>
  readonly summary: string
  /** Null = no body is read. */
  readonly body: keyof typeof BODY_SCHEMAS | null
  /** The status of success. */
  readonly status: Answer['status']
  readonly reply: keyof typeof BODY_SCHEMAS | null
}

export const ROUTES: Readonly<Record<EndpointName, Route>> = {
  listBots: route(answerBots, 'The bots of the account, newest first.', { reply: 'BotList' }),
  readBot: route(answerBot, 'One bot.', { reply: 'Bot' }),
  listExecutions: route(answerExecutions, 'What a bot bought and sold, newest first.', {
    reply: 'ExecutionList',
  }),
  listOrders: route(answerOrders, 'The orders of a bot, newest first.', {
    reply: 'OrderList',
  }),
  readPnl: route(answerPnl, 'Profit and loss of a bot over its whole life.', { reply: 'Pnl' }),
  listSymbols: route(answerSymbols, 'The symbols of an exchange.', { reply: 'SymbolList' }),
  validateBot: route(answerValidateBot, 'Whether a bot could be created, and why not.', {
    body: 'BotPayload',
    reply: 'Validation',
  }),
  createBot: route(answerCreateBot, 'A new demo bot.', { body: 'BotPayload', status: 201, reply: 'Bot' }),
  updateBot: route(answerUpdateBot, 'The whole payload of a bot again, changed.', {
    body: 'BotPayload',
    reply: 'Bot',
  }),
  startBot: route(answerStartBot, 'Lets a bot trade.', { reply: 'Bot' }),
  stopBot: route(answerStopBot, 'Cancels the orders of a bot; sells or keeps its position.', {
    reply: 'Bot',
  }),
  readLimits: route(answerLimits, 'The backtest allowance.', { reply: 'Limits' }),
  listJobs: route(answerJobs, 'The backtest jobs of the account with their results, newest first.', {
    reply: 'JobList',
  }),
  readJob: route(answerJob, 'One backtest job with its result.', { reply: 'Job' }),
  createJob: route(answerCreateJob, 'A new backtest job.', {
    body: 'JobRequest',
    status: 201,
    reply: 'Job',
  }),
  deleteJob: route(answerDeleteJob, 'Deletes a backtest job; a running one stops.', { status: 204 }),
}

function route(
  answer: Route['answer'],
  summary: string,
  { body = null, status = 200, reply = null }: Partial<Omit<Route, 'answer' | 'summary'>>,
): Route {
  return { answer, summary, body, status, reply }
}
