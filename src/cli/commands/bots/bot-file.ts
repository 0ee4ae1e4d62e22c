/** The file of a demo bot: the config of `dcalab backtest` plus market, name and owner, which may also come from flags. */
import type { Command } from 'commander'
import { type DemoBotPayload, STRATEGY_TYPE } from '../../../contract/bot.ts'
import { findMarket, type Market } from '../../../contract/market.ts'
import { Failure } from '../../../errors.ts'
import type { BotFile } from '../../../workbench/study/config-file.ts'
import type { Context } from '../../context.ts'
import { readGiven } from '../../input.ts'
import { type BotOptions, withBotOptions } from './link.ts'

export interface FileOptions extends BotOptions {
  readonly market?: string
  readonly name?: string
}

export const configFile = 'file as for `dcalab backtest`; may name exchange, assets, name'

export function withFileOptions(command: Command): Command {
  return withBotOptions(
    command
      .option('--market <exchange/BASE-QUOTE>', 'market of the bot; overrides the file')
      .option('--name <text>', 'name of the bot; overrides the file'),
  )
}

export interface BotOrder extends Omit<BotFile, 'market'> {
  readonly market: Market | null
}

/** The content of the file; a flag replaces the value of the file. @throws Failure configInvalid, usage */
export async function readBotFile(context: Context, file: string, options: FileOptions): Promise<BotOrder> {
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
    throw new Failure('usage', `no market given, and ${file} names none`, {
      hint: 'give --market <exchange/BASE-QUOTE>',
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
