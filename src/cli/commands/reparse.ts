/** `dcalab reparse`: derives the columns again from the stored replies. No request is made and nothing is spent. */

import type { Dialect } from '../../workbench/api/reading/dialect.ts'
import { checkBaseUrl } from '../../workbench/api/wire/address.ts'
import type { KeptReply, ReparseReport, Reread } from '../../workbench/store/reparse.ts'
import type { ServiceRecord } from '../../workbench/store/services.ts'
import { type CommonOptions, type Context, type Register, withExamples, withStore } from '../context.ts'
import { type Line, printJson, printLines, say } from '../output.ts'
import { fittingTable } from '../table.ts'
import { pathsOf, withKnownStore } from '../workbench.ts'

interface ReparseOptions extends CommonOptions {
  readonly dryRun?: boolean
  readonly revised?: boolean
}

export const reparseCommand: Register = (program, context) => {
  const command = program
    .command('reparse')
    .description('reads the kept replies once more, by the rules now in force; asks no service and spends nothing')
    .argument('[study]', 'only the trials of this study, or of one revision of it: my-ladder@2; default all')
    .option('--revised', 'take what the service now says of results it changed')
    .option('--dry-run', 'say what would change, change nothing')
  withExamples(withStore(command), ['dcalab reparse --dry-run', 'dcalab reparse btc-may-2021 --revised --json']).action(
    async (study: string | undefined, options: ReparseOptions) => {
      const report = await reparse(context, study, options)
      const shown = {
        study: study ?? null,
        dryRun: options.dryRun ?? false,
        revised: options.revised ?? false,
        ...report,
      }
      const { terminal } = context.system
      if (report.unreadable.length > 0) context.endWith(5)
      if (options.json) return printJson(terminal, shown)
      await printLines(terminal, describe(report, options))
      if (report.unreadable.length > 0) {
        say(terminal, 'what could not be read keeps the columns it had; a dialect module can teach us (DCALAB_DIALECT)')
      }
    },
  )
}

async function reparse(context: Context, study: string | undefined, options: ReparseOptions): Promise<ReparseReport> {
  const [{ reparseReplies }, { findStudy }, { unknownStudy }] = await Promise.all([
    import('../../workbench/store/reparse.ts'),
    import('../../workbench/store/study-records.ts'),
    import('../../workbench/store/unknown-study.ts'),
  ])
  const rules = await rulesOf(context)
  return withKnownStore(context, pathsOf(context, options).store, (store) => {
    if (study !== undefined && findStudy(store, study) === undefined) {
      throw unknownStudy(store, study)
    }
    return reparseReplies(store, {
      ...rules,
      ...(study === undefined ? {} : { study }),
      revised: options.revised ?? false,
      dryRun: options.dryRun ?? false,
      signal: context.signal,
    })
  })
}

/**
 * The embedded service uses the built-in dialect. A dialect module belongs to the configured service; replies of other services
 * are left as they are.
 */
async function rulesOf(context: Context): Promise<{ accepts: (service: ServiceRecord) => boolean; reread: Reread }> {
  const [{ builtInDialect, loadDialect }, { rereadJob }, { toObservation }] = await Promise.all([
    import('../../workbench/api/reading/dialect.ts'),
    import('../../workbench/api/reading/reread.ts'),
    import('../../workbench/run/outcome-table.ts'),
  ])
  const { baseUrl, dialect: module } = context.settings()
  const dialect = module === undefined ? builtInDialect : await loadDialect(module)
  const origin = baseUrl === undefined ? undefined : checkBaseUrl(baseUrl, context).origin
  const isMeant = (service: ServiceRecord) => module === undefined || origin === undefined || service.origin === origin
  const dialectOf = ({ simulated }: ServiceRecord): Dialect => (simulated ? builtInDialect : dialect)
  return {
    accepts: (service) => service.simulated || isMeant(service),
    reread: ({ service, body, receivedAt }: KeptReply) => {
      const found = rereadJob(body, dialectOf(service))
      return 'problem' in found ? found : toObservation(found.reading, receivedAt)
    },
  }
}

function describe(
  { jobs, changed, unchanged, unreadable, pruned, columns }: ReparseReport,
  { dryRun }: ReparseOptions,
): Line[] {
  const days = pruned.map(({ prunedAt }) => prunedAt.slice(0, 10)).sort()
  const lastDay = days.at(-1)
  const would = dryRun ? 'would change' : 'changed'
  return [
    `${jobs} jobs read again: ${changed} ${would}, ${unchanged} unchanged, ${unreadable.length} unreadable`,
    ...(lastDay === undefined
      ? []
      : [
          `  ${pruned.length} not read: their replies were pruned on ${lastDay}${days[0] === lastDay ? '' : ' and before'}; their columns stay`,
        ]),
    ...Object.entries(columns).map(([column, count]) => `  ${column}: ${would} in ${count}`),
    ...(unreadable.length === 0
      ? []
      : [
          fittingTable(unreadable, [
            { title: 'trial', value: (row) => row.trial.slice(0, 12) },
            { title: 'job', value: (row) => row.jobId },
            { title: 'why it is unreadable', value: (row) => row.reason },
          ]),
        ]),
  ]
}
