/** `dcalab export`: the rows of a view as a file for other programs. */
import { Failure } from '../../errors.ts'
import { csvCell } from '../../workbench/store/export/csv-cell.ts'
import type { EXPORT_FORMATS } from '../../workbench/store/export/export.ts'
import { type CommonOptions, type Register, withExamples, withStore } from '../context.ts'
import { withProgress } from '../long-work.ts'
import { option } from '../option.ts'
import { countOf, formatBytes, printJson, printLines, say } from '../output.ts'
import { goesToStdout, writeToStdout } from '../standard-output.ts'
import { pathsOf, withStoreToRead } from '../workbench.ts'

interface ExportOptions extends CommonOptions {
  readonly out: string
  readonly format?: ExportFormat
  readonly view?: string
  readonly force?: boolean
}

type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Here, so that `--help` loads no room. */
const FORMATS: readonly ExportFormat[] = ['parquet', 'csv', 'ndjson']

const WHOLE_STORE = 'store'

export const exportCommand: Register = (program, context) => {
  const command = program
    .command('export')
    .description('results as a Parquet, CSV or NDJSON file with typed columns')
    .argument('<study>', `name of a study in the store; \`${WHOLE_STORE}\` for all of them`)
    .addOption(
      option(
        '--out <file>',
        'the file; its ending chooses the format: .parquet, .csv or .ndjson; - is stdout',
      ).makeOptionMandatory(),
    )
    .addOption(
      option('--format <format>', `${FORMATS.join(', ')}; on stdout text alone`, {
        otherwise: 'by the ending of the file; csv on stdout',
      }).choices([...FORMATS]),
    )
    .addOption(
      option('--view <name>', 'the view to export', {
        otherwise: 'the leaderboard of a study, every result of the store',
      }),
    )
    .option('--force', 'replace the file that is there')
  withExamples(withStore(command), [
    'dcalab export btc-may-2021 --out btc.parquet',
    'dcalab export store --view attempts --out attempts.csv --force',
  ]).action((name: string, options: ExportOptions) =>
    withStoreToRead(context, pathsOf(context, options).store, async (store) => {
      const [{ exportText, exportView }, { holdsStudy }] = await Promise.all([
        import('../../workbench/store/export/export.ts'),
        import('../../workbench/store/export/view-rows.ts'),
      ])
      const { terminal } = context.system
      if (name === WHOLE_STORE && holdsStudy(store, name)) {
        say(
          terminal,
          `note: all studies are exported; that of the name ${name} alone once it has another: dcalab study rename`,
        )
      }
      const { format } = options
      const question = {
        ...(name === WHOLE_STORE ? {} : { study: name }),
        ...(options.view === undefined ? {} : { view: options.view }),
        ...{ csvCell, signal: context.signal },
      }
      if (goesToStdout(options)) {
        if (format === 'parquet') throw new Failure('usage', 'Parquet is written to a file, not to stdout')
        return exportText(store, { ...question, format: format ?? 'csv', tell: () => {} }, (text) =>
          writeToStdout(terminal, text),
        )
      }
      const report = await withProgress(context, (tell) =>
        exportView(store, {
          ...question,
          ...(format === undefined ? {} : { format }),
          path: options.out,
          force: options.force ?? false,
          tell: (rows) => tell(`rows written: ${rows}`),
        }),
      )
      if (options.json) return printJson(terminal, report)
      const { path, view, rows, columns, bytes } = report
      return printLines(terminal, [
        `${path}: ${countOf(rows, 'row')} of ${view}, ${columns} columns (${formatBytes(bytes)})`,
      ])
    }),
  )
}
