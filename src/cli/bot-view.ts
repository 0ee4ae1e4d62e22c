/** How bots, their orders and fills are shown: plain JSON values with ISO times, and table columns. */
import type { Command } from 'commander'
import { marketName } from '../contract/market.ts'
import { Failure } from '../errors.ts'
import type { BotReading } from '../workbench/api/reading/readings.ts'
import type { Store } from '../workbench/store/store.ts'
import { type CommonOptions, type Context, withCandles, withStore } from './context.ts'
import { formatTime, inOneLine, say, type TimeWords } from './output.ts'
import { type ServiceLink, withStoreAndService } from './service-link.ts'
import type { Column } from './table.ts'

/** ISO 8601 UTC, or null for a time that the service does not give. */
export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

export function shownBot(bot: BotReading) {
  return {
    id: bot.id,
    name: bot.name,
    userEmail: bot.userEmail,
    strategyType: bot.strategyType,
    market: bot.market === null ? null : marketName(bot.market),
    isDemo: bot.isDemo,
    state: bot.stateText,
    stopReason: bot.stopReason,
    createdAt: isoOrNull(bot.createdAt),
    updatedAt: isoOrNull(bot.updatedAt),
    startedAt: isoOrNull(bot.startedAt),
    stoppedAt: isoOrNull(bot.stoppedAt),
    tradedUntil: isoOrNull(bot.tradedUntil),
    problem: bot.problem,
    config: bot.config,
  }
}

type ShownBot = ReturnType<typeof shownBot>

/** @param when how its times are written */
export const botColumns = (when: TimeWords): readonly Column<ShownBot>[] => [
  { title: 'bot', role: 'id', value: (bot) => bot.name ?? bot.id },
  { title: 'real', role: 'alarm', value: (bot) => (bot.isDemo ? null : 'NOT A DEMO'), tone: () => 'bad' },
  { title: 'state', role: 'varied', value: (bot) => stateOf(bot) },
  { title: 'market', value: (bot) => bot.market },
  { title: 'traded until', value: (bot) => when(bot.tradedUntil) },
  { title: 'started', role: 'detail', value: (bot) => when(bot.startedAt) },
  { title: 'id', role: 'detail', value: (bot) => bot.id },
]

function stateOf({ state, stopReason }: ShownBot): string | null {
  if (state === '') return null
  return stopReason === null ? state : `${state} (${stopReason})`
}

/** @param when how its times are written */
export function describeBot(bot: ShownBot, when: TimeWords): string[] {
  const lines = [
    `bot      ${bot.id}${bot.name === null ? '' : `, ${bot.name}`}${bot.isDemo ? ', demo' : ', NOT a demo'}`,
    `market   ${bot.market ?? '-'}, ${bot.strategyType ?? '-'}`,
    `owner    ${bot.userEmail ?? '-'}`,
    `state    ${stateOf(bot) ?? '-'}`,
    `created  ${when(bot.createdAt)}, updated ${when(bot.updatedAt)}`,
    `started  ${when(bot.startedAt)}, stopped ${when(bot.stoppedAt)}, traded until ${when(bot.tradedUntil)}`,
    ...(bot.problem === null ? [] : [`problem  ${bot.problem}`]),
    '',
    ...Object.entries(bot.config).map(([field, value]) => `${field.padEnd(24)} ${value}`),
  ]
  return lines.map(inOneLine)
}

/**
 * Prints a warning to stderr when the candles of a started bot end before the market time of its start.
 * @param replay the sentence, without its full stop, that says what to type instead @returns whether it warned
 */
export async function warnOfEndedCandles(
  context: Context,
  { market, startedAt }: Pick<BotReading, 'market' | 'startedAt'>,
  { candlesFolder, replay }: { readonly candlesFolder: string; readonly replay?: string },
): Promise<boolean> {
  // The candles and the clock of a configured service are not known.
  if (context.settings().baseUrl !== undefined || market === null || startedAt === null) return false
  const [{ listCandles }, { findRecipe }, { findStretch }] = await Promise.all([
    import('../candles/folder/folder.ts'),
    import('../candles/synthetic/generate.ts'),
    import('../candles/folder/stored-months.ts'),
  ])
  const name = marketName(market)
  const stored = listCandles(candlesFolder).filter((each) => each.market === name)
  const last = findStretch(
    stored.flatMap(({ stretches }) => stretches),
    startedAt,
  )
  // A generated market continues after its stored candles.
  const isGenerated = stored.some(({ synthetic, interval }) => synthetic && findRecipe(candlesFolder, name, interval))
  if (last === undefined || startedAt < last.to || isGenerated) return false
  // When no stretch contains the start, the bot gets the finest interval, which is the first in the list.
  const next = stored.at(0)?.stretches.find(({ from }) => from > startedAt)
  const later = next === undefined ? '' : `, and continue at ${formatTime(next.from)}`
  say(
    context.system.terminal,
    `note: the candles of ${name} end at ${formatTime(last.to)}, before the market clock (${formatTime(startedAt)})${later}. This bot ` +
      `will not trade${next === undefined ? '' : ' until then'}. ${replay ?? `A bot first started under \`dcalab serve --now ${new Date(last.from).toISOString().slice(0, 10)}\` trades`}.`,
  )
  return true
}

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
  const account = options.user === undefined ? {} : { account: options.user }
  return withStoreAndService(context, options, work, { trade: true, ...account })
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
    const { findBotId } = await import('../workbench/bots/promote/make-bot.ts')
    return work(await findBotId(link.client, { named, userEmail: link.userEmail }), link, store)
  })
}
