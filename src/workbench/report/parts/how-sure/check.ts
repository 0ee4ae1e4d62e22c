/** One check as a card: its question, what was found, or why it was refused. */
import type { CheckAnswer, CheckName, Checks } from '../../../analysis/certainty/checks.ts'
import type { Facts } from '../../facts.ts'
import { formatPercent, formatSigned } from '../../format.ts'
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

/** "+12.50 USDT"; the space does not break. */
export function money(value: number | null, { quote }: Pick<Facts, 'quote'>): string {
  return value === null ? '–' : `${formatSigned(value, quote.decimals)}\u00a0${quote.asset}`
}

/** A share of the net profit: "70 %". */
export function sharePercent(percent: number): string {
  return formatPercent(percent, 0)
}

/** Sentences, of which some may not apply. */
export function sentences(...parts: readonly (string | false | null)[]): string {
  return parts.filter((part) => part !== false && part !== null && part !== '').join(' ')
}
