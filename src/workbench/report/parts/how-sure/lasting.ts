/** Whether what was good stayed good: the next half, and the next span of each fold of a walk-forward, beside the hold-out. */
import { metricValue } from '../../../../contract/metric-values.ts'
import { METRICS } from '../../../../contract/metrics.ts'
import type { WalkForwardCheck } from '../../../analysis/certainty/checks.ts'
import type { KeptExamination } from '../../../store/examinations.ts'
import { tooltipText } from '../../charts/columns.ts'
import type { FoldBars } from '../../charts/fold-bars.ts'
import { type Facts, lowerTitle } from '../../facts.ts'
import { formatCount, formatMetricWithUnit, formatNumber, formatPercent, signedPercent } from '../../format.ts'
import { html } from '../../html.ts'
import { figure, numbersBehind, type Part, type Place } from '../part.ts'
import { checkCard, money, refusal, sentences } from './check.ts'
import { intervals } from './pictures.ts'
import { readCheck } from './read-checks.ts'

export function nextSpan(examination: KeptExamination) {
  return checkCard({
    question: 'Did ranks last from one half of this market to the other?',
    answer: readCheck(examination, 'nextSpan'),
    say: ({ rho, n, splitAt }) =>
      html`<p>Places before ${splitAt.slice(0, 10)} against places after it, over ${formatCount(n, 'configuration')}: 1 = the same order, 0 = none in common, −1 = the reverse.</p>${intervals(
        'Spearman’s rank correlation of the two halves',
        [{ label: 'ρ', low: rho, at: rho, high: rho, text: formatNumber(rho, 2) }],
        [-1, 1],
      )}`,
  })
}

/** A card of its own width, because its chart needs the room. */
export function walkForwardPart(examination: KeptExamination, facts: Facts, place: Place): Part {
  const answer = readCheck(examination, 'walkForward')
  const question = html`<p class="question">What would choosing again and again have made?</p>`
  if ('refused' in answer) {
    return { body: html`<div class="check">${question}${refusal(answer.refused)}</div>`, charts: [] }
  }
  const { folds } = answer.value
  const bars = folds.map((fold, index) => foldBars(fold, index, facts))
  const ofHoldout = holdoutBars(facts)
  const drawn = figure({
    place,
    name: 'walk-forward',
    drawn: {
      yTitle: axisWords(facts),
      folds: ofHoldout === null ? bars : [...bars, ofHoldout],
    },
    summary: summaryOf(answer.value, facts),
    legend: [
      { swatch: 'bar hollow', label: 'on the span it was chosen on' },
      { swatch: 'bar', label: 'on the next span' },
    ],
    caption: html`Above each pair: what the market did on the next span. The two spans of a pair may differ in length; then so do amounts.${numbersBehind(
      'Walk-forward, fold by fold',
      ['Next span', 'Chosen', axisWords(facts), 'On the next span', 'Net profit there', 'Percentile there', 'Market'],
      folds.map((fold) => [
        `${fold.test.from.slice(0, 10)} to ${fold.test.to.slice(0, 10)}`,
        fold.chosen?.slice(0, 8) ?? `none: ${fold.why ?? 'no reason was kept'}`,
        objectiveText(fold.trainValue, facts),
        objectiveText(fold.testValue, facts),
        money(fold.netProfit, facts),
        formatNumber(fold.percentile, 1),
        signedPercent(fold.testMarketPercent),
      ]),
    )}`,
  })
  return {
    body: html`<div class="check wide">${question}<p>${summaryOf(answer.value, facts)}</p>${drawn.body}</div>`,
    charts: drawn.charts,
  }
}

function summaryOf(check: WalkForwardCheck, facts: Facts): string {
  const { folds, configs, meanPercentile, worstFold, profit, value, valueReason } = check
  const worst = worstFold === null ? undefined : folds.at(worstFold - 1)
  const { metric } = facts.study.objective
  return sentences(
    `${formatCount(folds.length, 'fold')}, each chosen among ${formatCount(configs, 'configuration')}: ${money(profit, facts)} in all next spans, added up.`,
    meanPercentile !== null &&
      `On average the chosen was better than ${formatPercent(meanPercentile, 0)} of all on the next span; 50 % is what choosing by chance gives.`,
    worst !== undefined && `The worst begins ${worst.test.from.slice(0, 10)}: ${money(worst.netProfit, facts)}.`,
    value === null && valueReason !== null && `No ${lowerTitle(metric)} of all folds together: ${valueReason}.`,
  )
}

function foldBars(fold: WalkForwardCheck['folds'][number], index: number, facts: Facts): FoldBars {
  return {
    label: `${index + 1}: ${fold.test.from.slice(5, 10)}`,
    train: fold.trainValue,
    test: fold.testValue,
    market: directionText(fold.testMarketPercent),
    tooltip: tooltipText(`Fold ${index + 1}, next span from ${fold.test.from.slice(0, 10)}`, [
      ['chosen', fold.chosen?.slice(0, 8) ?? 'none'],
      ['where chosen', objectiveText(fold.trainValue, facts)],
      ['next span', objectiveText(fold.testValue, facts)],
      ['percentile', formatNumber(fold.percentile, 1)],
      ['market before', signedPercent(fold.trainMarketPercent)],
      ['market after', signedPercent(fold.testMarketPercent)],
    ]),
  }
}

/** The winner on the whole of the study's period beside the hold-out; null while that is closed. */
function holdoutBars(facts: Facts): FoldBars | null {
  const { best, market, study, input } = facts
  const winner = input.holdout?.results?.find((result) => result.role === 'winner' && result.market === market)
  if (best === undefined || winner === undefined || winner.metrics === null) return null
  const { metric } = study.objective
  const [train, test] = [metricValue(best.metrics, metric), metricValue(winner.metrics, metric)]
  const held = winner.metrics.buyAndHoldPercent
  return {
    label: 'hold-out',
    train,
    test,
    market: directionText(held),
    tooltip: tooltipText('The study’s best, on the hold-out', [
      ['where chosen', objectiveText(train, facts)],
      ['hold-out', objectiveText(test, facts)],
      ['market', signedPercent(held)],
    ]),
  }
}

function axisWords({ study, quote }: Facts): string {
  const { title, unit } = METRICS[study.objective.metric]
  return unit === 'quote' ? `${title}, ${quote.asset}` : unit === 'percent' ? `${title}, %` : title
}

function objectiveText(value: number | null, { study, quote }: Facts): string {
  return formatMetricWithUnit(study.objective.metric, value, quote)
}

/** The arrow tells the direction where no colour does. */
function directionText(percent: number | null): string {
  if (percent === null) return 'market –'
  return `${percent < 0 ? '▼' : '▲'} ${formatPercent(Math.abs(percent), 0)}`
}
