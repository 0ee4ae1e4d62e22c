/** How far studies are: counted, and as a table. */

import type { TrialState } from '../workbench/store/records.ts'
import type { StudyCount } from '../workbench/store/study-counts.ts'
import { formatTime, type Line, toneOfFailures } from './output.ts'
import { type Column, fittingTable } from './table.ts'

const BUCKETS: Readonly<Record<TrialState, 'done' | 'running' | 'waiting' | 'failed' | 'unresolved'>> = {
  planned: 'waiting',
  submitting: 'running',
  running: 'running',
  done: 'done',
  failed: 'failed',
  gone: 'failed',
  stalled: 'unresolved',
  unknown: 'unresolved',
  undecided: 'unresolved',
}

/** The trials of a study by what became of them. */
export function summariseStudy({ study, revision, service, others, states, lastFinishedAt }: StudyCount) {
  const counts = { total: 0, done: 0, running: 0, waiting: 0, failed: 0, unresolved: 0 }
  for (const [state, trials] of states) {
    counts.total += trials
    counts[BUCKETS[state]] += trials
  }
  return {
    study,
    revision,
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
  const revision = { title: 'revision', value: (row: StudyProgress) => row.revision }
  return [
    ...(heading ?? line),
    fittingTable(rows, [
      { title: 'study', role: 'id', value: (row) => row.study },
      ...(rows.some((row) => row.revision > 1) ? [revision] : []),
      ...(services.size > 1 ? [service] : []),
      { title: 'trials', value: (row) => row.total },
      { title: 'done', value: (row) => row.done },
      { title: 'running', value: (row) => row.running },
      { title: 'waiting', value: (row) => row.waiting },
      { title: 'failed', role: 'alarm', value: (row) => row.failed, tone: toneOfFailures },
      ...more,
    ]),
    ...(heading === undefined ? describeOthers(rows) : []),
  ]
}
