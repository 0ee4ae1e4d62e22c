/** How sure the best of a study is: what its last examination found, in words and pictures, of which the report computes nothing; and both engines side by side. */
import { ID_DIGITS } from '../../../../contract/bot.ts'
import { type MetricName, metricValue } from '../../../../contract/metrics.ts'
import type { Checks, TermsOrigin } from '../../../analysis/certainty/checks.ts'
import type { KeptExamination } from '../../../store/verdicts.ts'
import { configFingerprint } from '../../../study/fingerprint.ts'
import { readAgreement } from '../../../study/proposals.ts'
import { type Facts, metricInWords } from '../../facts.ts'
import {
  formatCount,
  formatDay,
  formatGain,
  formatInstant,
  formatMetricWithUnit,
  formatNumber,
  formatPercent,
  formatSigned,
  lowerTitle,
  signedPercent,
  titleWithUnit,
} from '../../format.ts'
import { commandText, type Html, html } from '../../html.ts'
import type { HoldoutInput } from '../../input.ts'
import type { PageCandles, PageSection } from '../../model/document.ts'
import { computedFrom, whyNotHere } from '../../model/local-gate.ts'
import { livePlace, type Part, type Place, section } from '../part.ts'
import { type BarRow, bars, type CheckGroup, card, checkCard, intervals, refusal, sentences } from './check.ts'
import { chanceOfIt, exactness, originOfProfit } from './examined.ts'
import { readCheck } from './read-checks.ts'

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
    return html`<p class="lead-in">The best was not examined yet: ${commandText(`dcalab examine ${study.name}`)} (free).</p>`
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

// The hold-out of a study: closed until it is opened, and shown when all of its results are in.

const COLUMNS = [
  ['netProfit', 'Net profit'],
  ['usedCapital.average', 'In use on average'],
  ['maxDrawdownPercent', 'Drawdown'],
  ['closedDeals', 'Deals'],
  ['buyAndHoldPercent', 'Hold'],
] as const satisfies readonly (readonly [MetricName, string])[]

function holdoutCard(facts: Facts): Html {
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
      ? 'Nothing was tried on this time before.'
      : `At most ${formatCount(seenConfigs, 'configuration')} had been tried on this time, so it is not unseen.`
  if (opened === null) {
    return html`<p>Closed. ${days} is held out, and nothing of it is in this file. ${seen}</p><p>Open it once, when the choice is made: ${commandText(`dcalab holdout ${study.name} --test --reason "…"`)}</p>`
  }
  const { at, by, reason, isOfOther, elsewhere } = opened
  return html`<p>${days}, opened ${formatInstant(at)} by <bdi>${by}</bdi>: <bdi>${reason}</bdi>. ${sentences(
    seen,
    isOfOther && 'It was opened for another revision of this study, whose winner may be another one.',
    elsewhere !== undefined && `It was tested on ${elsewhere}: results of services are not mixed.`,
    shown === null && elsewhere === undefined && 'Results are missing, and none is shown before all of them are in.',
  )}</p>`
}

/** Of this section's market, by place in the study. */
function results({ results: all }: HoldoutInput, facts: Facts): Html | false {
  const here = all?.filter(({ market }) => market === facts.market) ?? []
  if (here.length === 0) return false
  return html`<div class="scroll" role="group" aria-label="Results on the hold-out" tabindex="0"><table class="plain"><caption>The best of the study on the hold-out</caption>
    <thead><tr>${['In the study', 'Trial', ...COLUMNS.map(([, title]) => title)].map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
    <tbody>${here.map(
      ({ place, config, metrics, failure }) =>
        html`<tr><th scope="row">${place}</th><td><code>${facts.idOf({ config })}</code></td>${
          metrics === null
            ? html`<td colspan="${COLUMNS.length}"><bdi>${failure ?? 'no result'}</bdi></td>`
            : COLUMNS.map(([name]) => html`<td class="amount">${metricInWords(metrics, name, facts)}</td>`)
        }</tr>`,
    )}</tbody></table></div>
    <p class="small">Where they stand among all configurations on these days, computed here: ${commandText(`dcalab holdout ${facts.study.name}`)}</p>`
}

// Whether what was good stayed good: the next half, and the next span of each fold of a walk-forward, beside the hold-out.

function nextSpan(examination: KeptExamination) {
  return checkCard({
    question: 'Did ranks last from one half of this market to the other?',
    answer: readCheck(examination, 'nextSpan'),
    say: ({ rho, n, splitAt }) =>
      html`<p>Places before ${splitAt.slice(0, 10)} against places after it, over ${formatCount(n, 'configuration')}: 1 = the same order, 0 = none in common, −1 = the reverse.</p>${intervals(
        'Spearman’s rank correlation of the two halves',
        [{ label: 'ρ', low: rho, at: rho, high: rho, text: formatNumber(rho, 2) }],
        [-1, 1],
      )}`,
  })
}

function walkForward(examination: KeptExamination, facts: Facts) {
  return checkCard({
    question: 'Walk-forward test',
    answer: readCheck(examination, 'walkForward'),
    say: (check) =>
      html`<p>${summaryOf(check, facts)}</p>${bars(
        `${titleWithUnit(facts.study.objective.metric, facts.quote)}, on the span it was chosen on and on the next`,
        [...check.folds.flatMap((fold) => foldRows(fold, facts)), ...holdoutRows(facts)],
      )}`,
  })
}

type WalkForward = NonNullable<Checks['walkForward']>

function summaryOf(check: WalkForward, facts: Facts): string {
  const { folds, configs, meanPercentile, worstFold, profit, value, valueReason } = check
  const worst = worstFold === null ? undefined : folds.at(worstFold - 1)
  const { metric } = facts.study.objective
  return sentences(
    `${formatCount(folds.length, 'fold')}, each chosen among ${formatCount(configs, 'configuration')}: ${formatGain(profit, facts.quote)} in all out-of-sample periods, added up.`,
    meanPercentile !== null &&
      `On average the chosen was better than ${formatPercent(meanPercentile, 0)} of all on the out-of-sample period.`,
    worst !== undefined &&
      `The worst begins ${worst.test.from.slice(0, 10)}: ${formatGain(worst.netProfit, facts.quote)}.`,
    value === null && valueReason !== null && `No ${lowerTitle(metric)} of all folds together: ${valueReason}.`,
  )
}

function foldRows(fold: WalkForward['folds'][number], facts: Facts): BarRow[] {
  const { test, chosen, why, trainValue, testValue, percentile, testMarketPercent } = fold
  const named = chosen?.slice(0, ID_DIGITS) ?? `none: ${why ?? 'no reason was kept'}`
  const place = percentile === null ? '' : `percentile ${formatNumber(percentile, 0)}, `
  return [
    barOf(`${test.from.slice(0, 10)} ${named}`, trainValue, facts),
    barOf('out-of-sample period', testValue, facts, ` (${place}market ${signedPercent(testMarketPercent)})`),
  ]
}

/** The winner on the whole of the study's period beside the hold-out; none while that is closed. */
function holdoutRows(facts: Facts): BarRow[] {
  const { best, market, study, input } = facts
  if (best === undefined) return []
  const own = configFingerprint(best.config)
  const winner = input.holdout?.results?.find((one) => one.market === market && configFingerprint(one.config) === own)
  if (winner === undefined || winner.metrics === null) return []
  const { metric } = study.objective
  const [train, test] = [best.metrics, winner.metrics].map((metrics) => metricValue(metrics, metric))
  const held = ` (market ${signedPercent(winner.metrics.buyAndHoldPercent)})`
  return [barOf('The study’s best', train, facts), barOf('hold-out', test, facts, held)]
}

function barOf(label: string, value: number | null, { study, quote }: Facts, behind = ''): BarRow {
  return { label, value: value ?? 0, text: `${formatMetricWithUnit(study.objective.metric, value, quote)}${behind}` }
}

// Whether the service and the engine on this machine come to the same number, and whether a search could rely on that.

interface WhereShown {
  readonly place: Place
  /** What the page's script works with; undefined where there is no page. */
  readonly page: PageSection | undefined
}

/** Without an examination what the search and the calibration kept, and what the page computes by itself. */
function sameNumber(examination: KeptExamination | undefined, facts: Facts, { place, page }: WhereShown): CheckGroup {
  const cards = [
    examination !== undefined && localRun(examination, facts),
    calibration(facts),
    agreement(facts),
    page !== undefined && everyLocalRun(page, place),
  ]
  return { id: 'same', title: 'Do two engines come to the same number?', cards: cards.filter((each) => each !== false) }
}

/** The page's script draws it; what it computes under is said here. */
function everyLocalRun({ candles, terms, trials }: PageSection, place: Place): Html {
  const question = 'Do the service and the engine in this page agree on every trial?'
  const why = whyNotHere(candles, 0)
  if (why !== null) return card(question, refusal(why))
  const computed = [...new Set(terms.map((each) => computedFrom(each, candles, 'Here each is')))]
  const more =
    computed.length > 1 &&
    ` Of ${formatCount(trials.count, 'trial')} some were computed under other terms: ${formatCount(computed.length, 'set')} in all, and each is run under its own.`
  return card(
    question,
    html`<p>${computed[0]}${more}${onlyTraced(candles, trials.count)}</p>${livePlace('localRuns', place)}`,
    true,
  )
}

function onlyTraced(candles: PageCandles, count: number): string | false {
  if (candles.kind !== 'thinned' || candles.traced >= count) return false
  return ` For a period as long as this one the page has the candles of the best ${formatCount(candles.traced, 'trial')} only; the others are not computed again.`
}

const TERMS_FROM: Readonly<Record<TermsOrigin, string>> = {
  result: 'as the result states',
  calibration: 'as a calibration of the service found',
  poorCalibration: 'as a calibration found that explains little',
  study: 'as the study says, because the service does not say',
}

function localRun(examination: KeptExamination, facts: Facts): Html {
  return checkCard({
    question: 'Do the service and the local engine agree on the best?',
    answer: readCheck(examination, 'localRun'),
    say: (found) => html`<p>${localWords(found, facts)}</p>`,
  })
}

function localWords(found: NonNullable<Checks['localRun']>, { quote }: Facts): string {
  const { difference, differencePercent, deals, termsFrom, sameCandles } = found
  const size = `${formatNumber(Math.abs(difference), quote.decimals)}\u00a0${quote.asset}`
  return sentences(
    Math.abs(difference) < Number(`0.5e-${quote.decimals}`)
      ? 'To the last shown digit.'
      : `The service says ${size} ${difference < 0 ? 'less' : 'more'} than the local engine (${formatPercent(Math.abs(differencePercent), 3)} of the investment).`,
    deals !== null && deals !== 0 && `It counts ${formatSigned(deals, 0)} deals.`,
    `The local engine computed ${TERMS_FROM[termsFrom]}.`,
    sameCandles === false && 'The service used other candles than the local ones.',
    sameCandles === null && 'The service does not say which candles it used.',
  )
}

function calibration({ input: { calibration: found } }: Facts): Html | false {
  if (found === null) return false
  const { madeAt, jobs, candidates, residualPercent, isPoor, study } = found
  return card(
    'By which conventions does the service compute?',
    html`<p>${sentences(
      `Calibrated ${formatInstant(madeAt)} with ${formatCount(jobs, 'job')} of ${study}, among ${formatCount(candidates, 'set')} of conventions, each with the fee and slippage that fit it best.`,
      residualPercent === null
        ? 'The service reported no profit to compare.'
        : `What is left unexplained is at most ${formatPercent(residualPercent, 3)} of the investment.`,
      isPoor && 'No set explains the service’s answers well, so local screens may be wrong about this service.',
    )}</p>`,
  )
}

function agreement({ input: { agreement: kept } }: Facts): Html | false {
  const found = readAgreement(kept)
  if (found === undefined) return false
  const { passed, failed, isContradicted } = found
  const why = isContradicted
    ? `the service disagrees with the local screen (${failed.join(', ')}). The configurations were chosen with the wrong fees or fill rules: calibrate and run again`
    : failed.includes('median')
      ? 'on the service the first configurations chosen did no better than controls, which nobody chose'
      : failed.includes('profits')
        ? 'no local profit was clear enough to compare with the service'
        : 'the test failed, and what of it was not kept'
  return card(
    'Could the search rely on its own screen?',
    passed
      ? html`<p>Yes: on what both computed, the service agrees with the local engine that chose what to try.</p>`
      : html`<p>No: ${why}.</p>`,
  )
}
