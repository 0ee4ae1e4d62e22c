/** The days that the best was chosen on, and those that it had not seen: beside the same amount held and a plain ladder, on one axis and in the same units. */

import { type MetricName, metricValue } from '../../../contract/metrics.ts'
import { share } from '../../verdict/words.ts'
import { type DrawnLines, SLOTS, type Slot } from '../charts/over-time.ts'
import { type Facts, metricInWords } from '../facts.ts'
import { formatCount, formatDay, formatPercent, signedPercent, tooltipText } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { SpanInput } from '../input.ts'
import { figure, type Part, type Place } from './part.ts'

/** Whether the best stores what is drawn, or anything can be drawn beside it. */
function hasDays({ input }: Facts): boolean {
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

/** `bot` is on top of the chart and first in its legend. */
const SLOT_NAMES: Readonly<Record<Slot, string>> = {
  bot: 'bot',
  hold: 'same amount held',
  plain: 'plain ladder',
}

function equity(spans: readonly SpanInput[], place: Place): Part {
  const drawn = drawCurves(spans, 'return')
  const ends = drawn.ends.toReversed().map(({ slot, last }) => ({ slot, end: signedPercent(last) }))
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
  const deepest = drawn.ends.toReversed().map(({ slot, lowest }) => `${SLOT_NAMES[slot]} ${formatPercent(lowest)}`)
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

// The best day by day beside the same amount held and a plain ladder, prepared for drawing. Pure.

const dayMs = 86_400_000

/** More points per line cannot be seen and make the file larger; then only one day in k is drawn. */
const mostDays = 250

/** At a day's end, or at the start of its span. */
interface Point {
  readonly time: number
  readonly date: string
  /** Percent of the investment. */
  readonly value: number
}

/** Each span goes on where the one before ended. Empty where nothing is known of a slot. */
function pointsOf(spans: readonly SpanInput[], slot: Slot): Point[] {
  let base = 0
  return spans.flatMap(({ from, to, lines }) => {
    const start = base
    const points = lines[slot].map(({ date, returnPercent }) => ({
      time: Math.min(to, Date.parse(date) + dayMs),
      date,
      value: start + returnPercent,
    }))
    base = points.at(-1)?.value ?? start
    return points.length === 0 ? [] : [{ time: from, date: '', value: start }, ...points]
  })
}

/** Percent below the running peak at each value (0 or negative), the start counting as a peak. */
function drawdowns(values: readonly number[]): number[] {
  let peak = 1
  return values.map((value) => {
    const equity = 1 + value / 100
    peak = Math.max(peak, equity)
    return 100 * (equity / peak - 1)
  })
}

interface DrawnCurves extends DrawnLines {
  /** One day in `step` is drawn: its return, or the deepest drawdown since the day drawn before. */
  readonly step: number
  /** Of each line what is said of it: exact, where its points are rounded. */
  readonly ends: readonly { readonly slot: Slot; readonly last: number | undefined; readonly lowest: number }[]
}

export function drawCurves(spans: readonly SpanInput[], what: 'return' | 'drawdown'): DrawnCurves {
  const curves = SLOTS.flatMap((slot) => {
    const points = pointsOf(spans, slot)
    const values = points.map(({ value }) => value)
    const shown = what === 'return' ? values : drawdowns(values)
    return points.length === 0
      ? []
      : [{ slot, points, byTime: new Map(points.map(({ time }, at) => [time, shown[at]])) }]
  })
  const dates = new Map(curves.flatMap(({ points }) => points.map(({ time, date }) => [time, date] as const)))
  const times = [...dates.keys()].sort((a, b) => a - b)
  const step = Math.max(1, Math.ceil(times.length / mostDays))
  const groups = inGroups(times, step)
  const drawn = curves.map(({ slot, byTime }) => ({
    slot,
    values: groups.map((group) => valueIn(group, byTime, what)),
  }))
  const ends = groups.map((group) => group[group.length - 1])
  return {
    step,
    unseen: spans.filter(({ isUnseen }) => isUnseen).map(({ from, to }) => ({ from, to })),
    lines: drawn.map(({ slot, values }) => ({
      slot,
      points: values.flatMap((y, at) => (y === undefined ? [] : [{ time: ends[at], y: round(y) }])),
    })),
    ends: drawn.map(({ slot, values }) => {
      const known = values.filter((value) => value !== undefined)
      return { slot, last: known.at(-1), lowest: Math.min(...known) }
    }),
    strips: ends.slice(1).map((to, at) => ({
      from: ends[at],
      to,
      tooltip: tooltipText(
        dates.get(to) ?? '',
        drawn.toReversed().map(({ slot, values }) => [SLOT_NAMES[slot], signedPercent(values[at + 1])]),
      ),
    })),
  }
}

/** Groups of `size` counted from the end, so that the last day is always drawn; the first time is a group of its own. */
function inGroups(times: readonly number[], size: number): number[][] {
  const [start, ...days] = times
  if (start === undefined) return []
  const first = days.length % size || size
  const starts = days.map((_, at) => at).filter((at) => at === 0 || (at - first) % size === 0)
  return [[start], ...starts.map((from, at) => days.slice(from, starts[at + 1]))]
}

function valueIn(
  group: readonly number[],
  byTime: ReadonlyMap<number, number>,
  what: 'return' | 'drawdown',
): number | undefined {
  if (what === 'return') return byTime.get(group[group.length - 1])
  const values = group.flatMap((time) => byTime.get(time) ?? [])
  return values.length === 0 ? undefined : Math.min(...values)
}

/** Rounds to a thousandth of a percent: finer than a pixel, and half as long as a double in text. */
function round(value: number): number {
  return Math.round(value * 1000) / 1000 + 0
}
