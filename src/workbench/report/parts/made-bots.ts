/** What became of the trials: the bots that were made of them, and how each fares beside its backtest. */
import { DRIFT_THRESHOLDS, GAP_CAUSES, type GapCause } from '../../bots/drift/drift-verdict.ts'
import type { DriftDealRow, DriftEquityRows, DriftSeries, KeptDriftCheck } from '../../store/drift-checks.ts'
import type { PromotedTrial } from '../../store/promotions.ts'
import { CHARTS, type ChartInput } from '../charts/charts.ts'
import type { Facts } from '../facts.ts'
import {
  formatAmount,
  formatCount,
  formatGain,
  formatInstant,
  formatMetricWithUnit,
  formatNumber,
  formatPrice,
  NOTHING,
  tooltipText,
} from '../format.ts'
import { commandText, type Html, html } from '../html.ts'
import type { DriftInput } from '../input.ts'
import { bars, card } from './how-sure/check.ts'
import { figure, type Part, type Place, section } from './part.ts'

/** More bots are in the table alone. */
const MOST_DRAWN = 5

export function botsPart(facts: Facts, place: Place): Part {
  const { promotions, drifts } = facts.input
  const drawn = drifts.slice(0, MOST_DRAWN).map((drift, index) => driftPart(drift, facts, { place, nth: index + 1 }))
  const left = drifts.length - drawn.length
  const content = html`${promotions.length > 0 && promotionTable(facts)}${
    drifts.length === 0 &&
    html`<p class="empty">No bot was compared with its backtest yet: ${commandText('dcalab bots compare <bot>')}</p>`
  }${drawn.map(({ body }) => body)}${left > 0 && html`<p class="small">${left} more were compared earlier; the view bots has them.</p>`}`
  return { body: section(place, content), charts: drawn.flatMap(({ charts }) => charts) }
}

/** A store that was merged may hold any name, one that every object has too. */
const wordsFor = (name: string, words: Readonly<Record<string, string>>) =>
  Object.hasOwn(words, name) ? words[name] : name

const STATES: Readonly<Record<string, string>> = {
  intent: 'was to be made; nobody knows yet whether it was',
  created: 'made, not read back yet',
  verified: 'made, and read back as a demo bot',
  released: 'not made',
  ambiguous: 'unsure whether it was made',
  alarmed: 'not what was asked for: check it',
}

function promotionTable(facts: Facts): Html {
  const { promotions } = facts.input
  const heads = [
    'Trial',
    'Bot',
    'State',
    'Promoted',
    'Started',
    'Net profit, as shown then',
    'Verdict shown',
    'Validated',
  ]
  return html`<div class="scroll" role="group" aria-label="Promotions" tabindex="0"><table class="plain">
    <caption>Trials that were promoted, the latest first; all bots are demo bots.</caption>
    <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
    <tbody>${promotions.map((promotion) => promotionRow(promotion, facts))}</tbody>
  </table></div>`
}

function promotionRow(promotion: PromotedTrial, facts: Facts): Html {
  const { quote } = facts
  const { botName, botId, state, openedAt, startedAt, netProfit } = promotion
  return html`<tr>
    <th scope="row"><code title="${promotion.fingerprint}">${idOfTrial(promotion.fingerprint, facts)}</code></th>
    <td><bdi>${botName}</bdi>${botId !== null && html` <code><bdi>${botId}</bdi></code>`}</td>
    <td>${wordsFor(state, STATES)}</td>
    <td>${formatInstant(openedAt)}</td>
    <td>${startedAt === null ? 'not by us' : formatInstant(startedAt)}</td>
    <td class="amount">${formatMetricWithUnit('netProfit', netProfit, quote)}</td>
    <td class="words">${verdictInWords(promotion)}</td>
    <td>${validationInWords(promotion.validation)}</td>
  </tr>`
}

/** What was accepted by name is said so: somebody read it. */
/** Of one that is not of this study, the first digits of its own fingerprint. */
function idOfTrial(fingerprint: string, { input, idOf }: Facts): string {
  const trial = input.trials.find((one) => one.fingerprint === fingerprint)
  return trial === undefined ? fingerprint.slice(0, 12) : idOf(trial)
}

function verdictInWords({ headline, accepted }: PromotedTrial): string {
  if (headline === null) return NOTHING
  return accepted === null || accepted.length === 0 ? headline : `${headline} (accepted)`
}

function validationInWords(validation: unknown): string {
  if (validation === null) return `${NOTHING} the service was not asked`
  const { valid }: { readonly valid?: unknown } = Object(validation)
  return valid === true ? 'valid' : valid === false ? 'refused by the service' : `${NOTHING} its answer says neither`
}

// One bot beside its backtest: the verdict with its threshold, both on one price, the gap and its parts, and what is not known.

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

function driftPart(drift: DriftInput, facts: Facts, { place, nth }: DriftPlace): Part {
  const { check, isHidden } = drift
  const name = html`<bdi>${check.botName ?? check.botId}</bdi> beside its backtest`
  const heading = place.level === 2 ? html`<h3>${name}</h3>` : html`<h4>${name}</h4>`
  if (isHidden) {
    const why = 'the hold-out of the study lies in its time and is closed'
    return {
      body: html`${heading}<p class="empty">Compared ${formatInstant(check.checkedAt)}; not shown: ${why}.</p>`,
      charts: [],
    }
  }
  const figures = driftFigures(drift, facts, { place, nth })
  const { verdict, unknown } = check
  const found = verdict.sentence.replace(/^(?:no|small|large) drift: /, '') // which stands before it
  return {
    body: html`${heading}
    <p class="lead-in"><strong>${wordsFor(verdict.drift, VERDICTS)}.</strong> <bdi>${found}.</bdi></p>
    <p class="small">${THRESHOLD} ${computedFrom(check, facts)}</p>
    ${figures.body}
    <div class="checks">${card('What is the gap in profit put down to?', gap(check, facts))}${card('Do deals and orders match?', counts(check))}${card(
      'What does the service not report?',
      unknown.length === 0
        ? html`<p>Nothing that was asked.</p>`
        : html`<ul>${unknown.map(({ what, reason }) => html`<li>${what}: <bdi>${reason}</bdi></li>`)}</ul>`,
    )}</div>`,
    charts: figures.charts,
  }
}

function computedFrom({ span, candles, terms, trial, checkedAt }: KeptDriftCheck, facts: Facts): string {
  const { feePercent, slippagePercent } = terms.costs
  const of = trial === null ? '' : `Trial ${idOfTrial(trial, facts)}. `
  return `${of}From ${formatInstant(span.from)} to ${formatInstant(span.to)}, compared ${formatInstant(checkedAt)}; the backtest is of local ${candles.interval} candles ${candles.hash.slice(0, 12)}, with a fee of ${feePercent} % and a slippage of ${slippagePercent} %.`
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
    return value === null ? [] : [{ label: CAUSE_WORDS[cause], value, text: formatGain(value, facts.quote) }]
  })
  const notKnown = GAP_CAUSES.filter((cause) => causes[cause] === null).map((cause) => CAUSE_WORDS[cause])
  const whole = `Bot ${formatGain(bot, facts.quote)}, backtest ${formatGain(backtest, facts.quote)}: gap ${formatGain(profit.gap, facts.quote)}.`
  return html`<p>${whole}</p>${bars('Parts of the gap; they add up to it', rows)}${notKnown.length > 0 && html`<p class="refused">Not known: ${notKnown.join(', ')}.</p>`}`
}

const COUNTED = ['matched', 'early', 'late', 'missing', 'extra'] as const

function counts({ deals, orders }: KeptDriftCheck): Html {
  if (deals === null && orders === null)
    return html`<p class="refused">Not known: the service reports no executions.</p>`
  const cell = (of: typeof deals, kind: (typeof COUNTED)[number]) =>
    html`<td>${of === null ? NOTHING : formatNumber(of[kind], 0)}</td>`
  const placed = orders === null || orders.different === null ? null : orders.different
  return html`<table class="plain falls"><caption>Early and late: of the bot; missing: only in the backtest; extra: only in the bot</caption>
    <thead><tr><td></td><th scope="col">Deals</th><th scope="col">Orders</th></tr></thead>
    <tbody>${COUNTED.map((kind) => html`<tr><th scope="row">${kind}</th>${cell(deals, kind)}${cell(orders, kind)}</tr>`)}</tbody></table>${
      placed !== null && placed > 0 && html`<p>${placed} orders were placed with another price, quantity or state.</p>`
    }`
}

// The pictures of a bot beside its backtest. Its rows were kept as JSON: what is no time or no number is left out.

type Who = keyof DriftSeries

const SIDES: readonly Who[] = ['bot', 'backtest']
const DAY_MS = 86_400_000

function driftFigures(
  { check: { series }, price }: DriftInput,
  facts: Facts,
  { place, nth }: { readonly place: Place; readonly nth: number },
): Part {
  if (series === null) {
    return { body: html`<p class="empty">No picture: ${CHARTS['bot-deals'].without}.</p>`, charts: [] }
  }
  const { asset } = facts.quote
  const marks = SIDES.flatMap((who) => series[who].deals.flatMap((deal) => marksOf(deal, who, facts)))
  const points = SIDES.flatMap((who) => pointsOf(series[who].equity, who, facts))
  const whyNoPrice = 'reason' in price ? price.reason : null
  const parts = [
    ...(marks.length === 0 ? [] : [dealsFigure({ price, marks, spans: spansOf(series) })]),
    ...(points.length === 0 ? [] : [equityFigure(points)]),
  ]
  const none =
    marks.length + points.length === 0 && html`<p class="empty">No picture: no deal and no whole day yet.</p>`
  return { body: html`${parts.map(({ body }) => body)}${none}`, charts: parts.flatMap(({ charts }) => charts) }

  function dealsFigure(drawn: Pick<ChartInput<'bot-deals'>, 'marks' | 'spans'> & Pick<DriftInput, 'price'>): Part {
    const of = (who: Who) => formatCount(series?.[who].deals.length ?? 0, 'deal')
    const without = whyNoPrice === null ? '' : ` The price itself is not drawn: ${whyNoPrice}.`
    return figure({
      place,
      nth,
      name: 'bot-deals',
      drawn: { ...drawn, yTitle: `Price, ${asset}`, price: 'reason' in drawn.price ? [] : drawn.price },
      summary: `${of('bot')} of the bot, ${of('backtest')} of the backtest.`,
      legend: [
        { swatch: 'trial', label: 'bot' },
        { swatch: 'hollow', label: 'backtest' },
        { swatch: 'unmatched', label: 'not matched by the other' },
      ],
      caption: `▲ opened, ▼ closed: a filled mark in a hollow one is a deal that both have on the same candles.${without}`,
    })
  }

  function equityFigure(days: ChartInput<'bot-equity'>['points']): Part {
    const whose = SIDES.filter((who) => days.some((day) => day.who === who))
    const only = whose.length === 1 ? ` Of the ${whose[0] === 'bot' ? 'backtest' : 'bot'} no day is known.` : ''
    return figure({
      place,
      nth,
      name: 'bot-equity',
      drawn: { yTitle: `Equity, ${asset}`, points: days },
      summary: `Equity at the end of each day, of ${whose.join(' and ')}.${only}`,
      legend: [
        { swatch: 'line trial', label: 'bot' },
        { swatch: 'line series-hold', label: 'backtest' },
      ],
      caption: `At the end of each UTC day, open deals at what selling would bring.${only}`,
    })
  }
}

function marksOf(deal: DriftDealRow, who: Who, facts: Facts): ChartInput<'bot-deals'>['marks'] {
  const tooltip = tooltipText(`${who === 'bot' ? 'Bot' : 'Backtest'}: ${deal.kind}`, [
    ['opened', `${formatInstant(deal.openedAt)} at ${formatPrice(deal.openPrice)}`],
    ['closed', deal.closedAt === null ? 'open' : `${formatInstant(deal.closedAt)} at ${formatPrice(deal.closePrice)}`],
    ['safety orders', formatNumber(deal.safetyOrders, 0)],
    ['profit', formatGain(deal.profit, facts.quote)],
  ])
  const about = { who, isMatched: deal.kind === 'matched', tooltip }
  const ends = [
    { end: 'opened' as const, time: Date.parse(deal.openedAt), price: deal.openPrice },
    { end: 'closed' as const, time: Date.parse(deal.closedAt ?? ''), price: deal.closePrice ?? Number.NaN },
  ]
  return ends
    .filter(({ time, price }) => Number.isFinite(time) && Number.isFinite(price))
    .map((end) => ({ ...about, ...end }))
}

/** Of deals that have closed. */
function spansOf(series: DriftSeries): ChartInput<'bot-deals'>['spans'] {
  return SIDES.toReversed().flatMap((who) =>
    series[who].deals
      .map((deal) => ({
        who,
        from: Date.parse(deal.openedAt),
        to: Date.parse(deal.closedAt ?? ''),
        fromPrice: deal.openPrice,
        toPrice: deal.closePrice ?? Number.NaN,
      }))
      .filter(({ from, to, fromPrice, toPrice }) => [from, to, fromPrice, toPrice].every(Number.isFinite)),
  )
}

function pointsOf(days: DriftEquityRows, who: Who, facts: Facts): ChartInput<'bot-equity'>['points'] {
  return days
    .map(({ date, equity }) => ({
      who,
      time: Date.parse(date) + DAY_MS,
      value: equity,
      tooltip: tooltipText(date, [[who, formatAmount(equity, facts.quote)]]),
    }))
    .filter(({ time, value }) => Number.isFinite(time) && Number.isFinite(value))
}
