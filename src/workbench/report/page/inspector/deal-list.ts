/** The deals of a run as a table; a deal chosen in it is shown on the chart, and its ladder in the table of the ladder. */
import { EXITS } from '../../../../contract/bot.ts'
import { formatCount, formatInstant, formatMinutes, formatNumber } from '../../format.ts'
import type { TracedDeal } from '../../model/run-trial.ts'
import { makeButton, makeElement } from '../make-element.ts'
import type { Exhibit, ExhibitPart } from './exhibit.ts'
import { amountCell } from './number-cells.ts'
import { stackingTable } from './stacking-table.ts'

/** More rows than this are made only when they are asked for. */
const FIRST_ROWS = 200

export function dealList(zoomTo: (deal: TracedDeal) => void): ExhibitPart {
  const element = makeElement('div')
  const draw = (exhibit: Exhibit, most: number): void => {
    const { run, deal: chosen, chooseDeal, desk } = exhibit
    if (run === null || exhibit.candles === null) {
      element.replaceChildren(makeElement('p', { class: 'empty', text: `No deals: ${exhibit.whyNotRun}.` }))
      return
    }
    const { traced } = run
    const { openTime, intervalMs } = exhibit.candles
    const end = (openTime.at(-1) ?? 0) + intervalMs
    const choose = (index: number): void => {
      chooseDeal(index)
      zoomTo(traced[index])
    }
    const rows = traced.slice(0, most).map((deal, index) =>
      dealRow(deal, {
        index,
        end,
        quote: desk.section.quote,
        isChosen: index === chosen,
        choose: () => choose(index),
      }),
    )
    const more =
      traced.length > most
        ? [makeButton(`All ${formatNumber(traced.length, 0)} deals`, () => draw(exhibit, traced.length))]
        : []
    element.replaceChildren(tableOfDeals(rows, traced.length, desk.section.quote.asset), ...more)
  }
  return { element, show: (exhibit) => draw(exhibit, FIRST_ROWS) }
}

function tableOfDeals(rows: readonly HTMLElement[], count: number, asset: string): HTMLElement {
  const heads = [
    'Deal',
    'Opened',
    'Closed',
    'Lasted',
    'Safety orders',
    `Cost, ${asset}`,
    `Profit, ${asset}`,
    `Worst open loss, ${asset}`,
  ]
  const list = stackingTable({
    name: 'Deals',
    caption: `${formatCount(count, 'deal')}; its number shows a deal on the chart, and its ladder above. Times are UTC.`,
    heads,
    rows,
  })
  list.classList.add('deal-list')
  return list
}

function dealRow(
  deal: TracedDeal,
  of: {
    readonly index: number
    /** ms UTC. */
    readonly end: number
    readonly quote: Exhibit['desk']['section']['quote']
    readonly isChosen: boolean
    readonly choose: () => void
  },
): HTMLElement {
  const { openedAt, closedAt, exit, filledAt, cost, profit, lowestValue } = deal
  const number = String(of.index + 1)
  const button = makeButton(number, of.choose, {
    is: { 'aria-label': `Show deal ${number}`, 'aria-pressed': String(of.isChosen) },
  })
  const shortTime = (ms: number) => formatInstant(ms).replace(' UTC', '')
  return makeElement('tr', {
    class: of.isChosen ? 'chosen' : '',
    children: [
      makeElement('th', { is: { scope: 'row' }, children: [button] }),
      makeElement('td', { text: shortTime(openedAt) }),
      makeElement('td', {
        text: closedAt === null ? 'open' : `${shortTime(closedAt)}${exit === null ? '' : EXITS[exit].mark}`,
      }),
      makeElement('td', { text: formatMinutes(((closedAt ?? of.end) - openedAt) / 60_000) }),
      makeElement('td', { text: String(filledAt.length - 1) }),
      amountCell(cost, of.quote),
      amountCell(profit, of.quote, true),
      amountCell(lowestValue, of.quote),
    ],
  })
}
