/**
 * A demo bot from a file. Its name is what makes it one: the account is listed before anything is sent, a bot of that name with the
 * same parameters is reused, one with others is refused, and a create without a clear answer is looked up and never sent again.
 */
import type { BotOperations } from '../api/client.ts'
import { failureOf } from '../api/failure.ts'
import type { BotReading } from '../api/readings.ts'
import type { DemoBotPayload } from '../contract/bot.ts'
import { Failure } from '../errors.ts'
import { alarm, differences, findNamesake, listAllBots } from './bots.ts'
import { validatePayload } from './validate.ts'

export interface CreatedBot {
  /** As read back. */
  readonly bot: BotReading
  /** Made by this call; otherwise it was there already. */
  readonly created: boolean
}

/** @throws Failure; attemptUnresolved when the answer was lost and the bot is not in the list (yet) */
export async function createDemoBot(client: BotOperations, payload: DemoBotPayload): Promise<CreatedBot> {
  const known = findNamesake(await listAllBots(client, payload.userEmail), payload)
  if (known !== undefined) return { bot: await readBack(client, known.id, payload), created: false }
  await validatePayload(client, payload)
  const outcome = await client.createBot(payload)
  if (outcome.kind === 'acked') return { bot: await readBack(client, outcome.value.id, payload), created: true }
  const failure = failureOf(outcome, `Creating the demo bot ${payload.name}`)
  if (outcome.kind !== 'ambiguous') throw failure
  const found = findNamesake(await listAllBots(client, payload.userEmail), payload)
  if (found !== undefined) return { bot: await readBack(client, found.id, payload), created: true }
  throw new Failure(failure.code, failure.message, {
    hint: 'it may still arrive: run the same command again in 15 minutes; a bot of this name is then found, not made twice',
  })
}

async function readBack(client: BotOperations, botId: string, payload: DemoBotPayload): Promise<BotReading> {
  const outcome = await client.readBot(botId)
  if (outcome.kind !== 'ok') throw failureOf(outcome, `Reading bot ${botId} back`)
  const bot = outcome.value
  if (!bot.isDemo || bot.id !== botId) throw alarm(botId, payload)
  const wrong = differences(bot, payload)
  if (wrong.length === 0) return bot
  throw new Failure('serviceRefused', `Bot ${botId} is a demo bot, but not this one: it differs in ${wrong.join(', ')}`)
}
