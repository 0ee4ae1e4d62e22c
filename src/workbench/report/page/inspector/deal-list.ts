/** The deals of a run as a table that sorts; a deal chosen in it is shown on the chart, and its ladder in the table of the ladder. */
import { EXITS } from '../../../../contract/bot.ts'
import { formatCount, formatInstant, formatMinutes, formatNumber, type Quote } from '../../format.ts'
import type { TracedDeal } from '../../model/run-trial.ts'
import { makeButton, makeElement } from '../make-element.ts'
import type { Exhibit, ExhibitPart } from './exhibit.ts'
import { amountCell } from './number-cells.ts'
import { stackingTable } from './stacking-table.ts'

/** More rows than this are made only when they are asked for. */
const FIRST_ROWS = 200

interface ListedDeal extends TracedDeal {
  /** From 0, by opening. */
  readonly index: number
  /** ms UTC; of an open one the end of the candles. */
  readonly end: number
}

interface Column {
  readonly title: string
  readonly value: (deal: ListedDeal) => number
  readonly cell: (deal: ListedDeal, quote: Quote) => HTMLElement
}

const shortTime = (ms: number) => formatInstant(ms).replace(' UTC', '')
const textCell = (text: string) => makeElement('td', { text })

/** Behind the deal's number, which is what they stand by at first. */
const COLUMNS: readonly Column[] = [
  { title: 'Opened', value: ({ openedAt }) => openedAt, cell: ({ openedAt }) => textCell(shortTime(openedAt)) },
  {
    title: 'Closed',
    value: ({ end }) => end,
    cell: ({ closedAt, exit }) =>
      textCell(closedAt === null ? 'open' : `${shortTime(closedAt)}${exit === null ? '' : EXITS[exit].mark}`),
  },
  {
    title: 'Lasted',
    value: ({ openedAt, end }) => end - openedAt,
    cell: ({ openedAt, end }) => textCell(formatMinutes((end - openedAt) / 60_000)),
  },
  {
    title: 'Safety orders',
    value: ({ filledAt }) => filledAt.length,
    cell: ({ filledAt }) => textCell(String(filledAt.length - 1)),
  },
  { title: 'Cost', value: ({ cost }) => cost, cell: ({ cost }, quote) => amountCell(cost, quote) },
  { title: 'Profit', value: ({ profit }) => profit, cell: ({ profit }, quote) => amountCell(profit, quote, true) },
  {
    title: 'Worst open loss',
    value: ({ lowestValue }) => lowestValue,
    cell: ({ lowestValue }, quote) => amountCell(lowestValue, quote),
  },
]

const BY_NUMBER: Pick<Column, 'title' | 'value'> = { title: 'Deal', value: ({ index }) => index }

export function dealList(zoomTo: (deal: TracedDeal) => void): ExhibitPart {
  const element = makeElement('div')
  let sort = { by: BY_NUMBER, descending: false }
  const draw = (exhibit: Exhibit, most: number): void => {
    const { run, deal: chosen, chooseDeal, desk } = exhibit
    if (run === null || exhibit.candles === null) {
      element.replaceChildren(makeElement('p', { class: 'empty', text: `No deals: ${exhibit.whyNotRun}.` }))
      return
    }
    const { traced } = run
    const { openTime, intervalMs } = exhibit.candles
    const last = (openTime.at(-1) ?? 0) + intervalMs
    const sign = sort.descending ? -1 : 1
    const deals = traced
      .map((deal, index): ListedDeal => ({ ...deal, index, end: deal.closedAt ?? last }))
      .sort((a, b) => sign * (sort.by.value(a) - sort.by.value(b)) || a.index - b.index)
    const rows = deals.slice(0, most).map((deal) => {
      const choose = (): void => {
        chooseDeal(deal.index)
        zoomTo(deal)
      }
      return dealRow(deal, { quote: desk.section.quote, isChosen: deal.index === chosen, choose })
    })
    const sortBy = (by: typeof BY_NUMBER): void => {
      sort = { by, descending: sort.by === by ? !sort.descending : by !== BY_NUMBER }
      draw(exhibit, most)
      element.querySelector<HTMLElement>(`[data-by="${by.title}"]`)?.focus()
    }
    const more =
      traced.length > most
        ? [makeButton(`All ${formatNumber(traced.length, 0)} deals`, () => draw(exhibit, traced.length))]
        : []
    const list = stackingTable({
      name: 'Deals',
      caption: `${formatCount(traced.length, 'deal')}, amounts in ${desk.section.quote.asset}. Times are UTC.`,
      heads: [BY_NUMBER, ...COLUMNS].map(({ title }) => title),
      rows,
    })
    list.classList.add('deal-list')
    const heads = list.querySelectorAll('thead th')
    for (const [at, by] of [BY_NUMBER, ...COLUMNS].entries()) {
      const way = sort.by === by ? (sort.descending ? 'descending' : 'ascending') : 'none'
      heads[at].setAttribute('aria-sort', way)
      heads[at].replaceChildren(makeButton(by.title, () => sortBy(by), { is: { 'data-by': by.title } }))
    }
    element.replaceChildren(list, ...more)
  }
  return { element, show: (exhibit) => draw(exhibit, FIRST_ROWS) }
}

/** All of it can be clicked; keys reach its button. */
function dealRow(
  deal: ListedDeal,
  of: { readonly quote: Quote; readonly isChosen: boolean; readonly choose: () => void },
): HTMLElement {
  const number = String(deal.index + 1)
  const button = makeButton(number, () => {}, {
    is: { 'aria-label': `Show deal ${number}`, 'aria-pressed': String(of.isChosen) },
  })
  const row = makeElement('tr', {
    class: of.isChosen ? 'chosen' : '',
    children: [
      makeElement('th', { is: { scope: 'row' }, children: [button] }),
      ...COLUMNS.map(({ cell }) => cell(deal, of.quote)),
    ],
  })
  row.addEventListener('click', of.choose)
  return row
}
