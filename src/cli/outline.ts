/**
 * The commands without what lies in them: their names, their arguments and what they do, which is all that the list of commands shows and that Tab
 * completes at the first word. Declaring the options of all of them takes longer than everything else that either does.
 */
import { Command, type Option } from 'commander'

/** A program whose commands are outlined. */
export class OutlinedProgram extends Command {
  override createCommand(name?: string): Command {
    return new OutlinedCommand(name)
  }
}

/** Of its options the first is declared: the list says that there are some. It is shown, and never run. */
export class OutlinedCommand extends OutlinedProgram {
  override addOption(option: Option): this {
    return this.options.length === 0 ? super.addOption(option) : this
  }

  override option(flags = ''): this {
    return this.options.length === 0 ? super.option(flags) : this
  }

  override requiredOption(flags = ''): this {
    return this.option(flags)
  }

  override addHelpText(): this {
    return this
  }
}
