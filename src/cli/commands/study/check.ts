/** `dcalab study check`: validates a study file and says what running it would take. Touches nothing. */
import type { Command } from 'commander'
import type { RunEstimate } from '../../../workbench/run/estimate.ts'
import type { Spender } from '../../../workbench/store/services.ts'
import type { Store } from '../../../workbench/store/store.ts'
import { type Study, USUAL_CONFIGS } from '../../../workbench/study/study.ts'
import { type CommonOptions, type Context, withCandles, withExamples, withStore } from '../../context.ts'
import { type ReplacingOptions, readGivenStudy, withGivenStudy } from '../../given-study.ts'
import type { CandleSurvey } from '../../local-candles.ts'
import { withProgress } from '../../long-work.ts'
import { shellWord } from '../../next-command.ts'
import { ADVANCED, whole } from '../../option.ts'
import { countOf, type Line, printJson, printLines } from '../../output.ts'
import { type TimeWords, timesShown } from '../../reader-time.ts'
import { findSpender } from '../../service-link.ts'
import { pathsOf, withOpenStore } from '../../workbench.ts'
import { describeFolds, foldsAsJson } from './describe-folds.ts'
import { describeQuestion } from './describe-question.ts'
import type { ExpectedJobs } from './expected-jobs.ts'

interface CheckOptions extends CommonOptions, ReplacingOptions {
  readonly reserve?: number
}

export function addCheck(study: Command, context: Context): void {
  const command = withGivenStudy(study.command('check')).description(
    'check a study file; show backtests and time needed',
  )
  command.addOption(whole('--reserve <n>', 'backtests to keep for other uses', { minimum: 0 }).helpGroup(ADVANCED))
  withExamples(withCandles(withStore(command)), [
    'dcalab study check studies/btc-may-2021.yaml',
    'dcalab study check studies/demo.yaml --json',
  ]).action((given: string, options: CheckOptions) => checkGiven(context, given, options))
}

async function checkGiven(context: Context, given: string, options: CheckOptions): Promise<void> {
  const [
    { estimateRun },
    { findSettingsWarnings },
    { askedSettings },
    { findSettingsFor },
    { findSymbolWarnings },
    { surveyStudyCandles },
    { storeIsThere },
    { findSeenWarnings },
    { warn },
    { describeHistory, surveyHistory },
  ] = await Promise.all([
    import('../../../workbench/run/estimate.ts'),
    import('../../../workbench/run/settings-warnings.ts'),
    import('../../../workbench/study/asked-settings.ts'),
    import('./settings-for.ts'),
    import('./symbol-warnings.ts'),
    import('../../local-candles.ts'),
    import('../../../workbench/store/store.ts'),
    import('../../../workbench/evidence/holdout/holdout-warnings.ts'),
    import('../../../workbench/analysis/warnings/find-in-study.ts'),
    import('./stored-history.ts'),
  ])
  const { store: path, candlesFolder } = pathsOf(context, options)
  const { study: question } = await readGivenStudy(context, given, { ...options, store: path, candlesFolder })
  const expected = await countJobs(context, question)
  const { warnings, tooManyToRun, ...survey } = expected.survey
  // A configured service uses its own candles.
  const candles = context.settings().baseUrl === undefined ? surveyStudyCandles(candlesFolder, question) : undefined
  const now = context.system.clock.wall()
  const reserve = options.reserve === undefined ? {} : { reserve: options.reserve }
  const about = { question, candlesFolder, candles }
  const ask = (store?: Store, spender?: Spender, settingsOn = findSettingsFor({ ...about, store, spender })) => {
    const trials = expected.trials(store, spender)
    const asked = { asked: askedSettings(question), trials, identity: spender?.identity, settingsOn }
    const spending = spender === undefined ? {} : { spender, settingsOn }
    return {
      trials,
      estimate: estimateRun(store, trials, now, { ...spending, ...reserve, jobs: expected.jobs }),
      otherTerms: tooManyToRun ? [] : findSettingsWarnings(store, asked),
      seen: findSeenWarnings(store, question).map((raised) => warn(raised, 'validate.holdout')),
    }
  }
  const { trials, estimate, otherTerms, seen } = storeIsThere(path)
    ? await withOpenStore(context, path, async (store) => ask(store, await findSpender(context, store)))
    : ask()
  const checked = {
    name: question.name,
    fingerprint: question.fingerprint,
    trials: { ...survey, known: estimate.known, toRun: estimate.toRun }, // to run: 0 when there are too many
    configs: expected.configs,
    markets: question.markets.length,
    jobs: expected.jobs,
    walkForward: foldsAsJson(question),
    history: surveyHistory(candlesFolder, question),
    allowance: estimate.allowance,
    warnings: [
      ...warnings,
      ...otherTerms.map(({ code, message, path }) => ({ code, message, path })),
      ...seen,
      ...(candles?.warnings ?? []),
      ...findSymbolWarnings(candlesFolder, question, trials),
    ],
  }
  const { terminal } = context.system
  if (options.json) return printJson(terminal, checked)
  if (checked.trials.toRun > 0) context.suggestNext(`dcalab run ${shellWord(given)}`)
  return printLines(terminal, [
    describeQuestion(question, candles),
    ...describeFolds(question),
    ...describeHistory(checked.history),
    describeGrid(checked.trials),
    ...describeJobs(question, expected),
    describeWait(estimate, { tooManyToRun, candles, when: timesShown(terminal) }),
    ...checked.warnings.map(warningLine),
  ])
}

function describeGrid({ grid, infeasible, duplicates, distinct, known, toRun }: CheckedTrials): string {
  return `${grid} combinations: ${infeasible} break a limit, ${duplicates} duplicates, ${distinct} distinct, ${known} done, ${toRun} to run`
}

type CheckedTrials = Omit<ExpectedJobs['survey'], 'warnings' | 'tooManyToRun'> &
  Readonly<Record<'known' | 'toRun', number>>

/** Of a large grid it takes seconds. */
async function countJobs(context: Context, question: Study): Promise<ExpectedJobs> {
  const [{ expectJobs }, { countPoints }] = await Promise.all([
    import('./expected-jobs.ts'),
    import('../../../workbench/study/grid.ts'),
  ])
  const points = countPoints(question)
  return withProgress(context, async (tell) =>
    expectJobs(question, (done) => tell(`${done} of ${points} points counted`)),
  )
}

/** What the jobs are made of, where that is not the grid on one market, and what screening first would save. */
function describeJobs({ search, markets }: Study, { configs, jobs }: ExpectedJobs): string[] {
  const most = search.method === 'screen' ? 'at most ' : ''
  const product = `${most}${countOf(configs, 'config')} × ${countOf(markets.length, 'market')} = ${countOf(jobs, 'backtest')}`
  const screened = USUAL_CONFIGS * markets.length
  return [
    ...(markets.length > 1 || search.method !== 'grid' ? [product] : []),
    ...(search.method === 'grid' && jobs > screened
      ? [
          `with search: { method: screen } at most ${screened} of these ${jobs} are sent; all are simulated locally first (free)`,
        ]
      : []),
  ]
}

function warningLine({ code, message, path }: CheckWarning): Line {
  return { label: `warning ${code}`, tone: 'warn', text: `: ${message} (${path})` }
}

type CheckWarning = Readonly<Record<'code' | 'message' | 'path', string>>

interface Wait {
  readonly tooManyToRun: boolean
  readonly candles: CandleSurvey | undefined
  readonly when: TimeWords
}

function describeWait({ toRun, allowance }: RunEstimate, { tooManyToRun, candles, when }: Wait): string {
  const free = `daily limit: ${allowance.available} of ${allowance.limit} left in ${allowance.windowHours} h`
  if (tooManyToRun) return `${free}; too many to send: dcalab screen simulates them locally (free)`
  if (toRun === 0) return `${free}; nothing to submit`
  if (allowance.finishAt === null) return `${free}; nothing can be sent: --reserve keeps the whole limit`
  const lacksCandles = candles !== undefined && [...candles.infos.values()].includes(null)
  const end = lacksCandles ? 'once the candles are there' : `all submitted by ${when(allowance.finishAt)}`
  return `${free}; ${countOf(allowance.windowsNeeded, 'window')} needed, ${end}`
}
