/** The charts of what the page's engine computes, in the inspector and beside it: compiled once by Node, filled by the page. */
import type { Quote } from '../format.ts'
import { dealsSpec } from './deals-on-price.ts'
import { comparedSpec, equityPanelSpec } from './equity-panel.ts'
import { neighboursSpec, startBinsSpec, startsSpec } from './neighbour-line.ts'
import type { ChartSpec } from './theme.ts'

/** By the name under which the page finds it; each has a golden file in `test/golden/inspector/`. */
export function inspectorCharts({ asset }: Pick<Quote, 'asset'>) {
  return {
    deals: dealsSpec({ quoteAsset: asset }),
    equity: equityPanelSpec({
      yTitle: `Equity, ${asset}`,
      height: 130,
      colour: 'var(--best)',
      filled: false,
      showsTimes: false,
    }),
    drawdown: equityPanelSpec({
      yTitle: 'Drawdown, %',
      height: 80,
      colour: 'var(--loss)',
      filled: true,
      showsTimes: false,
    }),
    used: equityPanelSpec({
      yTitle: `In use, ${asset}`,
      height: 80,
      colour: 'var(--accent)',
      filled: true,
      showsTimes: false,
    }),
    hold: equityPanelSpec({
      yTitle: `Hold, ${asset}`,
      height: 90,
      colour: 'var(--hold)',
      filled: false,
      showsTimes: true,
    }),
    compare: comparedSpec(),
    neighbours: neighboursSpec({ quoteAsset: asset }),
    starts: startsSpec({ quoteAsset: asset }),
    startBins: startBinsSpec({ quoteAsset: asset }),
  } as const satisfies Readonly<Record<string, ChartSpec>>
}
