/** The distribution of all results, with the best trial in it; a ranking alone does not show this. */

import { metricValue } from '../../../contract/metric-values.ts'
import { ascending, quantile } from '../../analysis/quantiles.ts'
import { binsOf, type Landmark, pinnedLandmarks } from '../charts/distribution.ts'
import { type Facts, holdOf } from '../facts.ts'
import { formatCount, formatNumber, formatPercent, formatSigned } from '../format.ts'
import { html } from '../html.ts'
import { figure, numbersBehind, type Part, type Place } from './part.ts'

/** null where no trial has a net profit. */
export function distributionFigure(facts: Facts, place: Place): Part | null {
  const profits = facts.finished.flatMap(({ metrics }) => metricValue(metrics, 'netProfit') ?? [])
  const sorted = ascending(profits)
  const [lower, middle, upper] = [0.25, 0.5, 0.75].map((p) => quantile(sorted, p))
  if (lower === undefined || middle === undefined || upper === undefined) {
    return null
  }
  const { quote } = facts
  const amount = (value: number) => `${formatSigned(value, quote.decimals)} ${quote.asset}`
  const hold = holdProfit(facts)
  const best = facts.best === undefined ? null : metricValue(facts.best.metrics, 'netProfit')
  const landmarks: Landmark[] = [
    ...(best === null ? [] : [{ kind: 'best' as const, value: best, label: `Best ${amount(best)}` }]),
    { kind: 'median', value: middle, label: `Median ${amount(middle)}` },
    ...(hold === null ? [] : [{ kind: 'hold' as const, value: hold, label: `Buy & hold ${amount(hold)}` }]),
  ]
  const bins = binsOf(profits, { lower, upper })
  const binEdge = (value: number) => formatNumber(value, Number.isInteger(value) ? 0 : quote.decimals)
  const sentence = summarize(profits, middle, hold, amount)
  const chart = figure({
    place,
    name: 'distribution',
    drawn: {
      xTitle: `Net profit, ${quote.asset}`,
      counted: 'trials',
      bins,
      landmarks: pinnedLandmarks(landmarks, bins),
      formatValue: binEdge,
    },
    summary: `Histogram of ${formatCount(profits.length, 'trial')}. ${sentence}`,
    caption: html`All ${formatNumber(profits.length, 0)} trials with a result${facts.study.objective.where.length > 0 && ', inside of the bounds or not'}. The best of many tries is the lucky end of this picture: on another period, expect something nearer to its middle.${numbersBehind(
      'Trials by net profit',
      [`Net profit, ${quote.asset}`, 'Trials'],
      bins.map(({ from, to, count }) => [`${binEdge(from)} to ${binEdge(to)}`, String(count)]),
    )}`,
  })
  return { body: html`<p>${sentence}</p>${chart.body}`, charts: chart.charts }
}

function holdProfit(facts: Facts): number | null {
  const hold = holdOf(facts)
  const trial = facts.best ?? facts.finished.at(0)
  return hold === undefined || trial === undefined ? null : (hold.returnPercent / 100) * trial.config.investment
}

function summarize(
  profits: readonly number[],
  middle: number,
  hold: number | null,
  amount: (value: number) => string,
): string {
  const share = (count: number) => formatPercent((100 * count) / profits.length, 0)
  const gained = profits.filter((profit) => profit > 0).length
  const [first, second] = ascending(profits).reverse()
  return [
    `${share(gained)} of the trials ended with a profit; the median made ${amount(middle)}.`,
    second !== undefined && `The highest profit is ${amount(first)}, the second ${amount(second)}.`,
    hold !== null && `${share(profits.filter((profit) => profit > hold).length)} made more than buy & hold.`,
  ]
    .filter((text) => text !== false)
    .join(' ')
}
