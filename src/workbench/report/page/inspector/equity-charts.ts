/** Equity, drawdown, capital in use and buy & hold one below the other, with the worst moment marked and named. */
import { METRICS } from '../../../../contract/metrics.ts'
import { tooltipText } from '../../charts/columns.ts'
import { formatInstant, formatNumber, formatPercent, type Quote } from '../../format.ts'
import { type EquityPanels, equityPanels, PANELS, type PanelName } from '../../model/equity-panels.ts'
import { makeElement } from '../make-element.ts'
import type { ExhibitPart } from './exhibit.ts'
import { liveChart } from './live-chart.ts'

const WORDS: Readonly<Record<PanelName, string>> = {
  equity: 'Equity',
  drawdown: 'Drawdown below the peak so far',
  used: 'Capital in use',
  hold: METRICS.exposedHoldPercent.title,
}

export function equityCharts(specs: Readonly<Record<string, unknown>>): ExhibitPart {
  const charts = PANELS.map((name) => ({ name, chart: liveChart(specs[name]) }))
  const worst = makeElement('p')
  const figures = charts.map(({ name, chart }) =>
    makeElement('figure', {
      class: 'panel',
      children: [makeElement('figcaption', { text: WORDS[name] }), chart.element],
    }),
  )
  const refusal = makeElement('p', { class: 'empty', text: 'No equity by the minute: it is not computed here.' })
  const element = makeElement('div', { children: [worst, ...figures, refusal] })
  return {
    element,
    async show({ run, candles, config, terms, desk }) {
      const isDrawn = run !== null && candles !== null
      for (const part of [worst, ...figures]) part.hidden = !isDrawn
      refusal.hidden = isDrawn
      if (!isDrawn) return
      const { quote } = desk.section
      const panels = equityPanels(run, { candles, investment: config.investment, feePercent: terms.costs.feePercent })
      worst.textContent = worstInWords(panels, quote)
      await Promise.all(
        charts.map(({ name, chart }) =>
          chart.draw(
            { points: panels.points[name], worst: worstRows(panels, name, quote) },
            `${WORDS[name]} over time. ${worstInWords(panels, quote)}`,
          ),
        ),
      )
    },
  }
}

function worstInWords({ worst }: EquityPanels, quote: Quote): string {
  if (worst === null) return 'Equity never fell below its peak at a close.'
  return `◆ The worst moment: ${formatInstant(worst.time)}, equity ${formatNumber(worst.equity, quote.decimals)} ${quote.asset}, ${formatPercent(worst.drawdownPercent)} below the peak of ${formatInstant(worst.peakTime)}.`
}

function worstRows({ worst }: EquityPanels, name: PanelName, quote: Quote): readonly unknown[] {
  if (worst === null || (name !== 'equity' && name !== 'drawdown')) return []
  const tooltip = tooltipText('The worst moment', [
    ['Time', formatInstant(worst.time)],
    ['Equity', `${formatNumber(worst.equity, quote.decimals)} ${quote.asset}`],
    ['Drawdown', formatPercent(worst.drawdownPercent)],
  ])
  return [{ time: worst.time, value: name === 'equity' ? worst.equity : -worst.drawdownPercent, tooltip }]
}
