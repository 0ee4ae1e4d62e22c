/** What Ctrl-C leaves behind, by command: some go on where they were, others begin again. */
import type { Command } from 'commander'
import { FAILURES, Failure } from '../errors.ts'
import { pathOf } from './wrong-use.ts'

const GOES_ON = 'everything done is stored; run the same command to continue'

/** A command without a row keeps nothing of what it had begun: `FAILURES.interrupted` says that. */
export const INTERRUPT_HINTS: Readonly<Record<string, string>> = {
  run: GOES_ON,
  demo: GOES_ON,
  holdout: GOES_ON,
  'service calibrate': GOES_ON,
  'store reread': GOES_ON,
  'store clean': 'part was deleted; run the same command for the rest',
  examine: 'finished checks are stored; run the same command for the rest',
  'store merge': 'neither store was changed; run the same command again',
  sql: 'the statement changed nothing; --limit and --timeout shorten it',
  export: 'no file was written; run the same command again',
}

/** Whether the same command goes on where it was. */
export function isContinued(error: unknown, command: Command): boolean {
  return error instanceof Failure && error.code === 'interrupted' && INTERRUPT_HINTS[pathOf(command)] === GOES_ON
}

/** The failure of an interrupted command, with what is true of that command. */
export function withInterruptHint(failure: Failure, command: Command): Failure {
  const hint = INTERRUPT_HINTS[pathOf(command)]
  if (failure.code !== 'interrupted' || failure.hint !== FAILURES.interrupted.hint || hint === undefined) return failure
  const { message, cause, exitCode } = failure
  return new Failure('interrupted', message, { cause, exitCode, hint })
}
