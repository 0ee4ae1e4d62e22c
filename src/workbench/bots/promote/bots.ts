/** Lists the account's bots, and finds the one that a plan would make or that a person names. */
import { CONFIG_FIELDS, type DemoBotPayload } from '../../../contract/bot.ts'
import { marketName } from '../../../contract/market.ts'
import { Failure, suggest } from '../../../errors.ts'
import type { BotOperations } from '../../api/calls.ts'
import { FEWEST_CHARACTERS, isNamedBy } from '../../api/id-beginning.ts'
import { failureOf } from '../../api/outcome.ts'
import type { BotReading } from '../../api/reading/readings.ts'

const mostPages = 100

/** Every bot of the account. @throws Failure when a page is missing or an item unreadable: then a bot that is not in the list may still exist */
export async function listAllBots(client: Pick<BotOperations, 'listBots'>, userEmail: string): Promise<BotReading[]> {
  const bots: BotReading[] = []
  const asked = new Set<string>()
  let next: string | undefined
  for (let page = 1; page <= mostPages; page++) {
    const outcome = await client.listBots(userEmail, next === undefined ? {} : { next })
    if (outcome.kind !== 'ok') throw failureOf(outcome, `Listing the bots of ${userEmail}`)
    const { unreadable } = outcome.value
    if (unreadable > 0) {
      throw new Failure(
        'serviceUnreadable',
        `${unreadable} bots of ${userEmail} could not be read; nothing was created`,
      )
    }
    bots.push(...outcome.value.items)
    if (outcome.value.next === null) return bots
    next = outcome.value.next
    if (asked.has(next)) {
      const message = `The list of bots of ${userEmail} comes back to a page that was read already; nothing was created`
      throw new Failure('serviceUnreadable', message)
    }
    asked.add(next)
  }
  throw new Failure(
    'serviceUnreadable',
    `The bots of ${userEmail} fill more than ${mostPages} pages; nothing was created`,
  )
}

/**
 * The bot that this plan made earlier, or undefined. Its name ends in the trial's digits, but a name alone proves nothing, so
 * every parameter must agree (H50).
 * @throws Failure serviceRefused when the name is taken by a bot with other parameters
 */
export function findSameBot(bots: readonly BotReading[], payload: DemoBotPayload): BotReading | undefined {
  const digits = payload.name.slice(payload.name.lastIndexOf('-'))
  const ours = bots.filter(({ name }) => name?.startsWith('dcalab-') && name.endsWith(digits))
  const sameBot = ours.find((bot) => differences(bot, payload).length === 0)
  return sameBot ?? findNamesake(bots, payload)
}

/**
 * The bot of the same name and the same parameters, or undefined.
 * @throws Failure serviceRefused when the name is taken by a bot with other parameters
 */
export function findNamesake(bots: readonly BotReading[], payload: DemoBotPayload): BotReading | undefined {
  const namesakes = bots.filter(({ name }) => name === payload.name)
  const sameBot = namesakes.find((bot) => differences(bot, payload).length === 0)
  if (sameBot !== undefined || namesakes.length === 0) return sameBot
  const [namesake] = namesakes
  throw new Failure(
    'serviceRefused',
    `${payload.name} is taken by bot ${namesake.id}, which differs in ${differences(namesake, payload).join(', ')}`,
    {
      problems: differences(namesake, payload).map((field) => ({
        place: field,
        message: `expected ${describeField(payload, field)}, found ${describeField({ ...namesake, ...namesake.config }, field)}`,
      })),
      hint: 'rename or remove that bot; nothing was created',
    },
  )
}

/** The fields in which a bot is not what the payload says, its name aside; a field that the service does not return counts as different. */
export function differences(bot: BotReading, payload: DemoBotPayload): string[] {
  const fields: string[] = CONFIG_FIELDS.filter((field) => bot.config[field] !== payload[field])
  if (!bot.isDemo) fields.push('isDemo')
  if (bot.strategyType !== payload.strategyType) fields.push('strategyType')
  if (bot.market === null || marketName(bot.market) !== marketName(payload)) fields.push('market')
  if (bot.userEmail !== null && bot.userEmail !== payload.userEmail) fields.push('userEmail')
  return fields
}

function describeField(bot: object, field: string): string {
  if (field !== 'market') return JSON.stringify(Reflect.get(bot, field)) ?? 'nothing'
  const { exchange, baseAsset, quoteAsset } = { ...bot, ...Reflect.get(bot, 'market') }
  return exchange === undefined ? 'nothing' : `${exchange}/${baseAsset}-${quoteAsset}`
}

/** The failure for a bot that was created as a demo and is not reported as one. */
export function alarm(botId: string, { name, userEmail }: DemoBotPayload): Failure {
  return new Failure(
    'serviceRefused',
    `ALARM: bot ${botId} (${name}, ${userEmail}) was asked for as a demo bot, but the service does not confirm it`,
    { hint: 'check it in the account now and do not start it; it was not started here' },
  )
}

// Which bot a person means: by its id, by the first characters of the id, or by its name.

/**
 * The id. The account's bots are listed only where no bot has this id, and where their owner is known.
 * @throws Failure notFound, usage where several bots are meant, the service's refusals
 */
export async function findBotId(
  client: Pick<BotOperations, 'readBot' | 'listBots'>,
  { named, userEmail }: { readonly named: string; readonly userEmail: string },
): Promise<string> {
  const outcome = await client.readBot(named)
  if (outcome.kind === 'ok') return outcome.value.id
  const unknown = failureOf(outcome, `Reading bot ${named}`)
  if (outcome.kind !== 'missing' || userEmail === '') throw unknown
  const bots = await listAllBots(client, userEmail)
  const byName = bots.filter(({ name }) => name === named)
  const found =
    byName.length > 0 || named.length < FEWEST_CHARACTERS ? byName : bots.filter(({ id }) => isNamedBy(id, named))
  const [bot, ...others] = found
  if (bot === undefined) {
    const meant = suggest(
      named,
      bots.flatMap(({ name }) => name ?? []),
    )
    throw meant === '' ? unknown : new Failure('notFound', `${unknown.message}${meant}`, { cause: unknown })
  }
  if (others.length === 0) return bot.id
  throw new Failure('usage', `"${named}" may be any of ${found.length} bots of ${userEmail}`, {
    problems: found.map(({ id, name, stateText }) => ({ place: id, message: `${name ?? '-'}, ${stateText}` })),
    hint: 'use its id',
  })
}
