/** `dcalab candles import`: imports files of many kinds into the candle folder. */
import { basename } from 'node:path'
import type { Command } from 'commander'
import type { Spelling } from '../../../candles/formats/sniff/read-spelled.ts'
import type { FileOptions, FileReport } from '../../../candles/import.ts'
import { Failure, type Problem } from '../../../errors.ts'
import { type Context, withCandles, withExamples, withJson } from '../../context.ts'
import { withProgress } from '../../long-work.ts'
import { option } from '../../option.ts'
import { formatTime, printJson, printLines, say } from '../../output.ts'
import { fittingTable } from '../../table.ts'
import { pathsOf } from '../../workbench.ts'
import {
  type CandlesOptions,
  type ConflictOption,
  checkMarket,
  conflictOption,
  type IntervalOption,
  intervalOption,
  printReports,
  sayFarPrices,
  shownFindings,
} from './options.ts'

interface ImportOptions extends CandlesOptions, ConflictOption, IntervalOption {
  readonly market?: string
  readonly delimiter?: string
  readonly columns?: string
  readonly dates?: 'dmy' | 'mdy' | 'ymd'
  readonly decimal?: 'point' | 'comma'
  readonly zone?: string
  readonly dryRun?: boolean
}

const found = { otherwise: 'detected from the rows' }

export function addImport(candles: Command, context: Context): void {
  const command = candles
    .command('import')
    .description('import candle files of any layout: CSV, klines, Parquet …')
    .argument('<file...>', 'files to import: plain, gzip or zip, of any layout')
    .option('--market <market>', 'exchange/BASE-QUOTE; else from the file')
    .addOption(intervalOption({ otherwise: 'from the file or its rows' }))
    .addOption(conflictOption())
    .addOption(option('--delimiter <mark>', 'what separates columns: one character, or tab', found))
    .addOption(option('--columns <list>', 'time=Date+Time,open=Open,high=3,…: by name or number', found))
    .addOption(option('--dates <order>', 'of 05/06/2021: dmy, mdy or ymd', found).choices(['dmy', 'mdy', 'ymd']))
    .addOption(option('--decimal <mark>', 'of prices: point or comma', found).choices(['point', 'comma']))
    .addOption(option('--zone <name>', 'of times without an offset: Europe/Berlin', { otherwise: 'UTC' }))
    .option('--dry-run', 'show how files are read and three rows; store nothing')
  withExamples(withCandles(withJson(command)), [
    'dcalab candles import binance_BTC-USDT_1m_2021-04_2021-05.csv.gz',
    'dcalab candles import BTCUSDT-1m-2024-*.zip --market binance/BTC-USDT',
  ]).action(async (files: readonly string[], options: ImportOptions) => {
    const { importFile } = await import('../../../candles/import.ts')
    const { candlesFolder } = pathsOf(context, options)
    const { terminal } = context.system
    const request = {
      ...(options.market === undefined ? {} : { market: checkMarket(options.market) }),
      ...(options.interval === undefined ? {} : { interval: options.interval }),
      conflict: options.conflict,
    }
    const spelling = spellingOf(options)
    const reading = { ...request, ...(spelling === undefined ? {} : { spelling }) }
    if (options.dryRun === true) return showPlans(context, files, reading, options.json === true)
    const reports: FileReport[] = []
    const failures: { readonly file: string; readonly failure: Failure }[] = []
    await withProgress(context, async (showProgress) => {
      for (const [i, file] of files.entries()) {
        await context.system.clock.sleep(0, context.signal) // reading one takes the whole process: an interrupt is heard here
        if (files.length > 1) showProgress(`${i + 1} of ${files.length}: ${file}`)
        try {
          const read = [await importFile(candlesFolder, file, reading)].flat()
          for (const { assumed } of read) sayAssumed(context, file, assumed)
          reports.push(...read)
        } catch (error) {
          // A bad file does not stop the import of the next one; a folder that cannot be written does.
          if (!(error instanceof Failure) || error.code === 'storeUnusable') throw error
          failures.push({ file, failure: error })
        }
      }
    })
    const shown = reports.map((report) => ({ ...report, findings: shownFindings(report.findings) }))
    if (shown.length > 0) await printReports(terminal, shown, options.json === true)
    for (const { market, interval, findings } of reports)
      await sayFarPrices(terminal, `${market} ${interval}`, findings)
    const [first] = reports
    if (first !== undefined) context.suggestNext(`dcalab study init --market ${first.market}`)
    if (failures.length > 0) throw oneFailure(failures, files.length)
  })
}

function spellingOf({ delimiter, columns, dates, decimal, zone }: ImportOptions): Spelling | undefined {
  const mark = delimiter === 'tab' || delimiter === '\\t' ? '\t' : delimiter
  if (mark !== undefined && mark.length !== 1) {
    throw new Failure('usage', `--delimiter expects one character or tab, found "${delimiter}"`)
  }
  const given = {
    ...(mark === undefined ? {} : { delimiter: mark }),
    ...(columns === undefined ? {} : { columns }),
    ...(dates === undefined ? {} : { dates }),
    ...(decimal === undefined ? {} : { decimal }),
    ...(zone === undefined ? {} : { zone }),
  }
  return Object.keys(given).length === 0 ? undefined : given
}

function sayAssumed({ system }: Context, file: string, assumed: string | null): void {
  if (assumed !== null) say(system.terminal, `${basename(file)}: ${assumed}`)
}

/** How each file would be read, with its first three candles; nothing is stored. */
async function showPlans(
  context: Context,
  files: readonly string[],
  options: FileOptions,
  json: boolean,
): Promise<void> {
  const { readMarkets } = await import('../../../candles/import.ts')
  const { terminal } = context.system
  const plans = []
  for (const file of files) {
    for (const { candles, market, interval, layout, assumed } of await readMarkets(file, options)) {
      sayAssumed(context, file, assumed)
      const rows = [...candles.openTime.subarray(0, 3)].map((time, i) => ({
        time: formatTime(time),
        open: candles.open[i],
        high: candles.high[i],
        low: candles.low[i],
        close: candles.close[i],
        volume: candles.volume[i],
      }))
      plans.push({ file, market, interval, layout, assumed, candles: candles.openTime.length, rows })
    }
  }
  if (json) return printJson(terminal, plans.length === 1 ? plans[0] : plans)
  const columns = ['time', 'open', 'high', 'low', 'close', 'volume'] as const
  for (const { file, market, interval, candles, rows } of plans) {
    say(
      terminal,
      `${basename(file)}: ${candles} candles of ${interval}, market ${market ?? 'to be given by --market'}; nothing is stored`,
    )
    await printLines(
      terminal,
      fittingTable(
        rows,
        columns.map((title) => ({ title, value: (row) => String(row[title]) })), // every digit, which says how they were read
      ),
    )
  }
}

function oneFailure(failures: readonly { readonly file: string; readonly failure: Failure }[], files: number): Failure {
  if (files === 1) return failures[0].failure
  const problems = failures.flatMap(({ file, failure }): Problem[] => [
    { place: file, message: failure.message },
    ...failure.problems,
  ])
  const hints = new Set(failures.map(({ failure }) => failure.hint))
  const own = hints.size === 1 && !hints.has(new Failure('candlesInvalid', '').hint)
  const remedy = own ? failures[0].failure.hint : 'correct them and import them again'
  return new Failure('candlesInvalid', `${failures.length} of ${files} files could not be imported`, {
    problems,
    hint: failures.length === files ? remedy : `${remedy}; the others are stored`,
  })
}
