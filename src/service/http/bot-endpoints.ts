/** Endpoints of bots: create, command and read the bots of the caller's account. */
import type { FieldProblem, ValidationBody } from '../../contract/bodies.ts'
import type { BotListBody, ExecutionListBody, OrderListBody } from '../../contract/bot-bodies.ts'
import { createBot, findBot, listBots, PLAN_BOTS } from '../bots/bots.ts'
import { demandLife, type LiveBot } from '../bots/live-bots.ts'
import { withoutSettings } from '../disclosure.ts'
import { type BotPayload, readBotPayload } from '../payload.ts'
import { invalidPayload, Refusal } from '../refusal.ts'
import { toBotBody, toExecutionBody, toOrderBody, toPnlBody } from './bot-bodies.ts'
import { readParameters } from './parameters.ts'
import { type Answer, type Call, knownMarkets, ok, type Service } from './service.ts'

const demoOnly = 'the plan of this service offers demo bots only'

/** The e-mail of another account is refused in the same way whether that account exists or not. */
export function answerBots({ db, bots }: Service, { caller, query }: Call): Answer {
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

export function answerBot(service: Service, call: Call): Answer {
  return ok(toBotBody(getBot(service, call)))
}

/** The bot of the path at this moment. @throws Refusal NotFound for an id that the account does not have */
function getBot({ db, bots }: Service, { caller, parameter }: Call): LiveBot {
  const record = findBot(db, caller.accountId, parameter)
  if (record === undefined) throw noSuchBot()
  return bots.read(record)
}

export function answerValidateBot(service: Service, { caller, body }: Call): Answer {
  const decoded = readBotPayload(body, { markets: knownMarkets(service), userEmail: caller.userEmail })
  const errors =
    'problems' in decoded ? decoded.problems : decoded.value.isDemo ? [] : [{ field: 'isDemo', message: demoOnly }]
  const validation: ValidationBody = { valid: errors.length === 0, errors }
  return ok(validation)
}

export function answerCreateBot(service: Service, { caller, body }: Call): Answer {
  const { db, system, market } = service
  const decoded = readBotPayload(body, { markets: knownMarkets(service), userEmail: caller.userEmail })
  if ('problems' in decoded) throw invalidPayload(decoded.problems)
  const { isDemo, ...rest } = decoded.value
  if (!isDemo) throw new Refusal('BotPlanLimit', demoOnly)
  const order = { accountId: caller.accountId, payload: { ...rest, isDemo }, now: market.now() }
  const record = createBot(db, system, order)
  if (record === undefined) throw new Refusal('BotPlanLimit', `the plan of this service offers ${PLAN_BOTS} bots`)
  return { status: 201, json: JSON.stringify(toBotBody(service.bots.read(record))) }
}

/** Takes a whole payload; a field that can no longer change is refused when it differs. */
export function answerUpdateBot(service: Service, { caller, parameter, body }: Call): Answer {
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

export function answerStartBot({ bots }: Service, { caller, parameter }: Call): Answer {
  return answerWith(bots.start(caller.accountId, parameter))
}

export function answerStopBot({ bots }: Service, { caller, parameter, query }: Call): Answer {
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

export function answerExecutions(service: Service, call: Call): Answer {
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

export function answerOrders(service: Service, call: Call): Answer {
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

export function answerPnl(service: Service, call: Call): Answer {
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
