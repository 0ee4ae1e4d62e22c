/** `dcalab holdout`: what a study holds out, who opened it, and what came of it. `holdout open` is in `open.ts`. */
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../../context.ts'
import { printAnswer, printJson, say } from '../../output.ts'
import { timesShown } from '../../reader-time.ts'
import { pathsOf, withStoreToRead } from '../../workbench.ts'
import { addOpen } from './open.ts'
import { describeHoldout, gatherHoldout } from './shown-holdout.ts'

export const holdoutCommand: Register = (program, context) => {
  const command = program
    .command('holdout')
    .description(
      'what a study holds out, how many configurations others have seen of it, and, once opened, its results',
    )
    .argument('<study>', 'name of a study in the store')
  withExamples(withCandles(withStore(command)), ['dcalab holdout my-ladder', 'dcalab holdout my-ladder --json']).action(
    (name: string, options: CommonOptions) => showHoldout(context, name, options),
  )
  addOpen(command, context)
}

function showHoldout(context: Context, name: string, options: CommonOptions): Promise<void> {
  const { store: path, candlesFolder } = pathsOf(context, options)
  return withStoreToRead(context, path, async (store) => {
    const shown = await gatherHoldout(context, store, { name, candlesFolder })
    const { terminal } = context.system
    for (const { message } of shown.doubts) say(terminal, `note: ${message}`)
    return options.json
      ? printJson(terminal, shown)
      : printAnswer(terminal, describeHoldout(shown, timesShown(terminal)))
  })
}
