/** Bots of the caller's account. */
import type { BotListBody, ValidationBody } from '../contract/bodies.ts'
import { createBot, findBot, listBots, PLAN_BOTS } from './bots.ts'
import { readBotPayload } from './payload.ts'
import { invalidPayload, Refusal } from './refusal.ts'
import { type Answer, type Call, knownMarkets, ok, type Service } from './service.ts'

const demoOnly = 'the plan of this service offers demo bots only'

/** Another account's bots are no one's business here, whether that account exists or not. */
export function answerBots({ db }: Service, { caller, query }: Call): Answer {
  const { userEmail } = query
  if (userEmail !== undefined && userEmail.toLowerCase() !== caller.userEmail) {
    throw invalidPayload([{ field: 'userEmail', message: 'is not the account of this key' }])
  }
  const body: BotListBody = { bots: listBots(db, caller.accountId), next: null }
  return ok(body)
}

export function answerBot({ db }: Service, { caller, parameter }: Call): Answer {
  const bot = findBot(db, caller.accountId, parameter)
  if (bot === undefined) throw new Refusal('NotFound', 'no such bot in this account')
  return ok(bot)
}

export function answerValidateBot(service: Service, { caller, body }: Call): Answer {
  const decoded = readBotPayload(body, { markets: knownMarkets(service), userEmail: caller.userEmail })
  const errors =
    'problems' in decoded ? decoded.problems : decoded.value.isDemo ? [] : [{ field: 'isDemo', message: demoOnly }]
  const validation: ValidationBody = { valid: errors.length === 0, errors }
  return ok(validation)
}

export function answerCreateBot(service: Service, { caller, body }: Call): Answer {
  const { db, system } = service
  const decoded = readBotPayload(body, { markets: knownMarkets(service), userEmail: caller.userEmail })
  if ('problems' in decoded) throw invalidPayload(decoded.problems)
  const { isDemo, ...rest } = decoded.value
  if (!isDemo) throw new Refusal('BotPlanLimit', demoOnly)
  const bot = createBot(db, system, { accountId: caller.accountId, payload: { ...rest, isDemo } })
  if (bot === undefined) throw new Refusal('BotPlanLimit', `the plan of this service offers ${PLAN_BOTS} bots`)
  return { status: 201, json: JSON.stringify(bot) }
}
