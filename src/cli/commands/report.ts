/** `dcalab report`: results of one or more studies in one HTML file that needs no network. */
import type { CandleChoice } from '../../workbench/report/input.ts'
import type { ReportFormat } from '../../workbench/report/write.ts'
import { type CommonOptions, type Register, withCandles, withExamples, withStore } from '../context.ts'
import { openInBrowser } from '../open-in-browser.ts'
import { option } from '../option.ts'
import { printJson, printLines } from '../output.ts'
import { pathsOf, withKnownStore } from '../workbench.ts'

interface ReportOptions extends CommonOptions {
  readonly out?: string
  readonly candles: CandleChoice
  readonly format: ReportFormat
  readonly chart?: string
  readonly open?: boolean
}

/** Here, so that `--help` loads no room. */
const CANDLE_CHOICES: readonly CandleChoice[] = ['auto', 'full', 'none']
const REPORT_FORMATS: readonly ReportFormat[] = ['html', 'json', 'svg']

export const REPORTS_FOLDER = 'reports'

export const reportCommand: Register = (program, context) => {
  const command = program
    .command('report')
    .description('writes one self-contained HTML file that compares a study’s results')
    .argument('<study...>', 'names of studies in the store')
    .addOption(
      option('--out <file>', 'where to write, in a folder that exists', {
        otherwise: `${REPORTS_FOLDER}/<study>.html`,
      }),
    )
    .addOption(
      option(
        '--candles <which>',
        `prices in the file: ${CANDLE_CHOICES.join(', ')}; auto = all, where they are few enough`,
        {
          default: 'auto',
        },
      ).choices([...CANDLE_CHOICES]),
    )
    .addOption(
      option('--format <format>', 'html; json: its facts, or with --chart a Vega-Lite spec; svg: one chart', {
        default: 'html',
      }).choices([...REPORT_FORMATS]),
    )
    .addOption(option('--chart <name>', 'one chart by itself: scatter, heat, importance …', { otherwise: 'all' }))
    .option('--open', 'open it in the browser')
  withExamples(withCandles(withStore(command)), [
    'dcalab report btc-may-2021 --open',
    'dcalab report eth-2025 --format svg --chart scatter',
  ]).action(async (studies: readonly string[], options: ReportOptions) => {
    const [{ writeReport }, { findKnownTerms }] = await Promise.all([
      import('../../workbench/report/write.ts'),
      import('../known-terms.ts'),
    ])
    const { store: path, candlesFolder } = pathsOf(context, options)
    const written = await withKnownStore(context, path, (store) =>
      writeReport({
        system: context.system,
        store,
        studies,
        candlesFolder,
        candles: options.candles,
        format: options.format,
        ...(options.chart === undefined ? {} : { chart: options.chart }),
        findKnown(identity) {
          const known = findKnownTerms(store, identity)
          return known && { ...known.terms, isPoor: known.isPoorMatch }
        },
        reportsFolder: REPORTS_FOLDER,
        ...(options.out === undefined ? {} : { out: options.out }),
      }),
    )
    if (options.open) openInBrowser(written.path)
    const { terminal } = context.system
    if (options.json) return printJson(terminal, written)
    return printLines(terminal, [`${written.path}: ${written.trials} trials, ${Math.ceil(written.bytes / 1000)} kB`])
  })
}
