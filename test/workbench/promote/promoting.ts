/** Promoting the best trial of the world, and what came of it. */
import type { Client } from '../../../src/workbench/api/calls.ts'
import { planPromotion } from '../../../src/workbench/bots/promote/plan.ts'
import { promote } from '../../../src/workbench/bots/promote/promote.ts'
import { promotionLedger } from '../../../src/workbench/store/promotions.ts'
import type { Hit } from '../api/world.ts'
import { IDENTITY, OWNER, STUDY, type World } from './world.ts'

export function run(
  { store, system, client }: World,
  { userEmail = OWNER, ...changes }: { readonly client?: Client; readonly userEmail?: string } = {},
) {
  const plan = planPromotion(store, { target: STUDY, userEmail })
  return promote({ system, store, client, plan, ...changes })
}

export const isCreate = ({ method, url }: Hit) => method === 'POST' && url === '/api/bots'
export const isRead = ({ method, url }: Hit) => method === 'GET' && /^\/api\/bots\/bot/.test(url)
export const rowOf = ({ store, trials }: World, identity = IDENTITY) =>
  promotionLedger(store, { identity, account: OWNER, fingerprint: trials[0], name: '', planHash: '' }).find()
