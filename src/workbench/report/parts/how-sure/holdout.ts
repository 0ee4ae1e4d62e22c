/** The hold-out of a study: closed until it is opened, and shown when all of its results are in. */
import type { MetricName } from '../../../../contract/metrics.ts'
import type { Facts } from '../../facts.ts'
import { metricInWords } from '../../facts.ts'
import { formatCount, formatDay, formatInstant } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import type { HoldoutInput } from '../../input.ts'
import { card, sentences } from './check.ts'

const COLUMNS = [
  ['netProfit', 'Net profit'],
  ['usedCapital.average', 'In use on average'],
  ['maxDrawdownPercent', 'Drawdown'],
  ['closedDeals', 'Deals'],
  ['buyAndHoldPercent', 'Hold'],
] as const satisfies readonly (readonly [MetricName, string])[]

export function holdoutCard(facts: Facts): Html {
  const { holdout } = facts.input
  const question = 'Does the winner hold on days that nobody had seen?'
  if (holdout === null) {
    return card(
      question,
      html`<p>Not known: this study holds nothing out. Its best was chosen and measured on the same days. <code>validate: { holdout: 25% }</code> in the study file keeps the newest quarter unseen.</p>`,
    )
  }
  return card(question, html`${stateOf(holdout, facts)}${results(holdout, facts)}`, holdout.results !== null)
}

function stateOf({ span, seenConfigs, opened, results: shown }: HoldoutInput, { study }: Facts): Html {
  const days = `${formatDay(span.from)} to ${formatDay(span.to)}`
  const seen =
    seenConfigs === 0
      ? 'Nobody has looked at this time before.'
      : `At most ${formatCount(seenConfigs, 'configuration')} had been looked at in this time, so it is not unseen.`
  if (opened === null) {
    return html`<p>Closed. ${days} is held out, and nothing of it is in this file. ${seen}</p><p>Open it once, when the choice is made: <code>dcalab holdout ${study.name} --test --reason "…"</code></p>`
  }
  const { at, by, reason, isOfOther } = opened
  return html`<p>${days}, opened ${formatInstant(at)} by <bdi>${by}</bdi>: <bdi>${reason}</bdi>. ${sentences(
    seen,
    isOfOther && 'It was opened for another revision of this study, whose winner may be another one.',
    shown === null && 'Results are missing, and none is shown before all of them are in.',
  )}</p>`
}

/** Of this section's market, by place in the study. */
function results({ results: all }: HoldoutInput, facts: Facts): Html | false {
  const here = all?.filter(({ market }) => market === facts.market) ?? []
  if (here.length === 0) return false
  return html`<div class="scroll" role="group" aria-label="Results on the hold-out" tabindex="0"><table class="plain"><caption>The best of the study on the hold-out</caption>
    <thead><tr>${['In the study', 'Trial', ...COLUMNS.map(([, title]) => title)].map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
    <tbody>${here.map(
      ({ place, trial, metrics, failure }) =>
        html`<tr><th scope="row">${place}</th><td><code>${trial.slice(0, 12)}</code></td>${
          metrics === null
            ? html`<td colspan="${COLUMNS.length}"><bdi>${failure ?? 'no result'}</bdi></td>`
            : COLUMNS.map(([name]) => html`<td class="amount">${metricInWords(metrics, name, facts)}</td>`)
        }</tr>`,
    )}</tbody></table></div>
    <p class="small">Where they stand among all configurations on these days, computed here: <code>dcalab holdout ${facts.study.name}</code></p>`
}
