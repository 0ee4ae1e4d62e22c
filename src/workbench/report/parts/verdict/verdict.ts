/** The verdict: what to do with a study's result, in what all of it rests on, and what comes next. Without scripts and on one screen. */
import { CONFIG_FIELDS } from '../../../../contract/bot.ts'
import { metricValue } from '../../../../contract/metric-values.ts'
import { isSmallSample, type SampleSize } from '../../../../contract/sample-size.ts'
import type { ServiceProgress } from '../../../store/choose-service.ts'
import { type Facts, shortFingerprint } from '../../facts.ts'
import { formatCount, formatDay, formatInstant, formatNumber, formatValue } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { daysInWords, figures } from './figures.ts'
import { nextCommand } from './next-command.ts'
import { priceStrip } from './price-strip.ts'
import { carefulSentence, headline } from './sentences.ts'

interface VerdictPlace {
  /** When the report is made, ms UTC. */
  readonly madeAt: number
  /** Of the section's keys in the address. */
  readonly prefix: string
  /** Number of the section on the page. */
  readonly section: number
}

export function verdict(facts: Facts, { madeAt, prefix, section }: VerdictPlace): Html {
  const { best, finished } = facts
  return html`<div class="verdict"><p class="headline">${headline(facts)}</p>
    ${metaLine(facts, madeAt)}${banners(facts)}
    ${finished.length > 0 && figures(facts)}${priceStrip(facts)}
    ${best !== undefined && examined(facts, prefix)}
    ${nextCommand(facts, section)}</div>
    <p class="lead">${carefulSentence(facts, prefix)}</p>
    ${bestConfig(facts)}`
}

/** Where the numbers are from, in one quiet line. */
function metaLine({ study, market, input, finished }: Facts, madeAt: number): Html {
  const intervals = [...new Set(finished.flatMap(({ candles }) => (candles === null ? [] : [candles.interval])))]
  const interval = intervals.join(', ') || study.interval || 'the finest stored'
  return html`<dl class="meta">
    <div><dt>Market</dt><dd>${market}</dd></div>
    <div><dt>Period</dt><dd>${formatDay(study.period.from)} to ${formatDay(study.period.to)} (${daysInWords(study.period)}, UTC)</dd></div>
    <div><dt>Candles</dt><dd>${interval}</dd></div>
    <div><dt>Service</dt><dd>${input.service === null ? 'not run yet' : `${input.service.name} (${doneInWords(input.service)})`}</dd></div>
    <div><dt>Made</dt><dd>${formatInstant(madeAt)}</dd></div>
  </dl>`
}

function banners({ simulated, synthetic, input }: Facts): Html {
  return html`${
    simulated &&
    html`<p class="banner"><strong>Simulated.</strong> These results come from the embedded service, which computes them from local candles. No exchange and no trading platform took part.</p>`
  }${
    synthetic &&
    html`<p class="banner"><strong>Synthetic candles.</strong> The prices were generated, not traded. Nothing here says anything about a real market.</p>`
  }${
    input.otherServices.length > 0 &&
    html`<p class="banner quiet">This study was also run on ${input.otherServices.map((other) => `${other.name} (${doneInWords(other)})`).join(', ')}. Those results are left out, because services are never mixed; <code>--service</code> chooses.</p>`
  }`
}

/** "87 of 128 done" */
function doneInWords({ done, total }: Pick<ServiceProgress, 'done' | 'total'>): string {
  return `${formatNumber(done, 0)} of ${formatNumber(total, 0)} done`
}

/** When the best was examined last, or that it was not; the report computes nothing of it. */
function examined({ best, input }: Facts, prefix: string): Html | false {
  if (best === undefined) return false
  const last = input.examinations.get(best.fingerprint)
  const open = html`<span class="on-screen"> <a href="#${prefix}trial=${shortFingerprint(best)}">Open the trial</a>: its deals, ladder, worst moment, and what if.</span>`
  if (last === undefined) {
    return html`<p class="small">It was not examined yet, so little of how sure that is is known.${open}</p>`
  }
  const { finishedAt, candleInterval, candlesHash } = last
  return html`<p class="small">Examined ${formatInstant(finishedAt)} on ${candleInterval} candles <code>${candlesHash.slice(0, 12)}</code>.${open}</p>`
}

function bestConfig({ best, varied }: Facts): Html | false {
  if (best === undefined) return false
  return html`<dl class="config" aria-label="Configuration of the best trial">${CONFIG_FIELDS.map(
    (field) =>
      html`<div class="${varied.includes(field) ? 'varied' : 'held'}"><dt>${field}</dt><dd>${formatValue(best.config[field])}</dd></div>`,
  )}</dl>
  <p class="small">Highlighted fields were varied by this study, the others held. ${sampleNote(best.metrics.sampleSize)}${gapNote(metricValue(best.metrics, 'missingInDeals'))}</p>`
}

function gapNote(missing: number | null): string | false {
  return (
    missing !== null &&
    missing > 0 &&
    ` The data lack ${formatCount(missing, 'candle')} at times when it held a position; what the price did then is unknown.`
  )
}

function sampleNote(size: SampleSize | null): string {
  const counts = `A sample counts the deals that closed on a later candle than they opened on; it says nothing of how the best was chosen.`
  return isSmallSample(size) ? `${counts} With so few, chance plays a large part.` : counts
}
