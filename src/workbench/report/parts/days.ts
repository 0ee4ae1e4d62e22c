/** The days that the best was chosen on, and those that it had not seen: beside the same amount held and a plain ladder, on one axis and in the same units. */
import { metricValue } from '../../../contract/metric-values.ts'
import type { MetricName } from '../../../contract/metrics.ts'
import { share } from '../../verdict/words.ts'
import { SLOTS, type Slot } from '../charts/over-time.ts'
import { drawCurves, SLOT_NAMES } from '../curves.ts'
import { type Facts, metricInWords } from '../facts.ts'
import { formatCount, formatDay, formatPercent, signedPercent } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { SpanInput } from '../input.ts'
import { figure, type Part, type Place } from './part.ts'

/** Whether the best stores what is drawn, or anything can be drawn beside it. */
export function hasDays({ input }: Facts): boolean {
  return (input.best?.spans ?? []).some(({ lines }) => lines.bot.length > 0)
}

export function daysPart(facts: Facts, place: Place): Part {
  const spans = facts.input.best?.spans ?? []
  if (!hasDays(facts)) return { body: spans.length === 0 ? html`` : table(spans, facts, place), charts: [] }
  const charts = [equity(spans, place), drawdown(spans, place)]
  return {
    body: html`<div class="days" id="${place.prefix}days"><div>${charts.map(({ body }) => body)}</div>${table(spans, facts, place)}</div>`,
    charts: charts.flatMap((chart) => chart.charts),
  }
}

function equity(spans: readonly SpanInput[], place: Place): Part {
  const drawn = drawCurves(spans, 'return')
  const ends = drawn.lines.toReversed().map(({ slot, points }) => ({ slot, end: signedPercent(points.at(-1)?.y) }))
  const isShaded = drawn.unseen.length > 0
  return figure({
    place,
    name: 'equity',
    drawn,
    summary: `At the end: ${ends.map(({ slot, end }) => `${SLOT_NAMES[slot]} ${end}`).join(', ')}.${isShaded ? ' The unseen days are shaded.' : ''}`,
    legend: [
      ...ends.map(({ slot, end }) => ({ swatch: `line series-${slot}`, label: `${SLOT_NAMES[slot]} ${end}` })),
      ...(isShaded ? [{ swatch: 'bar held-out', label: 'unseen days' }] : []),
    ],
  })
}

function drawdown(spans: readonly SpanInput[], place: Place): Part {
  const drawn = drawCurves(spans, 'drawdown')
  const deepest = drawn.lines
    .toReversed()
    .map(({ slot, points }) => `${SLOT_NAMES[slot]} ${formatPercent(Math.min(...points.map(({ y }) => y)))}`)
  return figure({
    place,
    name: 'drawdown',
    drawn,
    summary: `Deepest at a day’s end: ${deepest.join(', ')}.`,
    caption: `Of the investment, at day ends${drawn.step > 1 ? `, one day in ${drawn.step} drawn` : ''}; plain ladder with worst-case fills.`,
  })
}

const OWN: readonly (readonly [title: string, name: MetricName])[] = [
  ['Net profit', 'netProfit'],
  ['Capital used, average', 'usedCapital.average'],
  ['Max drawdown', 'maxDrawdownPercent'],
  ['Closed deals', 'closedDeals'],
  ['Longest deal', 'dealDuration.max'],
  ['Open deal', 'unrealizedProfit'],
]

function table(spans: readonly SpanInput[], facts: Facts, { prefix }: Place): Html {
  const heads = spans.map(
    ({ from, to, isUnseen }) =>
      html`<th scope="col">${isUnseen ? 'Unseen' : 'In sample'} <small>${formatCount(Math.round((to - from) / 86_400_000), 'day')} from ${formatDay(from)}</small></th>`,
  )
  const perUsed = (slot: Slot) =>
    html`<tr><th scope="row">${SLOT_NAMES[slot]}</th>${spans.map((span) => html`<td>${percent(span.perUsedPercent[slot])}</td>`)}</tr>`
  return html`<table class="plain seen" id="${prefix}seen"><caption>Profit per capital used, then the bot alone</caption>
    <thead><tr><td></td>${heads}</tr></thead>
    <tbody>${SLOTS.toReversed().map(perUsed)}</tbody>
    <tbody>${OWN.map(
      ([title, name]) =>
        html`<tr><th scope="row">${title}</th>${spans.map(({ metrics }) => html`<td>${metricValue(metrics, name) === null ? '–' : metricInWords(metrics, name, facts)}</td>`)}</tr>`,
    )}</tbody></table>`
}

function percent(value: number | null): string {
  return value === null ? '–' : `${value > 0 ? '+' : ''}${share(value)}`
}
