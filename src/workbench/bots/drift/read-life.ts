/** Reads what a service tells of one bot: the bot, its profit, its executions and orders. */
import { Failure } from '../../../errors.ts'
import type { ActivityOperations, BotOperations } from '../../api/calls.ts'
import { failureOf } from '../../api/failure.ts'
import type { ReadOutcome } from '../../api/outcome.ts'
import type { BotReading, ExecutionReading, OrderReading, Page, PnlReading } from '../../api/reading/readings.ts'
import type { OrUntold } from './traded-life.ts'

export interface LifeReading {
  readonly bot: BotReading
  readonly pnl: OrUntold<PnlReading>
  /** Newest first. */
  readonly executions: OrUntold<readonly ExecutionReading[]>
  readonly orders: OrUntold<readonly OrderReading[]>
}

export type LifeOperations = Pick<BotOperations, 'readBot'> & ActivityOperations

/** Asked for at once; a service may give fewer. */
const PAGE = 1000
/** A longer list is assumed to repeat its pages without end. */
const MOST_PAGES = 200

/**
 * What the service refuses, lacks or spells in a way that cannot be read is untold, with the reason.
 * @throws Failure when the bot itself cannot be read
 */
export async function readLife(client: LifeOperations, id: string): Promise<LifeReading> {
  const bot = await client.readBot(id)
  if (bot.kind !== 'ok') throw failureOf(bot, `Reading bot ${id}`)
  const executions = await readAll((next) => client.listExecutions(id, { limit: PAGE, ...next }), 'its executions')
  const orders = await readAll((next) => client.listOrders(id, { limit: PAGE, ...next }), 'its orders')
  const pnl = await client.readPnl(id)
  return {
    bot: bot.value,
    executions,
    orders,
    pnl: pnl.kind === 'ok' ? { value: pnl.value } : { untold: failureOf(pnl, 'its profit').message },
  }
}

async function readAll<T>(
  readPage: (next: { readonly next?: string }) => Promise<ReadOutcome<Page<T>>>,
  what: string,
): Promise<OrUntold<readonly T[]>> {
  const items: T[] = []
  let next: string | undefined
  for (let page = 1; page <= MOST_PAGES; page++) {
    const outcome = await readPage(next === undefined ? {} : { next })
    if (outcome.kind !== 'ok') return { untold: failureOf(outcome, what).message }
    items.push(...outcome.value.items)
    const { unreadable } = outcome.value
    if (unreadable > 0) return { untold: `${what}: ${unreadable} of them could not be read` }
    if (outcome.value.next === null) return { value: items }
    next = outcome.value.next
  }
  throw new Failure('serviceUnreadable', `Reading ${what}: the list has more than ${MOST_PAGES} pages`)
}
