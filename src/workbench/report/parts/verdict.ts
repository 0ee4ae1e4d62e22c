/** The verdict on a study: what its evidence earns, why, what to expect and what comes next. One for all of its markets, without scripts, on one screen. */
import { marketName } from '../../../contract/market.ts'
import type { ServiceProgress } from '../../store/choose-service.ts'
import { mostConfigs } from '../../study/study.ts'
import { GRADES, worstOf } from '../../verdict/judge.ts'
import { amountText, gain, placeInWords, yearsOf } from '../../verdict/words.ts'
import {
  brokenBounds,
  companionsInWords,
  type Facts,
  objectiveInWords,
  shortFingerprint,
  valueInWords,
} from '../facts.ts'
import { formatCount, formatDay, formatInstant, formatNumber, lowerTitle, signedPercent, tenths } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { ShownVerdict, StretchInput } from '../input.ts'

interface VerdictPlace {
  /** Of each market's section: of its ids and of its keys in the address. */
  readonly prefixes: readonly string[]
  /** Number of the first section on the page, whose script adds a button. */
  readonly section: number
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
    facts.best === undefined ? withoutBest(facts) : areAll ? judged([first, ...rest], place) : notJudged(facts, place)
  }${banners(facts)}</div>`
}

function judged(all: readonly [Judged, ...Judged[]], { section }: VerdictPlace): Html {
  const { market, verdict: worst } = worstOf(all)
  const chosen = all.find((one) => one.market === market) ?? all[0]
  const { facts, prefix } = chosen
  const stale = all.find((one) => one.verdict.isStale)
  return html`<p class="headline">${worst.headline}</p>
    <div class="judged"><div>
      ${stale !== undefined && html`<p class="banner">Judged ${formatInstant(stale.verdict.judgedAt)}, before newer results.</p>`}
      <p>${worst.sentence}</p>
      ${
        worst.reasons.length > 0 &&
        html`<ol class="reasons">${worst.reasons.map(({ code, hard, sentence }) => html`<li${hard && html` class="hard"`}><a href="#${evidenceOf(code, chosen)}">${sentence}</a></li>`)}</ol>`
      }
      ${all.map((one) => one !== chosen && html`<p class="small"><strong>${pairOf(one.market)}.</strong> ${one.verdict.headline}. ${one.verdict.sentence}</p>`)}
      ${placeOf(facts, { prefix, isBeat: worst.grade === 'beat' })}${worst.grade === 'notJudged' && againstOthers(facts, all.length > 1)}
      ${nextStep(stale === undefined ? worst.next : judgeAgain(facts), section)}${alsoNoted(worst)}
    </div>${all.length === 1 && html`<div>${outlookOf(facts, prefix)}</div>`}</div>`
}

/** On the page a market is named by its pair where its exchange is plain. */
export function pairOf(market: string): string {
  return market.split('/')[1] ?? market
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
function evidenceOf(code: string, { prefix, facts: { best, input } }: Judged): string {
  const place = (Object.hasOwn(PLACES, code) && PLACES[code]) || 'sure'
  if (place === 'trial') return `${prefix}trial=${best === undefined ? '' : shortFingerprint(best)}`
  const isExamined = best !== undefined && input.examinations.has(best.fingerprint)
  return `${prefix}${isExamined || (place !== 'exactness' && place !== 'same') ? place : 'sure'}`
}

function placeOf(
  { best, ranked }: Facts,
  { prefix, isBeat }: { readonly prefix: string; readonly isBeat: boolean },
): Html | false {
  if (best === undefined) return false
  return html`<p class="place">${placeInWords(best.config, { isBeat, ranked: ranked.length })}. <a class="on-screen" href="#${prefix}trial=${shortFingerprint(best)}">Open the trial</a></p>`
}

/** What the first earned and against what, where no verdict says it: unseen days first, on the capital that each used. */
function againstOthers({ input, market }: Facts, isOneOfSeveral: boolean): Html | false {
  const found = (input.best?.spans ?? []).toReversed().flatMap(({ isUnseen, perUsedPercent: { bot, hold, plain } }) => {
    if (bot === null || hold === null || plain === null) return []
    const days = isUnseen ? 'on unseen days' : 'in sample'
    return [
      `${signedPercent(bot)} ${days}, the same amount held ${signedPercent(hold)}, a plain ladder ${signedPercent(plain)}`,
    ]
  })
  const where = isOneOfSeveral ? ` on ${pairOf(market)}` : ''
  return found.length > 0 && html`<p>Per capital used it made${where} ${found.join('; ')}.</p>`
}

function notJudged(facts: Facts, { prefixes, section }: VerdictPlace): Html {
  return html`<p class="headline">${GRADES.notJudged.says} yet</p><div class="judged"><div>
    <p>It was not yet compared with holding and a plain ladder on the stored candles.</p>
    ${placeOf(facts, { prefix: prefixes[0], isBeat: false })}
    ${nextStep(judgeAgain(facts), section)}</div></div>`
}

function judgeAgain({ study }: Facts): NonNullable<ShownVerdict['next']> {
  return { command: `dcalab verdict ${study.name}`, why: 'judge it on the stored candles', jobs: 0 }
}

function nextStep(next: ShownVerdict['next'], section: number): Html | false {
  if (next === null) return false
  const { command, why, jobs } = next
  return html`<p class="next-step" data-live="verdict" data-section="${section}"><span>Next: ${why}${jobs > 0 && ` (up to ${formatCount(jobs, 'backtest')})`}.</span> <code>${command}</code></p>`
}

/** Folded: what holds too, and what is not known. */
function alsoNoted(found: ShownVerdict): Html | false {
  const rows = [
    ...found.also.map(({ code, sentence }) => html`<li title="${code}">${sentence}.</li>`),
    ...found.unknown.map(({ what, why }) => html`<li>not known: ${what}. <span class="hint">${why}</span></li>`),
  ]
  if (rows.length === 0) return false
  return html`<details class="also"><summary>Also noted: ${formatNumber(rows.length, 0)}</summary><ul>${rows}</ul></details>`
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
  const count = most ?? (plan === null ? 0 : plan.grid - plan.infeasible - plan.duplicates)
  return `${most === null ? '' : 'at most '}${formatCount(count, 'configuration')} planned`
}

function banners({ synthetic, input }: Facts): Html {
  return html`${
    synthetic &&
    html`<p class="banner"><strong>Synthetic candles.</strong> The prices were generated, not traded: nothing here is about a real market.</p>`
  }${
    input.otherServices.length > 0 &&
    html`<p class="banner quiet">Also run on ${input.otherServices.map((other) => `${other.name} (${doneInWords(other)})`).join(', ')}: services are never mixed, <code>--service</code> chooses.</p>`
  }`
}

/** "87 of 128 done" */
function doneInWords({ done, total }: Pick<ServiceProgress, 'done' | 'total'>): string {
  return `${formatNumber(done, 0)} of ${formatNumber(total, 0)} done`
}

/** Why there is no best trial, in a headline and a sentence. */
function withoutBest(facts: Facts): Html {
  const { input, finished, failed, pending, configs, study, isOneOfSeveral } = facts
  const say = (headline: string, sentence: string) => html`<p class="headline">${headline}</p><p>${sentence}</p>`
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

// What to expect of the best, and each stretch of history that this follows from; made in Node, so that it shows without scripts and in print.

const MARKET_WORDS = { rose: 'Market rose', stood: 'Stood within 5 %', fell: 'Fell' } as const

/** `prefix`: of the section's ids; reasons lead to its stretches. Nothing where nothing was judged. */
export function outlookOf({ input, quote }: Facts, prefix: string): Html | false {
  const verdict = input.best?.verdict ?? null
  if (verdict === null) return false
  return html`${expectTable(verdict.expect, quote.asset)}${stretchStrip(verdict, { id: `${prefix}stretches`, asset: quote.asset })}`
}

function expectTable(expect: ShownVerdict['expect'], asset: string): Html | false {
  if (expect === null) return false
  const { days, stretches, from, to, rows, low, high, drawdownBelowPercent } = expect
  const years = yearsOf({ from: Date.parse(from), to: Date.parse(to) })
  return html`<table class="plain expect"><caption>What to expect in ${days} days, ${asset} <small>${formatCount(stretches, 'stretch', 'stretches')}, ${years}</small></caption>
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
  const words = `${formatCount(bars.length, 'stretch', 'stretches')} of ${days} days, each less what holding its usual capital earned: mean ${gain(mean)} ± ${amountText(error)} ${asset}, from ${gain(lowest)} to ${gain(highest)}`
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
