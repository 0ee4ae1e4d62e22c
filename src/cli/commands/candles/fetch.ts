/** `dcalab candles fetch`: downloads recorded candles from public archives and endpoints of exchanges. */
import type { Command } from 'commander'
import { findMarket } from '../../../contract/market.ts'
import { Failure } from '../../../errors.ts'
import { type Context, withCandles, withExamples, withJson } from '../../context.ts'
import { withProgress } from '../../long-work.ts'
import { option } from '../../option.ts'
import { printJson, say } from '../../output.ts'
import { pathsOf } from '../../workbench.ts'
import {
  type CandlesOptions,
  checkDate,
  checkInterval,
  checkMarket,
  checkPolicy,
  conflictHelp,
  intervalHelp,
  printReports,
  shownReport,
} from './options.ts'

interface FetchOptions extends CandlesOptions {
  readonly market: string
  readonly interval: string
  readonly from: string
  readonly to?: string
  readonly source?: string
  readonly conflict: string
}

/** How many absent pieces the text output names; `--json` has all. */
const named = 5

export function addFetch(candles: Command, context: Context): void {
  const command = candles
    .command('fetch')
    .description('download candles of a market; run it again to catch up')
    .requiredOption('--market <market>', 'exchange/BASE-QUOTE: binance, binance_usdm, coinbase, kraken')
    .addOption(option('--interval <interval>', intervalHelp, { default: '1m' }))
    .requiredOption('--from <date>', 'first day, e.g. 2024-01-01')
    .addOption(option('--to <date>', 'the day after the last one', { otherwise: 'now' }))
    .addOption(
      option('--source <name>', 'binance-vision, binance, coinbase or kraken', {
        otherwise: 'the one with most of the market',
      }),
    )
    .addOption(option('--conflict <policy>', conflictHelp, { default: 'keep' }))
  withExamples(withCandles(withJson(command)), [
    'dcalab candles fetch --market binance/BTC-USDT --from 2024-01-01 --to 2025-01-01',
    'dcalab candles fetch --market coinbase/BTC-USD --interval 1h --from 2025-06-01',
  ]).action(async (options: FetchOptions) => {
    const { system, signal } = context
    const market = findMarket(checkMarket(options.market))
    if (market === undefined) throw new Failure('usage', `${options.market} is no market`)
    const interval = checkInterval('--interval', options.interval)
    const from = checkDate('--from', options.from)
    const to = options.to === undefined ? system.clock.wall() : checkDate('--to', options.to)
    if (from >= to) throw new Failure('usage', '--from must be before --to')
    const [{ fetchCandles }, { chooseSource }] = await Promise.all([
      import('../../../candles/fetch.ts'),
      import('../../../candles/sources/choose.ts'),
    ])
    const report = await withProgress(context, (tell) =>
      fetchCandles(system, pathsOf(context, options).candlesFolder, {
        source: chooseSource(options.source, market),
        request: { market, interval, from, to },
        conflict: checkPolicy(options.conflict),
        signal,
        onWait: (reason) => say(system.terminal, reason),
        onProgress: ({ name, done, total }) => tell(`${done} of ${total} done, now ${name}`),
      }),
    )
    context.suggestNext(`dcalab study init --market ${options.market}`)
    if (options.json) return printJson(system.terminal, shownReport(report))
    const { absent, downloaded, skipped, source } = report
    say(
      system.terminal,
      `${source}: ${downloaded} files downloaded, ${skipped} already stored, ${absent.length} not published`,
    )
    if (absent.length > 0) {
      const rest = absent.length > named ? ` and ${absent.length - named} more` : ''
      say(system.terminal, `not published (yet): ${absent.slice(0, named).join(', ')}${rest}`)
    }
    return printReports(system.terminal, [report], false)
  })
}
