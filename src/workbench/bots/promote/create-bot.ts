/**
 * Creates a demo bot from a file. The name identifies the bot: one with this name and the same parameters is reused, one with
 * other parameters is refused, and a new one is made exactly once (`make-bot.ts`), also when the request to create it arrives
 * late.
 */

import type { DemoBotPayload } from '../../../contract/bot.ts'
import type { System } from '../../../system.ts'
import type { BotOperations } from '../../api/calls.ts'
import { botOrderLedger } from '../../store/bot-ledger.ts'
import type { Store } from '../../store/store.ts'
import { findNamesake } from './bots.ts'
import { type MadeBot, makeBot, meetService } from './make-bot.ts'

export interface CreateRequest {
  readonly system: System
  readonly store: Store
  readonly client: BotOperations
  readonly payload: DemoBotPayload
}

/** @throws Failure; attemptUnresolved while an earlier request to create it may still arrive */
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
    findSameBot: (bots) => findNamesake(bots, payload),
  })
}
