/** What to expect of the best, and each stretch of history that this follows from; made in Node, so that it shows without scripts and in print. */
import { amountText, gain, yearsOf } from '../../../verdict/words.ts'
import type { Facts } from '../../facts.ts'
import { formatCount } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import type { ShownVerdict, StretchInput } from '../../input.ts'

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

function tenths(value: number): number {
  return Math.round(value * 10) / 10
}
