/** How bots, their orders and fills are shown: plain JSON values with ISO times, and table columns. */
import type { Command } from 'commander'
import { marketName } from '../contract/market.ts'
import { Failure } from '../errors.ts'
import type { BotReading, ExecutionReading, OrderReading, PnlReading } from '../workbench/api/reading/readings.ts'
import type { Store } from '../workbench/store/store.ts'
import { type CommonOptions, type Context, withCandles, withStore } from './context.ts'
import { formatTime, inOneLine, say, type TimeWords, toneOfGain } from './output.ts'
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

export function shownExecution(execution: ExecutionReading) {
  return { ...execution, executedAt: isoOrNull(execution.executedAt) }
}

type ShownExecution = ReturnType<typeof shownExecution>

/** @param when how its times are written */
export const executionColumns = (when: TimeWords): readonly Column<ShownExecution>[] => [
  { title: 'executed', value: (row) => when(row.executedAt) },
  { title: 'deal', value: (row) => row.deal },
  { title: 'side', value: (row) => row.side },
  { title: 'role', value: (row) => roleOf(row) },
  { title: 'price', value: (row) => plainNumber(row.price) },
  { title: 'quantity', value: (row) => plainNumber(row.quantity) },
  { title: 'quote', value: (row) => row.quote, digits: 4 },
  { title: 'fee', value: (row) => row.fee, digits: 4 },
  { title: 'profit', value: (row) => row.profit, digits: 4, tone: toneOfGain },
]

export function shownOrder(order: OrderReading) {
  return { ...order, placedAt: isoOrNull(order.placedAt), updatedAt: isoOrNull(order.updatedAt) }
}

type ShownOrder = ReturnType<typeof shownOrder>

/** @param when how its times are written */
export const orderColumns = (when: TimeWords): readonly Column<ShownOrder>[] => [
  { title: 'placed', value: (row) => when(row.placedAt) },
  { title: 'deal', value: (row) => row.deal },
  { title: 'side', value: (row) => row.side },
  { title: 'type', value: (row) => row.type },
  { title: 'role', value: (row) => roleOf(row) },
  { title: 'state', value: (row) => row.state },
  { title: 'price', value: (row) => plainNumber(row.price) },
  { title: 'quantity', value: (row) => plainNumber(row.quantity) },
  { title: 'updated', value: (row) => when(row.updatedAt) },
]

function roleOf({ role, safetyOrder }: { readonly role: string | null; readonly safetyOrder: number | null }) {
  return role !== null && safetyOrder !== null ? `${role} ${safetyOrder}` : role
}

/** Prices and quantities span many magnitudes, so all their digits are shown. */
function plainNumber(value: number | null): string | null {
  return value === null ? null : String(Number(value.toPrecision(12)))
}

export function shownPnl({ rawText, seen, terms, ...pnl }: PnlReading) {
  return { ...pnl, marketTime: isoOrNull(pnl.marketTime) }
}

const shownDays = 14

/** @param when how its times are written */
export function describePnl(pnl: ReturnType<typeof shownPnl>, when: TimeWords): string[] {
  const { openDeal, hasOpenDeal, dailyEquity, marketTime, ...numbers } = pnl
  return [
    `profit and loss as of ${when(marketTime)}`,
    '',
    ...Object.entries(numbers).map(
      ([name, value]) => `${name.padEnd(24)} ${typeof value === 'number' ? plain(value) : (value ?? '–')}`,
    ),
    '',
    openDeal === null
      ? hasOpenDeal === false
        ? 'no open deal'
        : 'open deal                –'
      : `open deal since ${when(openDeal.openedAt)}: ${openDeal.safetyOrders} safety orders, cost ${plain(openDeal.cost)}, ` +
        `value ${plain(openDeal.value)}, profit ${plain(openDeal.profit)}`,
    ...dailyEquity.slice(-shownDays).map(({ date, equity }) => `${date}  ${plain(equity)}`),
    ...(dailyEquity.length > shownDays
      ? [`… the last ${shownDays} of ${dailyEquity.length} days; --json prints all`]
      : []),
  ]
}

/** Money to eight decimals (a satoshi): further digits of a double are rounding errors. */
function plain(value: number | null): string {
  return value === null ? '-' : String(Number(value.toFixed(8)))
}

/**
 * Prints a warning to stderr when the candles of a started bot end before the market time of its start.
 * @param replay what to type instead @returns whether it did
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
    import('../candles/synthetic/continue.ts'),
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
    `note: the candles of ${name} end at ${formatTime(last.to)}, before the market clock (${formatTime(startedAt)})${later}: this bot ` +
      `will not trade${next === undefined ? '' : ' until then'}; ${replay ?? `one first started under \`dcalab serve --now ${new Date(last.from).toISOString().slice(0, 10)}\` does`}`,
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
