/** `dcalab status`: what is done, running, waiting and failed, and since when. It reads only the store. */
import { type AllowanceOutlook, waitsForAllowance } from '../../workbench/run/progress.ts'
import type { TrialState } from '../../workbench/store/records.ts'
import type { StudyCount } from '../../workbench/store/study-counts.ts'
import { type CommonOptions, type Register, withExamples, withStore } from '../context.ts'
import { formatTime, printAnswer, printJson, say } from '../output.ts'
import { type TimeWords, timesShown } from '../reader-time.ts'
import { describeProgress } from '../run-progress.ts'
import { findSpender } from '../service-link.ts'
import { type Column, fittingTable } from '../table.ts'
import { toneOfFailures } from '../tone.ts'
import { pathsOf, withStoreToRead } from '../workbench.ts'

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
      withStoreToRead(context, pathsOf(context, options).store, async (store) => {
        const [{ countStudies }, { estimateRun, foreseeRest }, { unknownStudy }] = await Promise.all([
          import('../../workbench/store/study-counts.ts'),
          import('../../workbench/run/estimate.ts'),
          import('../../workbench/store/unknown-study.ts'),
        ])
        const rows = countStudies(store, {
          ...(name === undefined ? {} : { study: name }),
          all: options.all ?? false,
        }).map(summariseStudy)
        if (name !== undefined && rows.length === 0) {
          throw unknownStudy(store, name)
        }
        const now = context.system.clock.wall()
        const spender = await findSpender(context, store)
        const { allowance } = estimateRun(store, [], now, spender === undefined ? {} : { spender })
        const { terminal } = context.system
        if (options.json) return printJson(terminal, { studies: rows, allowance })
        if (rows.length === 0) return say(terminal, 'no study has been run yet')
        const when = timesShown(terminal)
        return printAnswer(terminal, [
          fittingTable(rows, [
            ...PROGRESS_COLUMNS,
            { title: 'unresolved', value: (row) => row.unresolved, tone: toneOfFailures },
            { title: 'last finished', value: (row) => when(row.lastFinishedAt) },
          ]),
          `allowance: ${allowance.used} of ${allowance.limit} used, ${allowance.available} free` +
            (allowance.available > 0 ? '' : `; the next one fits at ${when(allowance.nextAt)}`),
          ...describeRest(rows, (todo) => foreseeRest(store, { todo, now, spender }), when),
        ])
      }),
  )
}

/** Describes what is left to do, in the same words as a run that stops. */
function describeRest(
  rows: readonly ReturnType<typeof summariseStudy>[],
  foresee: (todo: number) => AllowanceOutlook,
  when: TimeWords,
): string[] {
  const sum = (count: 'total' | 'done' | 'failed' | 'running' | 'waiting') =>
    rows.reduce((all, row) => all + row[count], 0)
  const todo = sum('waiting')
  if (todo === 0) return []
  const { windows, reopensAt, submittedInMs } = foresee(todo)
  const leftMs = waitsForAllowance({ windows, reopensAt }) ? submittedInMs : null // only a run knows its speed
  const counts = { total: sum('total'), done: sum('done'), failed: sum('failed'), running: sum('running') }
  return [describeProgress({ ...counts, perSecond: null, windows, reopensAt, leftMs }, 0, when)]
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

/** The trials of a study by what became of them. */
export function summariseStudy({ study, states, lastFinishedAt }: StudyCount) {
  const counts = { total: 0, done: 0, running: 0, waiting: 0, failed: 0, unresolved: 0 }
  for (const [state, trials] of states) {
    counts.total += trials
    counts[BUCKETS[state]] += trials
  }
  return { study, ...counts, lastFinishedAt: lastFinishedAt === null ? null : formatTime(Date.parse(lastFinishedAt)) }
}

type StudyProgress = ReturnType<typeof summariseStudy>

/** How far a study is, wherever that is a row of a table. */
export const PROGRESS_COLUMNS: readonly Column<StudyProgress>[] = [
  { title: 'study', value: (row) => row.study },
  { title: 'trials', value: (row) => row.total },
  { title: 'done', value: (row) => row.done },
  { title: 'running', value: (row) => row.running },
  { title: 'waiting', value: (row) => row.waiting },
  { title: 'failed', value: (row) => row.failed, tone: toneOfFailures },
]
