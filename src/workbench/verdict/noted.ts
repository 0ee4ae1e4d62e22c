/** What is also noted of a result: it changes no grade, and is folded below the reasons. */
import type { ConfigField } from '../../contract/bot.ts'
import { isSmallSample } from '../../contract/sample-size.ts'
import type { Evidence } from './evidence.ts'
import { gain, plainNumber, share } from './words.ts'

export interface Remark {
  readonly code: string
  /** With its number, in one line. */
  readonly sentence: string
}

/** Of the profit. */
const mostDealPercent = 30
/** Probability that it is more than the luck of so many tried. */
const leastDeflated = 0.95
/** Of the splits of its days. */
const mostOverfitPercent = 50

const FIELD_WORDS: Readonly<Partial<Record<ConfigField, string>>> = {
  dcaMaxSafetyOrders: 'safety orders',
  dcaPriceScalePercent: '% first step',
  dcaPriceStepMultiplier: 'as step ×',
  dcaVolumeScale: 'as size ×',
  takeProfit: '% take profit',
  stopLoss: '% stop loss',
}

type Find = (evidence: Evidence) => string | null

export const NOTES = {
  edge: ({ beyond }) => {
    if (beyond === null) return null
    const { best, edges, axes } = beyond
    if (best === null) return `${edges} of ${axes} parameters are at the edge of the tested range`
    const { field, value, netProfit } = best
    return `profit goes on rising beyond the tested range: ${plainNumber(value)} ${FIELD_WORDS[field] ?? field} ${gain(netProfit)}`
  },
  fewDeals: ({ trial: { metrics } }) =>
    isSmallSample(metrics.sampleSize) ? `${metrics.closedDeals ?? 'an unknown number of'} closed deals` : null,
  oneDeal: ({ trial: { metrics, deals } }) => {
    const { netProfit } = metrics
    if (netProfit === null || netProfit <= 0 || deals === null) return null
    const most = deals.reduce<(typeof deals)[number] | undefined>(
      (best, one) => (best === undefined || one.profit > best.profit ? one : best),
      undefined,
    )
    if (most === undefined || (100 * most.profit) / netProfit <= mostDealPercent) return null
    return `the deal of ${most.openedAt.slice(0, 10)} earned ${share((100 * most.profit) / netProfit)} of the profit`
  },
  unplacedOrders: ({ trial: { metrics } }) =>
    metrics.unplacedOrders
      ? `${metrics.unplacedOrders} safety orders were never placed: smaller than the market takes`
      : null,
  ambiguousRank: ({ examined: { ambiguity } }) =>
    ambiguity === null
      ? null
      : `place ${ambiguity.worst ?? 'outside the limits'} or ${ambiguity.best ?? 'outside the limits'} of ${ambiguity.of}, by the order of prices inside candles`,
  outsideBounds: ({ standing }) => (standing?.outsideBounds ? `it is outside the limits of ${standing.study}` : null),
  unranked: ({ standing }) => {
    if (standing === null || standing.outsideBounds || standing.rank !== null) return null
    return standing.isSample
      ? `a control configuration of ${standing.study}, which has no place`
      : `${standing.study} has no value for it on every market`
  },
  notBest: ({ standing }) =>
    standing?.rank != null && standing.rank > 1 ? `${standing.rank - 1} of ${standing.study} rank above it` : null,
  luckOfLooks: ({ examined: { deflated }, tried }) =>
    deflated === null || deflated >= leastDeflated
      ? null
      : `the best of ${tried.shown + tried.scanned} tried is as good by chance (DSR ${plainNumber(deflated)})`,
  likelyOverfit: ({ examined: { overfit } }) =>
    overfit === null || 100 * overfit <= mostOverfitPercent
      ? null
      : `in ${share(100 * overfit)} of splits the best of one half is below the middle of the other`,
} as const satisfies Readonly<Record<string, Find>>

export function findNotes(evidence: Evidence): readonly Remark[] {
  const all: Readonly<Record<string, Find>> = NOTES
  return Object.entries(all).flatMap(([code, find]) => {
    const sentence = find(evidence)
    return sentence === null ? [] : [{ code, sentence }]
  })
}
