/**
 * Walk-forward: on the train of every fold the best of the given configurations is chosen, and looked at on the test that follows. All of it
 * by the local engine; nothing is sent. The answer does not depend on the order of the configurations.
 */

import type { DcaSpotConfig } from '../../contract/bot.ts'
import { metricValue } from '../../contract/metric-values.ts'
import type { Metrics } from '../../contract/metrics.ts'
import type { Clock } from '../../system.ts'
import { percentileAmong } from '../analysis/percentile-among.ts'
import type { Appraisal } from '../screen/appraise.ts'
import { DEPTHS, type Depth, depthOf, slackOf } from '../screen/measures.ts'
import type { ScreenedMarket } from '../screen/messages.ts'
import type { Simulation } from '../screen/simulate.ts'
import { stressedTerms } from '../screen/stress.ts'
import { type Fold, foldsOf } from '../study/folds.ts'
import { isInsideBounds, reduceAcross } from '../study/objective.ts'
import type { Objective, Period, Study, WalkForward } from '../study/study.ts'
import { createFoldScorer, type FoldScorer, type FoldWinner, pickWinner } from './walk-forward-choice.ts'
import { type ComparedConfig, orderConfigs } from './walk-forward-configs.ts'
import type { ChosenFold, ChosenOnMarket, FoldResult, WalkForwardResult } from './walk-forward-result.ts'
import { appraiseConfigs, type CutMarket, cutMarket, type FoldTerms } from './walk-forward-span.ts'
import { summarizeFolds } from './walk-forward-summary.ts'

export interface WalkForwardAsked {
  /** Its folds lie inside `period`, before what it holds out. */
  readonly study: Study & { readonly walkForward: WalkForward }
  /** At least one, with the candles of the study's period; nothing beyond it is looked at. */
  readonly markets: readonly ScreenedMarket[]
  /** Among which is chosen; equal ones count once. */
  readonly configs: readonly DcaSpotConfig[]
  /** What is computed under. */
  readonly terms: FoldTerms
}

export interface WalkForwardWatch {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Takes a short text for every fold that begins. */
  readonly onProgress: (text: string) => void
}

/** @throws the signal's reason */
export async function walkForward(
  { study, markets, configs: given, terms }: WalkForwardAsked,
  { clock, signal, onProgress }: WalkForwardWatch,
): Promise<WalkForwardResult> {
  const configs = orderConfigs(study, given)
  const scorer = createFoldScorer(study, configs)
  const cut = markets.map((market) => cutMarket(market, study.objective))
  const quotes = new Set(markets.map(({ market }) => market.quoteAsset))
  const setting: Setting = {
    study,
    configs,
    scorer,
    terms,
    markets: cut,
    isOneMoney: quotes.size === 1,
    pause: () => clock.sleep(0, signal),
  }
  const folds: FoldResult[] = []
  const all = foldsOf(study.period, study.walkForward)
  for (const fold of all) {
    onProgress(`fold ${folds.length + 1} of ${all.length}`)
    folds.push(await runFold(fold, setting))
  }
  const names = cut.map(({ name }) => name)
  return {
    score: scorer.score,
    scoreReplaced: scorer.replaced,
    configs: configs.length,
    folds,
    ...summarizeFolds(folds, study.objective, names),
  }
}

interface Setting {
  readonly study: Study
  readonly configs: readonly ComparedConfig[]
  readonly scorer: FoldScorer
  readonly terms: FoldTerms
  readonly markets: readonly CutMarket[]
  /** The markets are paid in one currency. */
  readonly isOneMoney: boolean
  readonly pause: () => Promise<void>
}

async function runFold(fold: Fold, setting: Setting): Promise<FoldResult> {
  const { study, markets } = setting
  const moves = markets.map(({ name, moveOn }) => ({
    market: name,
    train: moveOn(fold.train),
    test: moveOn(fold.test),
  }))
  const missing = moves.flatMap(({ market, train, test }) =>
    train !== null && test !== null ? [] : [`${market} has no candles on ${train === null ? 'train' : 'test'}`],
  )
  const none = (why: string): FoldResult => ({ kind: 'none', ...fold, why, markets: moves })
  if (missing.length > 0) return none(missing.join(', '))
  const chosen = await chooseOn(fold.train, setting)
  if ('why' in chosen) return none(chosen.why)
  const { winner, metrics: onTrain } = chosen
  const { appraisals, metrics: onTest } = await testOn(fold.test, winner, setting)
  const { metric } = study.objective
  const perMarket = moves.map(
    (move, at): ChosenOnMarket => ({
      ...move,
      trainValue: metricValue(onTrain[at], metric),
      testValue: metricValue(onTest[at], metric),
      testNetProfit: onTest[at].netProfit,
    }),
  )
  return { kind: 'chosen', ...fold, ...describeWinner(winner, appraisals, perMarket, setting) }
}

function describeWinner(
  { compared, at, score }: FoldWinner,
  appraisals: readonly Appraisal[],
  markets: readonly ChosenOnMarket[],
  { study: { objective }, scorer, isOneMoney }: Setting,
): Omit<ChosenFold, 'kind' | keyof Fold> {
  const { value } = appraisals[at]
  const values = appraisals.flatMap((appraisal) => (appraisal.value === null ? [] : [appraisal.value]))
  const reduced = (of: (on: ChosenOnMarket) => number | null, by: Objective) => reduceAcross(markets.map(of), by)
  const trainValue = reduced((on) => on.trainValue, objective)
  return {
    ...compared,
    trainScore: scorer.score === 'point' && trainValue !== null ? trainValue : score, // to the last bit
    trainValue,
    testValue: reduced(({ testValue }) => testValue, objective),
    testNetProfit: isOneMoney
      ? reduced(({ testNetProfit }) => testNetProfit, { ...objective, direction: 'maximize' })
      : null,
    percentile:
      value === null
        ? null
        : percentileAmong(values, value, { direction: 'maximize', slack: slackOf(value, 'profit') }),
    markets,
  }
}

interface ChosenOnTrain {
  readonly winner: FoldWinner
  /** One for each market, of a whole backtest. */
  readonly metrics: readonly Metrics[]
}

async function chooseOn(train: Period, setting: Setting): Promise<ChosenOnTrain | { readonly why: string }> {
  const { study, configs, scorer, terms, markets, pause } = setting
  const { objective } = study
  if (configs.length === 0) return { why: 'there are no configurations to choose from' }
  const spans = markets.map((market) => market.openSpan(train))
  const own = spans.map((simulationUnder) => simulationUnder(terms))
  const appraising = { configs: configs.map(({ config }) => config), objective, pause }
  const appraisals = await appraiseConfigs({ ...appraising, simulations: own, depth: depthWithBounds(objective) })
  const worse =
    scorer.score === 'stressed' ? spans.map((simulationUnder) => simulationUnder(stressedTerms(terms))) : null
  const stressed =
    worse === null
      ? null
      : await appraiseConfigs({ ...appraising, simulations: worse, depth: depthOf(objective.metric) })
  const metricsOf = ({ config }: ComparedConfig) => own.map((simulation) => simulation.backtest(config).metrics)
  const isInside = (compared: ComparedConfig) =>
    metricsOf(compared).every((metrics) => isInsideBounds(metrics, objective))
  const winner = pickWinner(configs, scorer.scoresOf(appraisals, stressed), study, isInside)
  if (winner !== null) return { winner, metrics: metricsOf(winner.compared) }
  const hasValue = (stressed ?? appraisals).some(({ value }) => value !== null)
  const lacking = hasValue ? 'is inside the bounds of the objective' : `has a value of ${objective.metric}`
  return { why: `none of ${configs.length} configurations ${lacking} on train` }
}

async function testOn(test: Period, { compared }: FoldWinner, { study, configs, terms, markets, pause }: Setting) {
  const { objective } = study
  const simulations: readonly Simulation[] = markets.map((market) => market.openSpan(test)(terms))
  const depth = depthOf(objective.metric)
  const all = configs.map(({ config }) => config)
  const appraisals = await appraiseConfigs({ simulations, configs: all, objective, depth, pause })
  return { appraisals, metrics: simulations.map((simulation) => simulation.backtest(compared.config).metrics) }
}

/** The first depth at which the objective and all of its bounds are known. */
function depthWithBounds({ metric, where }: Objective): Depth {
  const depths = [metric, ...where.map((bound) => bound.metric)].map(depthOf)
  return DEPTHS.findLast((depth) => depths.includes(depth)) ?? 'backtest'
}
