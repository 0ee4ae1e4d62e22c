/** What the values beside the one set would make: net profit over one field, computed while the reader looks at something else. */
import type { ConfigField } from '../../../../contract/bot.ts'
import { METRICS } from '../../../../contract/metrics.ts'
import { tooltipText } from '../../charts/columns.ts'
import { formatMetricWithUnit, formatValue } from '../../format.ts'
import { placeOnScale } from '../../model/curve-region.ts'
import { netProfitOf } from '../../model/run-trial.ts'
import { findConfigProblems, neighbourValues, sliderRange } from '../../model/what-if.ts'
import { makeElement } from '../make-element.ts'
import type { Exhibit } from './exhibit.ts'
import { inIdleSlices } from './idle.ts'
import { liveChart } from './live-chart.ts'

interface NeighbourCurve {
  readonly element: HTMLElement
  /** Begins anew; what was being computed is given up. */
  readonly show: (exhibit: Exhibit, field: ConfigField) => void
  /** Gives up what is being computed. */
  readonly stop: () => void
}

export function neighbourCurve(spec: unknown): NeighbourCurve {
  const chart = liveChart(spec)
  const caption = makeElement('figcaption')
  const element = makeElement('figure', { class: 'panel neighbours', children: [caption, chart.element] })
  let stop = (): void => undefined
  let begun = 0
  return {
    element,
    stop: () => stop(),
    show(exhibit, field) {
      stop()
      const mine = ++begun
      element.hidden = exhibit.run === null
      if (exhibit.run === null) return
      caption.textContent = `${METRICS.netProfit.title} over ${field}, everything else as set: computing …`
      element.setAttribute('aria-busy', 'true')
      stop = inIdleSlices(
        computeCurve(exhibit, field, (points) => {
          const isSet = ({ value }: CurvePoint) => value === exhibit.config[field]
          const placed = placeOnScale(points, isSet)
          const beyond = placed.filter(({ side }) => side !== null)
          const off =
            beyond.length === 0
              ? ''
              : ` Off the scale: ${beyond.map((point) => offInWords(point, exhibit)).join(', ')}.`
          caption.textContent = `${METRICS.netProfit.title} over ${field}, everything else as set; ◆ is the value set.${off}`
          const drawn = chart.draw(
            { points: placed, beyond, now: placed.filter(isSet) },
            curveInWords(points, field, exhibit),
          )
          // dim until then: what stands there is of other values
          void drawn.then(() => begun === mine && element.setAttribute('aria-busy', 'false'))
        }),
      )
    },
  }
}

interface CurvePoint {
  readonly value: number
  readonly netProfit: number
  readonly tooltip: string
}

/** "▼ −600.00 USDT at 0.02". */
function offInWords(
  { value, netProfit, side }: CurvePoint & { readonly side: string | null },
  { desk: { section } }: Exhibit,
): string {
  return `${side === 'below' ? '▼' : '▲'}\u00a0${formatMetricWithUnit('netProfit', netProfit, section.quote)} at ${formatValue(value)}`
}

/** One run a step. */
function* computeCurve(
  exhibit: Exhibit,
  field: ConfigField,
  done: (points: readonly CurvePoint[]) => void,
): Generator<void> {
  const { desk, candles, config, terms, stored } = exhibit
  const range = sliderRange(desk.table, field, stored[field])
  if (range === null || candles === null) return
  const points: CurvePoint[] = []
  for (const value of neighbourValues(range, config[field], field)) {
    const tried = { ...config, [field]: value }
    if (findConfigProblems(tried, terms).refused.size > 0) continue
    const netProfit = netProfitOf({ candles, terms, config: tried })
    const made = formatMetricWithUnit('netProfit', netProfit, desk.section.quote)
    points.push({
      value,
      netProfit,
      tooltip: tooltipText(`${field} ${formatValue(value)}`, [[METRICS.netProfit.title, made]]),
    })
    yield
  }
  done(points)
}

function curveInWords(points: readonly CurvePoint[], field: ConfigField, { desk: { section } }: Exhibit): string {
  const text = ({ value, netProfit }: CurvePoint) =>
    `${formatMetricWithUnit('netProfit', netProfit, section.quote)} at ${formatValue(value)}`
  const sorted = [...points].sort((a, b) => a.netProfit - b.netProfit)
  const [least, most] = [sorted.at(0), sorted.at(-1)]
  if (least === undefined || most === undefined) return `${METRICS.netProfit.title} over ${field}`
  return `${METRICS.netProfit.title} over ${field}: from ${text(least)} to ${text(most)}.`
}
