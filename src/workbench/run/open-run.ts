/**
 * The parts of a run. A run keeps in mind what it would be rude or slow to forget between two steps, never what it must not lose: that is
 * in the store. Each part is an object that alone writes its members; this record only holds them together.
 *
 *     tally             what was asked and sent              polls        when running jobs are polled
 *     runStop           why it stops                         unanswered   the submission without an answer
 *     retryBackoff      how long the service is left alone   throughput   since when speed is measured
 *     workQueue         what is to be submitted              labs         who else submits it
 *     serviceAllowance  what the service showed of its       recall       what the store says, read again after a commit
 *                       allowance, beside our ledger         messages     what was said already
 *     firstResult       whether a result was read that       rereads      which results are read once more
 *                       agrees with itself
 */

import { BACKTEST_ALLOWANCE } from '../../contract/bodies.ts'
import { type Market, marketName } from '../../contract/market.ts'
import type { System } from '../../system.ts'
import type { JobOperations } from '../api/calls.ts'
import type { CallOptions } from '../api/wire/gate.ts'
import { findUnresolved, listUndecided, type UnresolvedAttempt } from '../store/attempts.ts'
import { listOpenJobs, type OpenJob, readLongestJobMs } from '../store/jobs.ts'
import { readSpent } from '../store/ledger.ts'
import { readStagesByMarket, type TrialStage } from '../store/readers.ts'
import type { ServiceAccount } from '../store/services.ts'
import { type KeptSettings, type MarketSettings, NO_SETTINGS } from '../store/settings.ts'
import { revisionOf, type Store } from '../store/store.ts'
import { readRunStarts } from '../store/studies.ts'
import { askedSettings } from '../study/parse.ts'
import type { AskedSettings, Settings } from '../study/settings.ts'
import type { Study, Trial } from '../study/study.ts'
import { type Allowance, allowanceOf, ledgerSince, ServiceAllowance } from './allowance.ts'
import { Labs } from './labs.ts'
import type { RunInput, RunOptions } from './options.ts'
import type { Watched } from './progress.ts'
import {
  FirstResult,
  Rereads,
  RetryBackoff,
  RunMessages,
  RunStop,
  RunTally,
  Throughput,
  Unanswered,
  WorkQueue,
} from './run-state.ts'
import { createServiceClock, type ServiceClock } from './service-clock.ts'

// When running jobs are polled again. Few requests and fresh results pull in opposite directions: so the next poll comes when about
// half of what still runs should have ended, judging by the last poll, and ever later while nothing ends.

interface PollPace {
  /** Between the last poll and the next. */
  readonly intervalMs: number
  /** Polls in a row at which nothing had ended. */
  readonly quiet: number
}

/** How eagerly a service is asked. */
interface PollTerms {
  readonly firstMs: number
  readonly shortestMs: number
  /** While there is still work to submit, results can wait a little: the requests are better spent. */
  readonly shortestWhileSubmittingMs: number
  /** Every submission puts the next poll off until so long after it; null = polls do not depend on submissions. */
  readonly afterSubmissionMs: number | null
  /** Others may submit with the same key: the list is read for their jobs too, every so many submissions; null = nobody else is expected. */
  readonly listEvery: number | null
}

/** A backtest there may take minutes, and nobody knows how a service likes to be asked. */
export const USUAL_TERMS: PollTerms = {
  firstMs: 2_000,
  shortestMs: 1_000,
  shortestWhileSubmittingMs: 5_000,
  afterSubmissionMs: null,
  listEvery: 4,
}

/** Our own service has computed most jobs before the next one arrives: one poll when all are submitted finds nearly everything. */
export const OWN_TERMS: PollTerms = {
  firstMs: 200,
  shortestMs: 100,
  shortestWhileSubmittingMs: 100,
  afterSubmissionMs: 200,
  listEvery: null,
}

const longestMs = 45_000
/** However much there is to submit, results do not wait longer than this for a poll. */
const putOffMs = 5_000

function firstPace({ firstMs }: PollTerms): PollPace {
  return { intervalMs: firstMs, quiet: 0 }
}

/** When the next poll is due after one more submission was accepted. All times in ms of one clock. */
export function pollAfterSubmission(
  { afterSubmissionMs }: PollTerms,
  { now, pollAt, polledAt }: { readonly now: number; readonly pollAt: number; readonly polledAt: number | null },
): number {
  if (afterSubmissionMs === null) return pollAt
  return Math.min(now + afterSubmissionMs, Math.max(now, (polledAt ?? now) + putOffMs))
}

interface PollRound {
  /** Jobs that had ended since the last poll. */
  readonly ended: number
  readonly running: number
  /** Since the last poll. */
  readonly elapsedMs: number
  readonly submitting: boolean
}

export function nextPace(
  pace: PollPace,
  terms: PollTerms,
  { ended, running, elapsedMs, submitting }: PollRound,
): PollPace {
  const floor = submitting ? terms.shortestWhileSubmittingMs : terms.shortestMs
  const wanted = ended === 0 ? pace.intervalMs * 1.5 : ((elapsedMs / ended) * running) / 2
  return { intervalMs: Math.min(longestMs, Math.max(floor, wanted)), quiet: ended === 0 ? pace.quiet + 1 : 0 }
}

/** Whether the list is read before more is sent: at first often, so that two labs that start together soon know of each other. */
function isListDueAfter({ listEvery }: PollTerms, submissions: number): boolean {
  if (listEvery === null) return false
  return submissions === 1 || submissions === 2 || submissions % listEvery === 0
}

/** Jobs that changed while the last page was read must not slip through between two polls. */
const overlapMs = 10_000
/** Services may mean "created since": every so often the question is wide enough for that reading too. */
const wideEvery = 4

/**
 * Since when jobs are asked for (ms, service time). Normally since the last poll; now and then, while nothing ends, since the
 * oldest running job was submitted.
 */
function pollSince(pace: PollPace, polledAt: number | null, oldestSubmittedAt: number): number {
  const wide = oldestSubmittedAt - overlapMs
  if (polledAt === null || (pace.quiet > 0 && pace.quiet % wideEvery === 0)) return wide
  return Math.max(wide, polledAt - overlapMs)
}

/** When this run polls its running jobs: the state over the arithmetic above. All times: ms, service time. */
export class Polls {
  readonly #terms: PollTerms
  #pace: PollPace
  #surveyed = false
  #polledAt: number | null = null
  /** By the number of each job that this run waits for: since when, monotonic ms. */
  readonly #waitsSince = new Map<number, number>()
  #nextAt = 0
  #submissions = 0
  /** Up to then the list is known with everything in it, whoever sent it. */
  #listedAt = 0
  #isListDue = false
  /** Nothing was sent, and no time has passed, since the list was read. */
  #isListFresh = false
  /** Another lab submits with the key: the list is read before every submission. */
  #isShared = false

  constructor(terms: PollTerms) {
    this.#terms = terms
    this.#pace = firstPace(terms)
  }

  /** The whole list has been read once since the start, or since `surveyAgain`. */
  get surveyed(): boolean {
    return this.#surveyed
  }

  get polledAt(): number | null {
    return this.#polledAt
  }

  /** These are waited for from now on, if not before. `now`: monotonic ms. */
  noteRunning(jobs: readonly OpenJob[], now: number): void {
    for (const { id } of jobs) if (!this.#waitsSince.has(id)) this.#waitsSince.set(id, now)
  }

  /** How long this run has waited for the job, ms. `now`: monotonic ms. */
  waitedFor({ id }: OpenJob, now: number): number {
    return now - (this.#waitsSince.get(id) ?? now)
  }

  get nextAt(): number {
    return this.#nextAt
  }

  /** Before the next submission the list is read, because another lab may have sent that trial. */
  get isListDue(): boolean {
    return this.#isShared ? !this.#isListFresh : this.#isListDue
  }

  noteSurvey(now: number): void {
    this.#surveyed = true
    this.noteList(now)
    this.#polledAt = now
    this.#nextAt = now + this.#pace.intervalMs
  }

  /** Other trials are planned than at the last survey. */
  surveyAgain(): void {
    this.#surveyed = false
  }

  /** A list that shows everything since `listSince` or longer was asked for at `startedAt`. */
  noteList(startedAt: number): void {
    this.#listedAt = startedAt
    this.#isListDue = false
    this.#isListFresh = true
  }

  noteOtherLab(): void {
    this.#isShared = true
  }

  noteRest(): void {
    this.#isListFresh = false
  }

  noteSubmission(now: number): void {
    this.#submissions++
    this.#isListFresh = false
    this.#isListDue ||= isListDueAfter(this.#terms, this.#submissions)
    this.#nextAt = pollAfterSubmission(this.#terms, { now, pollAt: this.#nextAt, polledAt: this.#polledAt })
  }

  /** Since when jobs are asked for. `isMissed`: one was not found, so only a list that would show it can confirm that it is gone. */
  askSince(oldestSubmittedAt: number, { isMissed }: { readonly isMissed: boolean }): number {
    return pollSince(this.#pace, isMissed ? null : this.#polledAt, oldestSubmittedAt)
  }

  /** Since when everything is asked for, to see what others sent. */
  get listSince(): number {
    return this.#listedAt - overlapMs
  }

  /** A poll that began at `startedAt` is over. */
  notePoll(
    round: Omit<PollRound, 'elapsedMs'>,
    when: { startedAt: number; now: number; oldestSubmittedAt: number },
  ): void {
    const { startedAt, now, oldestSubmittedAt } = when
    const elapsedMs = startedAt - (this.#polledAt ?? oldestSubmittedAt)
    // A poll before its time was made for what others sent: that nothing had ended says nothing of how long jobs take.
    const isEarly = startedAt < this.#nextAt
    if (round.ended > 0 || !isEarly) this.#pace = nextPace(this.#pace, this.#terms, { ...round, elapsedMs })
    this.#polledAt = startedAt
    this.#nextAt = now + this.#pace.intervalMs
  }
}

/** What there is before the service has said who it is. */
export interface Beginning {
  readonly system: System
  readonly store: Store
  readonly client: JobOperations
  readonly study: Study
  readonly workQueue: WorkQueue
  readonly options: RunOptions
  /** Goes with every request, so that an interrupt ends it. */
  readonly call: CallOptions
  /** The costs and conventions that results are held against. */
  readonly settings: AskedSettings
  /** How long an unanswered submission may still arrive. */
  readonly settleMs: number
  /** The whole allowance, of which `allowance` leaves the reserve. */
  readonly limit: number
  readonly allowance: Allowance
  readonly clock: ServiceClock
  readonly tally: RunTally
  readonly runStop: RunStop
  readonly retryBackoff: RetryBackoff
  readonly serviceAllowance: ServiceAllowance
  readonly messages: RunMessages
}

export interface OpenRun extends Beginning {
  readonly serviceAccount: ServiceAccount
  readonly runId: number
  /** What submissions ask to be computed under, by market; on a service that is not ours, nothing. */
  readonly asked: MarketSettings
  /** Attempts up to this one are older than the run. */
  readonly lastAttemptBefore: number
  /** It is our own service, which is asked eagerly and computes under what it is asked. */
  readonly isOwn: boolean
  /** What was spent before it has no say in this run: ms, service time. It never moves, so that no unit is forgotten on the way. */
  readonly ledgerSince: number
  readonly polls: Polls
  readonly labs: Labs
  readonly unanswered: Unanswered
  readonly throughput: Throughput
  readonly recall: Recall
  readonly firstResult: FirstResult
  readonly rereads: Rereads
  /** ms UTC of our clock. */
  readonly startedAt: number
}

/** What shows for how long a job has run. */
export function watch({ clock, system, polls, recall }: OpenRun, job: OpenJob): Watched {
  return { now: clock.now(), waitedMs: polls.waitedFor(job, system.clock.monotonic()), begun: recall.begunSince(job) }
}

/** How long an unanswered submission may still arrive, ms, unless the user says otherwise. */
export function usualArrivalMs(loopback: boolean): number {
  return loopback ? 5_000 : 15 * 60_000
}

export function beginRun({ system, store, client, study, trials, options = {} }: RunInput): Beginning {
  const limit = options.allowance ?? BACKTEST_ALLOWANCE.count
  const allowance = allowanceOf(options)
  return {
    system,
    store,
    client,
    study,
    workQueue: new WorkQueue(trials),
    options,
    call: options.signal === undefined ? {} : { signal: options.signal },
    settings: askedSettings(study),
    settleMs: options.settleMs ?? usualArrivalMs(options.loopback ?? false),
    limit,
    allowance,
    clock: createServiceClock(system.clock),
    tally: new RunTally(options),
    runStop: new RunStop(),
    retryBackoff: new RetryBackoff(options),
    serviceAllowance: new ServiceAllowance({ limit, allowance }),
    messages: new RunMessages(options.onProgress),
  }
}

export type Opening = Pick<OpenRun, 'serviceAccount' | 'runId' | 'asked' | 'lastAttemptBefore' | 'isOwn'>

/** What submissions on a market ask for. */
export function askedOn({ asked }: Pick<OpenRun, 'asked'>, market: Market): KeptSettings {
  return asked.get(marketName(market)) ?? NO_SETTINGS
}

/** What was learned at the beginning goes on: both records hold the same objects. */
export function openRun(beginning: Beginning, opening: Opening): OpenRun {
  const { store, workQueue, clock } = beginning
  const since = ledgerSince(beginning.allowance, clock.now())
  return {
    ...beginning,
    ...opening,
    labs: new Labs(),
    polls: new Polls(opening.isOwn ? OWN_TERMS : USUAL_TERMS),
    unanswered: new Unanswered({ settleMs: beginning.settleMs, knewTime: clock.isAnchored() }),
    throughput: new Throughput(),
    ledgerSince: since,
    firstResult: new FirstResult({ isAwaited: !opening.isOwn }),
    rereads: new Rereads(),
    startedAt: beginning.system.clock.wall(),
    recall: new Recall({
      store,
      serviceAccount: opening.serviceAccount,
      trials: () => workQueue.trials,
      settingsOn: (market) => askedOn(opening, market).settings,
      since,
    }),
  }
}

// What the store says, read again only after a commit. A run asks at every step, and most steps — a sleep, a poll of what still runs —
// change nothing. Nothing here outlives a change: the store stays the only memory.

interface Question {
  readonly store: Store
  readonly serviceAccount: ServiceAccount
  readonly trials: () => readonly Trial[]
  readonly settingsOn: (market: Market) => Settings
  /** What was spent before it is not asked about: ms, service time. */
  readonly since: number
}

/** Each is read when it is first asked for. */
interface Answers {
  readonly stages: () => ReadonlyMap<string, TrialStage>
  readonly openJobs: () => readonly OpenJob[]
  readonly longestJobMs: () => number | null
  readonly runStarts: () => ReturnType<typeof readRunStarts>
  readonly unresolved: () => UnresolvedAttempt | undefined
  readonly undecided: () => number
  readonly spentAt: () => readonly number[]
}

export class Recall {
  readonly #question: Question
  #revision: string | undefined
  #answers: Answers

  constructor(question: Question) {
    this.#question = question
    this.#answers = answersTo(question)
  }

  /** Where the study's trials stand on this service. */
  stages(): ReadonlyMap<string, TrialStage> {
    return this.#fresh().stages()
  }

  openJobs(): readonly OpenJob[] {
    return this.#fresh().openJobs()
  }

  /** What the longest of the service's latest finished jobs took, ms; null = none has finished yet. */
  longestJobMs(): number | null {
    return this.#fresh().longestJobMs()
  }

  /** When the runs began that could ask for a running job, from the one that sent it on: ms UTC of our clock. */
  begunSince({ runId }: OpenJob): readonly number[] {
    return this.#fresh()
      .runStarts()
      .flatMap(({ id, at }) => (id < runId ? [] : [at]))
  }

  unresolved(): UnresolvedAttempt | undefined {
    return this.#fresh().unresolved()
  }

  /** Submissions that only a person can settle. */
  undecided(): number {
    return this.#fresh().undecided()
  }

  /** When each unit was spent (ms, service time), oldest first, as of `now`: a submission under way counts as spent now. */
  spentAt(now: number): readonly number[] {
    const spentAt = this.#fresh().spentAt()
    if (spentAt.at(-1) !== Number.POSITIVE_INFINITY) return spentAt
    return spentAt.map((at) => (at === Number.POSITIVE_INFINITY ? now : at)).sort((a, b) => a - b)
  }

  #fresh(): Answers {
    const revision = revisionOf(this.#question.store)
    if (revision !== this.#revision) {
      this.#revision = revision
      this.#answers = answersTo(this.#question)
    }
    return this.#answers
  }
}

function answersTo({ store, serviceAccount, trials, settingsOn, since }: Question): Answers {
  const { identity } = serviceAccount
  const unresolved = once(() => findUnresolved(store, serviceAccount))
  const openJobs = once(() => listOpenJobs(store, serviceAccount))
  const oldestRun = () => Math.min(...openJobs().flatMap(({ state, runId }) => (state === 'running' ? [runId] : [])))
  return {
    stages: once(() => readStagesByMarket(store, { identity, trials: trials(), settingsOn })),
    openJobs,
    longestJobMs: once(() => readLongestJobMs(store, serviceAccount)),
    runStarts: once(() => readRunStarts(store, { identity, from: oldestRun() })),
    unresolved,
    undecided: once(() => listUndecided(store, serviceAccount).length - (unresolved() === undefined ? 0 : 1)),
    // A submission under way stands at Infinity here, because it counts as spent now, whenever that is.
    spentAt: once(() => readSpent(store, { ...serviceAccount, since, now: Number.POSITIVE_INFINITY })),
  }
}

function once<T>(read: () => T): () => T {
  let known: { readonly value: T } | undefined
  return () => {
    known ??= { value: read() }
    return known.value
  }
}
