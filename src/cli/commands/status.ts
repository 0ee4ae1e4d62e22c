/** `dcalab status`: what is done, running, waiting and failed, and since when. It reads only the store. */
import { type AllowanceOutlook, waitsForAllowance } from '../../workbench/run/progress.ts'
import type { TrialState } from '../../workbench/store/records.ts'
import type { StudyCount } from '../../workbench/store/study-counts.ts'
import { type CommonOptions, type Register, withExamples, withStore } from '../context.ts'
import { describeAllowance } from '../describe-run.ts'
import { formatTime, type Line, printAnswer, printJson, say } from '../output.ts'
import { type TimeWords, timesShown } from '../reader-time.ts'
import { describeProgress } from '../run-progress.ts'
import { findSpender } from '../service-link.ts'
import {
  headingOf,
  noteService,
  type ServiceOptions,
  serviceQuestion,
  shownService,
  withServiceOption,
} from '../shown-service.ts'
import { type Column, fittingTable } from '../table.ts'
import { toneOfFailures } from '../tone.ts'
import { pathsOf, withStoreToRead } from '../workbench.ts'

interface StatusOptions extends CommonOptions, ServiceOptions {
  readonly all?: boolean
}

export const statusCommand: Register = (program, context) => {
  const command = program
    .command('status')
    .description('what is done, running, waiting, failed, and when; asks no service')
    .argument('[study]', 'one study, or one revision of it: my-ladder@2')
    .option('--all', 'archived studies too')
  withExamples(withServiceOption(withStore(command)), ['dcalab status', 'dcalab status btc-may-2021 --json']).action(
    (name: string | undefined, options: StatusOptions) =>
      withStoreToRead(context, pathsOf(context, options).store, async (store) => {
        const [{ countStudies }, { estimateRun, foreseeRest }, { unknownStudy }] = await Promise.all([
          import('../../workbench/store/study-counts.ts'),
          import('../../workbench/run/estimate.ts'),
          import('../../workbench/store/unknown-study.ts'),
        ])
        const question = await serviceQuestion(context, store, options)
        const counts = countStudies(store, {
          ...(name === undefined ? {} : { study: name }),
          all: options.all ?? false,
          ...question,
        })
        const rows = counts.map(summariseStudy)
        if (name !== undefined && rows.length === 0) {
          throw unknownStudy(store, name)
        }
        const shown = name === undefined ? null : shownService(counts[0], question)
        const now = context.system.clock.wall()
        const spender = await findSpender(context, store)
        const { allowance } = estimateRun(store, [], now, spender === undefined ? {} : { spender })
        const { terminal } = context.system
        if (options.json) {
          noteService(terminal, shown)
          return printJson(terminal, { studies: rows, allowance })
        }
        if (rows.length === 0) return say(terminal, 'no study has been run yet')
        const when = timesShown(terminal)
        return printAnswer(terminal, [
          ...describeStudies(rows, {
            ...(shown === null ? {} : { heading: headingOf(shown) }),
            more: [
              { title: 'unresolved', value: (row) => row.unresolved, tone: toneOfFailures },
              { title: 'last finished', value: (row) => when(row.lastFinishedAt) },
            ],
          }),
          describeAllowance(allowance, when),
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
  const { submittedInMs, ...outlook } = foresee(todo)
  const leftMs = waitsForAllowance(outlook) ? submittedInMs : null // only a run knows its speed
  const counts = { total: sum('total'), done: sum('done'), failed: sum('failed'), running: sum('running') }
  return [describeProgress({ ...counts, perSecond: null, ...outlook, leftMs }, 0, when)]
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
export function summariseStudy({ study, service, others, states, lastFinishedAt }: StudyCount) {
  const counts = { total: 0, done: 0, running: 0, waiting: 0, failed: 0, unresolved: 0 }
  for (const [state, trials] of states) {
    counts.total += trials
    counts[BUCKETS[state]] += trials
  }
  return {
    study,
    service: service?.name ?? null,
    ...counts,
    lastFinishedAt: lastFinishedAt === null ? null : formatTime(Date.parse(lastFinishedAt)),
    also: others
      .filter(({ done, open }) => done + open > 0)
      .map(({ name, done, open, total }) => ({ service: name, done, open, total })),
  }
}

const MOST_OTHERS = 3

/** Studies that were run on other services, too. */
function describeOthers(rows: readonly StudyProgress[]): string[] {
  const several = rows.filter(({ also }) => also.length > 0)
  const more = several.length - MOST_OTHERS
  return [
    ...several
      .slice(0, MOST_OTHERS)
      .flatMap(({ study, also }) =>
        also.map(({ service, done, total }) => `${study}: also ${service} (${done} of ${total}): --service ${service}`),
      ),
    ...(more > 0 ? [`and ${more} more with results of several services`] : []),
  ]
}

type StudyProgress = ReturnType<typeof summariseStudy>

/**
 * How far studies are, wherever that is a table: under a line that names their service, where it is the same for all of them. `heading`: what stands
 * there instead, others named with it; `more`: columns behind those that are always there.
 */
export function describeStudies(
  rows: readonly StudyProgress[],
  {
    more = [],
    heading,
  }: { readonly more?: readonly Column<StudyProgress>[]; readonly heading?: readonly string[] } = {},
): Line[] {
  const services = new Set(rows.map(({ service }) => service))
  const [only] = services
  const line = services.size === 1 && only ? [`results of ${only}`] : []
  const service = { title: 'service', value: (row: StudyProgress) => row.service }
  return [
    ...(heading ?? line),
    fittingTable(rows, [
      { title: 'study', value: (row) => row.study },
      ...(services.size > 1 ? [service] : []),
      { title: 'trials', value: (row) => row.total },
      { title: 'done', value: (row) => row.done },
      { title: 'running', value: (row) => row.running },
      { title: 'waiting', value: (row) => row.waiting },
      { title: 'failed', value: (row) => row.failed, tone: toneOfFailures },
      ...more,
    ]),
    ...(heading === undefined ? describeOthers(rows) : []),
  ]
}
