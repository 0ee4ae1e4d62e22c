/** Return and drawdown of the best five, day by day, against buy & hold. */
import { metricValue } from '../../../contract/metric-values.ts'
import type { DrawnLines } from '../charts/over-time.ts'
import { type Curve, curvesOf, drawCurves, drawdowns, endOf, panelsOf } from '../curves.ts'
import type { Facts } from '../facts.ts'
import { formatNumber, formatPercent, signedPercent } from '../format.ts'
import { type Html, html } from '../html.ts'
import { emptyPart, figure, type Part, type Place, section } from './part.ts'

/** Whether any of the best stores what is drawn. */
export function hasCurves(facts: Facts): boolean {
  return curvesOf(facts).some(({ slot }) => slot !== 'hold')
}

export function overTimePart(facts: Facts, place: Place): Part {
  const curves = curvesOf(facts)
  if (!hasCurves(facts)) {
    return emptyPart(place, 'equity')
  }
  const figures = [...equityFigures(curves, facts, place), ...drawdownFigures(curves, facts, place)]
  return {
    body: section(
      place,
      html`<p class="lead-in">${sentence(curves)}<span class="on-screen"> The filter has no part in it: these are the best of all trials.</span></p>${figures.map(({ body }) => body)}${holdNote(facts)}`,
    ),
    charts: figures.flatMap(({ charts }) => charts),
  }
}

function equityFigures(curves: readonly Curve[], facts: Facts, place: Place): Part[] {
  const { trials, hold } = panelsOf(curves, 'return')
  const { lines, strips, step } = drawCurves(curves, facts, 'return')
  const ends = (of: readonly Curve[]) => of.map((curve) => `${curve.name} ${signedPercent(endOf(curve))}`).join(', ')
  const main = figure({
    place,
    name: 'equity',
    drawn: { lines: linesOf(trials, lines), strips },
    summary: `At the end: ${ends(trials)}.`,
    legend: trials.map((curve) => ({
      swatch: `line series-${curve.slot}`,
      label: [curve.name, signedPercent(endOf(curve)), curve.description].filter((text) => text !== '').join(' · '),
    })),
    caption: `Equity at each UTC day’s end over the investment, open deals at what selling would bring.${step > 1 ? ` One day in ${step} is drawn.` : ''}`,
  })
  if (hold.length === 0) return [main]
  return [main, holdFigure('equity-hold', `At the end: ${ends(hold)}.`, { lines: linesOf(hold, lines), strips }, place)]
}

function drawdownFigures(curves: readonly Curve[], facts: Facts, place: Place): Part[] {
  const { trials, hold } = panelsOf(curves, 'drawdown')
  const { lines, strips, step } = drawCurves(curves, facts, 'drawdown')
  const deepest = (of: readonly Curve[]) =>
    `Deepest: ${of.map((curve) => `${curve.name} ${formatPercent(deepestOf(curve))}`).join(', ')}.`
  const main = figure({
    place,
    name: 'drawdown',
    drawn: { lines: linesOf(trials, lines), strips },
    summary: `${deepest(trials)}`,
    caption: `From day ends${step > 1 ? `, the deepest of each ${step} days` : ''}; the drawdowns in the table look at every candle and are therefore deeper.`,
  })
  if (hold.length === 0) return [main]
  return [main, holdFigure('drawdown-hold', deepest(hold), { lines: linesOf(hold, lines), strips }, place)]
}

/** The small chart of buy & hold below the trials, over the same days. */
function holdFigure(name: 'equity-hold' | 'drawdown-hold', summary: string, drawn: DrawnLines, place: Place): Part {
  return figure({
    place,
    name,
    drawn,
    summary,
    caption:
      'Buy & hold over the same days, on a scale of its own: on the one above it would press the trials together.',
  })
}

function linesOf(curves: readonly Curve[], lines: ReturnType<typeof drawCurves>['lines']) {
  return lines.filter((line) => curves.some(({ slot }) => slot === line.slot))
}

function deepestOf({ days }: Curve): number {
  return Math.min(0, ...drawdowns(days))
}

function sentence(curves: readonly Curve[]): string {
  const [first] = curves
  const named =
    first.slot === 's1'
      ? 'The best trial'
      : `The best trial stores no daily equity. The first by rank that does, ${first.name},`
  const hold = curves.find(({ slot }) => slot === 'hold')
  const text = (curve: Curve) =>
    `ended at ${signedPercent(endOf(curve))} and stood at most ${formatNumber(-deepestOf(curve), 2)}\u00a0% below its peak at a day’s end`
  return `${named} ${text(first)}.${hold === undefined ? '' : ` Buy & hold ${text(hold)}.`}`
}

function holdNote({ input, best, finished }: Facts): Html {
  const { hold } = input
  if (hold.kind === 'absent') {
    const stated = metricValue((best ?? finished[0]).metrics, 'buyAndHoldPercent')
    return html`<p class="small">Buy &amp; hold is not drawn: ${hold.reason}.${stated !== null && ` The results state ${signedPercent(stated)} for the whole period.`}</p>`
  }
  const used = [...new Set(finished.flatMap(({ candles }) => (candles?.hash ? [candles.hash] : [])))]
  const start = html`Buy &amp; hold is drawn from local ${hold.interval} candles`
  const here = html`<code>${hold.hash.slice(0, 12)}</code>`
  if (used.length === 0) {
    return html`<p class="small">${start}; the results do not name the data they used.</p>`
  }
  if (used.length === 1 && used[0] === hold.hash) {
    return html`<p class="small">${start}, the same data as the results (hash ${here}).</p>`
  }
  const there = used.map((hash) => hash.slice(0, 12)).join(', ')
  return html`<p class="small">${start}, which are not exactly the data of the results (hash ${here} here, <code>${there}</code> there).</p>`
}
