/** What a run is given, and what it keeps in mind between two steps. Everything that must survive a crash is in the store instead. */

import { BACKTEST_ALLOWANCE } from '../../contract/refusals.ts'
import type { System } from '../../system.ts'
import type { JobOperations } from '../api/calls.ts'
import type { Spender } from '../store/services.ts'
import type { Store } from '../store/store.ts'
import { type AskedSettings, askedSettings, type StatedSettings } from '../study/settings.ts'
import type { Study, Trial } from '../study/study.ts'
import { type Allowance, allowanceOf } from './allowance.ts'
import type { Halt } from './plan.ts'
import { firstPace, type PollPace, type PollTerms, USUAL_TERMS } from './poll.ts'
import type { Progress } from './progress.ts'
import type { Recalled } from './recall.ts'
import { createServiceClock, type ServiceClock } from './service-clock.ts'
import type { Grant, WindowObservation } from './window.ts'

export interface RunOptions {
  /** Whose allowance it is, on our embedded service; real services tell it by the key. */
  readonly account?: string
  /** The service is on this machine: settle times are short. */
  readonly loopback?: boolean
  /** Sleep until the allowance reopens, and outlast outages, instead of ending. */
  readonly wait?: boolean
  /** Submit at most so many now. */
  readonly limit?: number
  /** Say what would be submitted; one read of the limits, nothing else. */
  readonly dryRun?: boolean
  /** How long an unanswered submission may still arrive. Default 15 min, 5 s on loopback. */
  readonly settleMs?: number
  /** Stop after so many rejects in a row at the start. Default 3. */
  readonly maxRejects?: number
  /** Submit again what already has an outcome. */
  readonly rerun?: boolean
  /** In place of the documented 100 per 24 hours. */
  readonly allowance?: number
  readonly allowanceWindowMs?: number
  /** Units to leave untouched. */
  readonly reserve?: number
  /** Requests a minute that the client lets out, where they are not the usual 110: for the time that is left. */
  readonly ratePerMinute?: number
  /** Where the lock of the key lies. Default: beside the store; a folder of the user also catches two stores with one key. */
  readonly lockFolder?: string
  /** Interrupts: nothing new is sent, what is on its way is recorded. */
  readonly signal?: AbortSignal
  /** Requests that have left this program; absent = those the run asked for, without the gate's own repeats of a failed read. */
  readonly countRequests?: () => number
  /** What the service is known to compute with. Default: its results tell. */
  readonly serviceSettings?: StatedSettings
  readonly onProgress?: (event: RunEvent) => void
}

export type RunEvent =
  | (Progress & { readonly kind: 'progress' })
  /** Something a person may want to know, in one sentence. */
  | {
      readonly kind: 'waiting' | 'refused' | 'rejected' | 'unsure' | 'resolved' | 'found' | 'observed' | 'stopped'
      readonly message: string
    }
  | { readonly kind: 'warning'; readonly code: string; readonly message: string }

export interface RunInput {
  readonly system: System
  readonly store: Store
  readonly client: JobOperations
  readonly study: Study
  readonly trials: readonly Trial[]
  readonly options?: RunOptions
}

export interface RunState {
  readonly system: System
  readonly store: Store
  readonly client: JobOperations
  readonly study: Study
  readonly trials: readonly Trial[]
  /** The costs and conventions that results are held against. */
  readonly settings: AskedSettings
  readonly options: RunOptions
  readonly clock: ServiceClock
  readonly settleMs: number
  /** The whole allowance, of which `allowance` leaves the reserve. */
  readonly limit: number
  readonly allowance: Allowance
  readonly tell: (event: RunEvent) => void

  /** Requests made, as far as we asked for them: the gate's own repeats of a failed read are not in it. */
  requests: number
  halt: Halt | null
  surveyed: boolean
  /** ms, service time, as all times here. */
  quietUntil: number
  /** The service says its allowance is used up: asked again then. */
  probeAt: number | null
  /** It refused a submission for that just now, so what its limits say is taken with care. */
  refusedFull: boolean
  /** When it opens again, as far as we know. */
  fullUntil: number | null
  /** How the service counts, as far as it has shown. */
  window: WindowObservation | null
  /** What it said is left, where it forgets sooner than our ledger assumes. */
  grant: Grant | null
  /** It refused what it had said was left: only our own ledger counts from then on. */
  limitsRefuted: boolean
  /** Its limits tell numbers. */
  tellsCounts: boolean
  /** It has less left than our ledger: after so many more (rows of the ledger beyond `after`) it is asked before anything is sent. */
  cap: { readonly left: number; readonly after: number } | null
  /** When the service was last asked whether it opens sooner than the ledger, which then opened at `opensAt`. */
  asked: { readonly at: number; readonly opensAt: number } | null
  /** Trials that have a job by a submission of this run. */
  readonly submitted: Set<string>
  /** Submissions of this run that may have been counted. */
  sent: number
  /** Submissions in a row without a certain answer. */
  unsureInARow: number
  /** Some submission was accepted: from then on rejects no longer stop the run. */
  accepted: boolean
  rejectsInARow: number
  /** The usual ones until the service has said that it is ours. */
  pollTerms: PollTerms
  pace: PollPace
  pollAt: number
  lookedAt: number | null
  /** Since when speed is measured, and how many trials had ended by then; anew after each long wait. */
  measuredFrom: { readonly at: number; readonly settled: number } | null
  /** Reads that failed in a row, and since when. */
  failures: number
  failingSince: number | null
  /** How often the list has shown no trace of the unanswered submission, and how often it could not be trusted. */
  absentLooks: number
  doubtfulLooks: number
  judgeAgainAt: number
  /** The service had told its time before the run began. */
  knewTime: boolean
  /** Since when (monotonic ms) this run has seen a submission without an answer. */
  unsure: { readonly attemptId: number; readonly seenAt: number } | undefined
  /** What the store said when it was last read (`recall.ts`). */
  recalled: Recalled | undefined
  readonly warned: Set<string>
  /** The wait that was announced last. */
  lastWait: string
}

const settleMs = 15 * 60_000
const settleOnLoopbackMs = 5_000

export function createRunState({ system, store, client, study, trials, options = {} }: RunInput): RunState {
  return {
    system,
    store,
    client,
    study,
    trials,
    settings: askedSettings(study),
    options,
    clock: createServiceClock(system.clock),
    settleMs: options.settleMs ?? (options.loopback ? settleOnLoopbackMs : settleMs),
    limit: options.allowance ?? BACKTEST_ALLOWANCE.count,
    allowance: allowanceOf(options),
    tell: options.onProgress ?? (() => {}),
    requests: 0,
    halt: null,
    surveyed: false,
    quietUntil: 0,
    probeAt: null,
    refusedFull: false,
    fullUntil: null,
    window: null,
    grant: null,
    limitsRefuted: false,
    tellsCounts: false,
    cap: null,
    asked: null,
    submitted: new Set(),
    sent: 0,
    unsureInARow: 0,
    accepted: false,
    rejectsInARow: 0,
    pollTerms: USUAL_TERMS,
    pace: firstPace(USUAL_TERMS),
    pollAt: 0,
    lookedAt: null,
    measuredFrom: null,
    failures: 0,
    failingSince: null,
    absentLooks: 0,
    doubtfulLooks: 0,
    judgeAgainAt: 0,
    knewTime: false,
    unsure: undefined,
    recalled: undefined,
    warned: new Set(),
    lastWait: '',
  }
}

/** The parts of a run that are known once the service has said who it is. */
export interface OpenRun extends RunState {
  readonly spender: Spender
  readonly runId: number
  /** Attempts up to this one are older than the run. */
  readonly lastAttemptBefore: number
}
