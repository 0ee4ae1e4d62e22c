/** A hold-out as the store has it: what is held out, who opened it, and, once all of them are in, its results. */

import { findCandles, findSymbolRules } from '../../../candles/folder/folder.ts'
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import { type Market, marketName } from '../../../contract/market.ts'
import { type MetricsAsRead, metricValue } from '../../../contract/metrics.ts'
import { prepareCandles } from '../../../engine/jump/prepared.ts'
import { Failure } from '../../../errors.ts'
import type { Clock } from '../../../system.ts'
import { percentileAmong } from '../../analysis/quantiles.ts'
import { depthOf, slackOf } from '../../screen/measures.ts'
import { createSimulation } from '../../screen/simulate.ts'
import { drawConfigs } from '../../search/draw-configs.ts'
import { countSeen, findOpening, type HoldoutOpening } from '../../store/holdouts.ts'
import { readProposals } from '../../store/kept-proposals.ts'
import { readOfAttempts, readStagesByMarket } from '../../store/readers.ts'
import { readRevisions } from '../../store/revisions.ts'
import { findStudySettings } from '../../store/settings.ts'
import type { Store } from '../../store/store.ts'
import { storedStudy } from '../../store/studies.ts'
import { findStudy, unknownStudy } from '../../store/study-records.ts'
import { countPoints, createGrid } from '../../study/grid.ts'
import type { Period, Study } from '../../study/study.ts'

export interface Holdout {
  readonly study: Study
  readonly span: Period
  /** undefined = it is closed. */
  readonly opening: HoldoutOpening | undefined
  /** Configurations that others have tried on this time; of an opened one, before it was opened. */
  readonly seenConfigs: number
}

/** Of a study in the definition that was opened, else in the current one. @throws Failure notFound, holdoutRefused where it holds nothing out */
export function readStoredHoldout(store: Store, name: string): Holdout {
  const opening = findOpening(store, name)
  const opened =
    opening && readRevisions(store, name).find(({ fingerprint }) => fingerprint === opening.studyFingerprint)
  const record = findStudy(store, opened === undefined ? name : `${name}@${opened.number}`)
  if (record === undefined) {
    const when = opening === undefined ? '' : `; its hold-out was tested at ${opening.openedAt} by ${opening.openedBy}`
    throw unknownStudy(store, name, when)
  }
  const study = storedStudy(record)
  const span = opening?.span ?? study.holdout
  if (span === null) {
    throw new Failure('holdoutRefused', `${name} holds nothing out`, {
      hint: 'write `validate: { holdout: 25% }` into the study file and run it',
    })
  }
  const seenConfigs = opening?.seenConfigs ?? countSeen(store, { markets: study.markets, span })
  return { study, span, opening, seenConfigs }
}

export interface HoldoutResult {
  /** The fingerprint. */
  readonly trial: string
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  readonly role: 'winner' | 'finalist'
  /** `best in sample`, `place 2 in sample`. */
  readonly place: string
  readonly config: DcaSpotConfig
  /** null where it failed; then `failure` says why. */
  readonly metrics: MetricsAsRead | null
  readonly failure: string | null
}

/** By place on train, then in the order of the markets; null before all are in. */
export function readResults(store: Store, { study, opening }: Holdout): readonly HoldoutResult[] | null {
  if (opening === undefined || opening.completedAt === null) return null
  const { identity, account } = opening
  const proposals = readProposals(store, { study, identity, account })
  const ofHoldout = proposals.flatMap(({ role, reason, trials }) =>
    role === 'winner' || role === 'finalist' ? trials.map((trial) => ({ role, reason, trial })) : [],
  )
  const stages = readStagesByMarket(store, {
    identity,
    trials: ofHoldout.map(({ trial }) => trial),
    settingsOn: (market) => findStudySettings(store, study, market)?.settings ?? null,
  })
  const records = readOfAttempts(
    store,
    [...stages.values()].map(({ attemptId }) => attemptId),
  )
  return ofHoldout.map(({ role, reason, trial }): HoldoutResult => {
    const record = records.get(trial.fingerprint)
    return {
      trial: trial.fingerprint,
      market: marketName(trial.market),
      role,
      place: reason,
      config: trial.config,
      metrics: record?.metrics ?? null,
      failure: record?.metrics ? null : (record?.failure ?? `it is ${record?.state ?? 'planned'}`),
    }
  })
}

/** A result beside the local engine's; numbers that are undefined are null with the reason beside them. */
export interface ComparedResult extends HoldoutResult {
  readonly percentileOnLocal: number | null
  readonly percentileOnLocalReason: string | null
  /** Net profit of the service less that of the local engine, in percent of the investment. */
  readonly localDifference: number | null
  readonly localDifferenceReason: string | null
}

/** `field`: the local engine's on the market of the result. */
export function compareWithLocal(
  result: HoldoutResult,
  field: LocalField | { readonly missing: string } | undefined,
  { objective }: Pick<Study, 'objective'>,
): ComparedResult {
  const without = (reason: string): ComparedResult => ({
    ...result,
    percentileOnLocal: null,
    percentileOnLocalReason: reason,
    localDifference: null,
    localDifferenceReason: reason,
  })
  if (field === undefined) return without('no local percentile was computed')
  if ('missing' in field) return without(field.missing)
  const { metrics, failure, config } = result
  if (metrics === null) return without(failure ?? 'it has no result')
  const value = metricValue(metrics, objective.metric)
  const percentile = value === null ? null : field.percentileOf(value)
  const netProfit = metricValue(metrics, 'netProfit')
  const onLocal = field.netProfitOf(config)
  const difference = netProfit === null || onLocal === null ? null : (100 * (netProfit - onLocal)) / config.investment
  const noValue = value === null ? `the result has no ${objective.metric}` : `no local result has a ${objective.metric}`
  return {
    ...result,
    percentileOnLocal: percentile,
    percentileOnLocalReason: percentile === null ? noValue : null,
    localDifference: difference,
    localDifferenceReason: difference === null ? 'the result does not state its net profit' : null,
  }
}

// Where a result on the hold-out stands among what the local engine computes on the same span: for the study's grid, or, where that is larger than
// `MOST_POINTS` or continuous, for Sobol points of its space. Values of the two are compared as they are; how far they lie apart on the
// same configuration is said beside it.

/** Points of a grid that is screened whole. */
const MOST_POINTS = 100_000
/** Points drawn from a larger space. */
const DRAWN_POINTS = 2_000
/** Configurations between two checks of the signal. */
const AT_ONCE = 250

interface LocalSpan {
  readonly study: Study
  readonly span: Period
  readonly market: Market
  readonly candlesFolder: string
}

export interface LocalField {
  /** What was computed: every point of the grid, or drawn ones. */
  readonly points: 'grid' | 'sobol'
  /** Of them, those with a value of the objective. */
  readonly n: number
  /** In percent of those with a value that `value` is better than, ties half; null without any. */
  percentileOf(value: number): number | null
  /** Net profit of a configuration, in quote. */
  netProfitOf(config: DcaSpotConfig): number | null
}

/** The field on one market, or why there is none: the candles are not here. @throws the signal's reason */
export async function screenSpan(
  { study, span, market, candlesFolder }: LocalSpan,
  {
    clock,
    signal,
    showProgress,
  }: { readonly clock: Clock; readonly signal: AbortSignal; readonly showProgress: (text: string) => void },
): Promise<LocalField | { readonly missing: string }> {
  const { objective, interval } = study
  const loaded = findCandles(candlesFolder, { market: marketName(market), ...span, interval })
  if (loaded instanceof Failure) return { missing: loaded.message }
  const onSpan = { ...study, markets: [market], period: span }
  const prepared = prepareCandles(loaded.candles)
  const chunks = { order: onSpan.axes, size: AT_ONCE }
  const symbol = findSymbolRules(candlesFolder, marketName(market))
  const simulation = createSimulation({ chunks, prepared, symbol }, study, [objective.metric])
  const { points, configs } = pointsOf(onSpan)
  const depth = depthOf(objective.metric)
  const values: number[] = []
  for (let from = 0; from < configs.length; from += AT_ONCE) {
    const { verdicts } = simulation.evaluate(configs.slice(from, from + AT_ONCE), depth, (read) =>
      read(objective.metric),
    )
    values.push(...verdicts.filter((value) => value !== null))
    showProgress(`${Math.min(from + AT_ONCE, configs.length)} of ${configs.length} on ${marketName(market)}`)
    await clock.sleep(0, signal) // lets an interrupt take effect
  }
  return {
    points,
    n: values.length,
    percentileOf: (value) =>
      percentileAmong(values, value, { ...objective, slack: slackOf(value, depth, objective.metric) }),
    netProfitOf: (config) => simulation.metricOf(config, 'netProfit'),
  }
}

function pointsOf(study: Study): { readonly points: LocalField['points']; readonly configs: readonly DcaSpotConfig[] } {
  const isContinuous = study.axes.some(({ continuous }) => continuous !== undefined)
  if (isContinuous || countPoints(study) > MOST_POINTS) {
    const seed = 'seed' in study.search ? study.search.seed : 1
    const { configs } = drawConfigs(study, { by: 'sobol', count: DRAWN_POINTS, seed })
    return { points: 'sobol', configs: configs.map(({ config }) => config) }
  }
  const grid = createGrid(study)
  const configs = [...grid.walk(0, grid.points)].flatMap(({ config, fate }) => (fate === 'trial' ? [config] : []))
  return { points: 'grid', configs }
}
