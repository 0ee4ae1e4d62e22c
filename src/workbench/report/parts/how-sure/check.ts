/** One check as a card: its question, what was found, or why it was refused. */
import type { CheckAnswer, CheckName, Checks } from '../../../analysis/certainty/checks.ts'
import { tenths } from '../../format.ts'
import { type Html, type HtmlValue, html } from '../../html.ts'

/** A group of cards under one question. */
export interface CheckGroup {
  /** Of its place on the page, behind the section's prefix. */
  readonly id: string
  readonly title: string
  readonly cards: readonly Html[]
}

interface Card<Name extends CheckName> {
  readonly question: string
  readonly answer: CheckAnswer<Name>
  readonly say: (found: NonNullable<Checks[Name]>) => HtmlValue
}

export function checkCard<Name extends CheckName>({ question, answer, say }: Card<Name>): Html {
  return card(question, 'refused' in answer ? refusal(answer.refused) : say(answer.value))
}

/** `wide`: over all columns, for what needs the room. */
export function card(question: string, content: HtmlValue, wide = false): Html {
  return html`<div class="check${wide && ' wide'}"><p class="question">${question}</p>${content}</div>`
}

/** What is not known is said so, with its reason. */
export function refusal(reason: string): Html {
  return html`<p class="refused"><strong>Refused:</strong> ${reason}.</p>`
}

/** Sentences, of which some may not apply. */
export function sentences(...parts: readonly (string | false | null)[]): string {
  return parts.filter((part) => part !== false && part !== null && part !== '').join(' ')
}

// Small pictures beside their numbers: bars and intervals in rows of a table, made in Node, readable without scripts, in print and by ear.

const WIDTH = 200
const HEIGHT = 12

export interface BarRow {
  readonly label: Html | string
  readonly value: number
  /** The value as it is read. */
  readonly text: string
}

/** Bars from zero, to the left for losses: the side shows the sign where colours do not. Nothing without rows. */
export function bars(caption: string, rows: readonly BarRow[]): Html | false {
  if (rows.length === 0) return false
  const x = scaleOf(rows.map(({ value }) => value))
  const drawn = rows.map(({ label, value, text }) => {
    const [from, to] = [Math.min(x(0), x(value)), Math.max(x(0), x(value))]
    const bar = html`<rect class="${value < 0 ? 'bar-loss' : 'bar-gain'}" x="${from}" y="2" width="${tenths(to - from)}" height="8"></rect>`
    return row(label, html`${bar}${zeroAt(x)}`, text)
  })
  return pictureTable(caption, drawn)
}

interface IntervalRow {
  readonly label: string
  readonly low: number
  /** Where the dot is; null = there is none. */
  readonly at: number | null
  readonly high: number
  readonly text: string
}

/** Lines from low to high with a dot. `domain`: ends of the scale where it has its own; else all values and zero. */
export function intervals(
  caption: string,
  rows: readonly IntervalRow[],
  domain: readonly [number, number] | null = null,
): Html | false {
  if (rows.length === 0) return false
  const x = scaleOf(domain ?? rows.flatMap(({ low, high }) => [low, high]))
  const drawn = rows.map(({ label, low, at, high, text }) => {
    const line = html`<path class="interval" d="M${x(low)} 6H${x(high)}"></path>`
    const dot = at !== null && html`<path class="dot" d="M${x(at)} 6h0"></path>`
    return row(label, html`${zeroAt(x)}${line}${dot}`, text)
  })
  return pictureTable(caption, drawn)
}

/** The least and the most over a range of values, those near the own one shaded. */
export function envelope(
  columns: readonly (readonly [at: number, low: number, high: number])[],
  { from, to }: { readonly from: number; readonly to: number },
): Html | false {
  const [first, last] = [columns.at(0)?.[0] ?? 0, columns.at(-1)?.[0] ?? 0]
  if (!(last > first)) return false
  const [low, high] = [Math.min(0, ...columns.map((each) => each[1])), Math.max(0, ...columns.map((each) => each[2]))]
  const x = (value: number) => tenths((WIDTH * (Math.min(last, Math.max(first, value)) - first)) / (last - first))
  const y = (value: number) => tenths(1 + (46 * (high - value)) / (high - low || 1))
  const around = [...columns.map(([at, , most]) => [at, most]), ...columns.map(([at, least]) => [at, least]).reverse()]
  const outline = around.map(([at, value]) => `${x(at)} ${y(value)}`).join('L')
  return html`<svg class="envelope" viewBox="0 0 ${WIDTH} 48" preserveAspectRatio="none" aria-hidden="true"><rect x="${x(from)}" y="0" width="${tenths(x(to) - x(from))}" height="48"></rect><path d="M${outline}Z"></path><path class="zero" d="M0 ${y(0)}H${WIDTH}"></path></svg>`
}

type Scale = (value: number) => number

/** Zero is always on it; a little room at both ends, so that a dot is whole. */
function scaleOf(values: readonly number[]): Scale {
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)]
  const range = high - low || 1
  return (value) => tenths(4 + ((WIDTH - 8) * (Math.min(high, Math.max(low, value)) - low)) / range)
}

function zeroAt(x: Scale): Html {
  return html`<path class="zero" d="M${x(0)} 0V${HEIGHT}"></path>`
}

function row(label: Html | string, drawn: Html, text: string): Html {
  return html`<tr><th scope="row">${label}</th><td class="picture"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${drawn}</svg></td><td>${text}</td></tr>`
}

function pictureTable(caption: string, rows: readonly Html[]): Html {
  return html`<table class="pictures"><caption>${caption}</caption><tbody>${rows}</tbody></table>`
}
