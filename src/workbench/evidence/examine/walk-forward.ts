/**
 * Walk-forward: on the train of every fold the best of the given configurations is chosen, and run on the test that follows. All of it
 * by the local engine; nothing is sent. The answer does not depend on the order of the configurations.
 */
import { CONFIG_FIELDS, type DcaSpotConfig } from '../../../contract/bot.ts'
import { marketName } from '../../../contract/market.ts'
import { type MetricName, type Metrics, metricValue } from '../../../contract/metrics.ts'
import { type Candles, sliceCandles } from '../../../engine/candles.ts'
import type { Conventions, Costs } from '../../../engine/conventions.ts'
import { createMemory } from '../../../engine/jump/memory.ts'
import { type PreparedCandles, prepareCandles } from '../../../engine/jump/prepared.ts'
import type { Clock } from '../../../system.ts'
import { percentileAmong } from '../../analysis/quantiles.ts'
import { type Appraisal, appraiseAcross, createAppraiser, type MarketAppraisal } from '../../screen/appraise.ts'
import { planChunks } from '../../screen/chunks.ts'
import { DEPTHS, type Depth, depthOf, slackOf } from '../../screen/measures.ts'
import type { ScreenedMarket } from '../../screen/messages.ts'
import { createSimulation, type Simulation } from '../../screen/simulate.ts'
import { configFingerprint } from '../../study/fingerprint.ts'
import { type Fold, foldsOf } from '../../study/folds.ts'
import { decidingMetrics, isInsideBounds, reduceAcross } from '../../study/objective.ts'
import type { Objective, Period, Study, WalkForward } from '../../study/study.ts'

// All configurations on one span of every market, by the sweep of the screen.

interface FoldTerms {
  readonly conventions: Conventions
  readonly costs: Costs
}

/** A market on which spans are computed, one after the other. */
interface CutMarket {
  /** `exchange/BASE-QUOTE`. */
  readonly name: string
  moveOn(span: Period): PriceMove | null
  /** What computes on the span under some terms; valid until another span of the market is asked for. */
  openSpan(span: Period): (terms: FoldTerms) => Simulation
}

/** Configurations of one sweep; between two of them an interrupt takes effect. */
const AT_ONCE = 2048

/** Every span of a market is prepared in one memory, which is only reserved once. */
function cutMarket({ market, prepared: whole, symbol }: ScreenedMarket, objective: Objective): CutMarket {
  const { memory } = createMemory(0)
  const candles: Candles = { ...whole, volume: new Float64Array(0) } // the engine reads no volume
  const cut = ({ from, to }: Period) => sliceCandles(candles, from, to)
  return { name: marketName(market), moveOn, openSpan }

  function moveOn(span: Period): PriceMove | null {
    const { open, close } = cut(span)
    if (open.length === 0) return null
    const first = open[0]
    const last = close[close.length - 1]
    const direction = last > first ? 'rose' : last < first ? 'fell' : 'flat'
    return { direction, percent: 100 * (last / first - 1) }
  }

  function openSpan(span: Period): (terms: FoldTerms) => Simulation {
    const prepared: PreparedCandles = prepareCandles(cut(span), memory)
    const chunks = { order: [], size: AT_ONCE }
    return (terms) => createSimulation({ chunks, prepared, symbol }, terms, decidingMetrics(objective))
  }
}

interface SpanAppraising {
  /** One for each market. */
  readonly simulations: readonly Simulation[]
  readonly configs: readonly DcaSpotConfig[]
  readonly objective: Objective
  readonly depth: Depth
  /** Lets an interrupt take effect. */
  readonly pause: () => Promise<void>
}

/** What the configurations come to on all markets together, one each, in their order; higher values are better. */
async function appraiseConfigs({
  simulations,
  configs,
  objective,
  depth,
  pause,
}: SpanAppraising): Promise<readonly Appraisal[]> {
  const appraise = createAppraiser(objective, depth)
  const onMarkets: MarketAppraisal[][] = []
  for (const simulation of simulations) {
    const appraisals: MarketAppraisal[] = []
    for (let from = 0; from < configs.length; from += AT_ONCE) {
      await pause()
      appraisals.push(...simulation.evaluate(configs.slice(from, from + AT_ONCE), depth, appraise).verdicts)
    }
    onMarkets.push(appraisals)
  }
  return appraiseAcross(onMarkets, objective)
}

// The folds of a walk-forward test taken together.

/** Growth of a year, which a shorter test does not show. */
const YEARLY: readonly MetricName[] = ['cagrPercent', 'calmar']
const YEAR_MS = 365 * 86_400_000

/** @param markets their names, in the order of every fold */
function summarizeFolds(folds: readonly FoldResult[], objective: Objective, markets: readonly string[]): FoldsTogether {
  const chosen = folds.filter((fold) => fold.kind === 'chosen')
  const percentiles = chosen.flatMap(({ percentile }) => (percentile === null ? [] : [percentile]))
  const values = chosen.flatMap(({ testValue }) => (testValue === null ? [] : [testValue]))
  const testValueMissing = whyWithoutValue(chosen, objective, values.length)
  const across = objective.folds ?? 'mean'
  return {
    meanPercentile: reduceAcross(percentiles.length === 0 ? [null] : percentiles, {
      across: 'mean',
      direction: 'maximize',
    }),
    worstFold: findWorst(folds, objective),
    testValue: testValueMissing === null ? reduceAcross(values, { across, direction: objective.direction }) : null,
    testValueMissing,
    testNetProfit: addUp(chosen.map(({ testNetProfit }) => testNetProfit)),
    markets: markets.map((market, at) => ({
      market,
      testNetProfit: chosen.reduce((sum, fold) => sum + fold.markets[at].testNetProfit, 0),
    })),
  }
}

function whyWithoutValue(chosen: readonly ChosenFold[], { metric }: Objective, valued: number): string | null {
  if (chosen.length === 0) return 'no window had a configuration to choose'
  if (valued === 0) return `the chosen configurations have no value of ${metric} on any test`
  const [{ test }] = chosen
  const isShort = test.to - test.from < YEAR_MS
  return YEARLY.includes(metric) && isShort
    ? `${metric} is a yearly growth, and each test is shorter than 365 days`
    : null
}

function findWorst(folds: readonly FoldResult[], { direction }: Objective): number | null {
  const sign = direction === 'maximize' ? 1 : -1
  let worst: number | null = null
  let least = Infinity
  folds.forEach((fold, at) => {
    if (fold.kind !== 'chosen' || fold.testValue === null || sign * fold.testValue >= least) return
    worst = at
    least = sign * fold.testValue
  })
  return worst
}

/** null where a part is, or there is none. */
function addUp(amounts: readonly (number | null)[]): number | null {
  const known = amounts.filter((amount) => amount !== null)
  return known.length === 0 || known.length < amounts.length ? null : known.reduce((sum, amount) => sum + amount, 0)
}

interface WalkForwardAsked {
  /** Its folds lie inside `period`, before what it holds out. */
  readonly study: Study & { readonly walkForward: WalkForward }
  /** At least one, with the candles of the study's period; nothing beyond it is read. */
  readonly markets: readonly ScreenedMarket[]
  /** Among which is chosen; equal ones count once. */
  readonly configs: readonly DcaSpotConfig[]
  /** What is computed under. */
  readonly terms: FoldTerms
}

interface WalkForwardWatch {
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
  const fields = [...planChunks(study, 0).order.map(({ field }) => field), ...CONFIG_FIELDS]
  const byValues = (one: ComparedConfig, other: ComparedConfig) =>
    fields.reduce((order, field) => order || one.config[field] - other.config[field], 0)
  const byName = new Map<string, ComparedConfig>()
  for (const named of configs.map((config) => ({ fingerprint: configFingerprint(config), config })).toSorted(byValues))
    if (!byName.has(named.fingerprint)) byName.set(named.fingerprint, named)
  return [...byName.values()]
}

// What a walk-forward test finds. Every value is of a run that starts flat with the investment; a deal that is open at the end is valued, not carried.

/** What the price did on a span: last close against first open. */
interface PriceMove {
  readonly direction: 'rose' | 'fell' | 'flat'
  readonly percent: number
}

interface MovesOnMarket {
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  /** null = it has no candles there. */
  readonly train: PriceMove | null
  readonly test: PriceMove | null
}

interface ChosenOnMarket extends MovesOnMarket {
  /** Of the objective; null = undefined for this run. */
  readonly trainValue: number | null
  readonly testValue: number | null
  /** In quote. */
  readonly testNetProfit: number
}

/** A fold in which a configuration was chosen on train. */
export interface ChosenFold extends Fold {
  readonly kind: 'chosen'
  /** Of the configuration, whatever the market and the period (`configFingerprint`). */
  readonly fingerprint: string
  readonly config: DcaSpotConfig
  /** Of the objective under the given terms, reduced over the markets; null = undefined on one of them. */
  readonly trainValue: number | null
  readonly testValue: number | null
  /** In quote, reduced over the markets as the objective is, `worst` = lowest; null = they are paid in unlike currencies. */
  readonly testNetProfit: number | null
  /** Of its test value among those of all configurations, ties half; null = it has no value there. */
  readonly percentile: number | null
  /** In the order given. */
  readonly markets: readonly ChosenOnMarket[]
}

/** A fold in which none could be chosen. */
interface EmptyFold extends Fold {
  readonly kind: 'none'
  readonly why: string
  readonly markets: readonly MovesOnMarket[]
}

export type FoldResult = ChosenFold | EmptyFold

/** Over all folds. A fold without a winner, or without the value in question, is left out of it. */
interface FoldsTogether {
  /** null = no fold has one. */
  readonly meanPercentile: number | null
  /** Which fold has the worst test value, from 0, the first of equals; null = no fold has a value. */
  readonly worstFold: number | null
  /** The test values, made one by the objective's `folds`; null where `testValueMissing` says why. */
  readonly testValue: number | null
  readonly testValueMissing: string | null
  /** Net profits of the tests added, never compounded, in quote; null where a fold's is. */
  readonly testNetProfit: number | null
  /** The same on each market. */
  readonly markets: readonly { readonly market: string; readonly testNetProfit: number }[]
}

interface WalkForwardResult extends FoldsTogether {
  /** Different configurations that were compared in every fold. */
  readonly configs: number
  /** In the order of time. */
  readonly folds: readonly FoldResult[]
}
