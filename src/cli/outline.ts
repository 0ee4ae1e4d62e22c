/**
 * The commands without what lies in them: their names, their groups and what they do, which is all that the list of commands shows and that Tab
 * completes at the first word. Declaring the options of all of them takes longer than everything else that either does.
 */
import { Command } from 'commander'

/** A program whose commands are outlined. */
export class OutlinedProgram extends Command {
  override createCommand(name?: string): Command {
    return new OutlinedCommand(name)
  }
}

/** It is shown, and never run. */
export class OutlinedCommand extends OutlinedProgram {
  override addOption(): this {
    return this
  }

  override option(): this {
    return this
  }

  override requiredOption(): this {
    return this
  }

  override addHelpText(): this {
    return this
  }
}
