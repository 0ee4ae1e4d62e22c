/** `dcalab report`: results of one or more studies in one HTML file that needs no network. */

import { Failure } from '../../errors.ts'
import type { Terminal } from '../../system.ts'
import type { CandleChoice } from '../../workbench/report/input.ts'
import type { ReportRequest } from '../../workbench/report/write.ts'
import type { ServiceQuestion } from '../../workbench/store/choose-service.ts'
import type { Store } from '../../workbench/store/store.ts'
import { type CommonOptions, type Register, withCandles, withExamples, withStore } from '../context.ts'
import { openInBrowser } from '../open-in-browser.ts'
import { option } from '../option.ts'
import { goesToStdout, printJson, printLines } from '../output.ts'
import {
  headingOf,
  noteService,
  type ServiceOptions,
  serviceQuestion,
  shownService,
  withServiceOption,
} from '../shown-service.ts'
import { pathsOf, withStoreToRead } from '../workbench.ts'

interface ReportOptions extends CommonOptions, ServiceOptions {
  readonly out?: string
  readonly candles: CandleChoice
  readonly format: ReportRequest['format']
  readonly chart?: string
  readonly open?: boolean
}

/** Here, so that `--help` loads no room. */
const CANDLE_CHOICES: readonly CandleChoice[] = ['auto', 'full', 'none']
const REPORT_FORMATS: readonly ReportRequest['format'][] = ['html', 'json', 'svg']

export const REPORTS_FOLDER = 'reports'

export const reportCommand: Register = (program, context) => {
  const command = program
    .command('report')
    .description('write a study’s results as one HTML file')
    .argument('<study...>', 'names of studies in the store')
    .addOption(
      option('--out <file>', 'file to write, in an existing folder; - is stdout', {
        otherwise: `${REPORTS_FOLDER}/<study>.html`,
      }),
    )
    .addOption(
      option('--candles <which>', `prices: ${CANDLE_CHOICES.join(', ')}; auto: all, or those of the best 50`, {
        default: 'auto',
      }).choices([...CANDLE_CHOICES]),
    )
    .addOption(
      option('--format <format>', 'html; json: facts, or a chart’s data; svg: a chart', {
        default: 'html',
      }).choices([...REPORT_FORMATS]),
    )
    .addOption(option('--chart <name>', 'one chart by itself: scatter, heat, importance …', { otherwise: 'all' }))
    .option('--open', 'open it in the browser')
  withExamples(withServiceOption(withCandles(withStore(command))), [
    'dcalab report btc-may-2021 --open',
    'dcalab report eth-2025 --format svg --chart scatter',
  ]).action(async (studies: readonly string[], options: ReportOptions) => {
    const { terminal } = context.system
    const isPiped = goesToStdout(options)
    if (isPiped) refuseToShow(terminal, options)
    const [{ makeReport, writeReport }, { findKnownTerms }] = await Promise.all([
      import('../../workbench/report/write.ts'),
      import('../known-terms.ts'),
    ])
    const { store: path, candlesFolder } = pathsOf(context, options)
    const written = await withStoreToRead(context, path, async (store) => {
      const question = await serviceQuestion(context, store, options)
      const shown = await servicesOf(store, studies, question)
      const request: ReportRequest = {
        system: context.system,
        store,
        studies,
        candlesFolder,
        service: question,
        candles: options.candles,
        format: options.format,
        chart: options.chart,
        findKnown: (identity) => findKnownTerms(store, identity),
        reportsFolder: REPORTS_FOLDER,
        out: options.out,
      }
      if (!isPiped) return { ...(await writeReport(request)), shown }
      const { text } = await makeReport(request)
      await terminal.out(text)
      for (const one of shown) noteService(terminal, one.service)
      return undefined
    })
    if (written === undefined) return
    if (options.open) openInBrowser(written.path)
    const { shown, ...file } = written
    if (options.json) {
      for (const one of shown) noteService(terminal, one.service)
      const named = shown.map(({ study, service }) => ({ study, service: service?.name ?? null }))
      return printJson(terminal, { ...file, studies: named })
    }
    const named = shown.flatMap(({ study, service }) => headingOf(service, shown.length === 1 ? '' : `${study}: `))
    return printLines(terminal, [...named, `${file.path}: ${file.trials} trials, ${Math.ceil(file.bytes / 1000)} kB`])
  })
}

/** Of the studies that are there, each once; of the others the report says that they are not. */
async function servicesOf(store: Store, studies: readonly string[], question: ServiceQuestion) {
  const { countStudies } = await import('../../workbench/store/study-counts.ts')
  return [...new Set(studies)].flatMap((study) =>
    countStudies(store, { study, ...question }).map((count) => ({ study, service: shownService(count, question) })),
  )
}

/** A whole page is nothing to read on a terminal, and may hold a service's words. @throws Failure usage */
function refuseToShow(terminal: Terminal, { open }: ReportOptions): void {
  if (open) throw new Failure('usage', '--open needs a file; --out - writes to stdout')
  if (!terminal.outIsTerminal) return
  throw new Failure('usage', 'cannot print a report on a terminal', {
    hint: 'redirect it: … --out - > report.html, or leave out --out',
  })
}
