/**
 * What to do next. One pure decision over one snapshot: the loop in `run.ts` only carries it out, so that every stop between two
 * steps is a state the next start can continue from.
 */
import { REOPENING_WORDS, type Reopening } from './allowance.ts'

/** Why a run ended before everything was done, as `--json` says it. */
export type StoppedBy =
  /** A search has what it wanted, or distrusts its own screen. */
  | 'enough'
  | 'agreement'
  | 'limit'
  /** What agents may spend is spent. */
  | 'budget'
  | 'allowance'
  | 'refusal'
  | 'rejects'
  | 'unreachable'
  | 'unresolved'
  /** Numbers of the first result contradict each other. */
  | 'inconsistent'
  | 'busy'
  | 'store'
  | 'interrupt'

/** No more submissions; `mayRead`: what runs is still collected first. */
export interface Halt {
  readonly by: StoppedBy
  readonly mayRead: boolean
}

/** All times: ms, service time. */
export interface Snapshot {
  readonly now: number
  readonly halt: Halt | null
  /** The list has been read once since the start. */
  readonly surveyed: boolean
  /** The service does not answer, or asked for a pause: nothing is asked of it before. */
  readonly quietUntil: number
  /** Trials to submit, and how many of them `--max` still allows. */
  readonly todo: number
  readonly limitLeft: number
  /** How many of them agents may still spend; Infinity where a person asks. */
  readonly budgetLeft: number
  /** No submission before: the first result of the service is waited for alone. 0 = nothing is. */
  readonly aloneUntil: number
  /** When the allowance has room. */
  readonly opensAt: number
  /** When the service last stated its time; null when it never does. */
  readonly heardAt: number | null
  /** The service says it is full; asked again then. */
  readonly probeAt: number | null
  /** When the next unit fits, and where that time comes from; null = one fits now, or none ever does. */
  readonly reopening: Reopening | null
  readonly wait: boolean
  /** When the list may be asked about the one attempt without an answer; Infinity = not by this run, null = there is none. */
  readonly reconcileAt: number | null
  readonly running: number
  readonly pollAt: number
  /** The list is read before more is sent, for what other labs sent. */
  readonly isListDue: boolean
  /** Results that were paid for may be read once more; nothing waits for that. */
  readonly isRereadDue: boolean
  /** Attempts that only a person can settle, and jobs that do not end. */
  readonly leftOver: number
  /** Why a search proposes no more, where that is not for want of proposals. */
  readonly searchEnd: 'enough' | 'agreement' | null
}

interface Errand {
  readonly kind: 'survey' | 'reconcile' | 'poll' | 'askLimits' | 'submit' | 'reread'
}

export type Step =
  | Errand
  /** `goal`: when what is waited for comes; `until` may be earlier, for a poll meanwhile. `why`: the words in front of that time. */
  | { readonly kind: 'sleep'; readonly until: number; readonly goal: number; readonly why: string }
  | { readonly kind: 'end'; readonly stoppedBy: StoppedBy | null }

/** No sleep is longer: whoever suspends the machine or changes its clock meets a fresh decision within the hour. */
const longestSleepMs = 3_600_000

/** After a longer silence our clock may have drifted by more than the margin: the service is asked before anything is sent. */
const longestSilenceMs = 3_600_000

const REASONS = {
  survey: 'the service to answer again',
  reconcile: 'the time when a submission without a clear answer can no longer arrive',
  poll: 'running backtests',
  askLimits: 'the service to answer again',
  submit: 'the service to answer again',
  reread: 'the service to answer again',
} as const

export function nextStep(seen: Snapshot): Step {
  const { now, halt } = seen
  if (halt !== null && !halt.mayRead) return { kind: 'end', stoppedBy: halt.by }
  const due = (at: number) => Math.max(at, seen.quietUntil)
  const wishes: { readonly at: number; readonly step: Errand; readonly reopening?: Reopening | null }[] = []
  if (!seen.surveyed) {
    // With nothing to submit and nothing open there is nothing to look for.
    const isAtRest = seen.todo === 0 && seen.running === 0 && seen.leftOver === 0 && seen.reconcileAt === null
    if (!isAtRest) wishes.push({ at: due(0), step: { kind: 'survey' } })
  } else {
    if (seen.reconcileAt !== null && Number.isFinite(seen.reconcileAt))
      wishes.push({ at: due(seen.reconcileAt), step: { kind: 'reconcile' } })
    if (seen.running > 0) wishes.push({ at: due(seen.pollAt), step: { kind: 'poll' } })
    // One unknown outcome at a time, or two of them could not be distinguished in the list.
    if (maySubmit(seen) && seen.reconcileAt === null) {
      const gate = seen.probeAt ?? seen.opensAt
      const isOpen = gate <= now
      if (isOpen || (seen.wait && Number.isFinite(gate))) {
        const isSilent = seen.heardAt !== null && now - seen.heardAt > longestSilenceMs
        const kind = seen.probeAt === null && !isSilent ? (seen.isListDue ? 'poll' : 'submit') : 'askLimits'
        const at = Math.max(due(gate), seen.aloneUntil)
        wishes.push({ at, step: { kind }, reopening: seen.reopening })
      }
    }
  }
  const ready = wishes.find(({ at }) => at <= now)
  if (ready !== undefined) return ready.step
  if (seen.isRereadDue && halt === null && seen.quietUntil <= now) return { kind: 'reread' }
  if (wishes.length === 0) return { kind: 'end', stoppedBy: reasonToEnd(seen) }
  const [first] = wishes.toSorted((a, b) => a.at - b.at)
  const { at, reopening, step } = first
  return {
    kind: 'sleep',
    until: Math.min(now + longestSleepMs, at),
    goal: Math.max(at, reopening?.at ?? 0),
    why: reopening
      ? `waiting for the daily limit: ${REOPENING_WORDS[reopening.source]}`
      : `waiting for ${REASONS[step.kind]} until`,
  }
}

function maySubmit(seen: Snapshot): boolean {
  return seen.halt === null && seen.todo > 0 && seen.limitLeft > 0 && seen.budgetLeft > 0
}

function reasonToEnd(seen: Snapshot): StoppedBy | null {
  if (seen.halt !== null) return seen.halt.by
  if (seen.todo > 0 && seen.limitLeft > 0) return seen.budgetLeft > 0 ? 'allowance' : 'budget'
  if (seen.todo > 0) return 'limit'
  return seen.leftOver > 0 || seen.reconcileAt !== null ? 'unresolved' : seen.searchEnd
}
