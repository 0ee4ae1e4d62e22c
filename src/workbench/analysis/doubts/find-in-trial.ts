/** What speaks against believing a trial's result, and against choosing it. */
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import type { MetricsAsRead } from '../../../contract/metrics.ts'
import type { ResultReading } from '../../../contract/result-reading.ts'
import { isSmallSample } from '../../../contract/sample-size.ts'
import type { AskedSettings } from '../../study/settings.ts'
import type { Period } from '../../study/study.ts'
import type { EquityCurve } from '../certainty/equity-curve.ts'
import { leadNoise } from '../certainty/noise.ts'
import { DOUBTS, type Doubt, doubt } from './doubts.ts'
import { compareSettings } from './find-in-settings.ts'
import { findInconsistencies, findOtherRoiBase } from './find-inconsistencies.ts'
import { shown, shownSpan } from './row.ts'

/** What is looked at of a trial: the store's record of it fits. */
export interface TrialFacts extends Pick<ResultReading, 'deals' | 'openDeal' | 'candles' | 'conventions' | 'costs'> {
  readonly config: Pick<DcaSpotConfig, 'dcaMaxSafetyOrders' | 'dcaInitialOrderSize' | 'investment'>
  readonly metrics: MetricsAsRead | null
  readonly metricFlags: Readonly<Record<string, string>>
  readonly simulated: boolean
  readonly period: Period
  /** What the service said of it later. */
  readonly revised?: readonly { readonly isPending: boolean }[]
}

/** Where the trial stands in its study; null for a trial that belongs to none. */
export interface StandingInStudy {
  readonly study: string
  /** Trials with a result on its market: each was a look at the same data. */
  readonly tried: number
  /** Of its configuration, 1 = best; null when that lies outside the objective's bounds, has no value on some market, or does not compete. */
  readonly rank: number | null
  /** On some market. */
  readonly outsideBounds: boolean
  /** A screen took it for comparison and did not choose it. */
  readonly isSample: boolean
  /** On how many markets the study tries every configuration. */
  readonly markets: number
  /** The costs and conventions that the study asks about. */
  readonly asked: AskedSettings
  /** The study holds a part of its period out, so that a winner can be tested on it. */
  readonly holdsOut: boolean
  /** Of what its other trials’ ROI is, as parts of their investment (`roiBaseOf`). */
  readonly roiBases: readonly number[]
  /** Of its results on the service: how many were read again, and how many the service now states otherwise. */
  readonly revised: { readonly checked: number; readonly revised: number }
  /** Best of the other ranked trials. */
  readonly rival: TrialFacts | null
}

/** Of the result itself, whatever it is wanted for; of its choice too where its standing is given. */
export function findDoubts(trial: TrialFacts, standing: StandingInStudy | null): Doubt[] {
  return [
    ...doubtsOfResult(trial),
    ...findRevised(trial, standing),
    ...doubtsOfData(trial),
    ...(standing === null ? [] : doubtsOfChoice(trial, standing)),
  ]
}

function doubtsOfResult(trial: TrialFacts) {
  const { config, metrics, metricFlags, openDeal } = trial
  if (metrics === null) return [doubt('unreadable', { metrics: null })]
  const doubts: Doubt[] = []
  const { netProfit, closedDeals, sampleSize, unrealizedProfit } = metrics
  const unread = Object.keys(metricFlags)
  if (unread.length > 0) doubts.push(doubt('unreadable', { metrics: unread }))
  const inconsistency = findInconsistencies(trial).at(0)
  if (inconsistency !== undefined) doubts.push(doubt('inconsistentNumbers', inconsistency))
  if (netProfit !== null && netProfit <= 0) doubts.push(doubt('noProfit', { netProfit }))
  if (isSmallSample(sampleSize)) doubts.push(doubt('fewDeals', { closedDeals, sampleSize }))
  if (unrealizedProfit !== null && unrealizedProfit < 0) {
    doubts.push(doubt('openLoss', { loss: -unrealizedProfit, safetyOrders: openDeal?.safetyOrders ?? null }))
  }
  if (metrics.outOfCash) doubts.push(doubt('outOfCash'))
  if (metrics.unplacedOrders) {
    const asked = closedDeals === null ? null : config.dcaMaxSafetyOrders * (closedDeals + (metrics.openDeal ? 1 : 0))
    doubts.push(doubt('unplacedOrders', { unplaced: metrics.unplacedOrders, asked }))
  }
  return doubts
}

/** A result that is stated otherwise now puts in question what else of its study was not read again. */
function findRevised(trial: TrialFacts, standing: StandingInStudy | null) {
  const isOwn = trial.revised?.some(({ isPending }) => isPending) ?? false
  const counts = standing?.revised ?? { checked: 1, revised: isOwn ? 1 : 0 }
  return counts.revised === 0 ? [] : [doubt('revisedResults', counts)]
}

function doubtsOfData({ metrics, candles, simulated }: TrialFacts) {
  const doubts: Doubt[] = []
  if (simulated) doubts.push(doubt('simulated'))
  if (candles?.synthetic) doubts.push(doubt('syntheticCandles', { simulated }))
  if (candles?.missing) {
    doubts.push(doubt('missingCandles', { missing: candles.missing, inDeals: metrics?.missingInDeals ?? null }))
  }
  const percent = candles?.count ? ((metrics?.ambiguousCandles ?? 0) / candles.count) * 100 : 0
  if (percent >= DOUBTS.ambiguousCandles.threshold) doubts.push(doubt('ambiguousCandles', { percent }))
  return doubts
}

function doubtsOfChoice(trial: TrialFacts, standing: StandingInStudy) {
  const { study, tried, rank, isSample, markets } = standing
  const doubts: Doubt[] = [
    ...compareSettings(standing.asked, { results: [trial] }).map(({ path, isUnknown, ...found }) => found),
  ]
  const otherBase = findOtherRoiBase(trial, standing.roiBases)
  if (otherBase !== null && findInconsistencies(trial).length === 0)
    doubts.push(doubt('inconsistentNumbers', otherBase))
  if (!standing.holdsOut) doubts.push(doubt('noHoldout', { period: shownPeriod(trial) }))
  if (tried > 1) doubts.push(doubt('manyLooks', { tried }))
  if (standing.outsideBounds) doubts.push(doubt('outsideBounds', { study }))
  else if (rank === null) doubts.push(doubt('unranked', { study, isSample, markets }))
  else if (rank > 1) doubts.push(doubt('notBest', { above: rank - 1, study, markets }))
  doubts.push(...ofLead(trial, standing.rival))
  return doubts
}

/** By daily equity, in which the open deal counts: deals alone hide its loss. */
function ofLead(trial: TrialFacts, rival: TrialFacts | null): readonly Doubt[] {
  const [profit, next] = [trial.metrics?.netProfit ?? null, rival?.metrics?.netProfit ?? null]
  const [own, other] = [curveOf(trial), rival === null ? null : curveOf(rival)]
  if (profit === null || next === null || own === null || other === null) return []
  const gap = Math.abs(profit - next)
  const noise = leadNoise(own, other)
  return noise !== null && gap < noise ? [doubt('withinNoise', { gap, noise })] : []
}

/** null where the daily equity is not told, or was pruned. */
function curveOf({ config: { investment }, metrics }: TrialFacts): EquityCurve | null {
  if (metrics === null || metrics.dailyEquity.length === 0) return null
  return { investment, dailyEquity: metrics.dailyEquity }
}

const dayMs = 86_400_000

function shownPeriod({ period: { from, to } }: TrialFacts): string {
  return `${shown((to - from) / dayMs)} days (${shownSpan({ from, to })})`
}
