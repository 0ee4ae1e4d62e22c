/**
 * A trial becomes a demo bot exactly once. The bots of the account are listed before anything is sent, a durable row precedes the one
 * POST, an unknown outcome is looked up and never sent again, and what was created is read back: only a bot that says of itself
 * that it is a demo counts as promoted.
 *
 *     released ──► intent ──► created ──► verified
 *        ▲           │  ▲        │
 *        └───────────┤  │        └──► alarmed (read back and not a demo bot)
 *                    ▼  │
 *                ambiguous
 */
import type { BotControls, BotOperations, ServiceIdentity } from '../api/client.ts'
import { failureOf } from '../api/failure.ts'
import { type DemoBotPayload, STRATEGY_TYPE } from '../contract/bot.ts'
import { findMarket } from '../contract/market.ts'
import { Failure } from '../errors.ts'
import {
  findPromotion,
  openPromotion,
  type PromotionRecord,
  type PromotionSettlement,
  recordBotStarted,
  settlePromotion,
} from '../store/promotions.ts'
import { saveService } from '../store/services.ts'
import { type Store, write } from '../store/store.ts'
import type { System } from '../system.ts'
import { alarm, differences, findTwin, listAllBots } from './bots.ts'
import { checkPlan, type PromotionPlan } from './plan.ts'
import { startDemoBot } from './start.ts'
import { validatePayload } from './validate.ts'

export interface Promotion {
  /** Full fingerprint. */
  readonly trial: string
  readonly botId: string
  readonly isDemo: true
  /** The service has called the payload valid. */
  readonly validated: boolean
  /** Made by this call. */
  readonly created: boolean
  readonly reused: boolean
  /** It runs: started by this call, or found running when a start was asked for. */
  readonly started: boolean
}

export interface PromoteRequest {
  readonly system: System
  readonly store: Store
  readonly client: BotOperations & Pick<BotControls, 'proveDemo' | 'startBot'>
  readonly plan: PromotionPlan
  /** The owner of the bot. */
  readonly userEmail: string
  /** Start the bot once it is verified. */
  readonly start?: boolean
}

interface Work extends Omit<PromoteRequest, 'userEmail' | 'start'> {
  readonly payload: DemoBotPayload
  readonly service: ServiceIdentity
}

/** How long a create of unknown outcome may still arrive: the service is here, or somewhere. */
const settleMs = { here: 5_000, away: 900_000 } as const
/** A row that is still an intent may belong to a process that is waiting for its answer. */
const exchangeMs = 35_000
const longestWaitMs = 60_000
const lookAgainMs = 500

/** @throws Failure; whatever it says, at most one bot exists and running it again continues */
export async function promote({ start = false, ...request }: PromoteRequest): Promise<Promotion> {
  const { promotion, rowId } = await makeBot(request)
  if (!start) return promotion
  const { wasRunning } = await startDemoBot(request.client, { id: promotion.botId })
  if (!wasRunning) await recordBotStarted(request.store, rowId)
  return { ...promotion, started: true }
}

interface MadeBot {
  readonly promotion: Promotion
  readonly rowId: number
}

async function makeBot({ system, store, client, plan, userEmail }: Omit<PromoteRequest, 'start'>): Promise<MadeBot> {
  checkPlan(store, plan)
  const payload = makePayload(plan, userEmail)
  const identified = await client.identify()
  if (identified.kind !== 'ok') throw failureOf(identified, 'Asking the service who it is')
  const service = identified.value
  await write(store, () => saveService(store, service, store.clock.wall()))
  const work: Work = { system, store, client, plan, payload, service }

  const known = findRow(work)
  if (known?.state === 'alarmed') throw alarm(known.botId ?? '?', payload)
  if (known?.botId) return verify(work, known.id, known.botId, { validated: true, created: false })
  if (known !== undefined && known.state !== 'released') return resume(work, known)

  const twin = findTwin(await listAllBots(client, userEmail), payload)
  if (twin !== undefined) return adopt(work, twin.id)
  await validatePayload(client, payload)
  return create(work)
}

function makePayload(plan: PromotionPlan, userEmail: string): DemoBotPayload {
  const market = findMarket(plan.market)
  if (market === undefined) throw new Error(`A plan holds the market ${plan.market}`)
  if (!/^\S+@\S+$/.test(userEmail)) {
    throw new Failure('settingInvalid', 'DCALAB_USER_EMAIL must name the owner of the bot')
  }
  return { userEmail, name: plan.botName, strategyType: STRATEGY_TYPE, ...market, ...plan.config, isDemo: true }
}

/** Intent, one POST, outcome. */
async function create(work: Work): Promise<MadeBot> {
  const { client, payload } = work
  const { opened, promotion } = await openRow(work)
  if (!opened) return resume(work, promotion)
  const outcome = await client.createBot(payload)
  if (outcome.kind === 'acked') {
    await settleRow(work, { id: promotion.id, to: 'created', botId: outcome.value.id })
    return verify(work, promotion.id, outcome.value.id, { validated: true, created: true })
  }
  const failure = failureOf(outcome, `Creating the demo bot ${payload.name}`)
  if (outcome.kind !== 'ambiguous') {
    await settleRow(work, { id: promotion.id, to: 'released', reason: failure.message })
    throw failure
  }
  await settleRow(work, { id: promotion.id, to: 'ambiguous', reason: outcome.reason })
  return resume(work, getRow(work), { sentHere: true })
}

/** A create whose outcome is not known: looked up, waited for, and set free only when it cannot exist any more. */
async function resume(work: Work, row: PromotionRecord, { sentHere } = { sentHere: false }): Promise<MadeBot> {
  const { system, store, client, payload, service } = work
  if (row.botId) return verify(work, row.id, row.botId, { validated: true, created: sentHere })
  const settle = service.simulated ? settleMs.here : settleMs.away
  const safeAt = Date.parse(row.settledAt ?? row.openedAt) + settle + (row.state === 'intent' ? exchangeMs : 0)
  const waitMs = safeAt - store.clock.wall()
  const twin = findTwin(await listAllBots(client, payload.userEmail), payload)
  // An intent that is still young has an owner, who will record the bot himself.
  if (twin !== undefined && (row.state !== 'intent' || waitMs <= 0)) {
    await settleRow(work, { id: row.id, to: 'created', botId: twin.id })
    return verify(work, row.id, twin.id, { validated: true, created: sentHere })
  }
  if (waitMs > longestWaitMs) {
    const at = new Date(safeAt).toISOString()
    throw new Failure('attemptUnresolved', `A create of ${payload.name} may still arrive until ${at}`, {
      hint: 'run the same command again after that time; it is not sent twice',
    })
  }
  if (waitMs > 0) {
    system.terminal.err(`waiting up to ${Math.ceil(waitMs / 1000)} s: a create may still arrive\n`)
    await sleepUntilMoved(work, row, waitMs)
    return resume(work, getRow(work), { sentHere })
  }
  await settleRow(work, { id: row.id, to: 'released', reason: 'not in the list of bots after the settle time' })
  if (sentHere) {
    const message = `${payload.name} was sent once, got no clear answer (${row.reason}) and does not exist`
    throw new Failure('serviceUnreachable', message, { hint: 'run the same command again' })
  }
  await validatePayload(client, payload)
  return create(work)
}

/** Ends early when another process records what it was waiting for. */
async function sleepUntilMoved(work: Work, row: PromotionRecord, ms: number): Promise<void> {
  const { clock } = work.system
  const end = clock.monotonic() + ms
  while (clock.monotonic() < end && getRow(work).state === row.state) {
    await clock.sleep(Math.min(lookAgainMs, end - clock.monotonic()))
  }
}

/** A bot of ours that this store does not know (another machine, a lost store): the same parameters, so the same bot. */
async function adopt(work: Work, botId: string): Promise<MadeBot> {
  const { opened, promotion } = await openRow(work)
  if (!opened) return resume(work, promotion)
  await settleRow(work, { id: promotion.id, to: 'created', botId })
  return verify(work, promotion.id, botId, { validated: false, created: false })
}

/** Reads the bot back; nothing but its own word makes it a demo bot. */
async function verify(
  work: Work,
  rowId: number,
  botId: string,
  { validated, created }: { readonly validated: boolean; readonly created: boolean },
): Promise<MadeBot> {
  const { client, plan, payload } = work
  const outcome = await client.readBot(botId)
  if (outcome.kind === 'missing') {
    throw new Failure(
      'serviceRefused',
      `Trial ${plan.trial.slice(0, 12)} became bot ${botId}, which no longer exists`,
      {
        hint: 'a trial is promoted at most once per account; nothing was created',
      },
    )
  }
  if (outcome.kind !== 'ok') throw failureOf(outcome, `Reading bot ${botId} back`)
  const bot = outcome.value
  const state = getRow(work).state
  if (!bot.isDemo || bot.id !== botId) {
    const reason = `bot ${botId} was read back and is not a demo bot`
    if (state === 'created') await settleRow(work, { id: rowId, to: 'alarmed', reason })
    throw alarm(botId, payload)
  }
  const wrong = differences(bot, payload)
  if (wrong.length > 0) {
    throw new Failure(
      'serviceRefused',
      `Bot ${botId} is a demo bot, but not this one: it differs in ${wrong.join(', ')}`,
    )
  }
  if (state === 'created') await settleRow(work, { id: rowId, to: 'verified' })
  return {
    promotion: { trial: plan.trial, botId, isDemo: true, validated, created, reused: !created, started: false },
    rowId,
  }
}

/** Records a move. Another process may have looked the bot up and recorded it first: that outcome stands. */
async function settleRow(work: Work, settlement: PromotionSettlement): Promise<void> {
  try {
    await settlePromotion(work.store, settlement)
  } catch (error) {
    const { state, botId } = getRow(work)
    const stands =
      settlement.to === 'created'
        ? botId === settlement.botId
        : state === settlement.to || (settlement.to === 'ambiguous' && botId !== null)
    if (!stands) throw error
  }
}

function keyOf({ service, payload, plan }: Work) {
  return { identity: service.identity, account: payload.userEmail, fingerprint: plan.trial }
}

function findRow(work: Work): PromotionRecord | undefined {
  return findPromotion(work.store, keyOf(work))
}

function getRow(work: Work): PromotionRecord {
  const row = findRow(work)
  if (row === undefined) throw new Error('A promotion was stored and cannot be found')
  return row
}

function openRow(work: Work) {
  return openPromotion(work.store, { ...keyOf(work), name: work.payload.name, planHash: work.plan.hash })
}
