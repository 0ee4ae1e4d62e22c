/** What a bot did: executions, orders, profit and loss. Items are numbered as they came, so pages do not shift. */
import type { ExecutionListBody, OrderListBody } from '../../contract/bot-bodies.ts'
import { demandLife, type LiveBot } from '../bots/live-bots.ts'
import { withoutSettings } from '../disclosure.ts'
import { toExecutionBody, toOrderBody, toPnlBody } from './bot-bodies.ts'
import { getBot } from './bot-endpoints.ts'
import { readParameters } from './parameters.ts'
import { type Answer, type Call, ok, type Service } from './service.ts'

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
