/** `dcalab holdout`: what a study holds out, who opened it, and what came of it. `holdout open` is in `open.ts`. */
import { Failure } from '../../../errors.ts'
import type { Store } from '../../../workbench/store/store.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../../context.ts'
import { printAnswer, printJson, say } from '../../output.ts'
import { timesShown } from '../../reader-time.ts'
import { type ServiceOptions, withServiceOption } from '../../shown-service.ts'
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
  withExamples(withServiceOption(withCandles(withStore(command))), [
    'dcalab holdout my-ladder',
    'dcalab holdout my-ladder --json',
  ]).action((name: string, options: CommonOptions & ServiceOptions) => showHoldout(context, name, options))
  addOpen(command, context)
}

function showHoldout(context: Context, name: string, options: CommonOptions & ServiceOptions): Promise<void> {
  const { store: path, candlesFolder } = pathsOf(context, options)
  return withStoreToRead(context, path, async (store) => {
    await refuseElsewhere(store, name, options)
    const shown = await gatherHoldout(context, store, { name, candlesFolder })
    const { terminal } = context.system
    for (const { message } of shown.warnings) say(terminal, `note: ${message}`)
    return options.json
      ? printJson(terminal, shown)
      : printAnswer(terminal, describeHoldout(shown, timesShown(terminal), context.system.clock.wall()))
  })
}

/** A hold-out is opened on one service. @throws Failure notFound where another is asked for, or one that the study was not run on */
async function refuseElsewhere(store: Store, study: string, { service: asked }: ServiceOptions): Promise<void> {
  if (asked === undefined) return
  const [{ findOpening }, { countStudies }, { serviceName }] = await Promise.all([
    import('../../../workbench/store/holdouts.ts'),
    import('../../../workbench/store/study-counts.ts'),
    import('../../../workbench/store/services.ts'),
  ])
  const service = countStudies(store, { study, asked }).at(0)?.service ?? null
  const opening = findOpening(store, study)
  if (opening === undefined || service === null || opening.identity === service.identity) return
  const where = serviceName(store, opening.identity)
  throw new Failure(
    'notFound',
    `nothing of the hold-out of ${study} is on ${service.name}: it was opened on ${where}`,
    {
      hint: `leave out --service, or give --service ${where}`,
    },
  )
}
