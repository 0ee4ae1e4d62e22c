/** The commands that change something: create, update, start, stop. Demo bots only, except that stopping is always allowed. */
import type { Command } from 'commander'
import { type DemoBotPayload, STRATEGY_TYPE } from '../../../contract/bot.ts'
import { findMarket, type Market } from '../../../contract/market.ts'
import { Failure } from '../../../errors.ts'
import type { BotFile } from '../../../workbench/study/config-file.ts'
import {
  BOT_WORDS,
  type BotOptions,
  describeBot,
  ownerOf,
  shownBot,
  warnOfEndedCandles,
  withBotOptions,
  withBots,
  withNamedBot,
} from '../../bot-view.ts'
import { type Context, withExamples } from '../../context.ts'
import { askPerson, readGiven } from '../../input.ts'
import { shellWord } from '../../next-command.ts'
import { printJson, printLines, timesShown } from '../../output.ts'
import { pathsOf } from '../../workbench.ts'

interface StopOptions extends BotOptions {
  readonly closePosition?: boolean
  readonly keepPosition?: boolean
}

export function addBotChanges(bots: Command, context: Context): void {
  addCreate(bots, context)
  addUpdate(bots, context)
  addStart(bots, context)
  addStop(bots, context)
}

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

const configFile = 'file as for `dcalab backtest`; may name exchange, assets, name'

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
