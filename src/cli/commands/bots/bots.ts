/** `dcalab bots …`: every bot endpoint of the document. Real bots can be read and stopped; only demo bots are created, changed and started. */
import type { Command } from 'commander'
import { Failure } from '../../../errors.ts'
import {
  botColumns,
  describeBot,
  describePnl,
  executionColumns,
  orderColumns,
  shownBot,
  shownExecution,
  shownOrder,
  shownPnl,
} from '../../bot-view.ts'
import { type CommonOptions, type Context, type Register, withExamples } from '../../context.ts'
import { option, whole } from '../../option.ts'
import { printAnswer, printJson, say } from '../../output.ts'
import { type Collected, collectPages } from '../../pages.ts'
import { type TimeWords, timesShown } from '../../reader-time.ts'
import { type Column, fittingTable } from '../../table.ts'
import { addBotChanges } from './change.ts'
import { addDrift } from './drift.ts'
import { BOT_WORDS, type BotOptions, ownerOf, withBotOptions, withBots, withNamedBot } from './link.ts'

interface ListOptions extends BotOptions {
  readonly limit: number
}

interface ExecutionOptions extends ListOptions {
  readonly since?: string
}

interface OrderOptions extends ListOptions {
  readonly state?: string
}

export const botsCommand: Register = (program, context) => {
  const bots = program
    .command('bots')
    .description('the account’s bots: look at and stop any, make and change demo bots only')
  withExamples(bots, ['dcalab bots list', 'dcalab bots stop bot_4f1c --keep-position'])
  addList(bots, context)
  addShow(bots, context)
  addExecutions(bots, context)
  addOrders(bots, context)
  addPnl(bots, context)
  addDrift(bots, context)
  addBotChanges(bots, context)
}

function addList(bots: Command, context: Context): void {
  const command = bots.command('list').description('all bots of the account')
  withExamples(withBotOptions(command), ['dcalab bots list --json', 'dcalab bots list --user demo@localhost']).action(
    async (options: BotOptions) => {
      const found = await withBots(context, options, async (link) => {
        const owner = ownerOf(link)
        const pages = await collectPages(Number.POSITIVE_INFINITY, `Listing the bots of ${owner}`, async (next) => {
          const outcome = await link.client.listBots(owner, next === undefined ? {} : { next })
          return outcome.kind === 'ok'
            ? { ...outcome, value: { ...outcome.value, items: outcome.value.bots } }
            : outcome
        })
        return { owner, pages }
      })
      const bots = { ...found.pages, items: found.pages.items.map(shownBot) }
      await printItems(context, options, bots, botColumns, `none of ${found.owner}; --user names another owner`)
      for (const { id, problem } of bots.items) {
        if (problem !== null) say(context.system.terminal, `note: bot ${id}: ${problem}`)
      }
    },
  )
}

function addShow(bots: Command, context: Context): void {
  const command = bots.command('show').description('one bot: its state and its configuration')
  withExamples(withBotOptions(withBotId(command)), [
    'dcalab bots show bot_4f1c',
    'dcalab bots show bot_4f1c --json',
  ]).action(async (named: string, options: BotOptions) => {
    const { failureOf } = await import('../../../workbench/api/failure.ts')
    const outcome = await withNamedBot(context, options, named, (id, { client }) => client.readBot(id))
    if (outcome.kind !== 'ok') throw failureOf(outcome, `Reading bot ${named}`)
    const bot = shownBot(outcome.value)
    const { terminal } = context.system
    return options.json ? printJson(terminal, bot) : printAnswer(terminal, describeBot(bot, timesShown(terminal)))
  })
}

function addExecutions(bots: Command, context: Context): void {
  const command = withLimit(bots.command('executions'))
    .description('what a bot bought and sold, newest first')
    .option('--since <time>', 'executed at or after this date or instant (UTC)')
  withExamples(withBotOptions(withBotId(command)), [
    'dcalab bots executions bot_4f1c',
    'dcalab bots executions bot_4f1c --since 2026-05-01 --json',
  ]).action(async (named: string, options: ExecutionOptions) => {
    const since = await readSince(options.since)
    const found = await withNamedBot(context, options, named, (id, { client }) =>
      collectPages(options.limit, `Listing the executions of bot ${named}`, (next) =>
        client.listExecutions(id, {
          limit: options.limit,
          ...(next === undefined ? {} : { next }),
          ...(since === undefined ? {} : { since }),
        }),
      ),
    )
    // A service that does not know the parameter returns everything, so we filter again.
    const items = found.items.filter(({ executedAt }) => since === undefined || (executedAt ?? since) >= since)
    return printItems(context, options, { ...found, items: items.map(shownExecution) }, executionColumns)
  })
}

function addOrders(bots: Command, context: Context): void {
  const command = withLimit(bots.command('orders'))
    .description('a bot’s orders, newest first: open rungs and take profit included')
    .addOption(option('--state <state>', 'open, filled or cancelled', { otherwise: 'all' }))
  withExamples(withBotOptions(withBotId(command)), [
    'dcalab bots orders bot_4f1c --state open',
    'dcalab bots orders bot_4f1c --json',
  ]).action(async (named: string, options: OrderOptions) => {
    const { ORDER_STATES } = await import('../../../contract/bot-bodies.ts')
    const state = ORDER_STATES.find((name) => name === options.state)
    if (options.state !== undefined && state === undefined) {
      throw new Failure('usage', `--state expects ${ORDER_STATES.join(', ')}, found "${options.state}"`)
    }
    const found = await withNamedBot(context, options, named, (id, { client }) =>
      collectPages(options.limit, `Listing the orders of bot ${named}`, (next) =>
        client.listOrders(id, {
          limit: options.limit,
          ...(next === undefined ? {} : { next }),
          ...(state === undefined ? {} : { state }),
        }),
      ),
    )
    const items = found.items.filter((order) => state === undefined || (order.state ?? state) === state)
    return printItems(context, options, { ...found, items: items.map(shownOrder) }, orderColumns)
  })
}

function addPnl(bots: Command, context: Context): void {
  const command = bots.command('pnl').description('a bot’s profit and loss since its first start')
  withExamples(withBotOptions(withBotId(command)), [
    'dcalab bots pnl bot_4f1c',
    'dcalab bots pnl bot_4f1c --json',
  ]).action(async (named: string, options: BotOptions) => {
    const { failureOf } = await import('../../../workbench/api/failure.ts')
    const outcome = await withNamedBot(context, options, named, (id, { client }) => client.readPnl(id))
    if (outcome.kind !== 'ok') throw failureOf(outcome, `Reading the profit and loss of bot ${named}`)
    const pnl = shownPnl(outcome.value)
    const { terminal } = context.system
    return options.json ? printJson(terminal, pnl) : printAnswer(terminal, describePnl(pnl, timesShown(terminal)))
  })
}

function withBotId(command: Command): Command {
  return command.argument('<bot>', BOT_WORDS)
}

function withLimit(command: Command): Command {
  return command.addOption(whole('--limit <n>', 'at most so many', { minimum: 1, default: 100 }))
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
