/** How sure the best of a study is: what its last examination found, in words and pictures, of which the report computes nothing; and both engines side by side. */
import type { Facts } from '../../facts.ts'
import { formatInstant } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import type { PageSection } from '../../model/document.ts'
import { type Part, type Place, section } from '../part.ts'
import type { CheckGroup } from './check.ts'
import { exactness } from './exactness.ts'
import { holdoutCard } from './holdout.ts'
import { nextSpan, walkForward } from './lasting.ts'
import { chanceOfIt } from './luck.ts'
import { originOfProfit } from './origin.ts'
import { sameNumber } from './same-number.ts'

export function howSurePart(facts: Facts, place: Place, page?: PageSection): Part {
  const examination = examinationOf(facts)
  const groups = [
    lastingOf(facts),
    ...(examination === undefined
      ? []
      : [exactness(examination, facts), originOfProfit(examination, facts), chanceOfIt(examination, facts)]),
    sameNumber(examination, facts, { place, page }),
  ].filter(({ cards }) => cards.length > 0)
  return {
    body: section(place, html`${head(facts)}${groups.map((group) => groupBody(group, place))}`),
    charts: [],
  }
}

function examinationOf({ best, input }: Facts) {
  return best === undefined ? undefined : input.examinations.get(best.fingerprint)
}

function head(facts: Facts): Html {
  const { best, study } = facts
  const last = examinationOf(facts)
  if (best === undefined) {
    return html`<p class="lead-in">No configuration is ranked.</p>`
  }
  if (last === undefined) {
    return html`<p class="lead-in">The best was not examined yet: <code>dcalab examine ${study.name}</code> (free).</p>`
  }
  const { finishedAt, candleInterval, candlesHash, engineVersion } = last
  return html`<p class="small">Examined ${formatInstant(finishedAt)} on ${candleInterval} candles <code>${candlesHash.slice(0, 12)}</code>, engine ${engineVersion}.</p>`
}

/** Also without an examination where something is held out: that is the state of the study. */
function lastingOf(facts: Facts): CheckGroup {
  const examination = examinationOf(facts)
  const cards =
    examination === undefined
      ? facts.input.holdout === null
        ? []
        : [holdoutCard(facts)]
      : [holdoutCard(facts), nextSpan(examination), walkForward(examination, facts)]
  return { id: 'lasting', title: 'Does it last?', cards }
}

/** Folded; a reason of the verdict leads to it. */
function groupBody({ id, title, cards }: CheckGroup, place: Place): Html {
  return html`<details class="group" id="${place.prefix}${id}"><summary>${place.level === 2 ? html`<h3>${title}</h3>` : html`<h4>${title}</h4>`}</summary><div class="checks">${cards}</div></details>`
}
