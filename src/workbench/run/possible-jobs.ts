/** What speaks for each job that an unanswered submission could have become, in words for the person who has to say which. Pure. */
import { CONFIG_FIELDS } from '../../contract/bot.ts'
import { marketName } from '../../contract/market.ts'
import type { JobReading } from '../api/reading/readings.ts'
import { idleFields } from '../study/fingerprint.ts'
import type { Trial } from '../study/study.ts'
import { mayBe, type SoughtSubmission } from './find-submitted.ts'

export interface PossibleJob {
  readonly job: string
  /** In the service's own word. */
  readonly state: string
  /** ms, service time; null = not told. */
  readonly createdAt: number | null
  /** What it has in common with the submission, one sentence each. */
  readonly evidence: readonly string[]
}

/** `strangers`: jobs in the list that are no job of ours. Those that say most first, then the earliest. */
export function listPossibleJobs(sought: SoughtSubmission, strangers: readonly JobReading[]): readonly PossibleJob[] {
  return strangers
    .filter((job) => mayBe(job, sought))
    .map((job) => ({ job, told: compare(job, sought.trial) }))
    .sort((a, b) => rank(b, sought) - rank(a, sought) || (a.job.createdAt ?? 0) - (b.job.createdAt ?? 0))
    .map(({ job, told }) => ({
      job: job.id,
      state: job.stateText,
      createdAt: job.createdAt,
      evidence: [
        job.name === sought.name ? 'it goes by the name of the submission' : 'it has no name',
        describeTime(job.createdAt, sought.openedAt),
        describeFields(told),
      ],
    }))
}

interface Told {
  readonly alike: readonly string[]
  readonly untold: readonly string[]
}

function rank({ job, told }: { readonly job: JobReading; readonly told: Told }, { name }: SoughtSubmission): number {
  return told.alike.length + (job.name === name ? 1_000 : 0)
}

/** Nothing of a candidate differs from what was asked for. */
function compare({ request }: JobReading, trial: Trial): Told {
  const idle = idleFields(trial.config)
  const tells: readonly (readonly [string, boolean])[] = [
    [`market ${marketName(trial.market)}`, request?.market != null],
    ['period', request?.period != null],
    ...CONFIG_FIELDS.filter((field) => !idle.includes(field)).map(
      (field) => [field, request?.config[field] !== undefined] as const,
    ),
  ]
  const named = (wanted: boolean) => tells.filter(([, isTold]) => isTold === wanted).map(([name]) => name)
  return { alike: named(true), untold: named(false) }
}

function describeFields({ alike, untold }: Told): string {
  if (alike.length === 0) return 'it tells nothing of what was asked for'
  const same = `it asks for the same ${alike.join(', ')}`
  return untold.length === 0 ? same : `${same}, and does not tell ${untold.join(', ')}`
}

function describeTime(createdAt: number | null, openedAt: number): string {
  if (createdAt === null) return 'when it was created is not told'
  const seconds = Math.round((createdAt - openedAt) / 1000)
  return seconds < 0 ? `created ${-seconds} s before the submission was sent` : `created ${seconds} s after it was sent`
}
