/** The two options that choose between several results of one trial. */
import type { Command } from 'commander'
import type { ResultChoice } from '../workbench/store/find-trial.ts'
import { option } from './option.ts'
import { withServiceOption } from './shown-service.ts'

export function withResultChoice(command: Command): Command {
  return withServiceOption(
    command.addOption(option('--settings <digits>', 'choose the result with these settings (none: without)')),
  )
}

/** What every command says of its argument. */
export const TRIAL_WORDS = 'fingerprint, or any unique prefix of 4 or more digits'

export function choiceOf({ settings, service }: ResultChoice): ResultChoice {
  return { ...(settings === undefined ? {} : { settings }), ...(service === undefined ? {} : { service }) }
}
