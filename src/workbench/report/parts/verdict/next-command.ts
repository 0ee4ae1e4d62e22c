/** The command that comes next after a report, to copy. */
import { metricValue } from '../../../../contract/metric-values.ts'
import type { Facts } from '../../facts.ts'
import { type Html, html } from '../../html.ts'

interface NextCommand {
  readonly why: string
  readonly command: string
}

/** null where no command follows from the results: nothing was run, or nothing is worth going on with. */
export function findNextCommand({ best, input, study, market, isOneOfSeveral }: Facts): NextCommand | null {
  if (best === undefined) return null
  const { holdout } = input
  if (!input.examinations.has(best.fingerprint)) {
    const which = isOneOfSeveral ? best.fingerprint.slice(0, 12) : study.name
    return { why: 'Find out how sure that is', command: `dcalab examine ${which}` }
  }
  if (holdout?.opened === null) {
    return { why: 'Test it once on days nobody has seen', command: `dcalab holdout ${study.name} --test --reason "…"` }
  }
  if (holdout?.opened && holdout.results === null) {
    return { why: 'See the results of the hold-out', command: `dcalab holdout ${study.name} --test --reason "…"` }
  }
  const profit = metricValue(best.metrics, 'netProfit')
  if (profit !== null && profit <= 0) return null
  const on = isOneOfSeveral ? ` --market ${market}` : ''
  if (input.best?.doubts.some(({ weight }) => weight === 'block')) {
    return { why: 'See what must be answered first', command: `dcalab promote ${study.name}${on} --dry-run` }
  }
  return { why: 'Make it a demo bot', command: `dcalab promote ${study.name}${on}` }
}

/** `section`: the number of the page's section, whose script adds a button. */
export function nextCommand(facts: Facts, section: number): Html | false {
  const next = findNextCommand(facts)
  if (next === null) return false
  return html`<p class="next-step" data-live="verdict" data-section="${section}"><span class="next-why">${next.why}:</span> <code>${next.command}</code></p>`
}
