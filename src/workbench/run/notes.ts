/** What answers, refusals and silences mean for the rest of the run: the second half of every row of the outcome table. */
import type { Refused } from '../api/outcome.ts'
import { type Consequence, judgeRefusal } from './outcome-table.ts'
import type { Halt } from './plan.ts'
import type { RunState } from './run-state.ts'

const firstBackoffMs = 5_000
const longestBackoffMs = 5 * 60_000
const patienceMs = 10 * 60_000
const patienceOnLoopbackMs = 30_000

/** A read or a submission got no sensible answer: leave the service alone for a growing while, and give up after ten minutes. */
export function noteFailure(run: RunState, message: string): void {
  const now = run.clock.now()
  run.failingSince ??= now
  const backoff = Math.min(longestBackoffMs, firstBackoffMs * 2 ** run.failures)
  run.failures++
  run.quietUntil = now + backoff
  const patience = run.options.loopback ? patienceOnLoopbackMs : patienceMs
  if (!run.options.wait && run.quietUntil - run.failingSince > patience) {
    stop(run, { by: 'unreachable', mayRead: false }, `The service cannot be reached: ${message}`)
  } else {
    run.tell({ kind: 'waiting', message: `${message}; asking again in ${Math.round(backoff / 1000)} s` })
  }
}

export function noteAnswer(run: RunState): void {
  run.failures = 0
  run.failingSince = null
}

/** The first reason to stop counts. */
export function stop(run: RunState, halt: Halt, message: string): void {
  if (run.halt !== null && (!run.halt.mayRead || halt.mayRead)) return
  run.halt = { by: run.halt?.by ?? halt.by, mayRead: halt.mayRead }
  run.tell({ kind: 'stopped', message })
}

const pauseMs = 60_000

/** A read was refused: the refusal's consequence without a submission. */
export function noteRefusedRead(run: RunState, refused: Refused): void {
  const consequence = judgeRefusal(refused)
  // No read costs allowance; a service that says so is left alone for a while.
  const isOdd = consequence.kind === 'full'
  noteConsequence(
    run,
    isOdd ? { ...consequence, kind: 'pause', ms: consequence.ms ?? pauseMs, full: false } : consequence,
    true,
  )
}

/** What the outcome table says the run does next. */
export function noteConsequence(run: RunState, consequence: Consequence, reading = false): void {
  const now = run.clock.now()
  switch (consequence.kind) {
    case 'accepted':
      noteAnswer(run)
      run.sent++
      run.accepted = true
      run.rejectsInARow = 0
      run.unsureInARow = 0
      return
    case 'rejected':
      noteAnswer(run)
      run.sent++
      run.rejectsInARow++
      run.tell({ kind: 'rejected', message: consequence.message })
      if (!run.accepted && run.rejectsInARow >= (run.options.maxRejects ?? 3)) {
        stop(run, { by: 'rejects', mayRead: true }, `Stopped after ${run.rejectsInARow} rejects in a row at the start`)
      }
      return
    case 'stop':
      // What a read is refused cannot be collected either.
      stop(
        run,
        { by: 'refusal', mayRead: consequence.mayRead && !reading },
        `The service refused: ${consequence.message}`,
      )
      return
    case 'pause':
      run.quietUntil = now + consequence.ms
      if (consequence.full) noteFull(run, null)
      run.tell({ kind: 'refused', message: `${consequence.message}; pausing ${Math.round(consequence.ms / 1000)} s` })
      return
    case 'full':
      noteFull(run, consequence.ms)
      run.tell({ kind: 'refused', message: `the service’s allowance is used up: ${consequence.message}` })
      return
    case 'unsure':
      run.sent++
      run.tell({ kind: 'unsure', message: `no certain answer to a submission: ${consequence.message}` })
      if (consequence.stop) stop(run, { by: 'refusal', mayRead: true }, `Wrong base address: ${consequence.message}`)
      else noteUnsure(run)
      return
    case 'notSent':
      noteFailure(run, consequence.message)
      return
  }
}

const mostUnsureInARow = 3

/** Each costs a unit of allowance, so a service that leaves several in a row unanswered is not asked on and on. */
function noteUnsure(run: RunState): void {
  run.unsureInARow++
  if (run.unsureInARow < mostUnsureInARow) return
  if (run.options.wait)
    run.quietUntil = run.clock.now() + longestBackoffMs * 2 ** Math.min(4, run.unsureInARow - mostUnsureInARow)
  else stop(run, { by: 'unreachable', mayRead: true }, `${run.unsureInARow} submissions in a row got no certain answer`)
}

/** The service refused a submission because its allowance is used up, whatever our ledger says: its limits are asked next. */
function noteFull(run: RunState, retryAfterMs: number | null): void {
  const now = run.clock.now()
  run.probeAt = now
  run.grant = null
  run.refusedFull = true
  run.fullUntil = retryAfterMs === null ? null : now + retryAfterMs
}
