/** The verdict on a study: what its evidence earns, why, what to expect and what comes next. One for all of its markets, without scripts, on one screen. */
import { marketName } from '../../../contract/market.ts'
import { type MetricsAsRead, metricValue } from '../../../contract/metrics.ts'
import type { ServiceProgress } from '../../store/choose-service.ts'
import { mostConfigs } from '../../study/study.ts'
import { GRADES, worstOf } from '../../verdict/judge.ts'
import { amountText, gain, placeInWords, yearsOf } from '../../verdict/words.ts'
import { companionsInWords, type Facts, objectiveInWords, readTrial, valueInWords } from '../facts.ts'
import {
  formatCount,
  formatDay,
  formatInstant,
  formatNumber,
  formatPercent,
  lowerTitle,
  signedPercent,
  tenths,
} from '../format.ts'
import { commandText, type Html, html } from '../html.ts'
import type { ShownVerdict, StretchInput } from '../input.ts'
import { findBrokenBounds } from '../model/trial-words.ts'
import type { Place } from './part.ts'

interface VerdictPlace {
  /** Of each market's section: of its ids and of its keys in the address. */
  readonly prefixes: readonly string[]
  /** Number of the first section on the page, whose script adds a button. */
  readonly section: number
  /** Of its heading. */
  readonly level: Place['level']
}

/** A market with its verdict. */
interface Judged {
  readonly market: string
  readonly verdict: ShownVerdict
  readonly facts: Facts
  readonly prefix: string
}

/** @param markets of one study, in its order */
export function verdict(markets: readonly [Facts, ...Facts[]], place: VerdictPlace): Html {
  const [facts] = markets
  const [first, ...rest] = markets.flatMap((one, at): Judged[] => {
    const found = one.input.best?.verdict ?? null
    return found === null ? [] : [{ market: one.market, verdict: found, facts: one, prefix: place.prefixes[at] }]
  })
  const areAll = first !== undefined && rest.length === markets.length - 1
  return html`<div class="verdict">${
    facts.best === undefined
      ? withoutBest(facts, place)
      : areAll
        ? judged([first, ...rest], place)
        : notJudged(facts, place)
  }${banners(facts)}</div>`
}

function headline(text: string, { level }: VerdictPlace): Html {
  return level === 2 ? html`<h2 class="headline">${text}</h2>` : html`<h3 class="headline">${text}</h3>`
}

/** Reasons that are no evidence of one market. */
const OF_THE_STUDY: ReadonlySet<string> = new Set(['uncalibrated', 'spentHoldout'])

function judged(all: readonly [Judged, ...Judged[]], place: VerdictPlace): Html {
  const { market, verdict: worst } = worstOf(all)
  const chosen = all.find((one) => one.market === market) ?? all[0]
  const { facts, prefix } = chosen
  const stale = all.find((one) => one.verdict.isStale)
  const isOneOfSeveral = all.length > 1
  return html`${headline(worst.headline, place)}
    <div class="judged"><div>
      ${stale !== undefined && html`<p class="banner">Judged ${formatInstant(stale.verdict.judgedAt)}; what is known has changed since.</p>`}
      <p>${worst.sentence}${all.map((one) => isSame(one, chosen) && ` The same on ${pairOf(one.facts)}.`)}</p>
      ${isOneOfSeveral && worstFall(all)}
      ${
        worst.reasons.length > 0 &&
        html`<ol class="reasons">${worst.reasons.map(({ code, hard, sentence }) => html`<li${hard && html` class="hard"`}><a href="#${evidenceOf(code, chosen)}">${isOneOfSeveral && !OF_THE_STUDY.has(code) && `${pairOf(facts)}: `}${sentence}</a></li>`)}</ol>`
      }
      ${all.map((one) => one !== chosen && !isSame(one, chosen) && html`<p class="small"><strong>${pairOf(one.facts)}.</strong> ${one.verdict.headline}. ${one.verdict.sentence}</p>`)}
      ${placeOf(chosen, worst)}${worst.grade === 'notJudged' && againstOthers(facts, isOneOfSeveral)}
      ${nextStep(stale === undefined ? stepsAfter(all, worst) : [judgeAgain(facts)], facts, place)}${alsoNoted(worst, isOneOfSeveral && pairOf(facts))}
    </div>${!isOneOfSeveral && html`<div>${outlookOf(facts, prefix)}</div>`}</div>`
}

/** Another market of which the same is said. */
function isSame(one: Judged, chosen: Judged): boolean {
  const [own, said] = [one.verdict, chosen.verdict]
  return one !== chosen && own.headline === said.headline && own.sentence === said.sentence
}

/** The deepest drawdown of all markets, on the days of the study and on unseen ones, and what to expect where it was. */
function worstFall(all: readonly Judged[]): Html | false {
  const falls = all.flatMap(({ facts, verdict: { expect } }) => {
    const { best, input } = facts
    const spans = input.best?.spans ?? []
    const results = spans.length > 0 ? spans.map(({ metrics }) => metrics) : best === undefined ? [] : [best.metrics]
    const found = results.flatMap((metrics) => metricValue(metrics, 'maxDrawdownPercent') ?? [])
    return found.length === 0 ? [] : [{ facts, expect, percent: Math.max(...found) }]
  })
  const [worst] = falls.toSorted((a, b) => b.percent - a.percent)
  if (worst === undefined) return false
  const { facts, expect, percent } = worst
  const ahead =
    expect !== null && `; to expect in ${expect.days} days there: below ${Math.ceil(expect.drawdownBelowPercent)} %`
  return html`<p class="worst-fall">Worst drawdown: <strong>${formatPercent(percent)} on ${pairOf(facts)}</strong>${ahead}.</p>`
}

/** What to do next; where history is missing, that of every market that lacks it. */
function stepsAfter(all: readonly Judged[], worst: ShownVerdict): readonly NextStep[] {
  const found = worst.grade === 'notJudged' ? all.map(({ verdict: own }) => own) : [worst]
  return found.flatMap(({ grade, next }) => (grade === worst.grade && next !== null ? [next] : []))
}

/** On the page a market is named by its pair where its exchange is plain: where no other of the study has this pair. */
export function pairOf({ market, study: { markets } }: Pick<Facts, 'market' | 'study'>): string {
  const pair = market.slice(market.indexOf('/') + 1)
  return markets.filter((one) => marketName(one).endsWith(`/${pair}`)).length > 1 ? market : pair
}

/** Where the page shows what a reason is about: an id; `trial` is the best itself, and what is not here stands under how sure. */
const PLACES: Readonly<Record<string, string>> = {
  belowHolding: 'stretches',
  plainAsGood: 'stretches',
  holdoutBelowPlain: 'days',
  spentHoldout: 'days',
  onePart: 'days',
  stopped: 'trial',
  openLoss: 'trial',
  tie: 'ranking',
  dataFault: 'provenance',
  disagrees: 'same',
  signDepends: 'exactness',
  losesHonest: 'exactness',
  losesStressed: 'exactness',
  optimisticFills: 'exactness',
}

/** The checks of an examination are on the page only after one. */
function evidenceOf(code: string, { prefix, facts: { best, input, idOf } }: Judged): string {
  const place = (Object.hasOwn(PLACES, code) && PLACES[code]) || 'sure'
  if (place === 'trial') return `${prefix}trial=${best === undefined ? '' : idOf(best)}`
  const isExamined = best !== undefined && input.examinations.has(best.fingerprint)
  return `${prefix}${isExamined || (place !== 'exactness' && place !== 'same') ? place : 'sure'}`
}

function placeOf(
  { facts: { best, ranked, idOf }, prefix }: Pick<Judged, 'facts' | 'prefix'>,
  judgedAs: Pick<ShownVerdict, 'grade' | 'next'> | null,
): Html | false {
  if (best === undefined) return false
  return html`<p class="place">${placeInWords(best.config, { isBeat: judgedAs?.grade === 'beat', ranked: ranked.length }).replaceAll(' %', '\u00a0%')}. <a class="on-screen" href="#${prefix}trial=${idOf(best)}">Open the trial</a></p>`
}

/** What the first earned and against what, where no verdict says it: unseen days first, on the capital that each used. */
function againstOthers(facts: Facts, isOneOfSeveral: boolean): Html | false {
  const found = (facts.input.best?.spans ?? [])
    .toReversed()
    .flatMap(({ isUnseen, perUsedPercent: { bot, hold, plain } }) => {
      if (bot === null || hold === null || plain === null) return []
      const days = isUnseen ? 'on unseen days' : 'in sample'
      return [
        `${signedPercent(bot)} ${days}, the same amount held ${signedPercent(hold)}, a plain ladder ${signedPercent(plain)}`,
      ]
    })
  const where = isOneOfSeveral ? ` on ${pairOf(facts)}` : ''
  return found.length > 0 && html`<p>Per capital used it made${where} ${found.join('; ')}.</p>`
}

function notJudged(facts: Facts, place: VerdictPlace): Html {
  return html`${headline(`${GRADES.notJudged.says} yet`, place)}<div class="judged"><div>
    <p>It was not yet compared with holding and a plain ladder on the stored candles.</p>
    ${placeOf({ facts, prefix: place.prefixes[0] }, null)}
    ${nextStep([judgeAgain(facts)], facts, place)}</div></div>`
}

type NextStep = NonNullable<ShownVerdict['next']>

function judgeAgain({ study }: Facts): NextStep {
  return { command: `dcalab verdict ${study.name}`, why: 'judge it on the stored candles', jobs: 0 }
}

/** @param steps what is done alike on several markets, one behind the other; after history is fetched comes a verdict */
function nextStep(steps: readonly NextStep[], facts: Facts, { section }: VerdictPlace): Html | false {
  const [first] = steps
  if (first === undefined) return false
  const { why, jobs } = first
  const after =
    first.command.startsWith('dcalab candles fetch') &&
    html`<span class="command"><span>Then judge it again:</span> ${commandText(judgeAgain(facts).command)}</span>`
  return html`<p class="next-step" data-live="verdict" data-section="${section}"><span>Next: ${why}${jobs > 0 && ` (up to ${formatCount(jobs, 'backtest')})`}.</span> ${steps.map(({ command }) => html`<span class="command">${commandText(command)}</span> `)}${after}</p>`
}

/** Folded: what holds too, and what is not known. */
function alsoNoted(found: ShownVerdict, market: string | false): Html | false {
  const rows = [
    ...found.also.map(({ code, sentence }) => html`<li title="${code}">${sentence}.</li>`),
    ...found.unknown.map(({ what, why }) => html`<li>not known: ${what}. <span class="hint">${why}</span></li>`),
  ]
  if (rows.length === 0) return false
  return html`<details class="also"><summary>Also noted${market !== false && ` on ${market}`}: ${formatNumber(rows.length, 0)}</summary><ul>${rows}</ul></details>`
}

/**
 * Where, when and by whom: below what was found.
 * @param madeAt when the report is made, ms UTC
 */
export function metaLine(
  [{ study, finished, input, simulated }, ...others]: readonly [Facts, ...Facts[]],
  madeAt: number,
): Html {
  const intervals = [...new Set(finished.flatMap(({ candles }) => (candles === null ? [] : [candles.interval])))]
  const days = (study.period.to - study.period.from) / 86_400_000
  const { service } = input
  const own = simulated ? ', our own: no exchange took part' : ''
  const parts = [
    others.length === 0 ? marketName(input.market) : study.markets.map(marketName).join(', '),
    `${formatDay(study.period.from)} to ${formatDay(study.period.to)} (${formatNumber(days, Number.isInteger(days) ? 0 : 1)} days)`,
    `${intervals.join(', ') || study.interval || 'finest'} candles`,
    service === null
      ? `not run yet, ${plannedInWords(study, input)}`
      : `service ${service.name} (${doneInWords(service)}${own})`,
    `made ${formatInstant(madeAt)}`,
  ]
  return html`<ul class="meta">${parts.map((part) => html`<li>${part}</li>`)}</ul>`
}

/** A search proposes at most so many; how many it asks for follows from what it finds. */
function plannedInWords({ search }: Facts['study'], { plan }: Facts['input']): string {
  const most = mostConfigs(search)
  const count = most ?? (plan === null ? 0 : plan.grid - plan.breaksLimit - plan.duplicates)
  return `${most === null ? '' : 'at most '}${formatCount(count, 'configuration')} planned`
}

function banners({ synthetic, input }: Facts): Html {
  return html`${
    synthetic &&
    html`<p class="banner"><strong>Synthetic candles.</strong> The prices were generated, not traded: nothing here is about a real market.</p>`
  }${
    input.otherServices.length > 0 &&
    html`<p class="banner quiet">Also run on ${input.otherServices.map((other) => `${other.name} (${doneInWords(other)})`).join(', ')}: services are never mixed, ${commandText('--service')} chooses.</p>`
  }`
}

/** "87 of 128 done" */
function doneInWords({ done, total }: Pick<ServiceProgress, 'done' | 'total'>): string {
  return `${formatNumber(done, 0)} of ${formatNumber(total, 0)} done`
}

/** Why there is no best trial, in a headline and a sentence. */
function withoutBest(facts: Facts, place: VerdictPlace): Html {
  const { input, finished, failed, pending, configs, study, isOneOfSeveral } = facts
  const say = (words: string, sentence: string) => html`${headline(words, place)}<p>${sentence}</p>`
  if (input.identity === null) return say('Not run yet', 'This study has no result.')
  if (finished.length === 0) {
    const isOver = pending.length === 0 && failed.length > 0
    return say(
      isOver ? 'Every trial failed' : 'No result yet',
      `${formatCount(pending.length, 'configuration')} to come, ${formatNumber(failed.length, 0)} failed.`,
    )
  }
  const { metric } = study.objective
  const everywhere = isOneOfSeveral ? ' on every market' : ''
  const [first] = configs.outside
  if (first === undefined) return say('Nothing can be ranked', `No result has a ${lowerTitle(metric)}${everywhere}.`)
  const broken = first.trials.flatMap((trial) => {
    const on = isOneOfSeveral ? `${marketName(trial.market)}: ` : ''
    return brokenBounds(trial.metrics, facts).map((bound) => `${on}${bound}`)
  })
  const [{ metrics }] = first.trials
  const beside = isOneOfSeveral ? '' : companionsInWords(metrics, metric, facts) // of several each stands in their table
  const value = `${valueInWords(first.value, metric, metrics, facts)}${beside}`
  return say(
    'Nothing is inside the limits',
    `None of ${formatCount(configs.outside.length + configs.noValue.length, 'configuration')} meets the limits of the objective${everywhere}. Without them, the best by ${objectiveInWords(study)} reaches ${value}, but breaks ${broken.join(', ')}.`,
  )
}

/** The bounds of the objective that a finished trial breaks, as text: "Max drawdown 41.20 % (at most 30)". */
function brokenBounds(metrics: MetricsAsRead, { study, quote }: Pick<Facts, 'study' | 'quote'>): string[] {
  return findBrokenBounds(study.objective, readTrial(metrics, { study, quote }))
}

// What to expect of the best, and each stretch of history that this follows from; made in Node, so that it shows without scripts and in print.

const MARKET_WORDS = { rose: 'Market rose', stood: 'Stood within 5 %', fell: 'Fell' } as const

/** `prefix`: of the section's ids; reasons lead to its stretches. Nothing where nothing was judged. */
export function outlookOf({ input, quote }: Facts, prefix: string): Html | false {
  const verdict = input.best?.verdict ?? null
  if (verdict === null) return false
  return html`${expectTable(verdict, quote.asset)}${stretchStrip(verdict, { id: `${prefix}stretches`, asset: quote.asset })}`
}

function expectTable({ expect, stretches: all }: ShownVerdict, asset: string): Html | false {
  if (expect === null) return false
  const { days, stretches, from, to, rows, low, high, drawdownBelowPercent } = expect
  const isOverlapping = all.some((one, at) => one.from < (all[at - 1]?.to ?? ''))
  const counted = isOverlapping
    ? formatCount(stretches, 'overlapping stretch', 'overlapping stretches')
    : formatCount(stretches, 'stretch', 'stretches')
  const years = yearsOf({ from: Date.parse(from), to: Date.parse(to) })
  return html`<table class="plain expect"><caption>What to expect in ${days} days, ${asset} <small>${counted}, ${years}</small></caption>
    <thead><tr><td></td>${['Middle half', 'Worst', 'Stretches'].map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
    <tbody>${rows.map(
      ({ market, middleHalf, worst, stretches: count }) =>
        html`<tr><th scope="row">${MARKET_WORDS[market]}</th><td>${middleHalf === null ? '–' : `${gain(middleHalf[0])} to ${gain(middleHalf[1])}`}</td><td>${worst === null ? '–' : gain(worst)}</td><td>${count}</td></tr>`,
    )}</tbody>
    <tfoot><tr><th scope="row">9 of 10</th><td colspan="3">${gain(low)} to ${gain(high)}, drawdown below ${Math.ceil(drawdownBelowPercent)} %</td></tr></tfoot></table>`
}

const WIDTH = 600
const HEIGHT = 90

/** A bar for each stretch: what it earned less what holding its usual capital did. The mean is a line, one standard error to each side shaded. */
function stretchStrip(
  { excess, stretches }: ShownVerdict,
  { id, asset }: { readonly id: string; readonly asset: string },
): Html | false {
  if (excess === null || stretches.length === 0) return false
  const { mean, error, usualCapital, days } = excess
  const bars = stretches.map((one) => ({ ...one, excess: one.netProfit - (usualCapital * one.holdPercent) / 100 }))
  const values = bars.map((bar) => bar.excess)
  const [lowest, highest] = [Math.min(...values), Math.max(...values)]
  const [low, high] = [Math.min(0, lowest, mean - error), Math.max(0, highest, mean + error)]
  const y = (value: number) => tenths((HEIGHT * (high - value)) / (high - low || 1))
  const width = WIDTH / bars.length
  const words = `${formatCount(bars.length, 'stretch', 'stretches')} of ${days} days. Net profit less what holding its usual capital earned: mean ${gain(mean)} ± ${amountText(error)} ${asset}, lowest ${gain(lowest)}, highest ${gain(highest)}`
  return html`<figure class="stretches" id="${id}"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${words}">
      ${bars.map((bar, at) => {
        const [top, bottom] = [y(Math.max(0, bar.excess)), y(Math.min(0, bar.excess))]
        return html`<rect class="${bar.excess < 0 ? 'bar-loss' : 'bar-gain'}" x="${tenths(at * width + width / 8)}" y="${top}" width="${tenths(width * 0.75)}" height="${tenths(Math.max(0.6, bottom - top))}"><title>${titleOf(bar)}</title></rect>`
      })}
      <rect class="error" x="0" y="${y(mean + error)}" width="${WIDTH}" height="${tenths(y(mean - error) - y(mean + error))}"></rect>
      <path class="mean" d="M0 ${y(mean)}H${WIDTH}"></path><path class="zero" d="M0 ${y(0)}H${WIDTH}"></path>
    </svg><figcaption><span>${yearOf(bars.at(0))}</span><span>each stretch less holding; line: mean, shaded: its standard error</span><span>${yearOf(bars.at(-1))}</span></figcaption></figure>`
}

function titleOf({ from, excess, changePercent }: StretchInput & { readonly excess: number }): string {
  return `${from.slice(0, 10)}: ${gain(excess)}, market ${gain(changePercent)} %`
}

function yearOf(bar: StretchInput | undefined): string {
  return bar?.from.slice(0, 4) ?? ''
}
