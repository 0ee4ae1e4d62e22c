/** The command that comes next after a report, to copy. */
import type { Facts } from '../../facts.ts'
import { type Html, html } from '../../html.ts'

interface NextCommand {
  readonly why: string
  readonly command: string
}

/** null where no command follows from the results: nothing was run, or nothing is worth going on with. */
export function findNextCommand({ best, input, study, isOneOfSeveral }: Facts): NextCommand | null {
  if (best === undefined) return null
  const { holdout } = input
  if (!input.best?.verdict) {
    const which = isOneOfSeveral ? best.fingerprint.slice(0, 12) : study.name
    return { why: 'Judge it on stored history', command: `dcalab verdict ${which}` }
  }
  if (holdout?.opened === null) {
    return { why: 'Test it once on days nobody has seen', command: `dcalab holdout open ${study.name} --reason "…"` }
  }
  if (holdout?.opened && holdout.results === null) {
    return { why: 'See the results of the hold-out', command: `dcalab holdout open ${study.name} --reason "…"` }
  }
  return null
}

/** `section`: the number of the page's section, whose script adds a button. */
export function nextCommand(facts: Facts, section: number): Html | false {
  const next = findNextCommand(facts)
  if (next === null) return false
  return html`<p class="next-step" data-live="verdict" data-section="${section}"><span class="next-why">${next.why}:</span> <code>${next.command}</code></p>`
}
