/** `dcalab bots …`: every bot endpoint of the document. Real bots can be read and stopped; only demo bots are created, changed and started. */
import type { Command } from 'commander'
import { ORDER_STATES } from '../../../contract/bot-bodies.ts'
import { Failure } from '../../../errors.ts'
import {
  BOT_WORDS,
  type BotOptions,
  botColumns,
  describeBot,
  describePnl,
  executionColumns,
  orderColumns,
  ownerOf,
  shownBot,
  shownExecution,
  shownOrder,
  shownPnl,
  withBotOptions,
  withBots,
  withNamedBot,
} from '../../bot-view.ts'
import { type CommonOptions, type Context, type Register, withExamples } from '../../context.ts'
import { option, whole } from '../../option.ts'
import { printAnswer, printJson, say, type TimeWords, timesShown } from '../../output.ts'
import { type Collected, collectPages } from '../../service-link.ts'
import { type Column, fittingTable } from '../../table.ts'
import { addBotChanges } from './change.ts'
import { addCompare } from './compare.ts'

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

function withBotId(command: Command): Command {
  return command.argument('<bot>', BOT_WORDS)
}

/** @throws Failure usage */
async function readSince(text: string | undefined): Promise<number | undefined> {
  if (text === undefined) return undefined
  const { timeOf } = await import('../../../workbench/api/reading/single-values.ts')
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
