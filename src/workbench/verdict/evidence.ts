/** Everything a verdict follows from, gathered once. What is not known says why. */
import { findCandles, listCandles } from '../../candles/folder/folder.ts'
import { CONFIG_BOUNDS, type ConfigField, type DcaSpotConfig, findBoundProblem, ID_DIGITS } from '../../contract/bot.ts'
import { marketName } from '../../contract/market.ts'
import { stressed } from '../../engine/ambiguity-pair.ts'
import { buyAndHold } from '../../engine/buy-and-hold.ts'
import { type Candles, sliceCandles } from '../../engine/candles.ts'
import { DAY_MS, dailyReturns } from '../../engine/daily-equity.ts'
import { runJumpOnce } from '../../engine/jump/jump.ts'
import { prepareForOneRun } from '../../engine/jump/prepared.ts'
import { Failure } from '../../errors.ts'
import { factOfNear, type NearFact, type StartsFact } from '../analysis/certainty/arbitrariness.ts'
import { exposedHoldBenchmark, heldReturns } from '../analysis/certainty/benchmarks.ts'
import { leadNoise, partsOfProfit } from '../analysis/certainty/equity.ts'
import { fitToMarket, type MarketFit } from '../analysis/certainty/sharpe-probability.ts'
import { findInconsistencies, findOtherRoiBase } from '../analysis/warnings/find-inconsistencies.ts'
import { warning } from '../analysis/warnings/warnings.ts'
import type { DoneTrial, Evaluation } from '../evidence/examine/evaluation.ts'
import { readResults, readStoredHoldout } from '../evidence/holdout/read-holdout.ts'
import type { Terms } from '../evidence/replay/read-terms.ts'
import { listHoldoutsOn } from '../store/holdouts.ts'
import type { WholeTrial } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { findExamination } from '../store/verdicts.ts'
import { configFingerprint } from '../study/fingerprint.ts'
import type { Axis, Period, Study } from '../study/study.ts'
import { plainLadder } from './plain-ladder.ts'
import {
  type AgainstHolding,
  chooseHistory,
  compareStretches,
  countDisjoint,
  type History,
  type HistoryStretch,
  startsOf,
} from './stretches.ts'

/** A stretch that lacks more of its candles is left out, and a result that does is faulty; percent. */
const mostMissingPercent = 1

/** What is known, or why it is not. */
type Known<T> = { readonly value: T } | { readonly missing: string }

interface StretchEvidence extends History {
  readonly stretches: readonly HistoryStretch[]
  readonly disjoint: number
  /** How many lie inside the period on which the configuration was chosen. */
  readonly inside: number
  /** undefined = it used no capital, or all stretches are alike. */
  readonly against: AgainstHolding | undefined
}

/** Amounts in quote. */
export interface HonestFills {
  readonly interval: string
  readonly worstCase: number
  readonly bestCase: number
  /** What the service reported. */
  readonly service: number | null
  /** Of the worst case under the higher costs of a stress test. */
  readonly stressed: number
  /** Share of the candles that held a position. */
  readonly inDealPercent: number
}

export interface HoldoutEvidence {
  readonly days: number
  /** Net profit on average used capital, worst-case fills on local candles, as of all that is compared. */
  readonly perUsedPercent: number
  /** The plain ladder on the same days, by the same fills. */
  readonly plainPerUsedPercent: number
  /** Configurations that had been tried or judged on these days before it was opened. */
  readonly seenConfigs: number
}

/** Of one configuration on one market. */
export interface Evidence {
  readonly trial: DoneTrial
  readonly study: Study | null
  /** Its name; null where results are our own service's. */
  readonly foreignService: string | null
  /** Whether costs and fill rules of the service are known: stated, calibrated, or our own. */
  readonly isCalibrated: boolean
  readonly stretches: Known<StretchEvidence>
  readonly honest: Known<HonestFills>
  /** What its average used capital earned on the days of the study when it was held, quote. */
  readonly heldSameDays: Known<number>
  /** How far holding explains the daily returns, over the days of the study. */
  readonly market: Known<MarketFit>
  /** Of the service to the local engine, quote; only where both computed by the same terms on the same candles. */
  readonly localDifference: Known<number>
  /** The local engine did not reproduce every trial of the study. */
  readonly agreementFailed: boolean
  /** What is wrong with the numbers or the candles, one sentence each. */
  readonly faults: readonly string[]
  /** Share of the profit of each third of the period; empty where there is no profit. */
  readonly thirdsPercent: readonly number[]
  /** Configurations whose lead is within one standard error, and whether this one uses the least capital of them (null where that of one is unknown). */
  readonly tie: Known<{
    readonly others: number
    /** All that were compared: there may be more. */
    readonly isAtLeast: boolean
    readonly usesLeast: boolean | null
    readonly lead: number
    readonly error: number
  }>
  readonly tried: Evaluation['tried']
  /** The local run among others that start at other candles or have almost the same parameters; computed when it is asked for. */
  readonly chance: () => Known<{ readonly starts: StartsFact; readonly near: NearFact }>
  /** null = the study holds nothing out. */
  readonly holdout: Known<HoldoutEvidence> | null
  readonly standing: PlaceInStudy | null
  /** null = no parameter is at the edge of the tested range. `best`: the value beyond it that earns most, with its net profit; null where none earns more. */
  readonly beyond: {
    readonly edges: number
    readonly axes: number
    readonly best: { readonly field: ConfigField; readonly value: number; readonly netProfit: number } | null
  } | null
  /** Of its last examination; null where that refused it, or there was none. */
  readonly examined: {
    /** Places under the worse and the better order of prices, where one of them leaves the best tenth. */
    readonly ambiguity: { readonly worst: number | null; readonly best: number | null; readonly of: number } | null
    /** DSR and PBO, as probabilities. */
    readonly deflated: number | null
    readonly overfit: number | null
  }
}

/** Its place in its study, and what is known of the other results there. */
interface PlaceInStudy {
  readonly study: string
  /** 1 = best; null where it is outside the limits, has no value on some market, or does not compete. */
  readonly rank: number | null
  readonly outsideBounds: boolean
  readonly isSample: boolean
  /** The other results. */
  readonly others: readonly Pick<WholeTrial, 'config' | 'metrics'>[]
  readonly revised: { readonly checked: number; readonly revised: number }
  readonly agreementFailed: boolean
}

interface EvidenceRequest {
  readonly store: Store
  readonly trial: WholeTrial
  readonly study: Study | null
  /** null = its candles are not here, or nothing says how it was computed; then `missing` says so. */
  readonly evaluation: Evaluation | null
  readonly missing: string
  readonly candlesFolder: string
  readonly horizonMs: number
  readonly foreignService: string | null
  /** The best others of its study, with their daily equity; and whether there are more that rank. */
  readonly rivals: readonly WholeTrial[]
  readonly hasMoreRivals: boolean
  /** In its study; null = it belongs to none. */
  readonly standing: PlaceInStudy | null
  readonly tried: Evaluation['tried']
}

/** Reads candles and computes; nothing is sent. @throws Failure candlesInvalid */
export function gatherEvidence(request: EvidenceRequest): Evidence {
  const { trial, study, evaluation, missing, foreignService, standing, tried } = request
  requireMetrics(trial)
  const of = <T>(compute: (evaluation: Evaluation) => Known<T>): Known<T> =>
    evaluation === null ? { missing } : compute(evaluation)
  return {
    trial,
    study,
    foreignService,
    isCalibrated:
      foreignService === null || evaluation?.termsFrom === 'result' || evaluation?.termsFrom === 'calibration',
    stretches: of(({ terms }) => stretchesOf(request, worstCase(terms))),
    honest: of((found) => honestFills(found)),
    heldSameDays: of(({ loaded, terms, run }) => ({
      value: exposedHoldBenchmark(loaded.candles, {
        investment: trial.config.investment,
        feePercent: terms.costs.feePercent,
        averageUsedCapital: run.metrics.usedCapital.average,
      }).profit,
    })),
    market: of(({ loaded, run }) => marketFit(run.metrics.dailyEquity, loaded.candles, trial.config.investment)),
    localDifference: of((found) => localDifference(found, trial)),
    agreementFailed: standing?.agreementFailed ?? false,
    faults: faultsOf(trial, evaluation, standing),
    thirdsPercent: thirdsOf(trial),
    tie: tieOf(request),
    chance: once(() => of(chanceOf)),
    tried,
    standing,
    beyond: evaluation === null || study === null ? null : beyondOf(evaluation, study),
    examined: examinedOf(request),
    holdout: study === null || study.holdout === null ? null : of(({ terms }) => holdoutOf(request, worstCase(terms))),
  }
}

function once<T>(compute: () => T): () => T {
  let found: { readonly value: T } | undefined
  return () => {
    found ??= { value: compute() }
    return found.value
  }
}

function chanceOf({
  trial: { config },
  loaded: { candles },
  terms,
  starts,
}: Evaluation): ReturnType<Evidence['chance']> {
  return { value: { starts: starts(), near: factOfNear(prepareForOneRun(candles), terms, config) } }
}

function requireMetrics(trial: WholeTrial): asserts trial is DoneTrial {
  if (trial.metrics !== null) return
  throw new Failure('notFound', `${configFingerprint(trial.config).slice(0, ID_DIGITS)} has no result`)
}

function worstCase({ conventions, costs, symbol }: Terms): Terms {
  return { conventions: { ...conventions, intrabar: 'pessimistic' }, costs, symbol }
}

/** Never of time that a study holds out. */
function stretchesOf(
  { store, trial, study, candlesFolder, horizonMs }: EvidenceRequest,
  worst: Terms,
): Known<StretchEvidence> {
  const market = marketName(trial.market)
  const stored = listCandles(candlesFolder).filter((one) => one.market === market)
  const period = study?.period ?? trial.period
  const heldOut = listHoldoutsOn(store, market)
  const before = study?.holdout?.from ?? Number.POSITIVE_INFINITY
  const history = chooseHistory(stored, { horizonMs, period, before, heldOut })
  if (history === undefined) return { missing: `no candles of ${market} are stored` }
  const { interval, from, to, lengthMs } = history
  const found = findCandles(candlesFolder, { market, interval, from, to })
  if (found instanceof Failure) return { missing: found.message }
  const starts = startsOf(history, heldOut)
  const stretches = runStretches(found.candles, starts, { config: trial.config, worst, lengthMs })
  const isInside = ({ from, to }: Period) => from >= period.from && to <= period.to
  return {
    value: {
      ...history,
      stretches,
      disjoint: countDisjoint(stretches),
      inside: stretches.filter(isInside).length,
      against: compareStretches(stretches),
    },
  }
}

/** On the finest candles that cover the period: there fewer fills depend on the order of prices. */
function honestFills({ trial, terms, finest: findFinest, loaded }: Evaluation): Known<HonestFills> {
  const finest = findFinest()
  const { candles, info } = typeof finest === 'string' ? loaded : finest
  const run = (changed: Terms) =>
    runJumpOnce({ candles, config: trial.config, ...changed }, prepareForOneRun(candles)).metrics
  const worst = worstCase(terms)
  const own = run(worst)
  return {
    value: {
      interval: info.interval,
      worstCase: own.netProfit,
      bestCase: run({ ...terms, conventions: { ...terms.conventions, intrabar: 'optimistic' } }).netProfit,
      service: trial.metrics.netProfit,
      stressed: run(stressed(terms)).netProfit,
      inDealPercent: own.timeInDealPercent,
    },
  }
}

function marketFit(
  equity: Evaluation['run']['metrics']['dailyEquity'],
  candles: Candles,
  investment: number,
): Known<MarketFit> {
  const returns = dailyReturns({ firstDay: null, values: equity.map((day) => day.equity) }, investment)
  const value = fitToMarket(returns, heldReturns(candles, equity))
  return value === null ? { missing: 'there are fewer than three days, or the price stood still' } : { value }
}

function localDifference({ run, termsFrom, loaded }: Evaluation, trial: DoneTrial): Known<number> {
  const { netProfit } = trial.metrics
  if (netProfit === null) return { missing: 'the service did not report the net profit' }
  if (termsFrom !== 'result' && termsFrom !== 'calibration') {
    return { missing: 'fees and fill rules of the service are not known' }
  }
  if (trial.candles?.hash != null && trial.candles.hash !== loaded.info.hash) {
    return { missing: 'the service used other candles than are stored here' }
  }
  return { value: netProfit - run.metrics.netProfit }
}

function faultsOf(trial: DoneTrial, evaluation: Evaluation | null, standing: PlaceInStudy | null): readonly string[] {
  const { candles, simulated, metrics } = trial
  const inconsistency = findInconsistencies(trial).at(0) ?? findOtherRoiBase(trial, standing?.others ?? [])
  const { count, missing } = candles ?? evaluation?.loaded.info ?? { count: null, missing: null }
  const missingPercent = missing === null || count === null || missing === 0 ? 0 : (100 * missing) / (count + missing)
  return [
    ...(metrics.netProfit === null ? ['the net profit could not be read'] : []),
    ...(trial.revised.some(({ isPending }) => isPending)
      ? ['the service has changed this result since it was paid for']
      : standing !== null && standing.revised.revised > 0
        ? [warning('revisedResults', standing.revised).message]
        : []),
    ...(inconsistency === null ? [] : [warning('inconsistentNumbers', inconsistency).message]),
    ...(candles?.synthetic && !simulated ? ['the service computed on synthetic candles'] : []),
    ...(missingPercent > mostMissingPercent
      ? [`${missingPercent.toFixed(1)} % of the candles of its period are missing`]
      : []),
  ]
}

function thirdsOf({ config, metrics }: DoneTrial): readonly number[] {
  const { dailyEquity, netProfit } = metrics
  if (netProfit === null || netProfit <= 0 || dailyEquity.length < 3) return []
  const { thirds } = partsOfProfit({ investment: config.investment, dailyEquity, deals: [] })
  const sum = thirds.reduce((all, third) => all + third, 0)
  return sum <= 0 ? [] : thirds.map((third) => (100 * third) / sum)
}

function beyondOf({ trial, terms, loaded: { candles }, run }: Evaluation, study: Study): Evidence['beyond'] {
  const varied = study.axes.filter(({ values }) => values.length > 1)
  const atEdge = varied.filter((axis) => isEdge(axis, trial.config[axis.field]))
  if (atEdge.length === 0) return null
  const moves = atEdge.flatMap((axis) => valuesBeyond(axis, trial.config))
  const prepared = prepareForOneRun(candles)
  const ran = moves.map(({ field, value }) => {
    const config = { ...trial.config, [field]: value }
    return { field, value, netProfit: runJumpOnce({ candles, config, ...terms }, prepared).metrics.netProfit }
  })
  const [best] = ran.toSorted((a, b) => b.netProfit - a.netProfit)
  return {
    edges: atEdge.length,
    axes: varied.length,
    best: best !== undefined && best.netProfit > run.metrics.netProfit ? best : null,
  }
}

/** Of an axis's range. */
const BEYOND = 0.05

/** Just beyond the tested range of an axis; whole numbers by one. */
function valuesBeyond({ field, values }: Axis, config: DcaSpotConfig) {
  const [lowest, highest] = endsOf(field, values)
  const step = CONFIG_BOUNDS[field].integer ? 1 : BEYOND * (highest - lowest)
  return [config[field] - step, config[field] + step]
    .filter((value) => (value < lowest || value > highest) && !isNoStop(field, value))
    .filter((value) => findBoundProblem(field, value) === undefined)
    .map((value) => ({ field, value }))
}

/** A stop loss of 0 means no stop: it is neither moved nor an end of the range. */
const isNoStop = (field: ConfigField, value: number) => field === 'stopLoss' && value === 0

function isEdge({ field, values }: Axis, value: number): boolean {
  const [lowest, highest] = endsOf(field, values)
  return lowest < highest && (value === lowest || value === highest)
}

function endsOf(field: ConfigField, values: readonly number[]): readonly [number, number] {
  const finite = values.filter((value) => !isNoStop(field, value))
  return [
    finite.reduce((least, value) => Math.min(least, value), Infinity),
    finite.reduce((most, value) => Math.max(most, value), -Infinity),
  ]
}

/** What was merged from another store may have any form. */
function examinedOf({ store, trial, study }: EvidenceRequest): Evidence['examined'] {
  const checks = findExamination(store, trial, study?.name ?? null)?.checks
  const answerOf = (name: string): Readonly<Record<string, unknown>> => {
    const answer = checks?.get(name)
    return Object(answer !== undefined && 'value' in answer ? answer.value : null)
  }
  const numberOf = (value: unknown) => (typeof value === 'number' ? value : null)
  const { leavesTopTenth, rankPessimistic, rankOptimistic, of } = answerOf('ambiguity')
  const { dsr, pbo } = answerOf('overfitting')
  return {
    ambiguity:
      leavesTopTenth === true && typeof of === 'number'
        ? { worst: numberOf(rankPessimistic), best: numberOf(rankOptimistic), of }
        : null,
    deflated: numberOf(dsr),
    overfit: numberOf(pbo),
  }
}

/** By daily equity, in which open deals count. */
function tieOf({ trial, rivals, hasMoreRivals }: EvidenceRequest): Evidence['tie'] {
  const own = curveOf(trial)
  if (own === null) return { missing: 'the service reported no daily equity' }
  const used = (one: WholeTrial) => one.metrics?.usedCapital.average ?? null
  const within = rivals.flatMap((rival) => {
    const curve = curveOf(rival)
    const error = curve === null ? null : leadNoise(own, curve)
    const lead = (trial.metrics?.netProfit ?? 0) - (rival.metrics?.netProfit ?? Number.NaN)
    return error !== null && Math.abs(lead) < error ? [{ rival, lead, error }] : []
  })
  const [first] = within
  if (first === undefined) return { missing: 'no other configuration is within one standard error' }
  const ownUsed = used(trial)
  const others = within.map(({ rival }) => used(rival))
  const isKnown = ownUsed !== null && !others.includes(null)
  const usesLeast = isKnown ? others.every((other) => other !== null && other >= ownUsed) : null
  const isAtLeast = hasMoreRivals && within.length === rivals.length
  return { value: { others: within.length, isAtLeast, usesLeast, lead: first.lead, error: first.error } }
}

function curveOf({ config: { investment }, metrics }: WholeTrial) {
  if (metrics === null || metrics.dailyEquity.length === 0) return null
  return { investment, dailyEquity: metrics.dailyEquity }
}

/** Of a hold-out: then it can still be tested. */
export const NOT_OPENED = 'the hold-out has not been opened'

/** Only once all of its results are in: before, nothing of it is shown. */
function holdoutOf({ store, trial, study, candlesFolder }: EvidenceRequest, worst: Terms): Known<HoldoutEvidence> {
  if (study === null) return { missing: 'it belongs to no study' }
  const holdout = readStoredHoldout(store, study.name)
  const results = readResults(store, holdout)
  if (holdout.opening === undefined) return { missing: NOT_OPENED }
  if (results === null) return { missing: 'results of the hold-out are still missing' }
  if (holdout.opening.identity !== trial.identity) return { missing: 'the hold-out was opened on another service' }
  const own = configFingerprint(trial.config)
  const market = marketName(trial.market)
  const result = results.find((one) => one.market === market && configFingerprint(one.config) === own)
  if (result?.metrics == null) return { missing: 'this configuration has no result on the hold-out' }
  const found = findCandles(candlesFolder, { market, ...holdout.span })
  if (found instanceof Failure) return { missing: found.message }
  const plain = plainLadder(trial.config.investment, worst)
  const perUsedPercent = perUsed(found.candles, trial.config, worst)
  const plainPerUsedPercent = perUsed(found.candles, plain.config, plain.terms)
  if (perUsedPercent === null || plainPerUsedPercent === null)
    return { missing: 'one of the two ladders used no capital' }
  const days = Math.round((holdout.span.to - holdout.span.from) / DAY_MS)
  return { value: { days, perUsedPercent, plainPerUsedPercent, seenConfigs: holdout.seenConfigs } }
}

/** Net profit per average used capital, percent; null where none was used. */
function perUsed(candles: Candles, config: DcaSpotConfig, terms: Terms): number | null {
  const { netProfit, usedCapital } = runJumpOnce({ candles, config, ...terms }, prepareForOneRun(candles)).metrics
  return usedCapital.average === 0 ? null : (100 * netProfit) / usedCapital.average
}

/** Runs configuration and plain ladder on each stretch; one that lacks candles is left out. `worst`: worst-case fills. */
export function runStretches(
  candles: Candles,
  starts: readonly number[],
  { config, worst, lengthMs }: { readonly config: DcaSpotConfig; readonly worst: Terms; readonly lengthMs: number },
): readonly HistoryStretch[] {
  const plain = plainLadder(config.investment, worst)
  const least = (1 - mostMissingPercent / 100) * (lengthMs / candles.intervalMs)
  return starts.flatMap((from): HistoryStretch[] => {
    const part = sliceCandles(candles, from, from + lengthMs)
    if (part.openTime.length < least) return []
    const run = (of: DcaSpotConfig, terms: Terms) =>
      runJumpOnce({ candles: part, config: of, ...terms }, prepareForOneRun(part)).metrics
    const own = run(config, worst)
    const other = run(plain.config, plain.terms)
    return [
      {
        from,
        to: from + lengthMs,
        netProfit: own.netProfit,
        usedCapital: own.usedCapital.average,
        maxDrawdownPercent: own.maxDrawdownPercent,
        changePercent: 100 * ((part.close.at(-1) ?? Number.NaN) / part.open[0] - 1),
        holdReturn: buyAndHold(part, worst.costs.feePercent / 100).returnPercent / 100,
        plainNetProfit: other.netProfit,
        plainUsedCapital: other.usedCapital.average,
      },
    ]
  })
}
