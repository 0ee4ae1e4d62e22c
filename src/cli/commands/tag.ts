/** `dcalab tag` and `dcalab note`: a person's words on a trial, shown by `show`. */
import { Failure } from '../../errors.ts'
import { type CommonOptions, type Register, withExamples, withStore } from '../context.ts'
import { hanging, printJson, printLines, say } from '../output.ts'
import { TRIAL_WORDS } from '../result-choice.ts'
import { pathsOf, withKnownStore } from '../workbench.ts'

interface MarkOptions extends CommonOptions {
  readonly remove?: boolean
}

export const tagCommand: Register = (program, context) => {
  const command = program
    .command('tag')
    .description('puts tags on a trial, or takes them off; without a tag it lists them')
    .argument('<trial>', TRIAL_WORDS)
    .argument('[tag...]', 'words of your own, up to 64 characters each')
    .option('--remove', 'take these tags off')
  withExamples(withStore(command), [
    'dcalab tag 3fa94c01 candidate low-drawdown',
    'dcalab tag 3fa94c01 candidate --remove --json',
  ]).action((prefix: string, tags: readonly string[], options: MarkOptions) =>
    withKnownStore(context, pathsOf(context, options).store, async (store) => {
      const [{ findFingerprint }, { addTags, readTags, removeTags }] = await Promise.all([
        import('../../workbench/store/find-trial.ts'),
        import('../../workbench/store/marks.ts'),
      ])
      const trial = findFingerprint(store, prefix)
      if (options.remove && tags.length === 0) throw new Failure('usage', 'expected the tags to take off, found none')
      if (options.remove) await removeTags(store, trial, tags)
      else if (tags.length > 0) await addTags(store, trial, tags)
      const now = readTags(store, trial)
      const { terminal } = context.system
      if (options.json) return printJson(terminal, { trial, tags: now })
      if (now.length === 0) return say(terminal, `trial ${trial.slice(0, 12)} has no tags`)
      return printLines(terminal, now)
    }),
  )
}

export const noteCommand: Register = (program, context) => {
  const command = program
    .command('note')
    .description('writes a note on a trial, or takes one back; without a text it shows them')
    .argument('<trial>', TRIAL_WORDS)
    .argument('[text]', 'your sentence; notes are added and never replaced')
    .option('--remove', 'take back the note with this text, without a text the newest')
  withExamples(withStore(command), [
    'dcalab note 3fa94c01 "stop was never touched; try the crash week"',
    'dcalab note 3fa94c01 --remove --json',
  ]).action((prefix: string, text: string | undefined, options: MarkOptions) =>
    withKnownStore(context, pathsOf(context, options).store, async (store) => {
      const [{ findFingerprint }, { addNote, readNotes, removeNote }] = await Promise.all([
        import('../../workbench/store/find-trial.ts'),
        import('../../workbench/store/marks.ts'),
      ])
      const trial = findFingerprint(store, prefix)
      if (options.remove) await removeNote(store, trial, text ?? null)
      else if (text !== undefined) await addNote(store, trial, text)
      const notes = readNotes(store, trial)
      const { terminal } = context.system
      if (options.json) return printJson(terminal, { trial, notes })
      if (notes.length === 0) return say(terminal, `trial ${trial.slice(0, 12)} has no notes`)
      return printLines(
        terminal,
        notes.map(({ note, addedAt }) => hanging(`${addedAt}  `, note)),
      )
    }),
  )
}
