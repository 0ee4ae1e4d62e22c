/** One bot beside its backtest: the verdict with its threshold, both on one price, the gap and its parts, and what is not known. */
import { DRIFT_THRESHOLDS } from '../../../bots/drift/drift-verdict.ts'
import { GAP_CAUSES, type GapCause } from '../../../bots/drift/split-gap.ts'
import type { KeptDriftCheck } from '../../../store/drift-checks.ts'
import type { Facts } from '../../facts.ts'
import { formatInstant, formatNumber, NOTHING } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import type { DriftInput } from '../../input.ts'
import { card, money } from '../how-sure/check.ts'
import { bars } from '../how-sure/pictures.ts'
import type { Part, Place } from '../part.ts'
import { driftFigures } from './drift-figures.ts'

const VERDICTS: Readonly<Record<string, string>> = {
  none: 'No drift',
  small: 'Small drift',
  large: 'Large drift',
  unknown: 'Drift unknown',
}

const { gapPercent, matchedPercent } = DRIFT_THRESHOLDS
const THRESHOLD = `Large is a gap of more than ${gapPercent} % of the investment, or fewer than ${matchedPercent} % of the deals matching.`

interface DriftPlace {
  readonly place: Place
  /** From 1, among the bots of the section. */
  readonly nth: number
}

export function driftPart(drift: DriftInput, facts: Facts, { place, nth }: DriftPlace): Part {
  const { check, isHidden } = drift
  const name = html`<bdi>${check.botName ?? check.botId}</bdi> beside its backtest`
  const heading = place.level === 2 ? html`<h3>${name}</h3>` : html`<h4>${name}</h4>`
  if (isHidden) {
    const why = 'the hold-out of the study lies in its time and is closed'
    return {
      body: html`${heading}<p class="empty">Looked at ${formatInstant(check.checkedAt)}; not shown: ${why}.</p>`,
      charts: [],
    }
  }
  const figures = driftFigures(drift, facts, { place, nth })
  const { verdict, unknown } = check
  return {
    body: html`${heading}
    <p class="lead-in"><strong>${VERDICTS[verdict.drift] ?? verdict.drift}.</strong> <bdi>${verdict.sentence}.</bdi></p>
    <p class="small">${THRESHOLD} ${groundOf(check)}</p>
    ${figures.body}
    <div class="checks">${card('What is the gap in profit put down to?', gap(check, facts))}${card('Do deals and orders match?', counts(check))}${card(
      'What does the service not tell?',
      unknown.length === 0
        ? html`<p>Nothing that was asked.</p>`
        : html`<ul>${unknown.map(({ what, reason }) => html`<li>${what}: <bdi>${reason}</bdi></li>`)}</ul>`,
    )}</div>`,
    charts: figures.charts,
  }
}

function groundOf({ span, candles, terms, trial, checkedAt }: KeptDriftCheck): string {
  const { feePercent, slippagePercent } = terms.costs
  const of = trial === null ? '' : `Trial ${trial.slice(0, 12)}. `
  return `${of}From ${formatInstant(span.from)} to ${formatInstant(span.to)}, looked at ${formatInstant(checkedAt)}; the backtest is of local ${candles.interval} candles ${candles.hash.slice(0, 12)}, with a fee of ${feePercent} % and a slippage of ${slippagePercent} %.`
}

const CAUSE_WORDS: Readonly<Record<GapCause, string>> = {
  price: 'fill prices',
  fee: 'fee',
  timing: 'timing',
  convention: 'conventions',
  candles: 'other candles',
  unexplained: 'unexplained',
}

/** The parts add up to the gap; a part that is not known is no bar. */
function gap({ profit }: KeptDriftCheck, facts: Facts): Html {
  const { bot, backtest, causes } = profit
  const rows = GAP_CAUSES.flatMap((cause) => {
    const value = causes[cause]
    return value === null ? [] : [{ label: CAUSE_WORDS[cause], value, text: money(value, facts) }]
  })
  const untold = GAP_CAUSES.filter((cause) => causes[cause] === null).map((cause) => CAUSE_WORDS[cause])
  const whole = `Bot ${money(bot, facts)}, backtest ${money(backtest, facts)}: gap ${money(profit.gap, facts)}.`
  return html`<p>${whole}</p>${bars('Parts of the gap; they add up to it', rows)}${untold.length > 0 && html`<p class="refused">Not known: ${untold.join(', ')}.</p>`}`
}

const COUNTED = ['matched', 'early', 'late', 'missing', 'extra'] as const

function counts({ deals, orders }: KeptDriftCheck): Html {
  if (deals === null && orders === null) return html`<p class="refused">Not known: the service tells no executions.</p>`
  const cell = (of: typeof deals, kind: (typeof COUNTED)[number]) =>
    html`<td>${of === null ? NOTHING : formatNumber(of[kind], 0)}</td>`
  const placed = orders === null || orders.different === null ? null : orders.different
  return html`<table class="plain falls"><caption>Early and late: of the bot; missing: only in the backtest; extra: only in the bot</caption>
    <thead><tr><td></td><th scope="col">Deals</th><th scope="col">Orders</th></tr></thead>
    <tbody>${COUNTED.map((kind) => html`<tr><th scope="row">${kind}</th>${cell(deals, kind)}${cell(orders, kind)}</tr>`)}</tbody></table>${
      placed !== null && placed > 0 && html`<p>${placed} orders were placed otherwise.</p>`
    }`
}
