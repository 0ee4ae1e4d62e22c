/** The commands that rank, compare and judge: `dcalab leaderboard`, `compare`, `verdict`, `examine` and `holdout`. What most of them do is loaded when they run. */

import { BACKTEST_ALLOWANCE } from '../../contract/bodies.ts'
import { CONFIG_FIELDS } from '../../contract/bot.ts'
import { marketName } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import type { Correlation } from '../../workbench/analysis/correlation.ts'
import type { NamedService } from '../../workbench/store/choose-service.ts'
import type { ResultChoice } from '../../workbench/store/find-trial.ts'
import type { WholeTrial } from '../../workbench/store/records.ts'
import { type CommonOptions, type Register, withCandles, withExamples, withStore } from '../context.ts'
import type { VerdictOptions } from '../describe-verdict.ts'
import { describeSame, distinctDigits, fieldTitle, rankingColumns, scalarMetrics } from '../metrics-table.ts'
import { ADVANCED, decimal, formatOption, option, whole } from '../option.ts'
import { formatNumber, formatTime, type Line, printAnswer, printJson, say } from '../output.ts'
import type { LeaderboardOptions } from '../ranking-table.ts'
import {
  choiceOf,
  chooseTrials,
  headingOf,
  ID_WORDS,
  noteService,
  type ServiceOptions,
  serviceOfTrials,
  serviceQuestion,
  USUAL_HORIZON_DAYS,
  withResultChoice,
  withServiceOption,
} from '../shown-service.ts'
import { type Column, fittingTable } from '../table.ts'
import { pathsOf, withStoreToRead } from '../workbench.ts'
import type { ExamineOptions } from './examine/describe-examination.ts'
import type { OpenOptions } from './holdout/open.ts'

// `dcalab holdout`: what a study holds out, who opened it, and what came of it. What `--test` does is in `open.ts`.

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
    const { openHoldout, showHoldout } = await import('./holdout/open.ts')
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

// `dcalab compare`: a few trials side by side, with what differs between them and whether they lose on the same days.

const FEWEST = 2
const MOST = 10

export const compareCommand: Register = (program, context) => {
  const command = program
    .command('compare')
    .description('compare 2 to 10 results: what differs, and their metrics')
    .argument('<id or study...>', `${ID_WORDS}, 46330614:9be2 with its settings; or a study: its best`)
  withExamples(withResultChoice(withStore(command)), [
    'dcalab compare 46330614 2ed9ffa1',
    'dcalab compare my-ladder my-finer-ladder --json',
  ]).action((names: readonly string[], options: CommonOptions & ResultChoice) =>
    withStoreToRead(context, pathsOf(context, options).store, async (store) => {
      const { findResult, idOfTrial } = await import('../../workbench/store/find-trial.ts')
      const { findStudy } = await import('../../workbench/store/study-records.ts')
      const question = await serviceQuestion(context, store, options)
      const bestOf = async (study: string) =>
        (await chooseTrials(store, study, { question })).map(({ choice }) => choice.trial)
      const found = names.map((name) =>
        findStudy(store, name) === undefined ? [findResult(store, name, choiceOf(options))] : bestOf(name),
      )
      const trials = (await Promise.all(found)).flat()
      if (trials.length < FEWEST || trials.length > MOST) {
        throw new Failure('usage', `expected ${FEWEST} to ${MOST} results, found ${trials.length}`)
      }
      const ids = namesAmong(trials, (trial) => idOfTrial(store, trial.fingerprint))
      refuseTwice(trials, ids)
      const { listServices } = await import('../../workbench/store/services.ts')
      const compared = await compareTrials(trials, { ids, services: listServices(store) })
      const of = await serviceOfTrials(store, trials)
      const { terminal } = context.system
      if (options.json) {
        noteService(terminal, of)
        return printJson(terminal, compared)
      }
      await printAnswer(terminal, [...headingOf(of), ...describe(trials, compared)])
      for (const { id, prunedAt } of compared.trials) {
        if (prunedAt !== null) say(terminal, `note: the daily equity of ${id} was deleted on ${prunedAt.slice(0, 10)}`)
      }
    }),
  )
}

const SETTINGS_DIGITS = 4

/** What distinguishes one compared result from another: its question, its configuration, what it was computed under. */
type Facts = Readonly<Record<string, string | number | null>>

function factsOf(trial: WholeTrial, service: string): Facts {
  const { market, period, config, candles, costs, conventions, symbol } = trial
  const stated = Object.entries({ ...conventions, ...symbol }).map(([name, value]) => [name, plain(value)] as const)
  return {
    market: marketName(market),
    from: formatTime(period.from),
    to: formatTime(period.to),
    ...config,
    service,
    interval: candles?.interval ?? null,
    candles: candles?.hash?.slice(0, 12) ?? null,
    feePercent: costs?.feePercent ?? null,
    slippagePercent: costs?.slippagePercent ?? null,
    ...Object.fromEntries(stated),
  }
}

function plain(value: unknown): string | number | null {
  return value === null || typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value)
}

async function compareTrials(
  trials: readonly WholeTrial[],
  { ids, services }: { readonly ids: readonly string[]; readonly services: readonly NamedService[] },
) {
  const { correlateEquity } = await import('../../workbench/analysis/correlation.ts')
  const nameOf = (identity: string) => services.find((one) => one.identity === identity)?.name ?? identity
  const facts = trials.map((trial) => factsOf(trial, nameOf(trial.identity)))
  const names = [...new Set(facts.flatMap((of) => Object.keys(of)))]
  const equityOf = ({ metrics }: WholeTrial) => metrics?.dailyEquity ?? []
  const pairs = trials.flatMap((a, index) =>
    trials.slice(index + 1).map((b, further) => ({
      ids: [ids[index], ids[index + 1 + further]] as const,
      trials: [a.fingerprint, b.fingerprint] as const,
      settings: [a.settings, b.settings] as const,
      ...correlateEquity(equityOf(a), equityOf(b)),
    })),
  )
  return {
    trials: trials.map(({ fingerprint, identity, settings, state, config, metrics, prunedAt }, index) => ({
      id: ids[index],
      trial: fingerprint,
      identity,
      service: nameOf(identity),
      settings,
      state,
      config,
      facts: facts[index],
      metrics: scalarMetrics(metrics),
      prunedAt,
    })),
    differs: names.filter((name) => new Set(facts.map((of) => of[name] ?? null)).size > 1),
    equity: pairs,
  }
}

type Compared = Awaited<ReturnType<typeof compareTrials>>

function describe(trials: readonly WholeTrial[], { trials: facts, differs, equity }: Compared): Line[] {
  const rows = trials.map((trial, index) => ({ ...trial, name: facts[index].id, facts: facts[index].facts }))
  type Row = (typeof rows)[number]
  return [
    fittingTable(rows, [
      { title: 'id', role: 'id', value: ({ name }) => name },
      ...differs.map((name): Column<Row> => {
        const values = rows.map(({ facts }) => facts[name] ?? null)
        const digits = distinctDigits(values.filter((value) => typeof value === 'number'))
        return { title: fieldTitle(name), role: 'varied', value: ({ facts }) => facts[name] ?? null, digits }
      }),
      ...rankingColumns<Row>('netProfit', (row) => row),
    ]),
    ...(differs.length === 0 ? ['all settings are the same'] : []),
    ...describeSame(
      rows.at(0)?.config,
      CONFIG_FIELDS.filter((field) => differs.includes(field)),
    ),
    '',
    'correlation of daily returns:',
    ...equity.map((pair) => `  ${pair.ids.join(' and ')}: ${describeCorrelation(pair)}`),
  ]
}

/** As they are typed: with the market where a configuration is compared on several, with its settings where a trial is under several. */
function namesAmong(trials: readonly WholeTrial[], idOf: (trial: WholeTrial) => string): readonly string[] {
  const ids = trials.map(idOf)
  return trials.map(({ fingerprint, market, settings }, at) => {
    const alike = trials.filter((_, other) => ids[other] === ids[at])
    const isOnSeveral = new Set(alike.map((trial) => marketName(trial.market))).size > 1
    const isUnderSeveral = alike.filter((trial) => trial.fingerprint === fingerprint).length > 1
    const onMarket = isOnSeveral ? `@${market.baseAsset}-${market.quoteAsset}` : ''
    return `${ids[at]}${onMarket}${isUnderSeveral ? `:${settings?.slice(0, SETTINGS_DIGITS) ?? 'none'}` : ''}`
  })
}

function describeCorrelation({ days, correlation }: Correlation): string {
  return correlation === null
    ? `n/a (${days} days in common, or one equity curve is flat)`
    : `${formatNumber(correlation, 2)} over ${days} days`
}

/** @throws Failure usage */
function refuseTwice(trials: readonly WholeTrial[], ids: readonly string[]): void {
  const names = trials.map(({ fingerprint, identity, settings }) => JSON.stringify([fingerprint, identity, settings]))
  const twice = names.findIndex((name, at) => names.indexOf(name) < at)
  if (twice !== -1) throw new Failure('usage', `${ids[twice]} is named twice`)
}

export const leaderboardCommand: Register = (program, context) => {
  const command = program
    .command('leaderboard')
    .description('rank the results of a study, best first')
    .argument('<study>', 'name of a study in the store, or of a revision: my-ladder@2')
    .addOption(whole('--top <n>', 'how many', { minimum: 1, default: 20 }))
    .addOption(formatOption())
  withExamples(withServiceOption(withStore(command)), [
    'dcalab leaderboard btc-may-2021',
    'dcalab leaderboard demo --top 5 --json',
  ]).action(async (name: string, options: LeaderboardOptions) => {
    const { showLeaderboard } = await import('../ranking-table.ts')
    return showLeaderboard(context, name, options)
  })
}

export const verdictCommand: Register = (program, context) => {
  const command = program
    .command('verdict')
    .description('judge the best of a study, or a trial, on stored history')
    .argument('<study or id>', 'name of a study in the store, or the id of a configuration')
    .addOption(
      option('--market <market>', 'the market to judge, where the study has several', { otherwise: 'all of them' }),
    )
    .addOption(
      whole('--horizon <days>', 'days that you will wait', {
        minimum: 1,
        maximum: 3650,
        default: USUAL_HORIZON_DAYS,
      }),
    )
    .option('--stretches', 'list the stretches it is judged on')
    .option('--all', 'show all notes')
  withExamples(withResultChoice(withCandles(withStore(command))), [
    'dcalab verdict eth-2025',
    'dcalab verdict 46330614 --stretches --json',
  ]).action(async (target: string, options: VerdictOptions) => {
    const { judgeTarget } = await import('../describe-verdict.ts')
    return judgeTarget(context, target, options)
  })
}

export const examineCommand: Register = (program, context) => {
  const command = program
    .command('examine')
    .description('check and judge the best of a study on local candles')
    .argument('<study or id>', 'name of a study in the store, or the id of a configuration')
    .addOption(option('--market <market>', 'one market of a study with several', { otherwise: 'all of them' }))
    .option('--all', 'list every check with its numbers')
    .option('--costs', 'compute results again under other costs, free')
  withExamples(withResultChoice(withCandles(withStore(command))), [
    'dcalab examine eth-2025',
    'dcalab examine eth-2025 --costs',
  ]).action(async (target: string, options: ExamineOptions) => {
    if (options.costs) {
      const { examineCosts } = await import('./examine/costs.ts')
      return examineCosts(context, target, options)
    }
    const { examineTarget } = await import('./examine/describe-examination.ts')
    return examineTarget(context, target, options)
  })
}
