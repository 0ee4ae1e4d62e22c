/** Makes a trial into a demo bot, exactly once per account (`make-bot.ts`), by a plan that was shown and has not changed since. */

import { type DemoBotPayload, STRATEGY_TYPE } from '../../../contract/bot.ts'
import { findMarket } from '../../../contract/market.ts'
import { Failure } from '../../../errors.ts'
import type { System } from '../../../system.ts'
import type { BotControls, BotOperations, ServiceIdentity } from '../../api/calls.ts'
import { promotionLedger, recordBotStarted, recordDossier } from '../../store/promotions.ts'
import type { Store } from '../../store/store.ts'
import { alarm, type BotWork, findSameOnPage, type MadeBot, makeBot, meetService, verifyBot } from './make-bot.ts'
import { checkPlan, type PromotionPlan } from './plan.ts'
import { startDemoBot } from './start.ts'

export interface Promotion {
  /** Full fingerprint. */
  readonly trial: string
  readonly botId: string
  readonly isDemo: true
  /** True when the service validated the payload. */
  readonly validated: boolean
  /** True when this call made the bot. */
  readonly created: boolean
  readonly reused: boolean
  /** True when the bot runs: this call started it, or it was running already when a start was asked for. */
  readonly started: boolean
}

interface PromoteRequest {
  readonly system: System
  readonly store: Store
  readonly client: BotOperations & Pick<BotControls, 'proveDemo' | 'startBot'>
  readonly plan: PromotionPlan
  /** Codes of warnings that were accepted by name; kept with the promotion. */
  readonly accepted?: readonly string[]
  /** Start the bot once it is verified; `again`: send it to a running bot, too. */
  readonly start?: boolean | 'again'
}

/** @throws Failure; even then at most one bot exists, and calling it again continues */
export async function promote({ start = false, ...request }: PromoteRequest): Promise<Promotion> {
  const { store, client, plan } = request
  checkPlan(store, plan)
  const payload = payloadOfPlan(plan)
  demandOwner(payload)
  const service = await meetService(store, client)
  const { bot, rowId, validated, created, validation } = await makeOnce(workOf(request, payload, service))
  await recordDossier(store, rowId, { bot: bot.rawText, validation: validation ?? null })
  const promotion: Promotion = {
    trial: plan.trial,
    botId: bot.id,
    isDemo: true,
    validated,
    created,
    reused: !created,
    started: false,
  }
  if (start === false) return promotion
  const { wasRunning } = await startDemoBot(client, { id: bot.id, again: start === 'again' })
  if (!wasRunning) await recordBotStarted(store, { identity: service.identity, botId: bot.id })
  return { ...promotion, started: true }
}

/** The body that creates the bot. While the plan names no owner it has an empty `userEmail`, and is not sent. */
export function payloadOfPlan(plan: PromotionPlan): DemoBotPayload {
  const { userEmail } = plan
  const market = findMarket(plan.market)
  if (market === undefined) throw new Error(`A plan holds the market ${plan.market}`)
  return { userEmail, name: plan.botName, strategyType: STRATEGY_TYPE, ...market, ...plan.config, isDemo: true }
}

function demandOwner({ userEmail }: DemoBotPayload): void {
  if (/^\S+@\S+$/.test(userEmail)) return
  throw new Failure('settingInvalid', 'DCALAB_USER_EMAIL must name the owner of the bot')
}

function workOf(
  { system, store, client, plan, accepted = [] }: Omit<PromoteRequest, 'start'>,
  payload: DemoBotPayload,
  service: ServiceIdentity,
): BotWork {
  const key = { identity: service.identity, account: payload.userEmail, fingerprint: plan.trial }
  return {
    system,
    client,
    service,
    payload,
    ledger: promotionLedger(store, {
      ...key,
      name: payload.name,
      planHash: plan.hash,
      settings: plan.settings,
      dossier: { plan, accepted, body: payload },
    }),
    origin: `Configuration ${plan.id}`,
    findSameBot: (bots) => findSameOnPage(bots, payload),
  }
}

/** A trial that was made into a bot once is never made into another one, whatever happened to that bot. */
async function makeOnce(work: BotWork): Promise<MadeBot> {
  const known = work.ledger.find()
  if (known?.state === 'alarmed') throw alarm(known.botId ?? '?', work.payload)
  if (known?.botId) return verifyBot(work, known.id, known.botId, { validated: true, created: false })
  return makeBot(work)
}
