/** What became of the trials: the bots that were made of them, and how each fares beside its backtest. */
import type { Facts } from '../../facts.ts'
import { html } from '../../html.ts'
import { type Part, type Place, section } from '../part.ts'
import { driftPart } from './drift.ts'
import { promotionTable } from './promotion-table.ts'

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
  }${drawn.map(({ body }) => body)}${left > 0 && html`<p class="small">${left} more were looked at earlier; the view demo_drift has them.</p>`}`
  return { body: section(place, content), charts: drawn.flatMap(({ charts }) => charts) }
}
