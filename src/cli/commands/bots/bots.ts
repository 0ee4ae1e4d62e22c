/** `dcalab bots …`: every bot endpoint of the document. Real bots can be read and stopped; only demo bots are created, changed and started. */
import type { Command } from 'commander'
import { type DemoBotPayload, STRATEGY_TYPE } from '../../../contract/bot.ts'
import { ORDER_STATES } from '../../../contract/bot-bodies.ts'
import { findMarket, type Market } from '../../../contract/market.ts'
import { Failure, shellWord } from '../../../errors.ts'
import type { ExecutionReading, OrderReading, PnlReading } from '../../../workbench/api/reading/readings.ts'
import type { BotFile } from '../../../workbench/study/config-file.ts'
import {
  BOT_WORDS,
  type BotOptions,
  botColumns,
  describeBot,
  isoOrNull,
  ownerOf,
  shownBot,
  warnOfEndedCandles,
  withBotOptions,
  withBots,
  withNamedBot,
} from '../../bot-view.ts'
import { type CommonOptions, type Context, type Register, withExamples } from '../../context.ts'
import { askPerson, readGiven } from '../../input.ts'
import { option, whole } from '../../option.ts'
import { printAnswer, printJson, printLines, say, type TimeWords, timesShown, toneOfGain } from '../../output.ts'
import { type Collected, collectPages } from '../../service-link.ts'
import { type Column, fittingTable } from '../../table.ts'
import { pathsOf } from '../../workbench.ts'
import { addCompare } from './compare.ts'

// The commands that change something: create, update, start, stop. Demo bots only, except that stopping is always allowed.

interface StopOptions extends BotOptions {
  readonly closePosition?: boolean
  readonly keepPosition?: boolean
}

function addBotChanges(bots: Command, context: Context): void {
  addCreate(bots, context)
  addUpdate(bots, context)
  addStart(bots, context)
  addStop(bots, context)
}

const configFile = 'file as for `dcalab backtest`; may name exchange, assets, name'

function addCreate(bots: Command, context: Context): void {
  const command = bots
    .command('create')
    .description('create a demo bot from a file, once')
    .option('--dry-run', 'ask the service whether it accepts it; create nothing')
  withExamples(withFileOptions(command.argument('<config-file>', configFile)), [
    'dcalab bots create studies/three-commas-eth.yaml --dry-run',
    'dcalab bots create bot.yaml --market binance/BTC-USDT --name btc-ladder',
  ]).action(async (file: string, options: FileOptions & { readonly dryRun?: boolean }) => {
    const order = await readBotFile(context, file, options)
    if (options.dryRun) return validate(context, file, order, options)
    const { createDemoBot } = await import('../../../workbench/bots/promote/make-bot.ts')
    const { system } = context
    const { bot, created } = await withBots(context, options, (link, store) =>
      createDemoBot({ system, store, client: link.client, payload: payloadOf(file, order, ownerOf(link)) }),
    )
    const { terminal } = system
    if (options.json) {
      return printJson(terminal, { botId: bot.id, name: bot.name, isDemo: true, created, reused: !created })
    }
    const owner = options.user === undefined ? '' : ` --user ${shellWord(options.user)}`
    context.suggestNext(`dcalab bots start ${shellWord(bot.id)}${owner}`)
    return printLines(terminal, [
      `demo bot ${bot.id} (${bot.name ?? '-'}) ${created ? 'created and read back' : 'existed already and is reused'}`,
    ])
  })
}

async function validate(context: Context, file: string, order: BotOrder, options: FileOptions): Promise<void> {
  const { askValidation } = await import('../../../workbench/bots/promote/make-bot.ts')
  const answer = await withBots(context, options, (link) =>
    askValidation(link.client, payloadOf(file, order, ownerOf(link))),
  )
  const { terminal } = context.system
  if (!answer.valid) context.endWith(4)
  if (options.json) return printJson(terminal, answer)
  const problems = answer.errors.map(({ field, message }) => `  ${field === '' ? 'the bot' : field}: ${message}`)
  return printLines(terminal, [answer.valid ? 'valid' : 'invalid', ...problems])
}

function addUpdate(bots: Command, context: Context): void {
  const command = bots.command('update').description('change a demo bot to the parameters of a file')
  command.argument('<bot>', BOT_WORDS).argument('<config-file>', configFile)
  withExamples(withFileOptions(command), [
    'dcalab bots update bot_4f1c bot.yaml',
    'dcalab bots update bot_4f1c bot.yaml --name btc-wider --json',
  ]).action(async (named: string, file: string, options: FileOptions) => {
    const order = await readBotFile(context, file, options)
    const [{ actOnDemoBot, changeFailure }, { failureOf }] = await Promise.all([
      import('../../../workbench/bots/promote/start.ts'),
      import('../../../workbench/api/outcome.ts'),
    ])
    const bot = await withNamedBot(context, options, named, async (id, link) => {
      const tried = `Updating bot ${id}`
      const { outcome } = await actOnDemoBot(link.client, { id, signal: context.signal }, async (proof) => {
        const { name, market } = proof.bot
        const payload = payloadOf(
          file,
          { ...order, name: order.name ?? name, market: order.market ?? market },
          ownerOf(link),
        )
        return link.client.updateBot(proof, payload)
      })
      if (outcome.kind !== 'acked') throw changeFailure(outcome, id, tried)
      if (outcome.value.bot !== null) return outcome.value.bot
      const read = await link.client.readBot(id)
      if (read.kind !== 'ok') throw failureOf(read, `${tried}: done; reading it back`)
      return read.value
    })
    const { terminal } = context.system
    return options.json
      ? printJson(terminal, shownBot(bot))
      : printLines(terminal, describeBot(shownBot(bot), timesShown(terminal)))
  })
}

function addStart(bots: Command, context: Context): void {
  const command = bots
    .command('start')
    .description('start a demo bot; a real one is refused')
    .argument('<bot>', BOT_WORDS)
  withExamples(withBotOptions(command), ['dcalab bots start bot_4f1c', 'dcalab bots start bot_4f1c --json']).action(
    async (named: string, options: BotOptions) => {
      const { noteStart, startDemoBot } = await import('../../../workbench/bots/promote/start.ts')
      const { bot, wasRunning } = await withNamedBot(context, options, named, async (id, { client }, store) => {
        const started = await startDemoBot(client, { id, signal: context.signal })
        if (!started.wasRunning) await noteStart(store, client, id)
        return started
      })
      const { terminal } = context.system
      await warnOfEndedCandles(context, bot, pathsOf(context, options))
      if (options.json) return printJson(terminal, { botId: bot.id, isDemo: true, state: bot.stateText, wasRunning })
      return printLines(terminal, [`demo bot ${bot.id} ${wasRunning ? 'runs already' : 'started'}`])
    },
  )
}

function addStop(bots: Command, context: Context): void {
  const command = bots
    .command('stop')
    .description('stop a bot; a real one keeps its position')
    .argument('<bot>', BOT_WORDS)
    .option('--close-position', 'sell its coins at the market (demo bots only)')
    .option('--keep-position', 'cancel its orders, keep its coins')
  withExamples(withBotOptions(command), [
    'dcalab bots stop bot_4f1c --keep-position',
    'dcalab bots stop bot_4f1c --close-position --json',
  ]).action(async (named: string, options: StopOptions) => {
    const closePosition = await readPositionWish(context, named, options)
    const { stopBot } = await import('../../../workbench/bots/promote/make-bot.ts')
    const { id, state } = await withBots(context, options, ({ client, userEmail }) =>
      stopBot(client, { named, userEmail, signal: context.signal }, { closePosition }),
    )
    const { terminal } = context.system
    if (options.json) return printJson(terminal, { botId: id, closePosition, state })
    return printLines(terminal, [`bot ${id} stopped, position ${closePosition ? 'closed' : 'kept'}`])
  })
}

/** @throws Failure usage, terminalNeeded */
async function readPositionWish(context: Context, named: string, options: StopOptions): Promise<boolean> {
  const { closePosition = false, keepPosition = false } = options
  if (closePosition && keepPosition) {
    throw new Failure('usage', '--close-position and --keep-position exclude each other')
  }
  if (closePosition || keepPosition) return closePosition
  const { inIsTerminal, errIsTerminal } = context.system.terminal
  if (!inIsTerminal || !errIsTerminal) {
    throw new Failure('terminalNeeded', `stopping bot ${named} needs a decision about its position`, {
      hint: 'add --keep-position (cancel orders, keep coins) or --close-position (sell at the market); nothing was sent',
    })
  }
  const answer = await askPerson(context, 'its position: [k]eep or [c]lose? ')
  if (/^k(eep)?$/i.test(answer)) return false
  if (/^c(lose)?$/i.test(answer)) return true
  throw new Failure('usage', 'neither keep nor close; nothing was sent')
}

interface FileOptions extends BotOptions {
  readonly market?: string
  readonly name?: string
}

function withFileOptions(command: Command): Command {
  return withBotOptions(
    command
      .option('--market <exchange/BASE-QUOTE>', 'market of the bot; overrides the file')
      .option('--name <text>', 'name of the bot; overrides the file'),
  )
}

interface BotOrder extends Omit<BotFile, 'market'> {
  readonly market: Market | null
}

/** The content of the file; a flag replaces the value of the file. @throws Failure configInvalid, usage */
async function readBotFile(context: Context, file: string, options: FileOptions): Promise<BotOrder> {
  const { parseBotFile } = await import('../../../workbench/study/config-file.ts')
  const order = parseBotFile(await readGiven(context, file), { file })
  const market = options.market ?? order.market
  const parsed = market === null ? null : findMarket(market)
  if (parsed === undefined) {
    throw new Failure('usage', `--market expects exchange/BASE-QUOTE, such as binance/BTC-USDT; found "${market}"`)
  }
  return { ...order, market: parsed, name: options.name ?? order.name }
}

/** @throws Failure usage when a field is neither in the file nor in a flag */
export function payloadOf(file: string, { config, market, name, userEmail }: BotOrder, owner: string): DemoBotPayload {
  if (market === null) {
    throw new Failure('usage', `neither --market nor ${file} names a market`, {
      hint: 'add --market, such as --market binance/BTC-USDT',
    })
  }
  if (userEmail !== null && userEmail.toLowerCase() !== owner.toLowerCase()) {
    throw new Failure('usage', `${file} names the owner ${userEmail}, but DCALAB_USER_EMAIL or --user names ${owner}`)
  }
  const botName = name ?? nameAfter(file)
  return { userEmail: owner, name: botName, strategyType: STRATEGY_TYPE, ...market, ...config, isDemo: true }
}

/** `studies/btc-ladder.yaml` makes the bot `btc-ladder`. */
function nameAfter(file: string): string {
  const stem = file.replace(/^.*[/\\]/, '').replace(/\.\w+$/, '')
  if (stem !== '' && file !== '-') return stem
  throw new Failure('usage', 'the bot needs a name', { hint: 'give --name <text>' })
}

interface ListOptions extends BotOptions {
  readonly limit: number
}

interface TradeOptions extends ListOptions {
  readonly since?: string
  readonly orders?: boolean
  readonly state?: (typeof ORDER_STATES)[number]
}

export const botsCommand: Register = (program, context) => {
  const bots = program.command('bots').description('list, compare, create, start and stop bots')
  withExamples(bots, ['dcalab bots list', 'dcalab bots stop bot_4f1c --keep-position'])
  addList(bots, context)
  addShow(bots, context)
  addTrades(bots, context)
  addCompare(bots, context)
  addBotChanges(bots, context)
}

function addList(bots: Command, context: Context): void {
  const command = bots.command('list').description('list all bots of the account')
  withExamples(withBotOptions(command), ['dcalab bots list --json', 'dcalab bots list --user demo@localhost']).action(
    async (options: BotOptions) => {
      const found = await withBots(context, options, async (link) => {
        const owner = ownerOf(link)
        const pages = await collectPages(Number.POSITIVE_INFINITY, `Listing the bots of ${owner}`, (next) =>
          link.client.listBots(owner, next),
        )
        return { owner, pages }
      })
      const bots = { ...found.pages, items: found.pages.items.map(shownBot) }
      await printItems(context, options, bots, botColumns, `no bots of ${found.owner}; --user names another owner`)
      for (const { id, problem } of bots.items) {
        if (problem !== null) say(context.system.terminal, `note: bot ${id}: ${problem}`)
      }
    },
  )
}

const shownDays = 14

function addShow(bots: Command, context: Context): void {
  const command = bots.command('show').description('show one bot: state, configuration, profit and loss')
  withExamples(withBotOptions(withBotId(command)), [
    'dcalab bots show bot_4f1c',
    'dcalab bots show bot_4f1c --json',
  ]).action(async (named: string, options: BotOptions) => {
    const { failureOf } = await import('../../../workbench/api/outcome.ts')
    const [read, profit] = await withNamedBot(context, options, named, async (id, { client }) => {
      const bot = await client.readBot(id)
      if (bot.kind !== 'ok') throw failureOf(bot, `Reading bot ${named}`)
      return [bot.value, await client.readPnl(id)] as const
    })
    const { terminal } = context.system
    // A bot that never ran has no profit and loss at some services: its state is worth showing anyway.
    const unread = profit.kind === 'ok' ? null : failureOf(profit, `Reading the profit and loss of bot ${named}`)
    if (unread !== null) {
      context.endWith(unread.exitCode)
      say(terminal, `note: ${unread.message}`)
    }
    const bot = shownBot(read)
    const pnl = profit.kind === 'ok' ? shownPnl(profit.value) : null
    if (options.json) return printJson(terminal, { ...bot, pnl })
    const when = timesShown(terminal)
    return printAnswer(terminal, [...describeBot(bot, when), ...(pnl === null ? [] : ['', ...describePnl(pnl, when)])])
  })
}

function shownPnl({ rawText, seen, terms, ...pnl }: PnlReading) {
  return { ...pnl, marketTime: isoOrNull(pnl.marketTime) }
}

/** @param when how its times are written */
function describePnl(pnl: ReturnType<typeof shownPnl>, when: TimeWords): string[] {
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

function addTrades(bots: Command, context: Context): void {
  const command = bots
    .command('trades')
    .description('list what a bot bought and sold, or its orders')
    .addOption(whole('--limit <n>', 'at most this many', { minimum: 1, default: 100 }))
    .option('--since <time>', 'executed at or after this date or instant (UTC)')
    .option('--orders', 'list its orders, open ones included')
    .addOption(
      option('--state <state>', 'of --orders: open, filled or cancelled', { otherwise: 'all' }).choices(ORDER_STATES),
    )
  withExamples(withBotOptions(withBotId(command)), [
    'dcalab bots trades bot_4f1c --since 2026-05-01',
    'dcalab bots trades bot_4f1c --orders --state open --json',
  ]).action((named: string, options: TradeOptions) => {
    const { orders, since, state } = options
    if (!orders && state !== undefined) throw new Failure('usage', '--state needs --orders')
    if (orders && since !== undefined) throw new Failure('usage', '--since is for executions; orders take --state')
    return orders ? listOrders(context, named, options) : listExecutions(context, named, options)
  })
}

type ShownExecution = ReturnType<typeof shownExecution>

/** @param when how its times are written */
const executionColumns = (when: TimeWords): readonly Column<ShownExecution>[] => [
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

async function listExecutions(context: Context, named: string, options: TradeOptions): Promise<void> {
  const since = await readSince(options.since)
  const { limit } = options
  const found = await withNamedBot(context, options, named, (id, { client }) =>
    collectPages(limit, `Listing the executions of bot ${named}`, (next) =>
      client.listExecutions(id, {
        limit,
        ...next,
        ...(since === undefined ? {} : { since }),
      }),
    ),
  )
  // A service that does not know the parameter returns everything, so we filter again.
  const items = found.items.filter(({ executedAt }) => since === undefined || (executedAt ?? since) >= since)
  return printItems(context, options, { ...found, items: items.map(shownExecution) }, executionColumns)
}

function shownExecution(execution: ExecutionReading) {
  return { ...execution, executedAt: isoOrNull(execution.executedAt) }
}

function roleOf({ role, safetyOrder }: { readonly role: string | null; readonly safetyOrder: number | null }) {
  return role !== null && safetyOrder !== null ? `${role} ${safetyOrder}` : role
}

/** Prices and quantities span many magnitudes, so all their digits are shown. */
function plainNumber(value: number | null): string | null {
  return value === null ? null : String(Number(value.toPrecision(12)))
}

type ShownOrder = ReturnType<typeof shownOrder>

/** @param when how its times are written */
const orderColumns = (when: TimeWords): readonly Column<ShownOrder>[] => [
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

async function listOrders(context: Context, named: string, options: TradeOptions): Promise<void> {
  const { limit, state } = options
  const found = await withNamedBot(context, options, named, (id, { client }) =>
    collectPages(limit, `Listing the orders of bot ${named}`, (next) =>
      client.listOrders(id, {
        limit,
        ...next,
        ...(state === undefined ? {} : { state }),
      }),
    ),
  )
  const items = found.items.filter((order) => state === undefined || (order.state ?? state) === state)
  return printItems(context, options, { ...found, items: items.map(shownOrder) }, orderColumns)
}

function shownOrder(order: OrderReading) {
  return { ...order, placedAt: isoOrNull(order.placedAt), updatedAt: isoOrNull(order.updatedAt) }
}

function withBotId(command: Command): Command {
  return command.argument('<bot>', BOT_WORDS)
}

/** @throws Failure usage */
async function readSince(text: string | undefined): Promise<number | undefined> {
  if (text === undefined) return undefined
  const { timeOf } = await import('../../../workbench/api/reading/shape.ts')
  const ms = timeOf(text, { zone: 'UTC' })
  if (ms !== null) return ms
  throw new Failure('usage', `--since expects a date or an instant such as 2026-05-01T06:00:00Z, found "${text}"`)
}

async function printItems<Row>(
  context: Context,
  { json }: CommonOptions,
  { items, more, unreadable }: Collected<Row>,
  columnsBy: (when: TimeWords) => readonly Column<Row>[],
  nothing = 'none',
): Promise<void> {
  const { terminal } = context.system
  if (json) await printJson(terminal, items)
  else if (items.length === 0) say(terminal, nothing)
  else await printAnswer(terminal, [fittingTable(items, columnsBy(timesShown(terminal)))])
  if (more) say(terminal, 'there are more; --limit shows them')
  if (unreadable > 0) say(terminal, `${unreadable} could not be read`)
}
