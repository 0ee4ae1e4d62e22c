/**
 * What a run keeps in mind, an object for each concern. Nothing of it must survive: that is in the store. Members are private: a step asks, and says
 * what happened.
 */
import type { Warning } from '../analysis/warnings/warnings.ts'
import type { KeptProposal } from '../store/kept-proposals.ts'
import type { TrialStage } from '../store/readers.ts'
import type { CheckableResult } from '../store/revised-results.ts'
import type { Proposal, SearchMethod } from '../study/proposals.ts'
import type { Trial } from '../study/study.ts'
import type { Halt } from './next-step.ts'
import type { RunEvent } from './options.ts'

// Why a run stops before everything is done. The first reason is the one that is reported.

export class RunStop {
  #halt: Halt | null = null

  get halt(): Halt | null {
    return this.#halt
  }

  /** No more submissions, but what runs may still be collected, or there is no halt at all. */
  get mayRead(): boolean {
    return this.#halt === null || this.#halt.mayRead
  }

  /**
   * Answers whether this changed anything: a later halt counts only if it also forbids reading, which the first one did not. It keeps the
   * first reason.
   */
  pull(halt: Halt): boolean {
    if (this.#halt !== null && (!this.#halt.mayRead || halt.mayRead)) return false
    this.#halt = { by: this.#halt?.by ?? halt.by, mayRead: halt.mayRead }
    return true
  }
}

// What a run reports to the person who started it. Warnings and long waits are reported once.

/** Waits that people notice are announced, once for each reason: a wait of a day is slept in many short pieces. */
const longWaitMs = 60_000

export class RunMessages {
  readonly emit: (event: RunEvent) => void
  readonly #warned = new Set<string>()
  #lastWait = ''

  constructor(emit: ((event: RunEvent) => void) | undefined) {
    this.emit = emit ?? (() => {})
  }

  /** `said`: what counts as the same warning. */
  warnOnce(said: string, { code, message }: Pick<Warning, 'code' | 'message'>): void {
    if (this.#warned.has(said)) return
    this.#warned.add(said)
    this.emit({ kind: 'warning', code, message })
  }

  hasWarned(said: string): boolean {
    return this.#warned.has(said)
  }

  /** Answers whether this wait has been announced, now or at an earlier piece of it. */
  announceWait(words: string, ms: number): boolean {
    if (ms > longWaitMs && words !== this.#lastWait) {
      this.#lastWait = words
      this.emit({ kind: 'waiting', message: words })
    }
    return words === this.#lastWait
  }
}

// How long the service is left alone. Failures in a row make the pause grow from five seconds to five minutes; a service that asks for a
// pause gets it. All times: ms, service time.

const firstBackoffMs = 5_000
const longestBackoffMs = 5 * 60_000
/** Without `--wait` a run gives a failing service up after this long. */
const giveUpMs = 10 * 60_000
const giveUpOnLoopbackMs = 30_000

interface BackoffTerms {
  /** The service is on this machine: it is back soon, or not at all. */
  readonly loopback?: boolean
  /** Outlast every outage. */
  readonly wait?: boolean
}

export class RetryBackoff {
  readonly #terms: BackoffTerms
  #quietUntil = 0
  /** Failures in a row, and since when. */
  #failures = 0
  #failingSince: number | null = null

  constructor(terms: BackoffTerms) {
    this.#terms = terms
  }

  /** Nothing is asked of the service before. */
  get quietUntil(): number {
    return this.#quietUntil
  }

  /** A request got no sensible answer. `isOver`: it has gone on for longer than this run waits. */
  noteFailure(now: number): { readonly backoffMs: number; readonly isOver: boolean } {
    this.#failingSince ??= now
    if (now < this.#quietUntil) return { backoffMs: this.#quietUntil - now, isOver: false } // sent before the pause began
    const backoffMs = Math.min(longestBackoffMs, firstBackoffMs * 2 ** this.#failures)
    this.#failures++
    this.#quietUntil = now + backoffMs
    const longest = this.#terms.loopback ? giveUpOnLoopbackMs : giveUpMs
    return { backoffMs, isOver: this.#terms.wait !== true && this.#quietUntil - this.#failingSince > longest }
  }

  /** It answers again. A pause that it asked for still holds. */
  noteAnswer(): void {
    this.#failures = 0
    this.#failingSince = null
  }

  pause(now: number, ms: number): void {
    this.#quietUntil = Math.max(this.#quietUntil, now + ms)
  }

  /**
   * Submissions without an answer may each have cost a unit. `tooMany`: how many of them came after the last that was taken
   * calmly; the pause doubles with each, from 5 minutes up to 80.
   */
  pauseUnsure(now: number, tooMany: number): void {
    this.#quietUntil = now + longestBackoffMs * 2 ** Math.min(4, tooMany)
  }

  endPause(): void {
    this.#quietUntil = 0
  }
}

// Since when the speed of a run is measured, anew after each long wait.

interface MeasuredFrom {
  /** ms, service time. */
  readonly at: number
  /** Trials that had ended by then. */
  readonly ended: number
}

export class Throughput {
  #from: MeasuredFrom | null = null

  /** `isStarted`: the list was read once. What it showed as ended is not this run's speed. */
  measureFrom(here: MeasuredFrom, { isStarted }: { readonly isStarted: boolean }): MeasuredFrom {
    if (isStarted) this.#from ??= here
    return this.#from ?? here
  }

  startAnew(): void {
    this.#from = null
  }
}

// What this run has asked for and sent so far. It starts at zero each time; what must survive a restart is in the store.

interface TallyTerms {
  /** Stop after so many rejects in a row at the start. Default 3. */
  readonly maxRejects?: number | undefined
  /** Requests that have left this program, where somebody counts them; else those that were asked for. */
  readonly countRequests?: () => number
}

const usualMaxRejects = 3

export class RunTally {
  readonly #terms: TallyTerms
  #requests = 0
  #sent = 0
  #hasAccepted = false
  #rejectsInARow = 0
  #unsureSinceAccepted = 0
  /** Trials that have a job by a submission of this run. */
  readonly #submitted = new Set<string>()

  constructor(terms: TallyTerms) {
    this.#terms = terms
  }

  countRequest(): void {
    this.#requests++
  }

  get requests(): number {
    return this.#terms.countRequests?.() ?? this.#requests
  }

  /** Submissions of this run that the service may have counted. */
  get sent(): number {
    return this.#sent
  }

  addSubmitted(fingerprint: string): void {
    this.#submitted.add(fingerprint)
  }

  hasSubmitted(fingerprint: string): boolean {
    return this.#submitted.has(fingerprint)
  }

  noteAccepted(): void {
    this.#sent++
    this.#hasAccepted = true
    this.#rejectsInARow = 0
    this.#unsureSinceAccepted = 0
  }

  /** A submission that got no answer turned up in the list. It was counted when it was sent. */
  noteArrived(fingerprint: string): void {
    this.addSubmitted(fingerprint)
    this.#hasAccepted = true
  }

  /** Answers how many rejects in a row the run began with, once that is too many; else null. After one accepted submission none are. */
  noteRejected(): number | null {
    this.#sent++
    this.#rejectsInARow++
    const most = this.#terms.maxRejects ?? usualMaxRejects
    return !this.#hasAccepted && this.#rejectsInARow >= most ? this.#rejectsInARow : null
  }

  /** Answers how many submissions got no certain answer since the last that was accepted: a reject between them takes back no unit. */
  noteUnsure(): number {
    this.#sent++
    return ++this.#unsureSinceAccepted
  }
}

// Whether a result of the service was read whose numbers agree with each other, as a run knows it. `run.ts` finds out.

export class FirstResult {
  #isAwaited: boolean
  #checked: number | null = null
  #listed: ReadonlySet<string> = new Set()

  constructor({ isAwaited }: { readonly isAwaited: boolean }) {
    this.#isAwaited = isAwaited
  }

  /** No result of the service has been read yet whose numbers agree. */
  get isAwaited(): boolean {
    return this.#isAwaited
  }

  noteRead(): void {
    this.#isAwaited = false
  }

  /** The service's list shows these jobs of ours. */
  noteListed(jobs: readonly string[]): void {
    if (this.#isAwaited) this.#listed = new Set([...this.#listed, ...jobs])
  }

  isListed(job: string): boolean {
    return this.#listed.has(job)
  }

  /** Answers whether results up to this job are news. */
  isNews(latestJob: number): boolean {
    const isNews = this.#checked !== latestJob
    this.#checked = latestJob
    return isNews
  }
}

// The one submission without an answer: when the list may be asked what became of it, and how often the list has said so. Absence counts
// only when two trustworthy lists show it, some time apart. Times: ms, service time, unless they are monotonic.

/** Absence takes two complete lists with this between them (less where settle times are short). */
const secondSearchMs = 60_000
/** Lists that lack jobs of ours are no evidence; after so many the attempt is left to a later run. */
const mostPoorLists = 5

interface UnansweredTerms {
  /** How long an unanswered submission may still arrive. */
  readonly settleMs: number
  /** The service had stated its time before the run began, so times in the store are the service's. */
  readonly knewTime: boolean
}

interface Submission {
  readonly id: number
  readonly openedAt: number
  readonly unsureSince: number | null
}

/** Latest service time at which a submission may have arrived, `settleMs` after its answer was given up. */
export function arrivesBy({ unsureSince, openedAt }: Omit<Submission, 'id'>, settleMs: number): number {
  return (unsureSince ?? openedAt) + settleMs
}

export class Unanswered {
  readonly #terms: UnansweredTerms
  /** Of which submission the rest is: what was seen of one says nothing of the next. */
  #id: number | undefined
  #absentLists = 0
  #poorLists = 0
  #nextSearchAt = 0
  /** Since when (monotonic ms) this run has seen that submission. */
  #seenAt: number | undefined

  constructor(terms: UnansweredTerms) {
    this.#terms = terms
  }

  /** Latest service time at which it may have arrived. */
  arrivedBy(submission: Submission): number {
    return arrivesBy(submission, this.#terms.settleMs)
  }

  /** When the list may be asked; Infinity = not by this run. */
  searchAt(submission: Submission, { now, monotonic }: { readonly now: number; readonly monotonic: number }): number {
    this.#turnTo(submission)
    if (this.#terms.knewTime) return Math.max(this.#nextSearchAt, this.arrivedBy(submission))
    // Where the service does not state its time, the row's is our wall clock's, which may have stepped by years since: then only time that
    // passed before our eyes counts.
    this.#seenAt ??= monotonic
    return Math.max(this.#nextSearchAt, now + this.#seenAt + this.#terms.settleMs - monotonic)
  }

  /** A list that can be trusted does not show it. Answers whether that is proof: the second such list in a row. */
  noteAbsent(submission: Submission, now: number): boolean {
    this.#turnTo(submission)
    this.#absentLists++
    if (this.#absentLists >= 2) return true
    this.#nextSearchAt = now + Math.min(secondSearchMs, this.#terms.settleMs / 5)
    return false
  }

  /** A list lacks jobs that exist, so it proves nothing. Answers whether this run gives up. */
  notePoorList(submission: Submission, now: number): boolean {
    this.#turnTo(submission)
    this.#poorLists++
    this.#absentLists = 0
    const isGivenUp = this.#poorLists >= mostPoorLists
    this.#nextSearchAt = isGivenUp ? Number.POSITIVE_INFINITY : now + secondSearchMs
    return isGivenUp
  }

  #turnTo({ id }: Submission): void {
    if (this.#id === id) return
    this.#id = id
    this.#absentLists = 0
    this.#poorLists = 0
    this.#nextSearchAt = 0
    this.#seenAt = undefined
  }
}

// Which results a run reads once more, and what counts as another number. `collect.ts` reads them.

/** Of the results a run reads this many again, or this share of them. */
const fewest = 3
const share = 0.02
/** So many in one step, so that a submission whose time has come does not wait for all of them. */
const together = 10

/** Which results this run still reads again. */
export class Rereads {
  #left: readonly CheckableResult[] | null = null
  readonly #listedOtherwise = new Set<string>()

  /** Something may be left to read. */
  get isDue(): boolean {
    return this.#left === null || this.#left.length > 0
  }

  /** By the service's id: a list shows other numbers of it. */
  noteListedOtherwise(remoteId: string): void {
    this.#listedOtherwise.add(remoteId)
  }

  /** The next of them, each once a run. `list`: all there are, those that waited longest first; asked for once. */
  take(list: () => readonly CheckableResult[]): readonly CheckableResult[] {
    const left = this.#left ?? this.#choose(list())
    this.#left = left.slice(together)
    return left.slice(0, together)
  }

  /** The one that waited longest always, so that a list which shows other numbers for ever does not keep the others from being read. */
  #choose(all: readonly CheckableResult[]): readonly CheckableResult[] {
    const [first, ...others] = all
    if (first === undefined) return []
    const isSooner = ({ remoteId }: CheckableResult) => this.#listedOtherwise.has(remoteId)
    const ordered = [first, ...others.filter(isSooner), ...others.filter((one) => !isSooner(one))]
    return ordered.slice(0, Math.max(fewest, Math.ceil(all.length * share)))
  }
}

// What a run is to submit: the trials it was given, or what a search proposes, batch after batch. Proposals are in the store before
// anything of them is sent; this is what is known of them.

type StopOfSearch = 'enough' | 'agreement' | null

export class WorkQueue {
  #trials: readonly Trial[]
  #proposals: readonly KeptProposal[] = []
  #method: SearchMethod | null = null
  #held: readonly Proposal[] = []
  #end: { readonly stoppedBy: StopOfSearch } | null = null

  constructor(trials: readonly Trial[]) {
    this.#trials = trials
  }

  get trials(): readonly Trial[] {
    return this.#trials
  }

  get proposals(): readonly KeptProposal[] {
    return this.#proposals
  }

  get method(): SearchMethod | null {
    return this.#method
  }

  /** What the search said when it ended; null while it goes on, where it asked for everything, and without a search. */
  get stoppedBy(): StopOfSearch {
    return this.#end?.stoppedBy ?? null
  }

  /** From now on the search is asked. */
  follow(method: SearchMethod): void {
    this.#method = method
  }

  /** These are all proposals there are. A trial that was proposed twice is one. */
  take(proposals: readonly KeptProposal[]): void {
    this.#proposals = proposals
    const trials = proposals.flatMap((proposal) => proposal.trials)
    this.#trials = [...new Map(trials.map((trial) => [trial.fingerprint, trial])).values()]
  }

  /** Proposals that are not written down yet, because there is no room for all of them. */
  get held(): readonly Proposal[] {
    return this.#held
  }

  hold(proposals: readonly Proposal[]): void {
    this.#held = proposals
  }

  end(stoppedBy: StopOfSearch): void {
    this.#end = { stoppedBy }
  }

  /** Whether the search has to be asked before it is known what is to be done. */
  isDue(stages: ReadonlyMap<string, TrialStage>): boolean {
    return this.#method !== null && this.#end === null && this.#held.length === 0 && haveEnded(this.#trials, stages)
  }
}

const ENDED: ReadonlySet<string> = new Set(['done', 'failed', 'gone', 'stalled'])

/** Whether nothing more comes of any of these trials. */
export function haveEnded(trials: readonly Trial[], stages: ReadonlyMap<string, TrialStage>): boolean {
  return trials.every(({ fingerprint }) => ENDED.has(stages.get(fingerprint)?.state ?? 'planned'))
}
