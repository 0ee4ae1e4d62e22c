/** Which bot a person means: by its id, by the first characters of the id, or by its name. */
import { Failure, suggest } from '../../../errors.ts'
import type { BotOperations } from '../../api/calls.ts'
import { failureOf } from '../../api/failure.ts'
import { FEWEST_CHARACTERS, isNamedBy } from '../../api/id-beginning.ts'
import { listAllBots } from './bots.ts'

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
