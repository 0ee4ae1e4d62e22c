/**
 * Walk-forward: on the train of every fold the best of the given configurations is chosen, and looked at on the test that follows. All of it
 * by the local engine; nothing is sent. The answer does not depend on the order of the configurations.
 */

import { CONFIG_FIELDS, type DcaSpotConfig } from '../../../contract/bot.ts'
import { metricValue } from '../../../contract/metric-values.ts'
import type { Metrics } from '../../../contract/metrics.ts'
import type { Clock } from '../../../system.ts'
import { percentileAmong } from '../../analysis/percentile-among.ts'
import type { Appraisal } from '../../screen/appraise.ts'
import { DEPTHS, type Depth, depthOf, slackOf } from '../../screen/measures.ts'
import type { ScreenedMarket } from '../../screen/messages.ts'
import { planPortions } from '../../screen/portions.ts'
import type { Simulation } from '../../screen/simulate.ts'
import { configFingerprint } from '../../study/fingerprint.ts'
import { type Fold, foldsOf } from '../../study/folds.ts'
import { isInsideBounds, reduceAcross } from '../../study/objective.ts'
import type { Objective, Period, Study, WalkForward } from '../../study/study.ts'
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
  const cut = markets.map((market) => cutMarket(market, study.objective))
  const quotes = new Set(markets.map(({ market }) => market.quoteAsset))
  const setting: Setting = {
    study,
    configs,
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
    configs: configs.length,
    folds,
    ...summarizeFolds(folds, study.objective, names),
  }
}

interface Setting {
  readonly study: Study
  readonly configs: readonly ComparedConfig[]
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
  { compared, at }: FoldWinner,
  appraisals: readonly Appraisal[],
  markets: readonly ChosenOnMarket[],
  { study: { objective }, isOneMoney }: Setting,
): Omit<ChosenFold, 'kind' | keyof Fold> {
  const { value } = appraisals[at]
  const values = appraisals.flatMap((appraisal) => (appraisal.value === null ? [] : [appraisal.value]))
  const reduced = (of: (on: ChosenOnMarket) => number | null, by: Objective) => reduceAcross(markets.map(of), by)
  return {
    ...compared,
    trainValue: reduced((on) => on.trainValue, objective),
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
  const { study, configs, terms, markets, pause } = setting
  const { objective } = study
  if (configs.length === 0) return { why: 'there are no configurations to choose from' }
  const simulations = markets.map((market) => market.openSpan(train)(terms))
  const all = configs.map(({ config }) => config)
  const appraisals = await appraiseConfigs({
    ...{ simulations, configs: all, objective, pause },
    depth: depthWithBounds(objective),
  })
  const metricsOf = ({ config }: ComparedConfig) => simulations.map((simulation) => simulation.backtest(config).metrics)
  const isInside = (compared: ComparedConfig) =>
    metricsOf(compared).every((metrics) => isInsideBounds(metrics, objective))
  const winner = pickWinner(configs, appraisals, isInside)
  if (winner !== null) return { winner, metrics: metricsOf(winner.compared) }
  const hasValue = appraisals.some(({ value }) => value !== null)
  const lacking = hasValue ? 'is inside the bounds of the objective' : `has a value of ${objective.metric}`
  return { why: `none of ${configs.length} configurations ${lacking} in sample` }
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

interface FoldWinner {
  readonly compared: ComparedConfig
  /** Of all configurations. */
  readonly at: number
}

/**
 * Who is chosen on train: the best by the objective among those inside the bounds, ties by lower fingerprint. Values that differ by no more than the rounding of a sweep are ties. @param isInside by a whole backtest: a sweep lets pass what its rounding
 * leaves open
 */
export function pickWinner(
  configs: readonly ComparedConfig[],
  appraisals: readonly Pick<Appraisal, 'value' | 'isInside'>[],
  isInside: (compared: ComparedConfig) => boolean,
): FoldWinner | null {
  const places = appraisals.flatMap(({ value, isInside: mayBe }, at) =>
    value === null || !mayBe ? [] : [{ value, at, compared: configs[at] }],
  )
  places.sort((one, other) => other.value - one.value)
  for (let from = 0; from < places.length; ) {
    const best = places[from].value
    const behind = places.findIndex(({ value }, at) => at > from && value < best - slackOf(best, 'profit'))
    const to = behind === -1 ? places.length : behind
    const tied = places
      .slice(from, to)
      .sort((one, other) => (one.compared.fingerprint < other.compared.fingerprint ? -1 : 1))
    const found = tied.find(({ compared }) => isInside(compared))
    if (found !== undefined) return { compared: found.compared, at: found.at }
    from = to
  }
  return null
}

interface ComparedConfig {
  readonly fingerprint: string
  readonly config: DcaSpotConfig
}

/** Each once and in an order of their own, so that the order given changes no bit. Neighbours are configurations that share deals in a sweep. Of those with one name (they differ where it has no effect) the one with lower values. */
function orderConfigs(study: Study, configs: readonly DcaSpotConfig[]): readonly ComparedConfig[] {
  const fields = [...planPortions(study, 0).order.map(({ field }) => field), ...CONFIG_FIELDS]
  const byValues = (one: ComparedConfig, other: ComparedConfig) =>
    fields.reduce((order, field) => order || one.config[field] - other.config[field], 0)
  const byName = new Map<string, ComparedConfig>()
  for (const named of configs.map((config) => ({ fingerprint: configFingerprint(config), config })).toSorted(byValues))
    if (!byName.has(named.fingerprint)) byName.set(named.fingerprint, named)
  return [...byName.values()]
}
