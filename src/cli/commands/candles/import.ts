/** `dcalab candles import`: imports files of many kinds into the candle folder. */
import type { Command } from 'commander'
import type { FileReport } from '../../../candles/import.ts'
import { Failure, type Problem } from '../../../errors.ts'
import { type Context, withCandles, withExamples, withJson } from '../../context.ts'
import { withProgress } from '../../long-work.ts'
import { option } from '../../option.ts'
import { pathsOf } from '../../workbench.ts'
import { sayFarOpens, shownFindings } from './findings.ts'
import {
  type CandlesOptions,
  checkInterval,
  checkMarket,
  checkPolicy,
  conflictHelp,
  intervalHelp,
  printReports,
} from './options.ts'

interface ImportOptions extends CandlesOptions {
  readonly market?: string
  readonly interval?: string
  readonly conflict: string
}

export function addImport(candles: Command, context: Context): void {
  const command = candles
    .command('import')
    .description('import candle files of any layout: CSV, klines, Parquet …')
    .argument('<file...>', 'files to import, plain, gzip or zip; the layout is recognised by content')
    .option('--market <market>', 'exchange/BASE-QUOTE; guessed where the file tells')
    .option('--interval <interval>', `${intervalHelp}; guessed from the file or the spacing of its rows`)
    .addOption(option('--conflict <policy>', conflictHelp, { default: 'keep' }))
  withExamples(withCandles(withJson(command)), [
    'dcalab candles import binance_BTC-USDT_1m_2021-04_2021-05.csv.gz',
    'dcalab candles import BTCUSDT-1m-2024-*.zip --market binance/BTC-USDT',
  ]).action(async (files: readonly string[], options: ImportOptions) => {
    const { importFile } = await import('../../../candles/import.ts')
    const { candlesFolder } = pathsOf(context, options)
    const { terminal } = context.system
    const request = {
      ...(options.market === undefined ? {} : { market: checkMarket(options.market) }),
      ...(options.interval === undefined ? {} : { interval: checkInterval('--interval', options.interval) }),
      conflict: checkPolicy(options.conflict),
    }
    const reports: FileReport[] = []
    const failures: { readonly file: string; readonly failure: Failure }[] = []
    await withProgress(context, async (tell) => {
      for (const [i, file] of files.entries()) {
        await context.system.clock.sleep(0, context.signal) // reading one takes the whole process: an interrupt is heard here
        if (files.length > 1) tell(`${i + 1} of ${files.length}: ${file}`)
        try {
          reports.push(...[await importFile(candlesFolder, file, request)].flat())
        } catch (error) {
          // A bad file does not stop the import of the next one; a folder that cannot be written does.
          if (!(error instanceof Failure) || error.code === 'storeUnusable') throw error
          failures.push({ file, failure: error })
        }
      }
    })
    const shown = reports.map((report) => ({ ...report, findings: shownFindings(report.findings) }))
    if (shown.length > 0) await printReports(terminal, shown, options.json === true)
    for (const { market, interval, findings } of reports) await sayFarOpens(terminal, `${market} ${interval}`, findings)
    const [first] = reports
    if (first !== undefined) context.suggestNext(`dcalab study init --market ${first.market}`)
    if (failures.length > 0) throw oneFailure(failures, files.length)
  })
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
