/** What answers, refusals and silences mean for the rest of the run: the second half of every row of the outcome table. */
import type { ReadOutcome, Refused } from '../api/outcome.ts'
import type { Halt } from './next-step.ts'
import type { Beginning } from './open-run.ts'
import { type Consequence, consequenceOf } from './outcome-table.ts'

/**
 * A read or a submission got no sensible answer: leave the service alone for a growing while, and give up after ten minutes. `answered`: the
 * service replied, and the reply was not understood or said no.
 */
export function noteFailure(run: Beginning, message: string, answered = false): void {
  const { backoffMs, isOver } = run.patience.noteFailure(run.clock.now())
  const what = answered ? 'The service’s replies lack what a run needs' : 'The service cannot be reached'
  if (isOver) stop(run, { by: 'unreachable', mayRead: false }, `${what}: ${message}`)
  else run.talk.tell({ kind: 'waiting', message: `${message}; asking again in ${Math.round(backoffMs / 1000)} s` })
}

export function noteAnswer(run: Beginning): void {
  run.patience.noteAnswer()
}

/** Whether a read failed at a reply that was received. */
export function isAnswered(outcome: Exclude<ReadOutcome<unknown>, { kind: 'ok' | 'refused' }>): boolean {
  return outcome.kind === 'missing' || (!outcome.unreachable && outcome.raw !== null)
}

/** The first reason to stop counts. */
export function stop(run: Beginning, halt: Halt, message: string): void {
  if (run.brake.pull(halt)) run.talk.tell({ kind: 'stopped', message })
}

const pauseMs = 60_000

/** A read was refused: the refusal's consequence without a submission. */
export function noteRefusedRead(run: Beginning, refused: Refused): void {
  const consequence = consequenceOf(refused)
  // No read costs allowance; a service that says so is left alone for a while.
  const isOdd = consequence.kind === 'full'
  noteConsequence(
    run,
    isOdd ? { ...consequence, kind: 'pause', ms: consequence.ms ?? pauseMs, full: false } : consequence,
    true,
  )
}

/** What the outcome table says the run does next. */
export function noteConsequence(run: Beginning, consequence: Consequence, reading = false): void {
  const { tally, patience, serviceAllowance, talk } = run
  const now = run.clock.now()
  switch (consequence.kind) {
    case 'accepted':
      noteAnswer(run)
      tally.noteAccepted()
      return
    case 'rejected': {
      noteAnswer(run)
      const tooMany = tally.noteRejected()
      talk.tell({ kind: 'rejected', message: consequence.message })
      if (tooMany !== null)
        stop(run, { by: 'rejects', mayRead: true }, `Stopped after ${tooMany} rejects in a row at the start`)
      return
    }
    case 'stop':
      // What a read is refused cannot be collected either.
      stop(
        run,
        { by: 'refusal', mayRead: consequence.mayRead && !reading },
        `The service refused: ${consequence.message}`,
      )
      return
    case 'pause':
      patience.pause(now, consequence.ms)
      if (consequence.full) serviceAllowance.noteFull(now, null)
      talk.tell({ kind: 'refused', message: `${consequence.message}; pausing ${Math.round(consequence.ms / 1000)} s` })
      return
    case 'full':
      serviceAllowance.noteFull(now, consequence.ms)
      talk.tell({ kind: 'refused', message: `the service’s daily limit is used: ${consequence.message}` })
      return
    case 'unsure':
      talk.tell({ kind: 'unsure', message: `no clear answer to a submission: ${consequence.message}` })
      noteUnsure(run, consequence)
      return
    case 'notSent':
      noteFailure(run, consequence.message)
      return
  }
}

const mostUnsureInARow = 3

/** Each costs a unit of allowance, so a service that leaves several in a row unanswered is not asked on and on. */
function noteUnsure(run: Beginning, consequence: Consequence & { kind: 'unsure' }): void {
  const inARow = run.tally.noteUnsure()
  const isTooMany = inARow >= mostUnsureInARow
  if (consequence.stop) stop(run, { by: 'refusal', mayRead: true }, `Wrong base address: ${consequence.message}`)
  else if (isTooMany && run.options.wait) run.patience.pauseUnsure(run.clock.now(), inARow - mostUnsureInARow)
  else if (isTooMany)
    stop(run, { by: 'unreachable', mayRead: true }, `${inARow} submissions in a row got no clear answer`)
}
