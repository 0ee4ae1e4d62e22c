/** `dcalab holdout`: what a study holds out, who opened it, and what came of it. What `--test` does is in `open.ts`. */
import { BACKTEST_ALLOWANCE } from '../../../contract/bodies.ts'
import { Failure } from '../../../errors.ts'
import { type Register, withCandles, withExamples, withStore } from '../../context.ts'
import { ADVANCED, decimal, option, whole } from '../../option.ts'
import { type ServiceOptions, withServiceOption } from '../../shown-service.ts'
import type { OpenOptions } from './open.ts'

const LONGEST_REASON = 1000

interface HoldoutOptions extends OpenOptions, ServiceOptions {
  readonly reason?: string
  readonly test?: boolean
}

export const holdoutCommand: Register = (program, context) => {
  const command = program
    .command('holdout')
    .description('show what a study holds out, or test its winner on it')
    .argument('<study>', 'name of a study in the store')
    .option('--test', 'run its best five on it, once per study; asks first')
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
  ]).action(async (name: string, options: HoldoutOptions) => {
    checkTogether(options)
    const reason = options.test ? reasonOf(options) : ''
    const { openHoldout, showHoldout } = await import('./open.ts')
    if (!options.test) return showHoldout(context, name, options)
    return openHoldout(context, name, { ...options, reason })
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

/** @throws Failure usage */
function reasonOf({ reason }: HoldoutOptions): string {
  const text = reason?.trim() ?? ''
  if (text.length >= 1 && text.length <= LONGEST_REASON) return text
  const found = reason === undefined ? 'none' : `${text.length} characters`
  throw new Failure('usage', `--reason expects 1 to ${LONGEST_REASON} characters, found ${found}`, {
    hint: 'add --reason "…"; the test can be done once, and the reason is stored with it',
  })
}
