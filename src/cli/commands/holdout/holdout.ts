/** `dcalab holdout`: what a study holds out, who opened it, and what came of it. What `--test` does is in `open.ts`. */
import { BACKTEST_ALLOWANCE } from '../../../contract/refusals.ts'
import { Failure } from '../../../errors.ts'
import type { Store } from '../../../workbench/store/store.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../../context.ts'
import { shellWord } from '../../next-command.ts'
import { ADVANCED, decimal, option, whole } from '../../option.ts'
import { printAnswer, printJson, say } from '../../output.ts'
import { timesShown } from '../../reader-time.ts'
import { type ServiceOptions, withServiceOption } from '../../shown-service.ts'
import { pathsOf, withStoreToRead } from '../../workbench.ts'
import { LONGEST_REASON, type OpenOptions, openHoldout } from './open.ts'
import { describeHoldout, gatherHoldout } from './shown-holdout.ts'

interface HoldoutOptions extends OpenOptions, ServiceOptions {
  readonly test?: boolean
}

export const holdoutCommand: Register = (program, context) => {
  const command = program
    .command('holdout')
    .description('show what a study holds out, or test its winner on it')
    .argument('<study>', 'name of a study in the store')
    .option('--test', 'run winner and finalists on it, once per study; asks first')
    .addOption(option('--reason <text>', `of --test: why, kept in the store; up to ${LONGEST_REASON} characters`))
    .option('--yes', 'of --test: ask nothing')
    .option('--wait', 'of --test: wait until the daily limit has room for all')
    .addOption(
      whole('--allowance <n>', 'backtests per window', {
        ...{ minimum: 1, otherwise: String(BACKTEST_ALLOWANCE.count) },
      }).helpGroup(ADVANCED),
    )
    .addOption(
      decimal('--allowance-window <hours>', 'length of the window', { minimum: 1, otherwise: '24' }).helpGroup(
        ADVANCED,
      ),
    )
    .addOption(whole('--reserve <n>', 'backtests to keep for other uses', { minimum: 0 }).helpGroup(ADVANCED))
  withExamples(withServiceOption(withCandles(withStore(command))), [
    'dcalab holdout my-ladder',
    'dcalab holdout my-ladder --test --reason "the winner goes live in May"',
  ]).action((name: string, options: HoldoutOptions) => {
    checkTogether(options)
    if (!options.test) return showHoldout(context, name, options)
    context.suggestNext(`dcalab promote ${shellWord(name)} --dry-run`)
    return openHoldout(context, name, options)
  })
}

/** @throws Failure usage for flags that do not go together */
function checkTogether({ test, service, reason, yes, wait }: HoldoutOptions): void {
  const [ofTest] = Object.entries({ '--reason': reason, '--yes': yes, '--wait': wait }).find(([, one]) => one) ?? []
  if (!test && ofTest !== undefined) throw new Failure('usage', `${ofTest} goes with --test`)
  if (!test || service === undefined) return
  throw new Failure('usage', '--service chooses what is shown; a test runs on the configured service', {
    hint: 'leave out --service',
  })
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
    `${service.name} has no results of the hold-out of ${study}: it was tested on ${where}`,
    {
      hint: `leave out --service, or add --service ${where}`,
    },
  )
}
