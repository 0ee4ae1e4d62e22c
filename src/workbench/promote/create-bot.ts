/**
 * A demo bot from a file. Its name is what makes it one: a bot of that name with the same parameters is reused, one with others is
 * refused, and a new one is made exactly once (`make-bot.ts`), also when its create arrives late.
 */

import type { DemoBotPayload } from '../../contract/bot.ts'
import type { System } from '../../system.ts'
import type { BotOperations } from '../api/calls.ts'
import { botOrderLedger } from '../store/bot-ledger.ts'
import type { Store } from '../store/store.ts'
import { findNamesake } from './bots.ts'
import { type MadeBot, makeBot, meetService } from './make-bot.ts'

export interface CreateRequest {
  readonly system: System
  readonly store: Store
  readonly client: BotOperations
  readonly payload: DemoBotPayload
}

/** @throws Failure; attemptUnresolved while a create of that name may still arrive */
export async function createDemoBot({ system, store, client, payload }: CreateRequest): Promise<MadeBot> {
  const service = await meetService(store, client)
  const { userEmail: account, name } = payload
  return makeBot({
    system,
    client,
    service,
    payload,
    ledger: botOrderLedger(store, { identity: service.identity, account, name }),
    origin: name,
    findTwin: (bots) => findNamesake(bots, payload),
  })
}
