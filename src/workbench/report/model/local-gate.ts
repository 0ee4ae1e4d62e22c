/** Is what the page computes what the service stored? Pure. */

import { rankCorrelation } from '../../analysis/correlation.ts'
import { median } from '../../analysis/quantiles.ts'
import { formatAmount, formatCount, formatMetricWithUnit, formatNumber, formatPercent, type Quote } from '../format.ts'
import type { PageCandles, PageTerms } from './document.ts'

interface LocalNumbers {
  /** Quote. */
  readonly netProfit: number | null
  readonly closedDeals: number | null
}

interface LocalComparison {
  readonly isExact: boolean
  /** One sentence with both numbers. */
  readonly words: string
}

/** Engines may add up in another order, so a difference below this share of the turnover is none. */
const EQUAL = 1e-9

/** @param volume traded, quote */
function isSameProfit(gap: number, volume: number): boolean {
  return Math.abs(gap) <= EQUAL * Math.max(1, volume)
}

/** @param here as the page computed it, with the volume traded, quote */
export function compareHere(
  stored: LocalNumbers,
  here: LocalNumbers & { readonly netProfit: number; readonly volume: number },
  { quote, investment }: { readonly quote: Quote; readonly investment: number },
): LocalComparison {
  const text = (value: number | null) => formatMetricWithUnit('netProfit', value, quote)
  if (stored.netProfit === null) {
    return {
      isExact: false,
      words: `Recomputed here: ${text(here.netProfit)}. The result states no net profit to hold it against.`,
    }
  }
  const gap = here.netProfit - stored.netProfit
  if (isSameProfit(gap, here.volume)) {
    return {
      isExact: true,
      words: `Recomputed here: ${text(here.netProfit)} = ${text(stored.netProfit)} (exact to 1e-9 of the turnover).`,
    }
  }
  const amount = formatAmount(Math.abs(gap), { ...quote, decimals: gapDecimals(gap, quote.decimals) })
  const share = formatPercent((100 * Math.abs(gap)) / investment)
  const deals = `${formatCount(here.closedDeals, 'closed deal')} here, ${formatNumber(stored.closedDeals, 0)} stored`
  return {
    isExact: false,
    words: `Recomputed here: ${text(here.netProfit)}, stored: ${text(stored.netProfit)}. ${amount} ${gap > 0 ? 'more' : 'less'} here (${share} of the investment); ${deals}.`,
  }
}

/** A difference smaller than the usual decimals would read as none. */
function gapDecimals(gap: number, decimals: number): number {
  return gap === 0 ? decimals : Math.min(12, Math.max(decimals, 1 - Math.floor(Math.log10(Math.abs(gap)))))
}

const ORIGINS: Readonly<Record<PageTerms['from'], string>> = {
  result: 'the conventions, costs and rules that the result states',
  calibration: 'the conventions and costs that the service was found to use',
  poorCalibration: 'the conventions and costs that come nearest to the service, though badly',
  study: 'the conventions and costs of the study, because the result states none',
}

/** By what the page computes, in a sentence. */
export function computedFrom(terms: PageTerms, candles: PageCandles, subject = 'It was'): string {
  const by = `${subject} computed by ${ORIGINS[terms.from]}`
  if (candles.kind === 'absent') return `${by}.`
  const own = candles.hash.slice(0, 12)
  if (terms.candlesHash === null)
    return `${by}, on ${candles.interval} candles ${own}; the service does not say on which it did.`
  return terms.candlesHash === candles.hash
    ? `${by}, on the same ${candles.interval} candles (${own}).`
    : `${by}, on ${candles.interval} candles ${own}; the service used others (${terms.candlesHash.slice(0, 12)}).`
}

/** Why a trial cannot be computed as it is stored; null = it can. */
export function whyNotHere(candles: PageCandles, trial: number): string | null {
  const isTraced = candles.kind === 'thinned' && trial < candles.traced
  return isTraced ? null : whyNoChange(candles)
}

/** Why nothing but what is stored can be computed; null = it can. */
export function whyNoChange(candles: PageCandles): string | null {
  return candles.kind === 'full' ? null : candles.reason
}

// Every trial by two engines, the one that answered for it and the one in the page: what the pairs say. Pure.

/** Net profits in quote. */
export interface LocalPoint {
  /** Its place in the table. */
  readonly trial: number
  readonly service: number
  readonly here: number
  /** `here` less `service`. */
  readonly gap: number
  /** Of the investment. */
  readonly gapPercent: number
  /** To the rounding of sums. */
  readonly isExact: boolean
}

/** @param volume traded, quote */
export function localPoint(
  trial: number,
  { service, here, volume, investment }: Readonly<Record<'service' | 'here' | 'volume' | 'investment', number>>,
): LocalPoint {
  const gap = here - service
  return { trial, service, here, gap, gapPercent: (100 * gap) / investment, isExact: isSameProfit(gap, volume) }
}

export function widest(points: readonly LocalPoint[]): LocalPoint | null {
  return points.reduce<LocalPoint | null>(
    (most, point) => (most === null || Math.abs(point.gap) > Math.abs(most.gap) ? point : most),
    null,
  )
}

/** What the pairs say, in one or two sentences. `name`: of a trial; `isAll`: no more will come. */
export function localInWords(
  points: readonly LocalPoint[],
  { quote, name, isAll }: { readonly quote: Quote; readonly name: (trial: number) => string; readonly isAll: boolean },
): string {
  const exact = points.filter(({ isExact }) => isExact).length
  const largest = widest(points)
  if (largest === null) return ''
  if (exact === points.length) {
    const all = isAll ? 'All' : 'So far all'
    return `${points.length === 1 ? 'It is' : `${all} ${formatNumber(exact, 0)} are`} what the service stated, to the rounding of sums.`
  }
  const { rho } = rankCorrelation(points.map(({ service, here }) => [service, here]))
  const order =
    rho === null
      ? ''
      : ` Ranked by either, the trials stand in orders that correlate with ρ ${formatNumber(rho, 3)}; 1 is the same order.`
  const amount = (gap: number) => formatAmount(Math.abs(gap), { ...quote, decimals: gapDecimals(gap, quote.decimals) })
  const middle = median(points.map(({ gap }) => Math.abs(gap))) ?? 0
  const count = exact === 0 ? 'none' : formatNumber(exact, 0)
  const said = `${isAll ? '' : 'so far '}${count} of ${formatCount(points.length, 'trial')} ${exact > 1 ? 'are' : 'is'} what the service stated, to the rounding of sums`
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}. Half of the gaps are at most ${amount(middle)}; the largest is ${amount(largest.gap)}, ${formatPercent(Math.abs(largest.gapPercent), gapDecimals(largest.gapPercent, 3))} of the investment (${name(largest.trial)}, ${largest.gap > 0 ? 'more' : 'less'} here).${order}`
}
