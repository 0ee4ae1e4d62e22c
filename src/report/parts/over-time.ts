/** Return and drawdown of the best five, day by day, against buy & hold. */
import { metricValue } from '../../contract/metrics.ts'
import { overTimeSpec } from '../charts/over-time.ts'
import { type Curve, curvesOf, drawCurves, drawdowns, endOf, extentOf } from '../curves.ts'
import type { Facts } from '../facts.ts'
import { formatNumber, formatPercent, signedPercent } from '../format.ts'
import { type Html, html } from '../html.ts'
import { emptyPart, figure, type Part, type Place, section } from './part.ts'

/** When buy & hold moves this many times as far as the trials, their lines lie on each other: they get a chart of their own too. */
const dwarfed = 4

export function overTimePart(facts: Facts, place: Place): Part {
  const curves = curvesOf(facts)
  const trials = curves.filter(({ slot }) => slot !== 'hold')
  if (trials.length === 0) return emptyPart(place, 'No data: no ranked trial stores its daily equity.')
  const figures = [
    equityFigure(curves, facts, place),
    ...(extentOf(curves) > dwarfed * extentOf(trials) ? [closeUpFigure(trials, facts, place)] : []),
    drawdownFigure(curves, facts, place),
  ]
  return {
    body: section(
      place,
      html`<p class="lead-in">${sentence(curves)}</p>${figures.map(({ body }) => body)}${holdNote(facts)}`,
    ),
    charts: figures.flatMap(({ charts }) => charts),
  }
}

function equityFigure(curves: readonly Curve[], facts: Facts, place: Place): Part {
  const { lines, strips, step } = drawCurves(curves, facts, 'return')
  return figure({
    place,
    name: 'equity',
    kind: 'lines',
    spec: overTimeSpec({ yTitle: 'Return since the start, %', height: 300, lines, strips }),
    summary: `Lines: return since the start. At the end: ${curves.map((curve) => `${curve.name} ${signedPercent(endOf(curve))}`).join(', ')}.`,
    legend: curves.map((curve) => ({
      swatch: `line series-${curve.slot}`,
      label: [curve.name, signedPercent(endOf(curve)), curve.description].filter((text) => text !== '').join(' · '),
    })),
    caption: `Equity at each UTC day’s end over the investment, open deals at what selling would bring.${step > 1 ? ` One day in ${step} is drawn.` : ''}`,
  })
}

function closeUpFigure(trials: readonly Curve[], facts: Facts, place: Place): Part {
  const { lines, strips } = drawCurves(trials, facts, 'return')
  return figure({
    place,
    name: 'close-up',
    kind: 'lines',
    spec: overTimeSpec({ yTitle: 'Return since the start, %', height: 220, lines, strips }),
    summary: 'Lines: the same returns without buy & hold, on a scale of their own.',
    caption: 'The same without buy & hold, on a scale of their own.',
  })
}

function drawdownFigure(curves: readonly Curve[], facts: Facts, place: Place): Part {
  const { lines, strips, step } = drawCurves(curves, facts, 'drawdown')
  const deepest = curves.map((curve) => `${curve.name} ${formatPercent(deepestOf(curve))}`)
  return figure({
    place,
    name: 'drawdown',
    kind: 'lines',
    spec: overTimeSpec({ yTitle: 'Below the peak so far, %', height: 180, lines, strips }),
    summary: `Lines: fall below the highest day so far. Deepest: ${deepest.join(', ')}.`,
    caption: `From day ends${step > 1 ? `, the deepest of each ${step} days` : ''}; the drawdowns in the table look at every candle and are therefore deeper.`,
  })
}

function deepestOf({ days }: Curve): number {
  return Math.min(0, ...drawdowns(days))
}

function sentence(curves: readonly Curve[]): string {
  const best = curves[0]
  const hold = curves.find(({ slot }) => slot === 'hold')
  const text = (curve: Curve) =>
    `ended at ${signedPercent(endOf(curve))} and stood at most ${formatNumber(-deepestOf(curve), 2)}\u00a0% below its peak at a day’s end`
  return `The best trial ${text(best)}.${hold === undefined ? '' : ` Buy & hold ${text(hold)}.`}`
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
