/** The ladder as a table: what every order costs, and what it does to average and take profit. */
import { formatInstant, formatNumber, formatPercent } from '../../format.ts'
import { priceDecimals } from '../../model/deal-marks.ts'
import { type LadderRow, ladderAt } from '../../model/ladder-rows.ts'
import { refusalInWords } from '../../model/what-if.ts'
import { makeElement } from '../make-element.ts'
import type { Exhibit, ExhibitPart } from './exhibit.ts'
import { amountCell } from './number-cells.ts'
import { stackingTable } from './stacking-table.ts'

/** Where no price is known, levels are in percent of the price at which a deal starts. */
const NO_PRICE = 100

export function ladderTable(): ExhibitPart {
  const element = makeElement('div')
  return {
    element,
    show(exhibit) {
      const refusal = refusalInWords(exhibit.findings)
      if (refusal !== null) {
        element.replaceChildren(makeElement('p', { class: 'empty', text: `No ladder: ${refusal}.` }))
        return
      }
      element.replaceChildren(...ladderOfExhibit(exhibit))
    },
  }
}

function ladderOfExhibit({ config, terms, run, deal, desk: { section } }: Exhibit): HTMLElement[] {
  const chosen = run === null || deal === null ? undefined : run.traced.at(deal)
  const startPrice = chosen?.ladder.price[0] ?? NO_PRICE
  const { rows, missing } = ladderAt(config, terms, { startPrice, deals: run?.traced ?? null })
  const at =
    chosen === undefined
      ? 'Prices in percent of the one at which a deal starts.'
      : `As it stood for deal ${(deal ?? 0) + 1}, opened ${formatInstant(chosen.openedAt)} at ${formatNumber(startPrice, priceDecimals(startPrice))}; choose another in the list of deals.`
  const { asset } = section.quote
  const titles = [
    'Order',
    'Price',
    'Below start',
    `Size, ${asset}`,
    `With fee, ${asset}`,
    `Together, ${asset}`,
    'Average',
    'Take profit',
  ]
  const hasStop = rows.some(({ stop }) => stop !== null)
  const heads = [...titles, ...(hasStop ? ['Stop'] : []), 'Filled in deals']
  const scroll = stackingTable({
    name: 'Ladder',
    caption: at,
    heads,
    rows: rows.map((row) => ladderLine(row, { hasStop, quote: section.quote, deals: run?.traced.length ?? null })),
  })
  const note = `${missing} more of dcaMaxSafetyOrders ${missing === 1 ? 'does' : 'do'} not exist: 100 % deep or more, below the stop, or too small to be an order.`
  return missing === 0 ? [scroll] : [scroll, makeElement('p', { class: 'small', text: note })]
}

function ladderLine(
  row: LadderRow,
  {
    hasStop,
    quote,
    deals,
  }: { readonly hasStop: boolean; readonly quote: Exhibit['desk']['section']['quote']; readonly deals: number | null },
): HTMLElement {
  const price = (value: number) => makeElement('td', { text: formatNumber(value, priceDecimals(value)) })
  const filled = !row.isPlaced
    ? 'over the budget'
    : row.filledIn === null || deals === null
      ? '–'
      : `${formatNumber(row.filledIn, 0)} of ${formatNumber(deals, 0)}`
  return makeElement('tr', {
    class: row.isPlaced ? '' : 'outside',
    children: [
      makeElement('th', { text: row.order === 0 ? 'Base order' : `Safety order ${row.order}`, is: { scope: 'row' } }),
      price(row.price),
      makeElement('td', { text: formatPercent(row.distancePercent) }),
      amountCell(row.size, quote),
      amountCell(row.cost, quote),
      amountCell(row.totalCost, quote),
      price(row.average),
      price(row.takeProfit),
      ...(hasStop ? [row.stop === null ? makeElement('td', { text: '–' }) : price(row.stop)] : []),
      makeElement('td', { text: filled }),
    ],
  })
}
