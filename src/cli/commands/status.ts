/** `dcalab status`: what is done, running, waiting and failed, and since when. It reads only the store. */
import { Failure } from '../../errors.ts'
import { type AllowanceOutlook, waitsForAllowance } from '../../workbench/run/progress.ts'
import type { TrialRecord, TrialState } from '../../workbench/store/records.ts'
import { type CommonOptions, type Register, withExamples, withStore } from '../context.ts'
import { formatTable, formatTime, printJson, printLines, say } from '../output.ts'
import { describeProgress } from '../run-progress.ts'
import { findSpender } from '../service-link.ts'
import { pathsOf, withKnownStore } from '../workbench.ts'

interface StatusOptions extends CommonOptions {
  readonly all?: boolean
}

export const statusCommand: Register = (program, context) => {
  const command = program
    .command('status')
    .description('what is done, running, waiting, failed, and when; asks no service')
    .argument('[study]', 'one study, or one revision of it: my-ladder@2')
    .option('--all', 'archived studies too')
  withExamples(withStore(command), ['dcalab status', 'dcalab status btc-may-2021 --json']).action(
    (name: string | undefined, options: StatusOptions) =>
      withKnownStore(context, pathsOf(context, options).store, async (store) => {
        const [{ findStudy, listStudies }, { listTrials }, { estimateRun, foreseeRest }] = await Promise.all([
          import('../../workbench/store/study-records.ts'),
          import('../../workbench/store/readers.ts'),
          import('../../workbench/run/estimate.ts'),
        ])
        if (name !== undefined && findStudy(store, name) === undefined) {
          throw new Failure('notFound', `the store holds no study "${name}"`)
        }
        const names =
          name === undefined
            ? listStudies(store).flatMap((record) => (record.archivedAt === null || options.all ? [record.name] : []))
            : [name]
        const rows = names.map((study) => summarise(study, listTrials(store, { study })))
        const now = context.system.clock.wall()
        const spender = await findSpender(context, store)
        const { allowance } = estimateRun(store, [], now, spender === undefined ? {} : { spender })
        const { terminal } = context.system
        if (options.json) return printJson(terminal, { studies: rows, allowance })
        if (rows.length === 0) return say(terminal, 'no study has been run yet')
        return printLines(terminal, [
          ...formatTable(rows, [
            { title: 'study', value: (row) => row.study },
            { title: 'trials', value: (row) => row.total },
            { title: 'done', value: (row) => row.done },
            { title: 'running', value: (row) => row.running },
            { title: 'waiting', value: (row) => row.waiting },
            { title: 'failed', value: (row) => row.failed },
            { title: 'unresolved', value: (row) => row.unresolved },
            { title: 'last finished', value: (row) => row.lastFinishedAt },
          ]),
          `allowance: ${allowance.used} of ${allowance.limit} used, ${allowance.available} free` +
            (allowance.available > 0 ? '' : `; the next one fits at ${allowance.nextAt ?? '-'}`),
          ...describeRest(rows, (todo) => foreseeRest(store, { todo, now, spender })),
        ])
      }),
  )
}

/** Describes what is left to do, in the same words as a run that stops. */
function describeRest(
  rows: readonly ReturnType<typeof summarise>[],
  foresee: (todo: number) => AllowanceOutlook,
): string[] {
  const sum = (count: 'total' | 'done' | 'failed' | 'running' | 'waiting') =>
    rows.reduce((all, row) => all + row[count], 0)
  const todo = sum('waiting')
  if (todo === 0) return []
  const { windows, reopensAt, submittedInMs } = foresee(todo)
  const leftMs = waitsForAllowance({ windows, reopensAt }) ? submittedInMs : null // only a run knows its speed
  const counts = { total: sum('total'), done: sum('done'), failed: sum('failed'), running: sum('running') }
  return [describeProgress({ ...counts, perSecond: null, windows, reopensAt, leftMs })]
}

const BUCKETS: Readonly<Record<TrialState, 'done' | 'running' | 'waiting' | 'failed' | 'unresolved'>> = {
  planned: 'waiting',
  submitting: 'running',
  running: 'running',
  done: 'done',
  failed: 'failed',
  gone: 'failed',
  stalled: 'unresolved',
  unknown: 'unresolved',
  parked: 'unresolved',
}

function summarise(study: string, records: readonly TrialRecord[]) {
  const counts = { done: 0, running: 0, waiting: 0, failed: 0, unresolved: 0 }
  for (const record of records) counts[BUCKETS[record.state]] += 1
  const finished = records.flatMap((record) => (record.finishedAt === null ? [] : [Date.parse(record.finishedAt)]))
  return {
    study,
    total: records.length,
    ...counts,
    lastFinishedAt: finished.length === 0 ? null : formatTime(Math.max(...finished)),
  }
}
