/** Whether what was good stayed good: the next half, and the next span of each fold of a walk-forward, beside the hold-out. */
import { metricValue } from '../../../../contract/metric-values.ts'
import { METRICS } from '../../../../contract/metrics.ts'
import type { WalkForwardCheck } from '../../../analysis/certainty/checks.ts'
import type { KeptExamination } from '../../../store/examinations.ts'
import { type Facts, lowerTitle } from '../../facts.ts'
import {
  formatCount,
  formatMetricWithUnit,
  formatNumber,
  formatPercent,
  signedPercent,
  unitInWords,
} from '../../format.ts'
import { html } from '../../html.ts'
import { checkCard, money, sentences } from './check.ts'
import { type BarRow, bars, intervals } from './pictures.ts'
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

export function walkForward(examination: KeptExamination, facts: Facts) {
  return checkCard({
    question: 'What would choosing again and again have made?',
    answer: readCheck(examination, 'walkForward'),
    say: (check) =>
      html`<p>${summaryOf(check, facts)}</p>${bars(`${withUnit(facts)}, on the span it was chosen on and on the next`, [
        ...check.folds.flatMap((fold) => foldRows(fold, facts)),
        ...holdoutRows(facts),
      ])}`,
  })
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

function foldRows(fold: WalkForwardCheck['folds'][number], facts: Facts): BarRow[] {
  const { test, chosen, why, trainValue, testValue, percentile, testMarketPercent } = fold
  const named = chosen?.slice(0, 8) ?? `none: ${why ?? 'no reason was kept'}`
  const place = percentile === null ? '' : `percentile ${formatNumber(percentile, 0)}, `
  return [
    barOf(`${test.from.slice(0, 10)} ${named}`, trainValue, facts),
    barOf('next span', testValue, facts, ` (${place}market ${signedPercent(testMarketPercent)})`),
  ]
}

/** The winner on the whole of the study's period beside the hold-out; none while that is closed. */
function holdoutRows(facts: Facts): BarRow[] {
  const { best, market, study, input } = facts
  const winner = input.holdout?.results?.find((result) => result.role === 'winner' && result.market === market)
  if (best === undefined || winner === undefined || winner.metrics === null) return []
  const { metric } = study.objective
  const [train, test] = [best.metrics, winner.metrics].map((metrics) => metricValue(metrics, metric))
  const held = ` (market ${signedPercent(winner.metrics.buyAndHoldPercent)})`
  return [barOf('The study’s best', train, facts), barOf('hold-out', test, facts, held)]
}

function barOf(label: string, value: number | null, { study, quote }: Facts, behind = ''): BarRow {
  return { label, value: value ?? 0, text: `${formatMetricWithUnit(study.objective.metric, value, quote)}${behind}` }
}

function withUnit({ study, quote }: Facts): string {
  return [METRICS[study.objective.metric].title, unitInWords(study.objective.metric, quote.asset)]
    .filter(Boolean)
    .join(', ')
}
