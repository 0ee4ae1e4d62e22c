/** How sure the best of a study is: what its last examination found, in words and pictures, of which the report computes nothing; and both engines side by side. */
import type { Facts } from '../../facts.ts'
import { shortFingerprint } from '../../facts.ts'
import { formatInstant } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import type { PageSection } from '../../model/document.ts'
import { distributionFigure } from '../distribution.ts'
import { type Part, type Place, section } from '../part.ts'
import type { CheckGroup } from './check.ts'
import { exactness } from './exactness.ts'
import { holdoutCard } from './holdout.ts'
import { nextSpan, walkForwardPart } from './lasting.ts'
import { chanceOfIt } from './luck.ts'
import { originOfProfit } from './origin.ts'
import { sameNumber } from './same-number.ts'

export function howSurePart(facts: Facts, place: Place, page?: PageSection): Part {
  const all = distributionFigure(facts, place)
  const lasting = lastingOf(facts, place)
  const examination = examinationOf(facts)
  const groups = [
    ...(lasting === null ? [] : [lasting]),
    ...(examination === undefined
      ? []
      : [exactness(examination, facts), originOfProfit(examination, facts), chanceOfIt(examination, facts)]),
    sameNumber(examination, facts, { place, page }),
  ].filter(({ cards }) => cards.length > 0)
  return {
    body: section(
      place,
      html`${head(facts)}${groups.map((group) => groupBody(group, place))}${all !== null && html`${heading('Where does the best lie among all?', place)}${all.body}`}`,
    ),
    charts: [...(lasting?.charts ?? []), ...(all?.charts ?? [])],
  }
}

function examinationOf({ best, input }: Facts) {
  return best === undefined ? undefined : input.examinations.get(best.fingerprint)
}

function head(facts: Facts): Html {
  const { best, study } = facts
  const last = examinationOf(facts)
  if (best === undefined) {
    return html`<p class="lead-in">There is no best of which to ask it: no configuration has a place.</p>`
  }
  if (last === undefined) {
    return html`<p class="lead-in">The best was not examined yet, so little is known: <code>dcalab examine ${study.name}</code> looks at it with the local engine, and the next report shows what it found. It sends and spends nothing.</p>`
  }
  const { finishedAt, candleInterval, candlesHash, engineVersion } = last
  return html`<p class="lead-in">What the examination of ${shortFingerprint(best)} found, ${formatInstant(finishedAt)}, on ${candleInterval} candles <code>${candlesHash.slice(0, 12)}</code> with the engine ${engineVersion}. None of it promises anything; it says what the past does not support.</p>`
}

type ChartedGroup = CheckGroup & Pick<Part, 'charts'>

/** Also without an examination where something is held out: that is the state of the study. */
function lastingOf(facts: Facts, place: Place): ChartedGroup | null {
  const title = 'Does it last?'
  const examination = examinationOf(facts)
  if (examination === undefined) {
    return facts.input.holdout === null ? null : { title, cards: [holdoutCard(facts)], charts: [] }
  }
  const walked = walkForwardPart(examination, facts, place)
  return { title, cards: [holdoutCard(facts), nextSpan(examination), walked.body], charts: walked.charts }
}

function groupBody({ title, cards }: CheckGroup, place: Place): Html {
  return html`${heading(title, place)}<div class="checks">${cards}</div>`
}

function heading(text: string, { level }: Place): Html {
  return level === 2 ? html`<h3>${text}</h3>` : html`<h4>${text}</h4>`
}
