/** How sure one can be of a result: one check after another on the local engine, each kept as soon as it is done. Nothing is sent or spent. */
import { hash } from 'node:crypto'
import { CONFIG_BOUNDS } from '../../../contract/bot.ts'
import { marketName } from '../../../contract/market.ts'
import { backtest, ENGINE_VERSION } from '../../../engine/backtest.ts'
import { sliceCandles } from '../../../engine/candles.ts'
import { DAY_MS, dailyReturns } from '../../../engine/daily-equity.ts'
import { prepareCandles, prepareForOneRun } from '../../../engine/jump/prepared.ts'
import { DAYS_PER_YEAR, FEWEST_DAYS } from '../../../engine/risk-adjusted.ts'
import { factOfTakeProfits, WITHIN } from '../../analysis/certainty/arbitrariness.ts'
import { exposedHoldBenchmark, holdBenchmark, periodicPurchases } from '../../analysis/certainty/benchmarks.ts'
import type { CheckAnswer, CheckName, Checks } from '../../analysis/certainty/checks.ts'
import { fallAfterBaseOrder, leadNoise, leadOver, partsOfProfit, profitNoise } from '../../analysis/certainty/equity.ts'
import { dependentSharpeError } from '../../analysis/certainty/sharpe-probability.ts'
import { pearson, rankCorrelation } from '../../analysis/correlation.ts'
import type { Store } from '../../store/store.ts'
import { beginExamination, finishExamination, type KeptAnswer, keepCheck } from '../../store/verdicts.ts'
import { behaviourHash } from '../../study/behaviour.ts'
import type { Period } from '../../study/study.ts'
import { type Evaluation, noField } from './evaluation.ts'
import { type Field, type FieldValues, measureField } from './field.ts'
import { checkOverfitting } from './overfitting.ts'
import { type FoldResult, walkForward } from './walk-forward.ts'

// How much chance alone moves the profit: its own ups and downs, the minute of the start, the last digit of the take profit.

async function checkNoise(evaluation: Evaluation): Promise<CheckAnswer<'noise'>> {
  const { run, trial } = evaluation
  const { netProfit, dailyEquity } = run.metrics
  const standardError = profitNoise({ investment: trial.config.investment, dailyEquity })
  if (standardError === null) return { refused: 'there are fewer than two days' }
  const lead = await findLead(evaluation)
  return { value: { standardError, netProfit, ...lead } }
}

type Lead = Pick<NonNullable<Checks['noise']>, 'lead' | 'leadStandardError' | 'leadReason'>

/** Over the best of the others that did something else. */
async function findLead(evaluation: Evaluation): Promise<Lead> {
  const without = (leadReason: string): Lead => ({ lead: null, leadStandardError: null, leadReason })
  const { field, terms, loaded, run, trial } = evaluation
  const values = await evaluation.fieldValues()
  if (field === null || values === null) return without(noField(evaluation))
  if (!field.isWhole) return without('the study has more configurations than are compared here')
  const own = behaviourHash({ ...run, dailyEquity: run.metrics.dailyEquity })
  for (const place of rankField(field, values)) {
    if (place === field.own) continue
    const other = backtest({ ...terms, candles: loaded.candles, config: field.configs[place].config })
    if (behaviourHash({ ...other, dailyEquity: other.metrics.dailyEquity }) === own) continue
    const [ours, theirs] = [run, other].map(({ metrics }, at) => ({
      investment: at === 0 ? trial.config.investment : field.configs[place].config.investment,
      dailyEquity: metrics.dailyEquity,
    }))
    const lead = leadOver(ours, theirs)
    if (lead === null) return without('the next best covers other days')
    return { lead, leadStandardError: leadNoise(ours, theirs), leadReason: null }
  }
  return without('every other configuration within the limits traded identically')
}

/** Places of the field, best first; ties by lower fingerprint. */
function rankField({ study, configs }: Field, { objective, isRanked }: FieldValues): readonly number[] {
  const sign = study.objective.direction === 'maximize' ? -1 : 1
  const costOf = (at: number) => sign * (objective[at] ?? 0)
  return configs
    .map((_, at) => at)
    .filter((at) => isRanked[at])
    .sort((a, b) => costOf(a) - costOf(b) || a - b) // the field lies in the order of the fingerprints
}

function checkStarts({ trial, starts }: Evaluation): CheckAnswer<'starts'> {
  const { from, to } = trial.period
  if (to - from <= 2 * DAY_MS) return { refused: 'the period is too short (2 days or less)' }
  return { value: starts() }
}

/** Percent; wider where the values near its own are not all inside. */
const CURVE = { from: 0.5, to: 5 }

function checkTakeProfits({
  trial: { config },
  terms,
  loaded: { candles },
}: Evaluation): CheckAnswer<'takeProfitCurve'> {
  const { takeProfit } = config
  const range = {
    from: Math.min(CURVE.from, takeProfit * (1 - WITHIN / 100)),
    to: Math.min(CONFIG_BOUNDS.takeProfit.max, Math.max(CURVE.to, takeProfit * (1 + WITHIN / 100))),
  }
  return { value: factOfTakeProfits(prepareForOneRun(candles), terms, config, range) }
}

// Walk-forward among the configurations of a study, on the trial's market.

async function checkWalkForward({
  study,
  field,
  trial: { market },
  terms,
  loaded,
  pace,
}: Evaluation): Promise<CheckAnswer<'walkForward'>> {
  if (study === null || field === null) return { refused: noField({ study }) }
  if (study.walkForward === null) {
    return { refused: 'not set in the study: validate: { walkForward: { train: 30d, test: 10d } }' }
  }
  const found = await walkForward(
    {
      study: { ...study, markets: [market], walkForward: study.walkForward },
      markets: [{ market, prepared: prepareCandles(loaded.candles), symbol: terms.symbol }],
      // Beside drawn ones the trial would have been chosen with the days of the tests in view.
      configs: field.configs.filter((_, at) => field.isWhole || at !== field.own).map(({ config }) => config),
      terms,
    },
    pace,
  )
  const { configs, meanPercentile, worstFold } = found
  return {
    value: {
      folds: found.folds.map((fold) => foldOf(fold, marketName(market))),
      configs,
      meanPercentile,
      worstFold: worstFold === null ? null : worstFold + 1,
      profit: found.testNetProfit,
      value: found.testValue,
      valueReason: found.testValueMissing,
    },
  }
}

function foldOf(fold: FoldResult, market: string) {
  const moves = fold.markets.find((one) => one.market === market)
  const span = ({ from, to }: Period) => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })
  const isChosen = fold.kind === 'chosen'
  return {
    train: span(fold.train),
    test: span(fold.test),
    chosen: isChosen ? fold.fingerprint : null,
    why: isChosen ? null : fold.why,
    trainValue: isChosen ? fold.trainValue : null,
    testValue: isChosen ? fold.testValue : null,
    netProfit: isChosen ? fold.testNetProfit : null,
    percentile: isChosen ? fold.percentile : null,
    trainMarketPercent: moves?.train?.percent ?? null,
    testMarketPercent: moves?.test?.percent ?? null,
  }
}

// Whether the candles can answer at all: inside a candle the order of prices is not known.

/** Leaving the best tenth by the order of prices alone. */
const TOP_SHARE = 0.1

async function checkAmbiguity(evaluation: Evaluation): Promise<CheckAnswer<'ambiguity'>> {
  const { run, field } = evaluation
  const { ambiguousCandles, netProfitPessimistic: pessimistic, netProfitOptimistic: optimistic } = run.metrics
  const ranks = await rankBoth(evaluation)
  const top = field === null ? 0 : Math.max(1, Math.ceil(TOP_SHARE * field.configs.length))
  const isBehind = (rank: number | null) => rank === null || rank > top
  const value: Checks['ambiguity'] = {
    pessimistic,
    optimistic,
    ambiguousCandles,
    rankPessimistic: ranks?.[0] ?? null,
    rankOptimistic: ranks?.[1] ?? null,
    rankReason: ranks === null ? noField(evaluation) : null,
    of: field?.configs.length ?? 0,
    signFlips: Math.sign(pessimistic) !== Math.sign(optimistic),
    leavesTopTenth: (ranks?.some(isBehind) ?? false) && !(ranks?.every(isBehind) ?? true),
  }
  return { value }
}

/** Of the trial under each path, 1 = best; null when it is outside the bounds or has no value. */
async function rankBoth({ field, fieldValues, terms, preparedCandles, pace }: Evaluation) {
  if (field === null) return null
  const ranks: (number | null)[] = []
  for (const intrabar of ['pessimistic', 'optimistic'] as const) {
    const conventions = { ...terms.conventions, intrabar }
    const kept = intrabar === terms.conventions.intrabar ? await fieldValues() : null
    const values = kept ?? (await measureField(field, { ...terms, conventions, prepared: preparedCandles() }, pace))
    const place = rankField(field, values).indexOf(field.own)
    ranks.push(place === -1 ? null : place + 1)
  }
  return ranks
}

// The name of all that an examination follows from: an interrupted one goes on only where nothing of it changed.

/** Changed when a check of the same evaluation may say something else. */
const CHECKS_VERSION = 2

/** SHA-256 hex. */
function examinationBasis(evaluation: Evaluation, engineVersion: string): string {
  const { trial, terms, termsFrom, loaded, study, field, tried } = evaluation
  const { netProfit, closedDeals } = trial.metrics
  const result = { netProfit, closedDeals, candles: trial.candles }
  return hash(
    'sha256',
    JSON.stringify({
      checks: CHECKS_VERSION,
      engineVersion,
      trial: trial.fingerprint,
      result,
      terms,
      termsFrom,
      candles: loaded.info.hash,
      study: study?.fingerprint ?? null,
      compared: field !== null,
      tried,
    }),
    'hex',
  )
}

// How much capital the profit took, and whether profit is a question of capital in this study.

async function checkCapital(evaluation: Evaluation): Promise<CheckAnswer<'capital'>> {
  const { run, trial } = evaluation
  const { usedCapital, netProfit, timeInDealPercent } = run.metrics
  const values = await evaluation.fieldValues()
  const together = values === null ? null : correlate(values)
  return {
    value: {
      average: usedCapital.average,
      max: usedCapital.max,
      averagePercent: (100 * usedCapital.average) / trial.config.investment,
      netProfit,
      netProfitPerUsedPercent: usedCapital.average === 0 ? null : (100 * netProfit) / usedCapital.average,
      timeInDealPercent,
      profitFollowsCapital: together,
      reason:
        values === null ? noField(evaluation) : together === null ? 'all configurations use or earn the same' : null,
    },
  }
}

function correlate({ metrics }: FieldValues): number | null {
  const [profits, capitals] = [metrics.netProfit ?? [], metrics['usedCapital.average'] ?? []]
  const pairs = profits.flatMap((profit, at) => {
    const capital = capitals[at]
    return profit === null || capital === null ? [] : [[profit, capital] as const]
  })
  return pearson(pairs, 1e-9)
}

// What the market itself did: a winner of a rise is mostly a winner because it rose.

function checkDirection({ loaded: { candles } }: Evaluation): CheckAnswer<'direction'> {
  const { open, high, low, close } = candles
  if (open.length === 0) return { refused: 'there are no candles' }
  const first = open[0]
  const last = close[close.length - 1]
  const highest = high.reduce((most, price) => Math.max(most, price), -Infinity)
  const lowest = low.reduce((least, price) => Math.min(least, price), Infinity)
  return {
    value: {
      changePercent: 100 * (last / first - 1),
      rangePercent: 100 * (highest / lowest - 1),
      shareOfRange: highest === lowest ? 0 : (last - first) / (highest - lowest),
    },
  }
}

// The checks that look at one run and the market beside it: where the profit came from, what a fall would do, and what holding would have made.

function checkThirds({ run, trial }: Evaluation): CheckAnswer<'thirds'> {
  const { dailyEquity } = run.metrics
  if (dailyEquity.length < 3) return { refused: 'there are fewer than three days' }
  const deals = run.deals.map((deal) => ({ ...deal, openedAt: new Date(deal.openedAt).toISOString() }))
  return { value: partsOfProfit({ investment: trial.config.investment, dailyEquity, deals }) }
}

/** From the last close: what the bot would stand before if it started there. */
function checkFall({ trial, terms, loaded: { candles } }: Evaluation): CheckAnswer<'fall'> {
  const startPrice = candles.close.at(-1)
  if (startPrice === undefined) return { refused: 'there are no candles' }
  return { value: fallAfterBaseOrder({ ...terms, config: trial.config, startPrice }) }
}

function checkBenchmark({ run, trial, terms, loaded: { candles } }: Evaluation): CheckAnswer<'benchmark'> {
  if (candles.close.length === 0) return { refused: 'there are no candles' }
  const stake = { investment: trial.config.investment, feePercent: terms.costs.feePercent }
  return {
    value: {
      hold: holdBenchmark(candles, stake),
      exposedHold: exposedHoldBenchmark(candles, { ...stake, averageUsedCapital: run.metrics.usedCapital.average }),
      periodic: {
        daily: periodicPurchases(candles, { ...stake, every: 'day' }),
        weekly: periodicPurchases(candles, { ...stake, every: 'week' }),
      },
    },
  }
}

// Whether a good rank lasted: the study's configurations in the first half of the period against the second.

/** Pairs: two always correlate fully. */
const FEWEST = 3

/** Each half starts flat; the second begins at the 00:00Z at or before the middle. */
async function checkNextSpan(evaluation: Evaluation): Promise<CheckAnswer<'nextSpan'>> {
  const { field, trial, terms, loaded, pace } = evaluation
  if (field === null) return { refused: noField(evaluation) }
  const { from, to } = trial.period
  const split = Math.floor((from + to) / 2 / DAY_MS) * DAY_MS
  if (split <= from) return { refused: 'the period is too short for two halves of whole days' }
  const halves = []
  for (const [start, end] of [
    [from, split],
    [split, to],
  ]) {
    const prepared = prepareCandles(sliceCandles(loaded.candles, start, end))
    halves.push(await measureField(field, { ...terms, prepared }, pace))
  }
  const [first, second] = halves
  const pairs = field.configs.flatMap((_, at) => {
    const [before, after] = [first.objective[at], second.objective[at]]
    return before === null || after === null ? [] : [[before, after] as const]
  })
  const { rho, n } = rankCorrelation(pairs)
  if (rho === null || n < FEWEST) return { refused: 'too few configurations have different results in both halves' }
  return { value: { rho, n, splitAt: new Date(split).toISOString() } }
}

// The Sharpe ratio with what chance alone moves it by.

function checkSharpe({ run, trial }: Evaluation): CheckAnswer<'sharpe'> {
  const { sharpe, dailyEquity } = run.metrics
  const days = dailyEquity.length
  const values = dailyEquity.map(({ equity }) => equity)
  const daily = dependentSharpeError(dailyReturns({ firstDay: null, values }, trial.config.investment))
  if (sharpe === null || daily === null) {
    return {
      refused:
        days < FEWEST_DAYS ? `${days} daily returns, at least ${FEWEST_DAYS} needed` : 'the daily returns do not vary',
    }
  }
  return { value: { value: sharpe, standardError: daily * Math.sqrt(DAYS_PER_YEAR), days } }
}

// The service against the local engine on the same trial: how far what is said here can be taken for the service's.

function checkLocally({ trial, run, termsFrom, loaded }: Evaluation): CheckAnswer<'localRun'> {
  const { netProfit, closedDeals } = trial.metrics
  if (netProfit === null) return { refused: 'the service does not report the net profit' }
  const difference = netProfit - run.metrics.netProfit
  const hash = trial.candles?.hash ?? null
  return {
    value: {
      difference,
      differencePercent: (100 * difference) / trial.config.investment,
      deals: closedDeals === null ? null : closedDeals - run.metrics.closedDeals,
      termsFrom,
      sameCandles: hash === null ? null : hash === loaded.info.hash,
    },
  }
}

type Check<Name extends CheckName> = (evaluation: Evaluation) => CheckAnswer<Name> | Promise<CheckAnswer<Name>>

const CHECKS: { readonly [Name in CheckName]: Check<Name> } = {
  localRun: checkLocally,
  ambiguity: checkAmbiguity,
  starts: checkStarts,
  takeProfitCurve: checkTakeProfits,
  thirds: checkThirds,
  nextSpan: checkNextSpan,
  walkForward: checkWalkForward,
  fall: checkFall,
  benchmark: checkBenchmark,
  capital: checkCapital,
  noise: checkNoise,
  sharpe: checkSharpe,
  tried: countTried,
  overfitting: checkOverfitting,
  direction: checkDirection,
}

/** Of how many configurations the trial is the best; the local ones are counted at most. */
function countTried({ tried: { shown, scanned } }: Evaluation): CheckAnswer<'tried'> {
  return { value: { shown, scanned, total: shown + scanned } }
}

export const CHECK_NAMES = Object.keys(CHECKS) as readonly CheckName[] // keys of a mapped type

interface Examined {
  readonly checks: Checks
  /** Why a check is null, by its name. */
  readonly reasons: Readonly<Partial<Record<CheckName, string>>>
}

/** What is kept of an examination that was interrupted; `keep` gets every answer as soon as there is one. */
interface Kept {
  readonly done: ReadonlyMap<CheckName, CheckAnswer>
  readonly keep: (name: CheckName, answer: CheckAnswer) => Promise<void>
}

/** @throws the reason of the signal of `evaluation.pace` */
async function examine(evaluation: Evaluation, { done, keep }: Kept): Promise<Examined> {
  const answers = new Map<CheckName, CheckAnswer>()
  for (const [at, name] of CHECK_NAMES.entries()) {
    const known = done.get(name)
    evaluation.pace.onProgress(`${name}, check ${at + 1} of ${CHECK_NAMES.length}`)
    const answer = known ?? (await CHECKS[name](evaluation))
    if (known === undefined) await keep(name, answer)
    answers.set(name, answer)
    await evaluation.pace.clock.sleep(0, evaluation.pace.signal)
  }
  return examinedOf(answers)
}

function examinedOf(answers: ReadonlyMap<CheckName, CheckAnswer>): Examined {
  const entries = CHECK_NAMES.map((name) => [name, answers.get(name) ?? { refused: 'not computed' }] as const)
  const checks = Object.fromEntries(entries.map(([name, one]) => [name, 'value' in one ? one.value : null]))
  const reasons = Object.fromEntries(entries.flatMap(([name, one]) => ('refused' in one ? [[name, one.refused]] : [])))
  return { checks: checks as unknown as Checks, reasons } // one entry per name, each of its own check
}

export interface FinishedExamination extends Examined {
  /** ISO 8601 UTC. */
  readonly examinedAt: string
  readonly engineVersion: string
}

/** @throws the signal's reason; what was found until then is kept */
export async function examineResult(store: Store, evaluation: Evaluation): Promise<FinishedExamination> {
  const { trial, study, loaded } = evaluation
  const open = await beginExamination(store, {
    trial,
    study,
    basis: examinationBasis(evaluation, ENGINE_VERSION),
    candles: { interval: loaded.info.interval, hash: loaded.info.hash },
    engineVersion: ENGINE_VERSION,
  })
  const examined = await examine(evaluation, {
    done: knownAnswers(open.done),
    keep: (name, answer) => keepCheck(store, open.id, name, answer),
  })
  const examinedAt = await finishExamination(store, open.id)
  return { ...examined, examinedAt, engineVersion: ENGINE_VERSION }
}

/** The store keeps them as JSON, and this program wrote them under the same basis. */
function knownAnswers(done: ReadonlyMap<string, KeptAnswer>): ReadonlyMap<CheckName, CheckAnswer> {
  return new Map(
    CHECK_NAMES.flatMap((name) => {
      const answer = done.get(name)
      return answer === undefined ? [] : [[name, answer as CheckAnswer]]
    }),
  )
}
