/** Which trials became bots, what was shown and accepted then, and what came of it. */
import { wordsOf } from '../../../analysis/doubts/doubts.ts'
import type { PromotedTrial } from '../../../store/promotions.ts'
import { type Facts, shortFingerprint } from '../../facts.ts'
import { formatInstant, formatMetricWithUnit, NOTHING } from '../../format.ts'
import { type Html, html } from '../../html.ts'

const STATES: Readonly<Record<string, string>> = {
  intent: 'was to be made; nobody knows yet whether it was',
  created: 'made, not read back yet',
  verified: 'made, and read back as a demo bot',
  released: 'not made',
  ambiguous: 'unsure whether it was made',
  alarmed: 'not what was asked for: look at it',
}

export function promotionTable(facts: Facts): Html {
  const { promotions } = facts.input
  const heads = [
    'Trial',
    'Bot',
    'State',
    'Promoted',
    'Started',
    'Net profit, as shown then',
    'Doubts shown',
    'Validated',
  ]
  return html`<div class="scroll" role="group" aria-label="Promotions" tabindex="0"><table class="plain">
    <caption>Trials that were promoted, the latest first; all bots are demo bots.</caption>
    <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
    <tbody>${promotions.map((promotion) => promotionRow(promotion, facts))}</tbody>
  </table></div>`
}

function promotionRow(promotion: PromotedTrial, { quote }: Facts): Html {
  const { botName, botId, state, openedAt, startedAt, netProfit } = promotion
  return html`<tr>
    <th scope="row"><code title="${promotion.fingerprint}">${shortFingerprint(promotion)}</code></th>
    <td><bdi>${botName}</bdi>${botId !== null && html` <code><bdi>${botId}</bdi></code>`}</td>
    <td>${STATES[state] ?? state}</td>
    <td>${formatInstant(openedAt)}</td>
    <td>${startedAt === null ? 'not by us' : formatInstant(startedAt)}</td>
    <td class="amount">${formatMetricWithUnit('netProfit', netProfit, quote)}</td>
    <td class="words">${doubtsInWords(promotion)}</td>
    <td>${validationInWords(promotion.validation)}</td>
  </tr>`
}

/** What was accepted by name is said so: somebody read it. */
function doubtsInWords({ doubts, accepted }: PromotedTrial): string {
  if (doubts === null) return `${NOTHING} an older program kept none`
  if (doubts.length === 0) return 'none'
  const taken = new Set(accepted ?? [])
  return doubts.map(({ code }) => `${wordsOf(code)}${taken.has(code) ? ' (accepted)' : ''}`).join(', ')
}

function validationInWords(validation: unknown): string {
  if (validation === null) return `${NOTHING} the service was not asked`
  const { valid }: { readonly valid?: unknown } = Object(validation)
  return valid === true ? 'valid' : valid === false ? 'refused by the service' : `${NOTHING} its answer says neither`
}
