/** Whether the service and the engine on this machine come to the same number, and whether a search could rely on that. */
import type { TermsOrigin, TwinCheck } from '../../../analysis/certainty/checks.ts'
import type { KeptExamination } from '../../../store/examinations.ts'
import type { Facts } from '../../facts.ts'
import { formatCount, formatInstant, formatNumber, formatPercent, formatSigned } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import type { PageCandles, PageSection } from '../../model/document.ts'
import { groundOf, whyNotHere } from '../../model/twin-gate.ts'
import { livePlace } from '../live-place.ts'
import type { Place } from '../part.ts'
import { type CheckGroup, card, checkCard, refusal, sentences } from './check.ts'
import { readCheck } from './read-checks.ts'

interface WhereTold {
  readonly place: Place
  /** What the page's script works with; undefined where there is no page. */
  readonly page: PageSection | undefined
}

/** Without an examination what the search and the calibration kept, and what the page computes by itself. */
export function sameNumber(
  examination: KeptExamination | undefined,
  facts: Facts,
  { place, page }: WhereTold,
): CheckGroup {
  const cards = [
    examination !== undefined && twin(examination, facts),
    calibration(facts),
    agreement(facts),
    page !== undefined && everyTwin(page, place),
  ]
  return { id: 'same', title: 'Do two engines come to the same number?', cards: cards.filter((each) => each !== false) }
}

/** The page's script draws it; what it computes under is told here. */
function everyTwin({ candles, terms, trials }: PageSection, place: Place): Html {
  const question = 'Do the service and the engine in this page agree on every trial?'
  const why = whyNotHere(candles, 0)
  if (why !== null) return card(question, refusal(why))
  const grounds = [...new Set(terms.map((each) => groundOf(each, candles, 'Here each is')))]
  const more =
    grounds.length > 1 &&
    ` Of ${formatCount(trials.count, 'trial')} some were computed under other terms: ${formatCount(grounds.length, 'set')} in all, and each is run under its own.`
  return card(
    question,
    html`<p>${grounds[0]}${more}${onlyTraced(candles, trials.count)}</p>${livePlace('twins', place)}`,
    true,
  )
}

function onlyTraced(candles: PageCandles, count: number): string | false {
  if (candles.kind !== 'thinned' || candles.traced >= count) return false
  return ` Of a period as long as this one the page has the candles of the best ${formatCount(candles.traced, 'trial')} alone, so the others are not held against it.`
}

const TERMS_FROM: Readonly<Record<TermsOrigin, string>> = {
  result: 'as the result states',
  calibration: 'as a calibration of the service found',
  poorCalibration: 'as a calibration found that explains little',
  study: 'as the study says, because the service does not tell',
}

function twin(examination: KeptExamination, facts: Facts): Html {
  return checkCard({
    question: 'Do the service and the local engine agree on the best?',
    answer: readCheck(examination, 'twin'),
    say: (found) => html`<p>${twinWords(found, facts)}</p>`,
  })
}

function twinWords(found: TwinCheck, { quote }: Facts): string {
  const { difference, differencePercent, deals, termsFrom, sameCandles } = found
  const size = `${formatNumber(Math.abs(difference), quote.decimals)}\u00a0${quote.asset}`
  return sentences(
    Math.abs(difference) < Number(`0.5e-${quote.decimals}`)
      ? 'To the last shown digit.'
      : `The service says ${size} ${difference < 0 ? 'less' : 'more'} than the local engine (${formatPercent(Math.abs(differencePercent), 3)} of the investment).`,
    deals !== null && deals !== 0 && `It counts ${formatSigned(deals, 0)} deals.`,
    `The local engine computed ${TERMS_FROM[termsFrom]}.`,
    sameCandles === false && 'The service used other candles than lie here.',
    sameCandles === null && 'On which candles the service computed, it does not say.',
  )
}

function calibration({ input: { calibration: found } }: Facts): Html | false {
  if (found === null) return false
  const { madeAt, jobs, candidates, residualPercent, isPoor, study } = found
  return card(
    'By which conventions does the service compute?',
    html`<p>${sentences(
      `Looked for ${formatInstant(madeAt)} with ${formatCount(jobs, 'job')} of ${study}, among ${formatCount(candidates, 'set')} of conventions, each with the fee and slippage that fit it best.`,
      residualPercent === null
        ? 'The service told no profit to compare.'
        : `What is left unexplained is at most ${formatPercent(residualPercent, 3)} of the investment.`,
      isPoor && 'No set explains its answers well: what a local screen says of this service may be wrong.',
    )}</p>`,
  )
}

/** Kept as JSON: `{ passed, failed }`. */
function agreement({ input: { agreement: kept } }: Facts): Html | false {
  const { passed, failed }: Readonly<Record<string, unknown>> = Object(kept)
  if (typeof passed !== 'boolean') return false
  const names = Array.isArray(failed) ? failed.map(String) : []
  return card(
    'Could the search rely on its own screen?',
    passed
      ? html`<p>Yes: on what both computed, the service agrees with the local engine that chose what to try.</p>`
      : html`<p>No: the service disagrees with the local screen (${names.join(', ')}). What was tried was chosen by a wrong guess of how it computes.</p>`,
  )
}
