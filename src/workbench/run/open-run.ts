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
import type { CallOptions, JobOperations } from '../api/calls.ts'
import { findUnresolved, listUndecided, type UnresolvedAttempt } from '../store/attempts.ts'
import { listOpenJobs, type OpenJob, readLongestJobMs } from '../store/jobs.ts'
import { readSpent } from '../store/ledger.ts'
import { readStagesByMarket, type TrialStage } from '../store/readers.ts'
import type { ServiceAccount } from '../store/services.ts'
import { type KeptSettings, type MarketSettings, NO_SETTINGS } from '../store/settings.ts'
import { revisionOf, type Store } from '../store/store.ts'
import { askedSettings } from '../study/asked-settings.ts'
import type { AskedSettings, Settings } from '../study/settings.ts'
import type { Study, Trial } from '../study/study.ts'
import { type Allowance, allowanceOf, ledgerSince } from './allowance.ts'
import { Labs } from './labs.ts'
import type { RunInput, RunOptions } from './options.ts'
import { OWN_TERMS, Polls, USUAL_TERMS } from './poll.ts'
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
import { ServiceAllowance } from './service-allowance.ts'
import { createServiceClock, type ServiceClock } from './service-clock.ts'

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
  const unresolved = once(() => findUnresolved(store, serviceAccount))
  return {
    stages: once(() => readStagesByMarket(store, { identity: serviceAccount.identity, trials: trials(), settingsOn })),
    openJobs: once(() => listOpenJobs(store, serviceAccount)),
    longestJobMs: once(() => readLongestJobMs(store, serviceAccount)),
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
