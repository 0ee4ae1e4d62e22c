/** What every `bots` command needs: the service, with the trading pair of keys if there is one, and the owner of the bots. */
import type { Command } from 'commander'
import { Failure } from '../../../errors.ts'
import type { Store } from '../../../workbench/store/store.ts'
import { type CommonOptions, type Context, withCandles, withStore } from '../../context.ts'
import { type ServiceLink, withService } from '../../service-link.ts'
import { pathsOf, withOpenStore } from '../../workbench.ts'

export interface BotOptions extends CommonOptions {
  readonly user?: string
}

/** The options of every `bots` command. */
export function withBotOptions(command: Command): Command {
  return withCandles(withStore(command)).option(
    '--user <email>',
    'owner of the bots (the demo’s: demo@localhost)',
    readEmail,
  )
}

/** @throws Failure usage */
function readEmail(text: string): string {
  if (isEmail(text)) return text
  throw new Failure('usage', `--user expects an e-mail address such as demo@localhost, found "${text}"`)
}

export async function withBots<T>(
  context: Context,
  options: BotOptions,
  work: (link: ServiceLink, store: Store) => Promise<T>,
): Promise<T> {
  const { store: path, candlesFolder } = pathsOf(context, options)
  const account = options.user === undefined ? {} : { account: options.user }
  return withOpenStore(context, path, (store) =>
    withService(context, { store, candlesFolder, trade: true, ...account }, (link) => work(link, store)),
  )
}

/** @throws Failure settingInvalid when no owner is set */
export function ownerOf({ userEmail }: ServiceLink): string {
  if (isEmail(userEmail)) return userEmail
  throw new Failure('settingInvalid', 'DCALAB_USER_EMAIL (or --user) must name the owner of the bots')
}

function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text)
}

/** What `<bot>` may be; `withNamedBot` finds it. */
export const BOT_WORDS = 'the bot’s id, 4 or more of its first characters, or its name'

/** The same as `withBots`, with the id of the bot that is meant. @throws Failure notFound, usage where several are meant */
export function withNamedBot<T>(
  context: Context,
  options: BotOptions,
  named: string,
  work: (id: string, link: ServiceLink, store: Store) => Promise<T>,
): Promise<T> {
  return withBots(context, options, async (link, store) => {
    const { findBotId } = await import('../../../workbench/bots/promote/find-bot.ts')
    return work(await findBotId(link.client, { named, userEmail: link.userEmail }), link, store)
  })
}
