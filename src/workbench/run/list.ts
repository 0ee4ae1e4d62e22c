/** Reading the service's job list, page after page, and single jobs where the list is not enough. */
import { CONFIG_FIELDS, type DcaSpotConfig } from '../../contract/bot.ts'
import { marketName } from '../../contract/market.ts'
import { warning } from '../analysis/warnings/warnings.ts'
import type { ReadOutcome } from '../api/outcome.ts'
import type { JobReading, Page } from '../api/reading/readings.ts'
import type { CallOptions } from '../api/wire/gate.ts'
import { readSentName, type UnresolvedAttempt } from '../store/attempts.ts'
import { echoesNames } from '../store/known-jobs.ts'
import { findTrial } from '../store/readers.ts'
import type { ServiceAccount } from '../store/services.ts'
import type { Store } from '../store/store.ts'
import { idleFields, trialFingerprint } from '../study/fingerprint.ts'
import type { Trial } from '../study/study.ts'
import type { OpenRun } from './open-run.ts'
import { arrivesBy } from './run-state.ts'
import { isAnswered, noteAnswer, noteFailure, noteRefusedRead } from './submit.ts'

/** A job with the time its reply was read (ms UTC of our clock). */
export interface SeenJob {
  readonly job: JobReading
  readonly receivedAt: number
}

export interface SeenList {
  readonly jobs: readonly SeenJob[]
  /** Every page was read and every item understood. */
  readonly complete: boolean
}

/** A list that does not end is no list. */
const mostPages = 200
const pageSize = 1000

/**
 * All pages since `since` (ms, service time; absent = everything); undefined when it could not be read, which the run then has
 * taken note of. `enough` ends the reading early, when completeness does not matter.
 */
export async function readList(
  run: OpenRun,
  options: {
    readonly since?: number
    readonly enough?: (seen: readonly SeenJob[]) => boolean
    readonly purpose?: CallOptions['purpose']
  } = {},
): Promise<SeenList | undefined> {
  const jobs = new Map<string, SeenJob>()
  const asked = new Set<string>()
  let next: string | undefined
  let complete = true
  // The whole list is the answer: a service whose second page keeps failing is failing.
  const answer = (isWhole: boolean): SeenList => {
    noteAnswer(run)
    return { jobs: [...jobs.values()], complete: isWhole && complete }
  }
  for (let page = 0; page < mostPages; page++) {
    const read = await readPage(run, options, next)
    if (read === undefined) return undefined
    for (const job of read.page.items) jobs.set(job.id, { job, receivedAt: read.receivedAt })
    complete &&= read.page.unreadable === 0
    const { unreadable: count, firstUnreadable: first } = read.page
    if (first !== null) run.messages.warnOnce(`unusableItems ${first}`, warning('unusableItems', { count, first }))
    if (read.page.next === null) return answer(true)
    if (options.enough?.([...jobs.values()])) return answer(false)
    next = read.page.next
    if (asked.has(next)) {
      run.messages.warnOnce('repeatedPage', warning('repeatedPage', { pages: page + 1 }))
      return answer(false)
    }
    asked.add(next)
  }
  return answer(false)
}

async function readPage(
  run: OpenRun,
  { since, purpose }: { readonly since?: number; readonly purpose?: CallOptions['purpose'] },
  next: string | undefined,
): Promise<{ page: Page<JobReading>; receivedAt: number } | undefined> {
  run.tally.countRequest()
  const outcome = await run.client.listJobs({
    limit: pageSize,
    since,
    next,
    purpose,
    ...run.call,
  })
  if (outcome.kind === 'ok') {
    run.clock.learn(outcome.raw)
    return { page: outcome.value, receivedAt: outcome.raw.receivedAt }
  }
  noteBadRead(run, outcome, 'the job list')
  return undefined
}

function noteBadRead(run: OpenRun, outcome: Exclude<ReadOutcome<unknown>, { kind: 'ok' }>, what: string): void {
  if (outcome.kind === 'refused') noteRefusedRead(run, outcome)
  else {
    const why = outcome.kind === 'missing' ? 'not found' : outcome.reason
    noteFailure(run, `${what} cannot be read: ${why}`, isAnswered(outcome))
  }
}

/** Single jobs, as many at once as the gate lets go: `missing` for a 404. Those that could not be read are left out. */
export async function readJobs(run: OpenRun, ids: readonly string[]): Promise<Map<string, SeenJob | 'missing'>> {
  const seen = new Map<string, SeenJob | 'missing'>()
  const mayLeave = () => {
    if (run.runStop.mayRead) run.tally.countRequest()
    return run.runStop.mayRead
  }
  const readOne = async (id: string) => {
    const outcome = await run.client.readJob(id, { ...run.call, mayLeave })
    if (outcome.kind === 'ok') seen.set(id, { job: outcome.value, receivedAt: outcome.raw.receivedAt })
    else if (outcome.kind === 'missing') seen.set(id, 'missing')
    else if (run.runStop.mayRead) noteBadRead(run, outcome, `job ${id}`)
  }
  await Promise.all(ids.map(readOne))
  return seen
}

// What became of a submission without an answer, as the service's list shows it. A hit proves arrival at once; absence is
// proved only by complete lists that hold everything else of ours.

export interface SoughtSubmission {
  readonly name: string
  /** ms, service time. */
  readonly openedAt: number
  /** Latest service time at which it may have arrived. */
  readonly arrivedBy: number
  /** Whether the service's times can be compared with ours. */
  readonly timesAgree: boolean
  /** The service has shown jobs under the names that they were sent with. */
  readonly echoesNames: boolean
  readonly trial: Trial
}

export type Finding =
  /** Earliest first; more than one = something on the way delivered the request twice. */
  | { readonly kind: 'found'; readonly jobs: readonly JobReading[] }
  | { readonly kind: 'absent' }
  /** Several could be it, or one that shows neither name nor request: only a person can say. */
  | { readonly kind: 'unclear'; readonly candidates: readonly string[] }

/** Creation times are the service's own: read with an error of seconds, rounded, and sometimes written without their time zone. */
export const toleranceMs = 5_000
export const zoneErrorMs = 26 * 3_600_000

export interface Seeker extends Pick<SoughtSubmission, 'timesAgree' | 'echoesNames'> {
  /** How long a submission may still arrive after its answer was given up. */
  readonly settleMs: number
}

export function soughtOf(
  store: Store,
  { name, fingerprint, openedAt, unsureSince }: UnresolvedAttempt,
  { settleMs, timesAgree, echoesNames }: Seeker,
): SoughtSubmission {
  const trial = findTrial(store, fingerprint)
  if (trial === undefined) throw new Error(`Attempt ${name} has no trial`)
  const arrivedBy = arrivesBy({ openedAt, unsureSince }, settleMs)
  return { name, openedAt, arrivedBy, timesAgree, echoesNames, trial }
}

/** `unknownJobs`: jobs in the list that the store does not know, and did not know before the submission either. */
export function findSubmitted(sought: SoughtSubmission, unknownJobs: readonly JobReading[]): Finding {
  const named = unknownJobs.filter(({ name }) => name === sought.name)
  if (named.length > 0) return { kind: 'found', jobs: [...named].sort(byCreation) }
  const nameless = unknownJobs.filter(({ name }) => !isAnotherName(name, sought))
  // A job that asks for exactly this is never taken for absence, whatever its time says: clocks err, and the price is a unit.
  const alike = nameless.filter((job) => asksFor(job, sought.trial) === 'yes')
  const inTime = alike.filter((job) => isInTime(job, sought, toleranceMs))
  if (inTime.length === 1 || alike.length === 1) return { kind: 'found', jobs: inTime.length === 1 ? inTime : alike }
  const vague = nameless.filter((job) => asksFor(job, sought.trial) === 'unknown' && isInTime(job, sought, zoneErrorMs))
  const open = alike.length > 1 ? alike : vague
  return open.length === 0 ? { kind: 'absent' } : { kind: 'unclear', candidates: open.map(({ id }) => id) }
}

/** Whether a job of this name is another one: a service that echoes names would show ours, one that gives names of its own says nothing by them. */
export function isAnotherName(name: string | null, sought: Pick<SoughtSubmission, 'name' | 'echoesNames'>): boolean {
  return name !== null && name !== sought.name && (sought.echoesNames || isSentName(name))
}

/** Whether a service shows names as they were sent: a list of its jobs, or what was seen of ours before. */
export function showsSentNames(store: Store, serviceAccount: ServiceAccount, jobs: readonly JobReading[]): boolean {
  return jobs.some(({ name }) => isSentName(name)) || echoesNames(store, serviceAccount)
}

/** Whether a store of ours, or of another lab, named it. */
export function isSentName(name: string | null): boolean {
  return name !== null && readSentName(name) !== undefined
}

function byCreation(a: JobReading, b: JobReading): number {
  return (a.createdAt ?? 0) - (b.createdAt ?? 0)
}

/** `tolerance`, ms. Where a time is not stated, or cannot be compared, it could be. */
export function isInTime(
  job: JobReading,
  { openedAt, arrivedBy, timesAgree }: Pick<SoughtSubmission, 'openedAt' | 'arrivedBy' | 'timesAgree'>,
  tolerance: number,
): boolean {
  if (job.createdAt === null || !timesAgree) return true
  return job.createdAt >= openedAt - tolerance && job.createdAt <= arrivedBy + tolerance
}

/** Whether a job was asked for with exactly this trial; `unknown` when the service does not echo enough to say. */
export function asksFor(job: JobReading, trial: Trial): 'yes' | 'no' | 'unknown' {
  const fingerprint = fingerprintOf(job)
  if (fingerprint !== undefined) return fingerprint === trial.fingerprint ? 'yes' : 'no'
  const { request } = job
  if (request === null) return 'unknown'
  const { market, period, config } = request
  if (market !== null && marketName(market) !== marketName(trial.market)) return 'no'
  if (period !== null && (period.from !== trial.period.from || period.to !== trial.period.to)) return 'no'
  const idle = idleFields(trial.config)
  const differs = CONFIG_FIELDS.some(
    (field) => !idle.includes(field) && config[field] !== undefined && config[field] !== trial.config[field],
  )
  return differs ? 'no' : 'unknown'
}

/** The trial a job was asked for, where the service echoes everything that makes one. */
export function fingerprintOf({ request }: JobReading): string | undefined {
  if (request === null || request.market === null || request.period === null) return undefined
  const { market, period, config } = request
  return isWhole(config) ? trialFingerprint({ market, period, config }) : undefined
}

function isWhole(config: Readonly<Partial<DcaSpotConfig>>): config is DcaSpotConfig {
  return CONFIG_FIELDS.every((field) => config[field] !== undefined)
}
