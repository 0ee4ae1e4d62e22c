/** What a report says of a study's best in sentences: what to run, and the careful one about what it rests on. */
import type { DcaSpotConfig } from '../../../../contract/bot.ts'
import { marketName } from '../../../../contract/market.ts'
import { metricValue } from '../../../../contract/metric-values.ts'
import type { MetricName } from '../../../../contract/metrics.ts'
import { sampleInWords } from '../../../../contract/sample-size.ts'
import { mostConfigs } from '../../../study/study.ts'
import {
  brokenBounds,
  companionsInWords,
  type Facts,
  type FinishedTrial,
  holdOf,
  lowerTitle,
  metricInWords,
  objectiveInWords,
  resultsInWords,
  shortFingerprint,
  valueInWords,
} from '../../facts.ts'
import { formatCount, formatNumber, formatPercent, formatValue, signedPercent } from '../../format.ts'
import { type Html, html } from '../../html.ts'

/** The one sentence above everything: the verdict as it was kept. */
export function headline(facts: Facts): string {
  const { best, input, finished, failed, pending, market, isOneOfSeveral } = facts
  if (input.identity === null) return 'Nothing to say yet: this study was not run.'
  if (finished.length === 0) {
    return pending.length === 0 && failed.length > 0 ? 'Nothing to judge: every trial failed.' : 'Nothing to say yet.'
  }
  if (best === undefined) {
    return `No configuration: ${facts.configs.outside.length > 0 ? 'none is inside the bounds' : 'none can be ranked'}.`
  }
  const name = configInWords(best.config, facts)
  const where = isOneOfSeveral ? ` on ${market}` : ''
  return `${input.best?.verdict?.headline ?? 'Not judged yet'}${where}: ${name}.`
}

/** "6 safety orders, 0.8 % apart, volume ×1.4, take profit 3 %": the numbers that traders tell a ladder by, and those that the study varied. */
function configInWords(config: DcaSpotConfig, { varied, quote }: Pick<Facts, 'varied' | 'quote'>): string {
  const { dcaMaxSafetyOrders: orders, dcaPriceScalePercent, dcaVolumeScale, dcaPriceStepMultiplier } = config
  const percent = (value: number) => `${formatValue(value)}\u00a0%`
  const ladder =
    orders === 0
      ? ['the first order alone']
      : [
          formatCount(orders, 'safety order'),
          `${percent(dcaPriceScalePercent)} apart`,
          ...(dcaPriceStepMultiplier === 1 && !varied.includes('dcaPriceStepMultiplier')
            ? []
            : [`steps ×${formatValue(dcaPriceStepMultiplier)}`]),
          `volume ×${formatValue(dcaVolumeScale)}`,
        ]
  const first = varied.includes('dcaInitialOrderSize')
    ? [`base order ${formatValue(config.dcaInitialOrderSize)}\u00a0${quote.asset}`]
    : []
  const stop = config.stopLoss === 0 ? [] : [`stop loss ${percent(config.stopLoss)}`]
  return [...first, ...ladder, `take profit ${percent(config.takeProfit)}`, ...stop].join(', ')
}

/** What the headline rests on, with all that belongs to its numbers. */
export function carefulSentence(facts: Facts, prefix: string): Html {
  const { best, finished, pending, failed, study, input } = facts
  if (input.identity === null) return html`Not run yet: this study plans ${plannedInWords(facts)}.`
  if (finished.length === 0) {
    return html`No result yet: ${formatCount(pending.length, 'configuration')} to come, ${formatNumber(failed.length, 0)} failed.`
  }
  if (best === undefined) {
    return html`${noneSentence(facts, prefix)}${holdSentence(facts)}${withoutResult(facts)}`
  }
  const read = (name: MetricName) => metricInWords(best.metrics, name, facts)
  const objective = study.objective.metric
  const isProfit = objective === 'netProfit' || objective === 'roiPercent'
  return html`Of the <strong>${resultsInWords(facts)}</strong>, the best by ${objectiveInWords(study)}${!isProfit && !facts.isOneOfSeveral && ` (${read(objective)}${companionsInWords(best.metrics, objective, facts)})`}, ${linkTo(best, prefix)}, made${facts.isOneOfSeveral && ` on ${facts.market}`} <strong>${read('netProfit')} (${read('roiPercent')} of the investment${perUsed(best, facts)})</strong> with a maximum drawdown of ${read('maxDrawdownPercent')} over ${formatCount(best.metrics.closedDeals, 'closed deal')} (${sampleInWords(best.metrics.sampleSize)}).${holdSentence(facts)}${withoutResult(facts)}`
}

/** So that nobody takes the rest for all. */
function withoutResult({ failed, pending }: Facts): string {
  const counts = [
    failed.length > 0 && `${formatCount(failed.length, 'trial')} ended without a result`,
    pending.length > 0 &&
      `${formatCount(pending.length, 'trial')} ${pending.length === 1 ? 'is' : 'are'} still to come`,
  ].filter((text) => text !== false)
  return counts.length === 0 ? '' : ` ${counts.join(', ')}.`
}

/** Opens the trial where the page's script runs. `prefix`: of the section's keys in the address. */
function linkTo(trial: FinishedTrial, prefix: string): Html {
  const name = shortFingerprint(trial)
  return html`<a href="#${prefix}trial=${name}"><code>${name}</code></a>`
}

/** What the best made of the capital it used; nothing where the result does not tell. */
function perUsed({ metrics }: FinishedTrial, facts: Facts): string | false {
  const value = metricValue(metrics, 'netProfitPerUsedPercent')
  return (
    value !== null && `; ${metricInWords(metrics, 'netProfitPerUsedPercent', facts)} of the capital in use on average`
  )
}

/** A search proposes at most so many; how many it asks for follows from what it finds. */
export function plannedInWords({ study: { search }, input: { plan } }: Facts, noun = 'configuration'): string {
  const most = mostConfigs(search)
  const count = most ?? (plan === null ? 0 : plan.grid - plan.infeasible - plan.duplicates)
  const words = noun === '' ? formatNumber(count, 0) : formatCount(count, noun)
  return most === null ? words : `at most ${words}`
}

/**
 * A sentence why there is no best trial. `outside` is in the objective's order: its first is the best of them, not the one
 * nearest to the bounds.
 */
function noneSentence(facts: Facts, prefix: string): Html {
  const { configs, unranked, study, isOneOfSeveral } = facts
  const { metric } = study.objective
  const title = lowerTitle(metric)
  const everywhere = isOneOfSeveral ? ' on every market' : ''
  const [first] = configs.outside
  if (first === undefined) {
    const why = isOneOfSeveral ? `none has a ${title} on every market` : `no result has a ${title}`
    return html`None of the ${resultsInWords(facts)} can be ranked: ${why}.`
  }
  const rest =
    unranked.length > 0 &&
    `; ${formatNumber(unranked.length, 0)} of them have no ${title} ${everywhere.trim() || 'at all'}`
  const broken = first.trials.flatMap((trial) => {
    const on = isOneOfSeveral ? `${marketName(trial.market)}: ` : ''
    return brokenBounds(trial.metrics, facts).map((bound) => `${on}${bound}`)
  })
  const company = companionsInWords(first.trials[0].metrics, metric, facts)
  const name = isOneOfSeveral ? html`a configuration` : linkTo(first.trials[0], prefix)
  return html`None of the ${resultsInWords(facts)} meets the objective’s bounds${everywhere}. Without the bounds, the best by ${objectiveInWords(study)} would be ${name} with ${valueInWords(first.value, metric, first.trials[0].metrics, facts)}${company}; it breaks them by ${broken.join(', ')}${rest}.`
}

function holdSentence(facts: Facts): Html {
  const hold = holdOf(facts)
  if (hold === undefined) return html` What buy &amp; hold made is not in the results.`
  return html` Buy &amp; hold made <strong>${signedPercent(hold.returnPercent)}</strong> over the same period${hold.drawdownPercent !== null && `, with a drawdown of ${formatPercent(hold.drawdownPercent)}`}${hold.exposedPercent !== null && `; with no more capital in use than the best had on average, ${signedPercent(hold.exposedPercent)}`}.`
}
