/** A world with demo bots on a market that stands where its recording begins. */
import { afterEach, beforeEach, expect } from 'vitest'
import type {
  BotBody,
  ExecutionBody,
  ExecutionListBody,
  OrderBody,
  OrderListBody,
  PnlBody,
} from '../../src/contract/bot-bodies.ts'
import type { RunningService } from '../../src/service/start.ts'
import { ask, botPayload, FROM, OWNER, openWorld, refusalOf, type World } from './world.ts'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour
export const time = (ms: number) => new Date(ms).toISOString()

/** A world for every test of the file that asks for it. */
export function worldForEachTest(): () => World {
  let world: World | undefined
  beforeEach(() => {
    world = openWorld()
  })
  afterEach(() => world?.clear())
  return () => {
    if (world === undefined) throw new Error('a world is there while a test runs')
    return world
  }
}

/** A service whose market stands where its recording begins, and one bot on it. */
export async function setUpBots(world: World, options: Parameters<World['start']>[0] = {}) {
  const service = await world.start({ rate: 0, market: { now: FROM }, ...options })
  const keys = service.issueKeys({ userEmail: OWNER })
  const on = (running: RunningService) => {
    const call = async <T>(path: string, question: { method?: string; body?: unknown } = {}): Promise<T> => {
      const reply = await ask(running, { path: `/api/bots${path}`, keys, ...question })
      expect(reply.status, reply.text).toBeLessThan(300)
      return JSON.parse(reply.text) // the shapes under test
    }
    return {
      keys,
      call,
      refused: async (path: string, question: { method?: string; body?: unknown } = {}) =>
        refusalOf(await ask(running, { path: `/api/bots${path}`, keys, ...question })),
      create: (changes = {}) => call<BotBody>('', { body: botPayload(changes) }),
      read: (id: string) => call<BotBody>(`/${id}`),
      start: (id: string) => call<BotBody>(`/${id}/start`, { method: 'POST' }),
      stop: (id: string, closePosition: boolean) =>
        call<BotBody>(`/${id}/stop?closePosition=${closePosition}`, { method: 'POST' }),
      update: (id: string, changes = {}) => call<BotBody>(`/${id}`, { method: 'PUT', body: botPayload(changes) }),
      pnl: (id: string) => call<PnlBody>(`/${id}/pnl`),
      executions: async (id: string): Promise<readonly ExecutionBody[]> =>
        (await call<ExecutionListBody>(`/${id}/executions?limit=1000`)).executions,
      orders: async (id: string, query = ''): Promise<readonly OrderBody[]> =>
        (await call<OrderListBody>(`/${id}/orders?limit=1000${query}`)).orders,
    }
  }
  return { service, on, ...on(service) }
}
