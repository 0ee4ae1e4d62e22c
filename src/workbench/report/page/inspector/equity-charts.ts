/** Equity, drawdown, capital used and buy & hold one below the other, with the worst moment marked and named. */
import { METRICS } from '../../../../contract/metrics.ts'
import { formatAmount, formatInstant, formatPercent, type Quote, tooltipText } from '../../format.ts'
import { type EquityPanels, equityPanels, PANELS, type PanelName, panelsOfDays } from '../../model/equity-panels.ts'
import { liveChart } from '../draw-chart.ts'
import { makeElement } from '../make-element.ts'
import type { SectionView } from '../section-view.ts'
import type { Exhibit, ExhibitPart } from './exhibit.ts'

const WORDS: Readonly<Record<PanelName, string>> = {
  equity: 'Equity',
  drawdown: 'Drawdown below the peak so far',
  used: 'Capital used',
  hold: METRICS.exposedHoldPercent.title,
}

export function equityCharts(read: SectionView['chart']): ExhibitPart {
  const charts = PANELS.map((name) => {
    const chart = liveChart(() => read(name))
    const caption = makeElement('figcaption', { text: WORDS[name] })
    return { name, chart, figure: makeElement('figure', { class: 'panel', children: [caption, chart.element] }) }
  })
  const worst = makeElement('p')
  const refusal = makeElement('p', { class: 'small' })
  return {
    element: makeElement('div', { children: [worst, ...charts.map(({ figure }) => figure), refusal] }),
    async show(exhibit) {
      const { quote } = exhibit.sectionView.section
      const panels = panelsOf(exhibit)
      worst.hidden = panels === null
      refusal.hidden = isByTheMinute(exhibit)
      refusal.textContent =
        panels === null
          ? exhibit.isChanged
            ? `No equity: ${exhibit.whyNotRun}.`
            : 'No equity: nothing is computed here, and no day is stored.'
          : 'Equity at the end of each day (UTC), from the stored result. By the minute it is not computed here.'
      for (const { name, figure } of charts) figure.hidden = (panels?.points[name].length ?? 0) === 0
      if (panels === null) return
      const words = worstInWords(panels, quote)
      worst.textContent = words
      const drawn = charts.filter(({ figure }) => !figure.hidden)
      await Promise.all(
        drawn.map(({ name, chart }) =>
          chart.draw(
            { points: panels.points[name], worst: worstRows(panels, name, quote) },
            `${WORDS[name]} over time. ${words}`,
          ),
        ),
      )
    },
  }
}

/** Between the candles that a thinned page kept, equity may have been lower. */
function isByTheMinute({ run, sectionView: { section } }: Exhibit): boolean {
  return run !== null && section.candles.kind === 'full'
}

/** By the minute where it is computed, else by the day where it is stored. */
function panelsOf(exhibit: Exhibit): EquityPanels | null {
  const { run, candles, config, terms, days, isChanged } = exhibit
  if (run !== null && candles !== null && isByTheMinute(exhibit)) {
    return equityPanels(run, { candles, investment: config.investment, feePercent: terms.costs.feePercent })
  }
  return days === null || days.values.length === 0 || isChanged ? null : panelsOfDays(days, config.investment)
}

function worstInWords({ worst }: EquityPanels, quote: Quote): string {
  if (worst === null) return 'Equity never fell below its peak at a close.'
  return `◆ The worst moment: ${formatInstant(worst.time)}, equity ${formatAmount(worst.equity, quote)}, ${formatPercent(worst.drawdownPercent)} below the peak of ${formatInstant(worst.peakTime)}.`
}

function worstRows({ worst }: EquityPanels, name: PanelName, quote: Quote): readonly unknown[] {
  if (worst === null || (name !== 'equity' && name !== 'drawdown')) return []
  const tooltip = tooltipText('The worst moment', [
    ['Time', formatInstant(worst.time)],
    ['Equity', formatAmount(worst.equity, quote)],
    ['Drawdown', formatPercent(worst.drawdownPercent)],
  ])
  return [{ time: worst.time, value: name === 'equity' ? worst.equity : -worst.drawdownPercent, tooltip }]
}
