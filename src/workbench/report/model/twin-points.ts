/** Every trial by two engines, the one that answered for it and the one in the page: what the pairs say. Pure. */
import { median } from '../../analysis/quantiles.ts'
import { rankCorrelation } from '../../analysis/rank-correlation.ts'
import { formatCount, formatNumber, formatPercent, type Quote } from '../format.ts'
import { isSameProfit } from './twin-gate.ts'

/** Net profits in quote. */
export interface TwinPoint {
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
export function twinPoint(
  trial: number,
  { service, here, volume, investment }: Readonly<Record<'service' | 'here' | 'volume' | 'investment', number>>,
): TwinPoint {
  const gap = here - service
  return { trial, service, here, gap, gapPercent: (100 * gap) / investment, isExact: isSameProfit(gap, volume) }
}

export function widest(points: readonly TwinPoint[]): TwinPoint | null {
  return points.reduce<TwinPoint | null>(
    (most, point) => (most === null || Math.abs(point.gap) > Math.abs(most.gap) ? point : most),
    null,
  )
}

/** What the pairs say, in one or two sentences. `name`: of a trial; `isAll`: no more will come. */
export function twinsInWords(
  points: readonly TwinPoint[],
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
  const amount = (gap: number) => `${formatNumber(Math.abs(gap), decimalsFor(gap, quote))}\u00a0${quote.asset}`
  const middle = median(points.map(({ gap }) => Math.abs(gap))) ?? 0
  const count = exact === 0 ? 'none' : formatNumber(exact, 0)
  const said = `${isAll ? '' : 'so far '}${count} of ${formatCount(points.length, 'trial')} ${exact > 1 ? 'are' : 'is'} what the service stated, to the rounding of sums`
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}. Half of the gaps are at most ${amount(middle)}; the largest is ${amount(largest.gap)}, ${formatPercent(Math.abs(largest.gapPercent), decimalsFor(largest.gapPercent, { decimals: 3 }))} of the investment (${name(largest.trial)}, ${largest.gap > 0 ? 'more' : 'less'} here).${order}`
}

/** A gap smaller than the usual decimals would read as none. */
export function decimalsFor(gap: number, { decimals }: Pick<Quote, 'decimals'>): number {
  if (gap === 0) return decimals
  return Math.min(12, Math.max(decimals, 1 - Math.floor(Math.log10(Math.abs(gap)))))
}
