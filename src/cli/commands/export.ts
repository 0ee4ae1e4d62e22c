/** `dcalab export`: the rows of a view as a file for other programs. */

import { Failure } from '../../errors.ts'
import type { EXPORT_FORMATS } from '../../workbench/store/export/export.ts'
import type { Store } from '../../workbench/store/store.ts'
import { type CommonOptions, type Context, type Register, withExamples, withStore } from '../context.ts'
import { withProgress } from '../long-work.ts'
import { option } from '../option.ts'
import { countOf, formatBytes, goesToStdout, printJson, printLines, say, writeToStdout } from '../output.ts'
import {
  EVERY_SERVICE,
  headingOf,
  noteService,
  type ServiceOptions,
  type ShownService,
  serviceQuestion,
  shownService,
  withServiceOption,
} from '../shown-service.ts'
import { pathsOf, withKnownStore, withStoreToRead } from '../workbench.ts'

interface ExportOptions extends CommonOptions, ServiceOptions {
  readonly out: string
  readonly format?: ExportFormat
  readonly view?: string
  readonly force?: boolean
}

/** Of the whole store, for DuckDB and data frames. */
const FOLDER = 'parquet-folder'

type ExportFormat = (typeof EXPORT_FORMATS)[number] | typeof FOLDER

/** Here, so that `--help` loads no room. */
const FORMATS: readonly ExportFormat[] = ['parquet', 'csv', 'ndjson', FOLDER]

const WHOLE_STORE = 'store'

export const exportCommand: Register = (program, context) => {
  const command = program
    .command('export')
    .description('write results to a Parquet, CSV or NDJSON file')
    .argument('<study>', `name of a study in the store; \`${WHOLE_STORE}\` for all of them`)
    .addOption(option('--out <file>', 'file (.parquet, .csv, .ndjson; - is stdout) or folder').makeOptionMandatory())
    .addOption(
      option('--format <format>', FORMATS.join(', '), {
        otherwise: 'by the ending of the file; csv on stdout',
      }).choices([...FORMATS]),
    )
    .addOption(
      option('--view <name>', 'the view to export', {
        otherwise: 'answers; with --service all, results',
      }),
    )
    .option('--force', 'replace an existing file')
  withExamples(withServiceOption(withStore(command), `; ${EVERY_SERVICE}: every service and revision`), [
    'dcalab export btc-may-2021 --out btc.parquet',
    'dcalab export store --format parquet-folder --out lake',
  ]).action((name: string, options: ExportOptions) => {
    const { format } = options
    if (format === FOLDER) return exportStore(context, name, options)
    return withStoreToRead(context, pathsOf(context, options).store, async (store) => {
      const [{ exportText, exportView }, { holdsStudy }] = await Promise.all([
        import('../../workbench/store/export/export.ts'),
        import('../../workbench/store/export/view-rows.ts'),
      ])
      const { terminal } = context.system
      if (name === WHOLE_STORE && holdsStudy(store, name)) {
        say(terminal, `note: exported all studies; to export the study named ${name}, rename it: dcalab study rename`)
      }
      const on = await chooseRows(context, store, { name, options })
      const { shown } = on
      const question = {
        ...(name === WHOLE_STORE ? {} : { study: name }),
        ...(options.view === undefined ? {} : { view: options.view }),
        ...(on.identity === undefined ? {} : { identity: on.identity }),
        all: options.service === EVERY_SERVICE,
        signal: context.signal,
      }
      if (goesToStdout(options)) {
        if (format === 'parquet') throw new Failure('usage', 'Parquet is written to a file, not to stdout')
        noteService(terminal, shown)
        return exportText(store, { ...question, format: format ?? 'csv', showProgress: () => {} }, (text) =>
          writeToStdout(terminal, text),
        )
      }
      const report = await withProgress(context, (showProgress) =>
        exportView(store, {
          ...question,
          ...(format === undefined ? {} : { format }),
          path: options.out,
          force: options.force ?? false,
          showProgress: (rows) => showProgress(`rows written: ${rows}`),
        }),
      )
      if (options.json) {
        noteService(terminal, shown)
        return printJson(terminal, { ...report, service: shown?.name ?? null })
      }
      const { path, view, rows, columns, bytes } = report
      return printLines(terminal, [
        ...headingOf(shown),
        `${path}: ${countOf(rows, 'row')} of ${view}, ${columns} columns (${formatBytes(bytes)})`,
      ])
    })
  })
}

async function exportStore(context: Context, name: string, options: ExportOptions): Promise<void> {
  if (name !== WHOLE_STORE || options.view !== undefined || options.out === '-') {
    throw new Failure('usage', `--format ${FOLDER} writes every view of all studies into a folder`, {
      hint: `dcalab export ${WHOLE_STORE} --format ${FOLDER} --out lake`,
    })
  }
  const { exportFolder } = await import('../../workbench/store/export/folder.ts')
  await withKnownStore(context, pathsOf(context, options).store, async (store) => {
    const { identity, shown } = await chooseRows(context, store, { name, options })
    const { signal } = context
    const of = {
      path: options.out,
      all: options.service === EVERY_SERVICE,
      ...(identity === undefined ? {} : { identity }),
    }
    const report = await withProgress(context, (showProgress) => exportFolder(store, { ...of, showProgress, signal }))
    const { terminal } = context.system
    if (options.json) return printJson(terminal, { ...report, format: FOLDER, service: shown?.name ?? null })
    const { path, files, rows } = report
    return printLines(terminal, [
      ...headingOf(shown),
      `${path}: ${countOf(files, 'file')}, ${countOf(rows, 'row')}; each run brings it up to date`,
    ])
  })
}

interface Rows {
  /** Of which service they are; undefined = of that of each study, or of all. */
  readonly identity?: string
  readonly shown: ShownService | null
}

/** Rows of a study are those of one service, unless all are asked for; of a store those of the service of each study, unless one is asked for. */
async function chooseRows(
  context: Context,
  store: Store,
  { name, options }: { readonly name: string; readonly options: ExportOptions },
): Promise<Rows> {
  const [{ isOfServices }, { countStudies }, { findNamedServices }, { listServices, unknownToStore }] =
    await Promise.all([
      import('../../workbench/store/export/view-rows.ts'),
      import('../../workbench/store/study-counts.ts'),
      import('../../workbench/store/choose-service.ts'),
      import('../../workbench/store/services.ts'),
    ])
  const isWhole = name === WHOLE_STORE
  const { service: asked, view } = options
  const all = { shown: null }
  if (asked === EVERY_SERVICE) return all
  if (!isOfServices({ ...(isWhole ? {} : { study: name }), view })) {
    if (asked === undefined) return all
    throw new Failure('usage', `--service ${asked}: rows of ${view} are of no service`, { hint: 'leave out --service' })
  }
  if (isWhole) {
    if (asked === undefined) return all
    const [found, ...more] = findNamedServices(listServices(store), asked)
    if (found === undefined || more.length > 0) throw unknownToStore(store, asked)
    return { identity: found.identity, shown: { name: found.name, parts: [`rows of ${found.name}`], isNoted: false } }
  }
  const question = await serviceQuestion(context, store, options)
  const [count] = countStudies(store, { study: name, ...question })
  if (count === undefined || count.service === null) return all // that the study is not there is said where its rows are read
  return { identity: count.service.identity, shown: shownService(count, question) }
}
