/** `dcalab candles resample` and `dcalab candles export`: makes other intervals and files from stored candles. */
import type { Command } from 'commander'
import { findMarket } from '../../../contract/market.ts'
import { Failure } from '../../../errors.ts'
import { type Context, withCandles, withExamples, withJson } from '../../context.ts'
import { suggestMarket } from '../../misspelt-market.ts'
import { option } from '../../option.ts'
import { printJson, say } from '../../output.ts'
import { pathsOf } from '../../workbench.ts'
import {
  type CandlesOptions,
  checkInterval,
  checkPeriod,
  checkPolicy,
  conflictHelp,
  intervalHelp,
  type PeriodOptions,
  printReports,
} from './options.ts'

interface StoredOptions extends CandlesOptions, PeriodOptions {
  readonly interval?: string
}

export function addResample(candles: Command, context: Context): void {
  const command = candles
    .command('resample')
    .description('make candles of a coarser interval from stored ones')
    .argument('<market>', 'exchange/BASE-QUOTE as stored')
    .requiredOption('--into <interval>', 'the interval to make, a multiple of the stored one')
    .addOption(option('--interval <interval>', intervalHelp, { otherwise: 'the finest stored' }))
    .option('--from <date>', 'first day')
    .option('--to <date>', 'the day after the last one')
    .addOption(option('--conflict <policy>', conflictHelp, { default: 'keep' }))
  withExamples(withCandles(withJson(command)), [
    'dcalab candles resample binance/BTC-USDT --into 15m',
    'dcalab candles resample binance/BTC-USDT --interval 1h --into 1d --conflict replace',
  ]).action(async (market: string, options: StoredOptions & { readonly into: string; readonly conflict: string }) => {
    const [{ resampleCandles }, { storeCandles }] = await Promise.all([
      import('../../../candles/resample.ts'),
      import('../../../candles/folder/folder.ts'),
    ])
    const into = checkInterval('--into', options.into)
    const { candles, info } = await loadStored(market, options, context)
    const report = storeCandles(pathsOf(context, options).candlesFolder, {
      market,
      interval: into,
      candles: resampleCandles(candles, into),
      synthetic: info.synthetic,
      conflict: checkPolicy(options.conflict),
    })
    return printReports(context.system.terminal, [report], options.json === true)
  })
}

export function addExport(candles: Command, context: Context): void {
  const command = candles
    .command('export')
    .description('write stored candles as a CSV, Arrow or Parquet file')
    .argument('<market>', 'exchange/BASE-QUOTE as stored')
    .addOption(option('--interval <interval>', intervalHelp, { otherwise: 'the finest stored that covers the range' }))
    .option('--from <date>', 'first day')
    .option('--to <date>', 'the day after the last one')
    .addOption(
      option('--out <file>', '.csv, .csv.gz, .arrow, .feather or .parquet; - is stdout', {
        otherwise: 'CSV on stdout',
      }),
    )
  withExamples(withCandles(withJson(command)), [
    'dcalab candles export binance/BTC-USDT --from 2021-05-19 --to 2021-05-20',
    'dcalab candles export binance/BTC-USDT --interval 1h --out btc-1h.parquet',
  ]).action(async (market: string, options: StoredOptions & { readonly out?: string }) => {
    const { csvOf, exportCandles } = await import('../../../candles/export.ts')
    const { terminal } = context.system
    const loaded = await loadStored(market, options, context)
    if (options.out !== undefined && options.out !== '-') {
      const bytes = exportCandles(options.out, loaded)
      if (options.json) return printJson(terminal, { path: options.out, bytes, ...loaded.info })
      return say(
        terminal,
        `${options.out}: ${loaded.info.count} candles of ${market} ${loaded.info.interval}, ${bytes} bytes`,
      )
    }
    if (options.json) return printJson(terminal, { ...loaded.info, candles: rowsOf(loaded.candles) })
    for (const part of csvOf(loaded)) {
      context.signal.throwIfAborted()
      await terminal.out(part)
    }
  })
}

async function loadStored(market: string, options: StoredOptions, context: Context) {
  const { loadCandles } = await import('../../../candles/folder/folder.ts')
  const { candlesFolder } = pathsOf(context, options)
  if (findMarket(market) === undefined) {
    const meant = await suggestMarket(candlesFolder, market)
    throw new Failure('usage', `expected a market, exchange/BASE-QUOTE as stored, found "${market}"${meant}`, {
      hint: '`dcalab candles list` shows what is stored',
    })
  }
  return loadCandles(candlesFolder, {
    market,
    ...checkPeriod(options),
    ...(options.interval === undefined ? {} : { interval: checkInterval('--interval', options.interval) }),
  })
}

/** `[timestamp in ms, open, high, low, close, volume]`, as freqtrade writes them. */
function rowsOf(candles: Awaited<ReturnType<typeof loadStored>>['candles']): number[][] {
  const { openTime, open, high, low, close, volume } = candles
  return Array.from(openTime, (time, i) => [time, open[i], high[i], low[i], close[i], volume[i]])
}
