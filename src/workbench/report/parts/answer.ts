/** The answer: the best trial and, equally prominent, buy & hold and how many configurations were looked at. */

import { CONFIG_FIELDS } from '../../../contract/bot.ts'
import { marketName } from '../../../contract/market.ts'
import { type MetricName, metricValue } from '../../../contract/metrics.ts'
import { isSmallSample, type SampleSize } from '../../../contract/sample-size.ts'
import { mostConfigs } from '../../study/study.ts'
import {
  brokenBounds,
  companionsInWords,
  type Facts,
  type FinishedTrial,
  holdOf,
  looksOf,
  lowerTitle,
  metricInWords,
  objectiveInWords,
  resultsInWords,
  shortFingerprint,
  valueInWords,
} from '../facts.ts'
import {
  formatCount,
  formatDay,
  formatInstant,
  formatNumber,
  formatPercent,
  formatValue,
  signedPercent,
} from '../format.ts'
import { type Html, html } from '../html.ts'

export function answer(facts: Facts, madeAt: number): Html {
  return html`${metaLine(facts, madeAt)}${banners(facts)}${facts.finished.length > 0 && figures(facts)}
    <p class="lead">${answerSentence(facts)}</p>
    ${bestConfig(facts)}${howSure(facts)}`
}

function metaLine({ study, market, input, finished }: Facts, madeAt: number): Html {
  const days = (study.period.to - study.period.from) / 86_400_000
  const intervals = [...new Set(finished.flatMap(({ candles }) => (candles === null ? [] : [candles.interval])))]
  const interval = intervals.join(', ') || study.interval || 'the finest stored'
  return html`<dl class="meta">
    <div><dt>Market</dt><dd>${market}</dd></div>
    <div><dt>Period</dt><dd>${formatDay(study.period.from)} to ${formatDay(study.period.to)} (${formatDays(days)})</dd></div>
    <div><dt>Candles</dt><dd>${interval}</dd></div>
    <div><dt>Service</dt><dd>${input.identity ?? 'not run yet'}</dd></div>
    <div><dt>Made</dt><dd>${formatInstant(madeAt)}</dd></div>
  </dl>`
}

function formatDays(days: number): string {
  return Number.isInteger(days) ? formatCount(days, 'day') : `${formatNumber(days, 1)} days`
}

function banners({ simulated, synthetic, input }: Facts): Html {
  return html`${
    simulated &&
    html`<p class="banner"><strong>Simulated.</strong> These results come from the embedded service, which computes them from local candles. No exchange and no trading platform took part.</p>`
  }${
    synthetic &&
    html`<p class="banner"><strong>Synthetic candles.</strong> The prices were generated, not traded. Nothing here says anything about a real market.</p>`
  }${
    input.otherIdentities.length > 0 &&
    html`<p class="banner quiet">This study was also run on ${input.otherIdentities.join(', ')}. Those results are left out: services are never mixed.</p>`
  }`
}

/** Three figures of one size. */
function figures(facts: Facts): Html {
  const { best, finished, study } = facts
  const hold = holdOf(facts)
  const looks = looksOf(facts)
  const roi = best === undefined ? null : metricValue(best.metrics, 'roiPercent')
  return html`<div class="answer">
    <div><p class="label">Best by ${objectiveInWords(study)}${facts.isOneOfSeveral && `, on ${facts.market}`}</p>
      <p class="figure ${toneOf(roi)}">${roi === null ? '–' : signedPercent(roi)}</p>
      <p class="under">${
        best === undefined
          ? 'no trial to name'
          : html`${metricInWords(best.metrics, 'netProfit', facts)}${perUsed(best, facts, (text) => `, ${text} of the capital in use`)}, drawdown ${metricInWords(best.metrics, 'maxDrawdownPercent', facts)}`
      }</p></div>
    <div><p class="label">Buy &amp; hold, same period</p>
      <p class="figure ${toneOf(hold?.returnPercent ?? null)}">${hold === undefined ? '–' : signedPercent(hold.returnPercent)}</p>
      <p class="under">${hold === undefined ? 'not in the results' : `${hold.exposedPercent === null ? '' : `${signedPercent(hold.exposedPercent)} at the same exposure, `}drawdown ${formatPercent(hold.drawdownPercent)}`}</p></div>
    <div><p class="label">Configurations looked at</p>
      <p class="figure">${formatNumber(looks?.total, 0)}</p>
      <p class="under">${looks !== null && `${looks.words}; `}${formatNumber(finished.length, 0)} of ${plannedInWords(facts, '')} planned by this study have a result${facts.isOneOfSeveral && ' on this market'}</p></div>
  </div>`
}

/** What the best made of the capital it used, in words that hold it; nothing where the result does not tell. */
function perUsed({ metrics }: FinishedTrial, facts: Facts, words: (text: string) => string): string | false {
  const value = metricValue(metrics, 'netProfitPerUsedPercent')
  return value !== null && words(metricInWords(metrics, 'netProfitPerUsedPercent', facts))
}

/** A search proposes at most so many; how many it asks for follows from what it finds. */
function plannedInWords({ study: { search }, input: { plan } }: Facts, noun = 'configuration'): string {
  const most = mostConfigs(search)
  const count = most ?? (plan === null ? 0 : plan.grid - plan.infeasible - plan.duplicates)
  const words = noun === '' ? formatNumber(count, 0) : formatCount(count, noun)
  return most === null ? words : `at most ${words}`
}

function toneOf(value: number | null): string {
  if (value === null || value === 0) return ''
  return value > 0 ? 'gain' : 'loss'
}

function answerSentence(facts: Facts): Html {
  const { best, finished, pending, failed, study, input } = facts
  if (input.identity === null) return html`Not run yet: this study plans ${plannedInWords(facts)}.`
  if (finished.length === 0) {
    return html`No result yet: ${formatCount(pending.length, 'configuration')} to come, ${formatNumber(failed.length, 0)} failed.`
  }
  if (best === undefined) {
    return html`${noneSentence(facts)}${holdSentence(facts)}`
  }
  const read = (name: MetricName) => metricInWords(best.metrics, name, facts)
  const objective = study.objective.metric
  const isProfit = objective === 'netProfit' || objective === 'roiPercent'
  return html`Of the <strong>${resultsInWords(facts)}</strong>, the best by ${objectiveInWords(study)}${!isProfit && !facts.isOneOfSeveral && ` (${read(objective)}${companionsInWords(best.metrics, objective, facts)})`}, <a href="#${bestRowId(facts)}"><code>${shortFingerprint(best)}</code></a>, made${facts.isOneOfSeveral && ` on ${facts.market}`} <strong>${read('netProfit')} (${read('roiPercent')}${perUsed(best, facts, (text) => `; ${text} of the capital in use`)})</strong> with a maximum drawdown of ${read('maxDrawdownPercent')} over ${formatCount(best.metrics.closedDeals, 'closed deal')} (sample size ${best.metrics.sampleSize ?? 'unknown'}).${holdSentence(facts)}`
}

/**
 * A sentence why there is no best trial. `outside` is in the objective's order: its first is the best of them, not the one
 * nearest to the bounds.
 */
function noneSentence(facts: Facts): Html {
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
  const name = isOneOfSeveral ? html`a configuration` : html`<code>${shortFingerprint(first.trials[0])}</code>`
  return html`None of the ${resultsInWords(facts)} meets the objective’s bounds${everywhere}. Without the bounds, the best by ${objectiveInWords(study)} would be ${name} with ${valueInWords(first.value, metric, first.trials[0].metrics, facts)}${company}; it breaks them by ${broken.join(', ')}${rest}.`
}

function holdSentence(facts: Facts): Html {
  const hold = holdOf(facts)
  if (hold === undefined) return html` What buy &amp; hold made is not in the results.`
  return html` Buy &amp; hold made <strong>${signedPercent(hold.returnPercent)}</strong> over the same period${hold.drawdownPercent !== null && `, with a drawdown of ${formatPercent(hold.drawdownPercent)}`}${hold.exposedPercent !== null && `; with no more capital in use than the best had on average, ${signedPercent(hold.exposedPercent)}`}.`
}

export function bestRowId({
  study,
  market,
  isOneOfSeveral,
}: Pick<Facts, 'study' | 'market' | 'isOneOfSeveral'>): string {
  return isOneOfSeveral ? `best-of-${study.name}-on-${market}` : `best-of-${study.name}`
}

function bestConfig({ best, varied }: Facts): Html | false {
  if (best === undefined) return false
  return html`<dl class="config" aria-label="Configuration of the best trial">${CONFIG_FIELDS.map(
    (field) =>
      html`<div class="${varied.includes(field) ? 'varied' : 'held'}"><dt>${field}</dt><dd>${formatValue(best.config[field])}</dd></div>`,
  )}</dl>
  <p class="small">Highlighted fields were varied by this study, the others held. ${sampleNote(best.metrics.sampleSize)}${gapNote(metricValue(best.metrics, 'missingInDeals'))}</p>`
}

/** What the last examination of the best found; the report computes none. */
function howSure({ best, input, study }: Facts): Html | false {
  if (best === undefined) return false
  const last = input.examinations.get(best.fingerprint)
  if (last === undefined) {
    return html`<p class="small">How sure is that? Not examined yet: <code>dcalab examine ${study.name}</code></p>`
  }
  const { finishedAt, candleInterval, candlesHash, doubts } = last
  const head = html`Examined ${formatInstant(Date.parse(finishedAt))} on ${candleInterval} candles <code>${candlesHash.slice(0, 12)}</code>`
  if (doubts.length === 0) return html`<p class="small">${head}: no doubt was found, which promises nothing.</p>`
  return html`<p class="small">${head}. What speaks against believing it:</p>
  <ul class="doubts">${doubts.map(({ code, weight, message }) => html`<li><code>${code}</code>${weight === 'block' && ' (block)'}: ${message}</li>`)}</ul>`
}

function gapNote(missing: number | null): string | false {
  return (
    missing !== null &&
    missing > 0 &&
    ` The data lack ${formatCount(missing, 'candle')} at times when it held a position; what the price did then is unknown.`
  )
}

function sampleNote(size: SampleSize | null): string {
  const counts = `Sample size ${size ?? 'unknown'} counts the deals that closed on a later candle than they opened on; it says nothing of how the best was chosen.`
  return isSmallSample(size) ? `${counts} With so few, chance plays a large part.` : counts
}
