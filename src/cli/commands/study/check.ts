import { findSymbolRules, listCandles } from '../../../candles/folder/folder.ts'
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import { type Market, marketName } from '../../../contract/market.ts'
import { DAY_MS } from '../../../engine/daily-equity.ts'
import { rungsBelowNotional } from '../../../engine/ladder.ts'
import { type StudyWarning, warn } from '../../../workbench/analysis/warnings/find-in-study.ts'
import { warning } from '../../../workbench/analysis/warnings/warnings.ts'
import { findSeenWarnings } from '../../../workbench/evidence/holdout/holdout-warnings.ts'
import { estimateRun, type RunEstimate } from '../../../workbench/run/progress.ts'
import { findSettingsWarnings } from '../../../workbench/run/summary.ts'
import { findOpening, listHoldoutsOn } from '../../../workbench/store/holdouts.ts'
import { isSimulated, type ServiceAccount } from '../../../workbench/store/services.ts'
import { findStudySettings } from '../../../workbench/store/settings.ts'
import { type Store, storeIsThere } from '../../../workbench/store/store.ts'
import { isoPeriod, type StudyFor } from '../../../workbench/study/fields.ts'
import { foldsOf } from '../../../workbench/study/folds.ts'
import { countPoints } from '../../../workbench/study/grid.ts'
import { askedSettings, settingsOf } from '../../../workbench/study/parse.ts'
import type { Settings } from '../../../workbench/study/settings.ts'
import { type Study, type Trial, USUAL_CONFIGS } from '../../../workbench/study/study.ts'
import {
  chooseHistory,
  countDisjoint,
  historyToFetch,
  leastDisjoint,
  startsOf,
} from '../../../workbench/verdict/stretches.ts'
import { dateOf, daysOf } from '../../../workbench/verdict/words.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { type ReplacingOptions, readGivenStudy, sameQuestion } from '../../given-study.ts'
import { type CandleSurvey, settingsOnCandles, surveyStudyCandles } from '../../local-candles.ts'
import { withProgress } from '../../long-work.ts'
import { countOf, formatSpan, type Line, printJson, printLines, type TimeWords, timesShown } from '../../output.ts'
import { type ExpectedJobs, expectJobs } from '../../searching.ts'
import { findServiceAccount } from '../../service-link.ts'
import { USUAL_HORIZON_DAYS } from '../../shown-service.ts'
import { pathsOf, withOpenStore } from '../../workbench.ts'

export interface CheckOptions extends CommonOptions, ReplacingOptions {
  readonly reserve?: number
}

export async function checkGiven(context: Context, given: string, options: CheckOptions): Promise<void> {
  const { store: path, candlesFolder } = pathsOf(context, options)
  const { study: question } = await readGivenStudy(context, given, { ...options, store: path, candlesFolder })
  const expected = await countJobs(context, question)
  const { warnings, tooManyToRun, ...survey } = expected.survey
  // A configured service uses its own candles.
  const candles = context.settings().baseUrl === undefined ? surveyStudyCandles(candlesFolder, question) : undefined
  const now = context.system.clock.wall()
  const reserve = options.reserve === undefined ? {} : { reserve: options.reserve }
  const about = { question, candlesFolder, candles }
  const ask = (
    store?: Store,
    serviceAccount?: ServiceAccount,
    settingsOn = findSettingsFor({ ...about, store, serviceAccount }),
  ) => {
    const trials = expected.trials(store, serviceAccount)
    const asked = { asked: askedSettings(question), trials, identity: serviceAccount?.identity, settingsOn }
    const spending = serviceAccount === undefined ? {} : { serviceAccount, settingsOn }
    return {
      trials,
      estimate: estimateRun(store, trials, now, { ...spending, ...reserve, jobs: expected.jobs }),
      otherTerms: tooManyToRun ? [] : findSettingsWarnings(store, asked),
      seen: findSeenWarnings(store, question).map((raised) => warn(raised, 'validate.holdout')),
      isOver: store !== undefined && findOpening(store, question.name) !== undefined,
      history: surveyHistory(candlesFolder, question, store),
    }
  }
  const { trials, estimate, otherTerms, seen, isOver, history } = storeIsThere(path)
    ? await withOpenStore(context, path, async (store) => ask(store, await findServiceAccount(context, store)))
    : ask()
  const checked = {
    name: question.name,
    fingerprint: question.fingerprint,
    trials: { ...survey, known: estimate.known, toRun: estimate.toRun }, // to run: 0 when there are too many
    configs: expected.configs,
    markets: question.markets.length,
    jobs: expected.jobs,
    walkForward: foldsAsJson(question),
    history,
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
  const without = question.markets.find((market) => candles?.infos.get(marketName(market)) === null)
  if (checked.trials.toRun > 0 && !isOver) {
    context.suggestNext(
      without === undefined ? `dcalab run ${sameQuestion(given, options)}` : await fetchOf(without, question.period),
    )
  }
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

/** null where no archive has them. */
async function fetchOf(market: Market, { from, to }: Study['period']): Promise<string | null> {
  const { usualSource } = await import('../../../candles/sources/source.ts')
  if (usualSource(market.exchange) === undefined) return null
  return `dcalab candles fetch --market ${marketName(market)} --from ${dateOf(from)} --to ${dateOf(to + DAY_MS - 1)}`
}

function describeGrid({ grid, breaksLimit, duplicates, distinct, known, toRun }: CheckedTrials): string {
  return `${grid} combination${grid === 1 ? '' : 's'}: ${breaksLimit} break a limit, ${duplicates} duplicates, ${distinct} distinct, ${known} done, ${toRun} to run`
}

type CheckedTrials = Omit<ExpectedJobs['survey'], 'warnings' | 'tooManyToRun'> &
  Readonly<Record<'known' | 'toRun', number>>

/** Of a large grid it takes seconds. */
async function countJobs(context: Context, question: Study): Promise<ExpectedJobs> {
  const points = countPoints(question)
  return withProgress(context, async (showProgress) =>
    expectJobs(question, (done) => showProgress(`${done} of ${points} points counted`)),
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
          `with \`search: { method: screen }\` added at most ${screened} of these ${jobs} are sent; all are simulated locally first (free)`,
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

type Asked = Pick<StudyFor<'check'>, 'period' | 'walkForward'>

/** So many are named one by one; of more, the first and the last. */
const NAMED = 12

/** In the order of time, in ISO 8601; null = the study asks for none. */
function foldsAsJson({ period, walkForward }: Asked) {
  if (walkForward === null) return null
  return {
    folds: foldsOf(period, walkForward).map(({ train, test }) => ({ train: isoPeriod(train), test: isoPeriod(test) })),
  }
}

export function describeFolds({ period, walkForward }: Asked): readonly string[] {
  if (walkForward === null) return []
  const lines = foldsOf(period, walkForward).map(
    ({ train, test }, at) => `  ${at + 1}: optimised on ${formatSpan(train)}, tested on ${formatSpan(test)}`,
  )
  const { length } = lines
  const named = length <= NAMED ? lines : [lines[0], `  … ${length - 2} more`, lines[length - 1]]
  return [`walk-forward: ${countOf(length, 'window')}, local and free`, ...named]
}

export function describeQuestion(
  { name, markets, period, holdout, tried }: StudyFor<'check'>,
  candles: CandleSurvey | undefined,
): string {
  const intervals = new Set(
    [...(candles?.infos.values() ?? [])].flatMap((info) => (info === null ? [] : [info.interval])),
  )
  return (
    `${name}: ${markets.map(marketName).join(', ')}, ${formatSpan(period)}` +
    (intervals.size === 0 ? '' : `, ${[...intervals].join(' and ')} candles`) +
    (holdout === null ? '' : `; held out: ${formatSpan(holdout)}`) +
    (tried === undefined ? '' : `; tried before: ${countOf(tried, 'configuration')}`)
  )
}

interface CheckedStudy {
  readonly question: Study
  readonly candlesFolder: string
  /** Undefined: a service is configured, which uses its own candles. */
  readonly candles: CandleSurvey | undefined
  readonly store: Store | undefined
  readonly serviceAccount: ServiceAccount | undefined
}

/** By market; null on a service that is not ours, which computes under what it likes; a configured one is known to be ours once it was met. */
function findSettingsFor({
  question,
  candlesFolder,
  candles,
  store,
  serviceAccount,
}: CheckedStudy): (market: Market) => Settings | null {
  const isOwn =
    candles !== undefined || (store !== undefined && serviceAccount !== undefined && isSimulated(store, serviceAccount))
  if (!isOwn) return () => null
  return (market) => {
    const kept = store === undefined ? undefined : findStudySettings(store, question, market)
    if (kept !== undefined) return kept.settings
    const info = candles?.infos.get(marketName(market)) ?? null
    if (info === null) return settingsOf(question)
    return settingsOnCandles(candlesFolder, question, { market, interval: info.interval })
  }
}

/**
 * An exchange refuses an order below its smallest one: with such a base order a bot never trades, with such a rung its ladder ends
 * there. What a lot keeps from being placed depends on the price, and the result says it. @throws Failure candlesInvalid
 */
function findSymbolWarnings(
  candlesFolder: string,
  study: Study,
  trials: readonly Pick<Trial, 'market' | 'config'>[],
): StudyWarning[] {
  return study.markets.flatMap((market) => {
    const name = marketName(market)
    return findMarketWarnings(candlesFolder, study, {
      market: name,
      trials: trials.filter((trial) => marketName(trial.market) === name),
    })
  })
}

function findMarketWarnings(
  candlesFolder: string,
  study: Study,
  { market, trials }: { readonly market: string; readonly trials: readonly { readonly config: DcaSpotConfig }[] },
): StudyWarning[] {
  const { minNotional, lot } = findSymbolRules(candlesFolder, market)
  if (minNotional === null) return []
  const { conventions, costs } = study
  // A quantity rounded up may lift a rung over the minimum.
  const canBeLifted = lot !== null && conventions.lotRounding === 'up'
  const share = (affected: number) => ({ affected, trials: trials.length, minNotional, market })
  const bases = trials.filter(({ config }) => config.dcaInitialOrderSize < minNotional).length
  const ladders = canBeLifted
    ? 0
    : trials.filter(({ config }) => rungsBelowNotional(config, { conventions, costs, minNotional }) > 0).length
  return [
    ...(bases === 0 ? [] : [warn(warning('baseOrderBelowMinimum', share(bases)), 'dcaInitialOrderSize')]),
    ...(ladders === 0 ? [] : [warn(warning('rungsBelowMinimum', share(ladders)), 'dcaMaxSafetyOrders')]),
  ]
}

/** Dates are days UTC. */
interface MarketHistory {
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  readonly stored: readonly {
    readonly interval: string
    readonly from: string
    readonly to: string
    readonly days: number
  }[]
  /** What a verdict would use; null = nothing is stored. `disjoint`: stretches of so many days that do not overlap. */
  readonly judgedOn: { readonly interval: string; readonly days: number; readonly disjoint: number } | null
  readonly isEnough: boolean
  /** Can be pasted; null where it is enough, or no source has the market. */
  readonly fetch: string | null
}

/** On the usual horizon. Reads only the heads of files. */
function surveyHistory(
  folder: string,
  { markets, period, holdout }: Pick<StudyFor<'check'>, 'markets' | 'period' | 'holdout'>,
  store: Store | undefined,
): readonly MarketHistory[] {
  const all = listCandles(folder)
  return markets.map((market) => {
    const stored = all.filter((one) => one.market === marketName(market))
    const before = holdout?.from ?? Number.POSITIVE_INFINITY
    const heldOut = store === undefined ? [] : listHoldoutsOn(store, marketName(market))
    const history = chooseHistory(stored, { horizonMs: USUAL_HORIZON_DAYS * DAY_MS, period, before, heldOut })
    const disjoint =
      history === undefined
        ? 0
        : countDisjoint(startsOf(history, heldOut).map((from) => ({ from, to: from + history.lengthMs })))
    const isEnough = disjoint >= leastDisjoint
    return {
      market: marketName(market),
      stored: stored.map(({ interval, from, to }) => ({
        ...{ interval, from: dateOf(from), to: dateOf(to) },
        days: Math.floor((to - from) / DAY_MS),
      })),
      judgedOn:
        history === undefined
          ? null
          : { interval: history.interval, days: Math.round(history.lengthMs / DAY_MS), disjoint },
      isEnough,
      fetch: isEnough ? null : (historyToFetch(market, period)?.command ?? null),
    }
  })
}

function describeHistory(found: readonly MarketHistory[]): string[] {
  return found.flatMap(({ market, stored, judgedOn, isEnough, fetch }) => {
    const each = stored.map(({ interval, days }) => `${daysOf(days * DAY_MS)} of ${interval}`).join(', ')
    const judged =
      judgedOn === null
        ? 'no candles stored'
        : `${each}: ${judgedOn.disjoint} stretches of ${daysOf(judgedOn.days * DAY_MS)} that do not overlap, in ${judgedOn.interval}`
    const enough = isEnough
      ? 'enough for a verdict'
      : `a verdict needs ${leastDisjoint}${judgedOn === null ? ' stretches' : ''}`
    return [`history ${market}: ${judged}, ${enough}`, ...(fetch === null ? [] : [`  fetch it: ${fetch}`])]
  })
}
