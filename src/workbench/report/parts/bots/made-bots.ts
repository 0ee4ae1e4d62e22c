/** What became of the trials: the bots that were made of them, and how each fares beside its backtest. */
import type { PromotedTrial } from '../../../store/promotions.ts'
import { type Facts, shortFingerprint } from '../../facts.ts'
import { formatInstant, formatMetricWithUnit, NOTHING } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { type Part, type Place, section } from '../part.ts'
import { driftPart } from './drift.ts'

/** Of more bots only the table tells. */
const MOST_DRAWN = 5

export function hasBots({ input: { promotions, drifts } }: Facts): boolean {
  return promotions.length > 0 || drifts.length > 0
}

export function botsPart(facts: Facts, place: Place): Part {
  const { promotions, drifts } = facts.input
  const drawn = drifts.slice(0, MOST_DRAWN).map((drift, index) => driftPart(drift, facts, { place, nth: index + 1 }))
  const left = drifts.length - drawn.length
  const content = html`${promotions.length > 0 && promotionTable(facts)}${
    drifts.length === 0 &&
    html`<p class="empty">No bot was looked at beside its backtest yet: <code>dcalab bots compare &lt;bot&gt;</code></p>`
  }${drawn.map(({ body }) => body)}${left > 0 && html`<p class="small">${left} more were looked at earlier; the view bots has them.</p>`}`
  return { body: section(place, content), charts: drawn.flatMap(({ charts }) => charts) }
}

const STATES: Readonly<Record<string, string>> = {
  intent: 'was to be made; nobody knows yet whether it was',
  created: 'made, not read back yet',
  verified: 'made, and read back as a demo bot',
  released: 'not made',
  ambiguous: 'unsure whether it was made',
  alarmed: 'not what was asked for: look at it',
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

function promotionRow(promotion: PromotedTrial, { quote }: Facts): Html {
  const { botName, botId, state, openedAt, startedAt, netProfit } = promotion
  return html`<tr>
    <th scope="row"><code title="${promotion.fingerprint}">${shortFingerprint(promotion)}</code></th>
    <td><bdi>${botName}</bdi>${botId !== null && html` <code><bdi>${botId}</bdi></code>`}</td>
    <td>${STATES[state] ?? state}</td>
    <td>${formatInstant(openedAt)}</td>
    <td>${startedAt === null ? 'not by us' : formatInstant(startedAt)}</td>
    <td class="amount">${formatMetricWithUnit('netProfit', netProfit, quote)}</td>
    <td class="words">${verdictInWords(promotion)}</td>
    <td>${validationInWords(promotion.validation)}</td>
  </tr>`
}

/** What was accepted by name is said so: somebody read it. */
function verdictInWords({ headline, accepted }: PromotedTrial): string {
  if (headline === null) return NOTHING
  return accepted === null || accepted.length === 0 ? headline : `${headline} (accepted)`
}

function validationInWords(validation: unknown): string {
  if (validation === null) return `${NOTHING} the service was not asked`
  const { valid }: { readonly valid?: unknown } = Object(validation)
  return valid === true ? 'valid' : valid === false ? 'refused by the service' : `${NOTHING} its answer says neither`
}
