/** How a study spent its units: submissions over time against the allowance, and what each more of them bought. */
import { metricValue } from '../../../contract/metric-values.ts'
import { BACKTEST_ALLOWANCE } from '../../../contract/refusals.ts'
import type { TrialRecord } from '../../store/records.ts'
import { tooltipText } from '../charts/columns.ts'
import { type Facts, type FinishedTrial, metricInWords, shortFingerprint } from '../facts.ts'
import { formatCount, formatInstant, formatNumber, formatSigned } from '../format.ts'
import { type Html, html } from '../html.ts'
import { figure, type Part, type Place } from './part.ts'

/** When each trial was sent that this study paid for, oldest first; what was in the store before cost it nothing. */
function submissionsOf({ finished, failed, pending, input }: Facts): number[] {
  const first = Date.parse(input.spending?.firstSubmittedAt ?? '')
  const times = [...finished, ...failed, ...pending].map(sentAt).filter((time) => time >= first)
  return times.sort((a, b) => a - b)
}

/** ms UTC; NaN where it was not sent, or a service's store does not tell. */
function sentAt({ submittedAt }: Pick<TrialRecord, 'submittedAt'>): number {
  return Date.parse(submittedAt ?? '')
}

/** The most that were sent within any window of the allowance. `times`: ms UTC, ascending. */
export function mostWithinWindow(times: readonly number[], windowMs: number): number {
  let [most, from] = [0, 0]
  for (let to = 0; to < times.length; to++) {
    while (times[to] - times[from] >= windowMs) from++
    most = Math.max(most, to - from + 1)
  }
  return most
}

const BINS = 100
const HEIGHT = 40

/** Bars of submissions over the time from the first to the last; nothing where none is known. */
export function timeline(facts: Facts): Html | false {
  const times = submissionsOf(facts)
  const [first, last] = [times.at(0), times.at(-1)]
  if (first === undefined || last === undefined) return false
  const { windowMs } = BACKTEST_ALLOWANCE
  const most = mostWithinWindow(times, windowMs)
  const counts = Array.from({ length: BINS }, () => 0)
  for (const time of times) counts[Math.min(BINS - 1, Math.floor((BINS * (time - first)) / (last - first || 1)))]++
  const highest = Math.max(...counts)
  const words = `${formatCount(times.length, 'submission')} from ${formatInstant(first)} to ${formatInstant(last)}, at most ${formatNumber(most, 0)} within ${formatNumber(windowMs / 3_600_000, 0)} hours; ${allowanceInWords(most, facts)}`
  return html`<figure class="timeline"><svg viewBox="0 0 ${BINS * 10} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${words}">${counts.map(
    (bar, index) =>
      bar > 0 &&
      html`<rect x="${index * 10}" y="${HEIGHT - barHeight(bar, highest)}" width="8" height="${barHeight(bar, highest)}"></rect>`,
  )}</svg><figcaption>${words}${facts.isOneOfSeveral && ' Counted on this market alone.'}</figcaption></figure>`
}

/** More than the allowance were taken only where the service does not keep it so: what it told of its own is not in the store. */
function allowanceInWords(most: number, { simulated }: Facts): string {
  const allowance = formatNumber(BACKTEST_ALLOWANCE.count, 0)
  if (most <= BACKTEST_ALLOWANCE.count) return `the allowance is ${allowance}.`
  const who = simulated ? 'this simulated service, which may be started with another or none,' : 'this service'
  return `${who} took more, so its allowance is not the API document’s ${allowance} within any ${formatNumber(BACKTEST_ALLOWANCE.windowMs / 3_600_000, 0)} hours.`
}

function barHeight(count: number, highest: number): number {
  return Math.max(2, Math.round((HEIGHT * count) / highest))
}

/** More points would only make the file larger. */
const MOST_POINTS = 400

/** Best net profit by submission; null where fewer than two trials tell both. */
export function bestSoFar(facts: Facts, place: Place): Part | null {
  const { finished, ranked, quote } = facts
  const inside = new Set<FinishedTrial>(ranked)
  const sent = finished
    .flatMap((trial) => {
      const value = metricValue(trial.metrics, 'netProfit')
      return value === null || Number.isNaN(sentAt(trial)) ? [] : [{ trial, value }]
    })
    .sort((a, b) => sentAt(a.trial) - sentAt(b.trial))
  if (sent.length < 2) return null
  let best: number | null = null
  let [changes, lastChange] = [0, 0]
  const step = Math.ceil(sent.length / MOST_POINTS)
  const trials = sent.flatMap(({ trial, value }, index) => {
    const isBetter = inside.has(trial) && (best === null || value > best)
    if (isBetter) {
      best = value
      changes++
      lastChange = index + 1
    }
    const isDrawn = isBetter || index % step === 0 || index === sent.length - 1
    return isDrawn ? [{ place: index + 1, value, best, tooltip: tooltipOf(trial, index + 1, facts) }] : []
  })
  const bounded = facts.study.objective.where.length > 0 ? ' inside the bounds' : ''
  const sentence =
    changes === 0
      ? `None of the ${formatCount(sent.length, 'trial')} has a place.`
      : `The highest net profit${bounded} was found by trial ${formatNumber(lastChange, 0)} of ${formatNumber(sent.length, 0)}; it had changed ${formatNumber(changes - 1, 0)} times before.`
  return figure({
    place,
    name: 'best-so-far',
    drawn: { yTitle: `Net profit, ${quote.asset}`, trials },
    summary: sentence,
    legend: [
      { swatch: 'line series-s1', label: `highest so far${bounded}` },
      { swatch: 'outside', label: 'each trial' },
    ],
    caption: `${sentence}${facts.input.plan === null ? '' : ' A grid is walked in its own order, so a late best says nothing of how many more would help.'}${step > 1 ? ` One trial in ${step} is drawn, and each that was better than all before.` : ''}`,
  })
}

function tooltipOf(trial: FinishedTrial, order: number, facts: Facts): string {
  return tooltipText(`${shortFingerprint(trial)}, submission ${order}`, [
    ['net profit', formatSigned(metricValue(trial.metrics, 'netProfit'), facts.quote.decimals)],
    ['in use on average', metricInWords(trial.metrics, 'usedCapital.average', facts)],
  ])
}
