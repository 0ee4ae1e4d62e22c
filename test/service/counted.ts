/** A service whose limits are looked at: what a key has left, an order of a job, and many knocks at once. */
import { ask, jobRequest, json, OWNER, parallel, type World } from './world.ts'

export const limitsPath = '/api/backtest/limits'

export async function startCounted(world: World, options: Parameters<World['start']>[0] = {}) {
  const service = await world.start(options)
  const keys = service.issueKeys({ userEmail: OWNER })
  const limits = async () => json(await ask(service, { path: limitsPath, keys }))
  const order = (changes = {}) => ask(service, { path: '/api/backtest/jobs', keys, body: jobRequest(changes) })
  const knock = (count: number) => parallel(count, () => ask(service, { path: limitsPath, keys }))
  return { service, keys, limits, order, knock }
}
