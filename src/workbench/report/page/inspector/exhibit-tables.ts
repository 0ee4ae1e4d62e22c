/** Numbers of the inspector: shown as the report shows them, and exact in the element's `value`. */
import { EXITS } from '../../../../contract/bot.ts'
import {
  definitionOf,
  METRIC_NAMES,
  METRICS,
  type MetricName,
  type MetricsAsRead,
  metricValue,
  withCompanions,
} from '../../../../contract/metrics.ts'
import {
  formatCount,
  formatInstant,
  formatMetric,
  formatMinutes,
  formatNumber,
  formatPercent,
  formatPrice,
  formatSigned,
  type Quote,
  shownDifference,
  signedPercent,
  titleWithUnit,
} from '../../format.ts'
import { monthsOfDays, withShares } from '../../model/equity-panels.ts'
import { type LadderRow, ladderAt, type TracedDeal } from '../../model/run-trial.ts'
import { refusalInWords } from '../../model/what-if.ts'
import { keepFocus, makeButton, makeElement } from '../make-element.ts'
import type { Exhibit, ExhibitPart } from './exhibit.ts'

/** `<data value="222.69654896352426">+222.70</data>`, its unit stands in its row's title; what is not known is – with its reason. */
export function metricData(name: MetricName, value: number | null, quote: Quote, whyNull = ''): HTMLElement {
  if (value === null) return unknownNumber(whyNull)
  const text = formatMetric(name, value, quote.decimals)
  return makeElement('data', { text, class: toneOfMetric(name, value), is: { value } })
}

function unknownNumber(why: string): HTMLElement {
  return makeElement('span', { class: 'unknown', text: why === '' ? '–' : `– ${why}`, is: { title: why } })
}

function toneOf(value: number): string {
  return value > 0 ? 'gain' : value < 0 ? 'loss' : ''
}

function toneOfMetric(name: MetricName, value: number): string {
  return name === 'netProfit' || name === 'realizedProfit' || name === 'unrealizedProfit' ? toneOf(value) : ''
}

/** `12.50`, or signed and coloured. */
function amountCell(value: number, quote: Quote, isSigned = false): HTMLTableCellElement {
  const text = isSigned ? formatSigned(value, quote.decimals) : formatNumber(value, quote.decimals)
  return makeElement('td', { text, class: isSigned ? toneOf(value) : '' })
}

// A table that shows each row as a block of its own where there is little room: every number then stands beside its title.

interface StackingTable {
  readonly name: string
  readonly caption: string
  /** One for each cell of a row. */
  readonly heads: readonly string[]
  readonly rows: readonly HTMLElement[]
}

/** In a place that scrolls sideways where even that is too narrow. The roles stay, however the style sheet lays it out. */
function stackingTable({ name, caption, heads, rows }: StackingTable): HTMLElement {
  for (const row of rows) {
    row.setAttribute('role', 'row')
    Array.from(row.children).forEach((cell, index) => {
      cell.setAttribute('role', cell.tagName === 'TH' ? 'rowheader' : 'cell')
      cell.setAttribute('data-head', heads[index])
    })
  }
  const titles = heads.map((text) => makeElement('th', { text, is: { scope: 'col', role: 'columnheader' } }))
  const headRow = makeElement('tr', { is: { role: 'row' }, children: titles })
  const table = makeElement('table', {
    class: 'stacking',
    is: { role: 'table' },
    children: [
      makeElement('caption', { text: caption }),
      makeElement('thead', { is: { role: 'rowgroup' }, children: [headRow] }),
      makeElement('tbody', { is: { role: 'rowgroup' }, children: rows }),
    ],
  })
  return makeElement('div', {
    class: 'scroll',
    is: { tabindex: 0, role: 'group', 'aria-label': name },
    children: [table],
  })
}

// The deals of a run as a table that sorts; a deal chosen in it is shown on the chart, and its ladder in the table of the ladder.

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
    const { run, deal: chosen, chooseDeal, sectionView } = exhibit
    if (run === null || exhibit.candles === null) {
      element.replaceChildren(makeElement('p', { class: 'empty', text: `No deals: ${exhibit.whyNotRun}.` }))
      return
    }
    const { traced } = run
    const { openTime, intervalMs } = exhibit.candles
    const last = (openTime.at(-1) ?? 0) + intervalMs
    const sign = sort.descending ? -1 : 1
    const deals = traced
      .map(
        (deal, index): ListedDeal => ({
          ...deal,
          index,
          end: deal.closedAt === null ? last : deal.closedAt + intervalMs,
        }),
      )
      .sort((a, b) => sign * (sort.by.value(a) - sort.by.value(b)) || a.index - b.index)
    const rows = deals.slice(0, most).map((deal) => {
      const choose = (): void => {
        chooseDeal(deal.index)
        zoomTo(deal)
      }
      return dealRow(deal, { quote: sectionView.section.quote, isChosen: deal.index === chosen, choose })
    })
    const sortBy = (by: typeof BY_NUMBER): void => {
      sort = { by, descending: sort.by === by ? !sort.descending : by !== BY_NUMBER }
      keepFocus(element, () => draw(exhibit, most))
    }
    const more =
      traced.length > most
        ? [
            makeButton(`All ${formatNumber(traced.length, 0)} deals`, () =>
              keepFocus(element, () => draw(exhibit, traced.length)),
            ),
          ]
        : []
    const list = stackingTable({
      name: 'Deals',
      caption: `${formatCount(traced.length, 'deal')}, amounts in ${sectionView.section.quote.asset}. Times are UTC.`,
      heads: [BY_NUMBER, ...COLUMNS].map(({ title }) => title),
      rows,
    })
    list.classList.add('deal-list')
    const heads = list.querySelectorAll('thead th')
    for (const [at, by] of [BY_NUMBER, ...COLUMNS].entries()) {
      const way = sort.by === by ? (sort.descending ? 'descending' : 'ascending') : 'none'
      heads[at].setAttribute('aria-sort', way)
      heads[at].replaceChildren(makeButton(by.title, () => sortBy(by)))
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

// The ladder as a table: what every order costs, and what it does to average and take profit.

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

function ladderOfExhibit({ config, terms, run, deal, sectionView: { section } }: Exhibit): HTMLElement[] {
  const chosen = run === null || deal === null ? undefined : run.traced.at(deal)
  const startPrice = chosen?.ladder.price[0] ?? NO_PRICE
  const { rows, missing } = ladderAt(config, terms, {
    startPrice,
    deals: run?.traced ?? null,
    placed: chosen?.ladder.placed,
  })
  const at =
    chosen === undefined
      ? 'Prices in percent of the price at which a deal starts.'
      : `As it stood for deal ${(deal ?? 0) + 1}, opened ${formatInstant(chosen.openedAt)} at ${formatPrice(startPrice)}; choose another in the list of deals.`
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
  const note = `${missing} more safety orders ${missing === 1 ? 'does' : 'do'} not exist: 100 % deep or more, below the stop, or too small to be an order.`
  return missing === 0 ? [scroll] : [scroll, makeElement('p', { class: 'small', text: note })]
}

function ladderLine(
  row: LadderRow,
  {
    hasStop,
    quote,
    deals,
  }: {
    readonly hasStop: boolean
    readonly quote: Exhibit['sectionView']['section']['quote']
    readonly deals: number | null
  },
): HTMLElement {
  const price = (value: number) => makeElement('td', { text: formatPrice(value) })
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

// Returns month by month, each with a bar: to the right gains, to the left losses.

export function monthTable(): ExhibitPart {
  const element = makeElement('div')
  return { element, show: (exhibit) => element.replaceChildren(tableOfMonths(exhibit)) }
}

function tableOfMonths({ days, run, whyNotRun, isChanged, stored, sectionView: { section } }: Exhibit): HTMLElement {
  const stated = days !== null && days.values.length > 0 && !isChanged ? days : null
  const rows = stated === null ? withShares(run?.metrics.monthlyReturns ?? []) : monthsOfDays(stated, stored.investment)
  if (rows.length === 0) {
    const notStored = 'reason' in section.equity ? section.equity.reason : 'its daily equity is not in this file'
    const why = isChanged && whyNotRun !== null ? whyNotRun : notStored
    return makeElement('p', { class: 'empty', text: `No months: ${why}.` })
  }
  const lines = rows.map(({ month, returnPercent, share }) => {
    const bar = makeElement('span', { class: `month-bar ${toneOf(returnPercent)}` })
    bar.style.setProperty('width', `${50 * share}%`)
    bar.style.setProperty(returnPercent < 0 ? 'right' : 'left', '50%')
    return makeElement('tr', {
      children: [
        makeElement('th', { text: month, is: { scope: 'row' } }),
        makeElement('td', { text: signedPercent(returnPercent), class: toneOf(returnPercent) }),
        makeElement('td', { class: 'month-track', is: { 'aria-hidden': 'true' }, children: [bar] }),
      ],
    })
  })
  return makeElement('table', {
    class: 'months',
    children: [
      makeElement('caption', {
        text: 'Return of each month (UTC) on the equity before it; the first and the last may be partial.',
      }),
      makeElement('tbody', { children: lines }),
    ],
  })
}

// Every metric with its definition, and beside it what the changes make of it.

export function metricTable(): ExhibitPart {
  const element = makeElement('div')
  return { element, show: (exhibit) => element.replaceChildren(tableOfMetrics(exhibit)) }
}

/** What must not be shown without others stands beside them. */
const ORDER: readonly MetricName[] = [...new Set(METRIC_NAMES.flatMap((name) => [...withCompanions(name)]))]

function tableOfMetrics(exhibit: Exhibit): HTMLElement {
  const { isChanged, whyNotRun } = exhibit
  const nothing = isChanged && whyNotRun !== null ? ` Nothing is computed: ${whyNotRun}.` : ''
  const heads = ['Metric', 'Stored', ...(isChanged ? ['What if', 'Difference'] : [])]
  // of one number each, several metrics stand side by side; the roles stay, however the style sheet lays them out
  const table = makeElement('table', {
    class: isChanged ? 'all-metrics' : 'all-metrics in-columns',
    is: { role: 'table' },
    children: [
      makeElement('caption', { text: `Open a name to read what it means.${nothing}` }),
      makeElement('thead', {
        is: { role: 'rowgroup' },
        children: [
          makeElement('tr', {
            is: { role: 'row' },
            children: heads.map((text) => makeElement('th', { text, is: { scope: 'col', role: 'columnheader' } })),
          }),
        ],
      }),
      makeElement('tbody', { is: { role: 'rowgroup' }, children: ORDER.map((name) => metricLine(name, exhibit)) }),
    ],
  })
  return makeElement('div', {
    class: 'scroll',
    is: { tabindex: 0, role: 'group', 'aria-label': 'All metrics' },
    children: [table],
  })
}

const CELL = { role: 'cell' } as const

function metricLine(
  name: MetricName,
  { sectionView: { table, section }, trial, run, isChanged, findings }: Exhibit,
): HTMLElement {
  const { quote } = section
  const stored = table.number(trial, name)
  const own: Partial<MetricsAsRead> = run?.metrics ?? {} // one walk does not give the ambiguity pair
  const changed = metricValue(own, name)
  const summary = makeElement('summary', { text: titleWithUnit(name, quote), is: { title: definitionOf(name) } })
  const definition = makeElement('details', { children: [summary, definitionOf(name)] })
  const whyNot =
    findings.refused.size > 0
      ? 'refused'
      : name in own || name.includes('.')
        ? (METRICS[name].nullWhen ?? '')
        : 'not computed here'
  return makeElement('tr', {
    is: { role: 'row' },
    children: [
      makeElement('th', { is: { scope: 'row', role: 'rowheader' }, children: [definition] }),
      makeElement('td', {
        is: CELL,
        children: [metricData(name, stored, quote, stored === null ? table.whyNull(trial, name) : '')],
      }),
      ...(isChanged
        ? [
            makeElement('td', { is: CELL, children: [metricData(name, changed, quote, whyNot)] }),
            makeElement('td', { is: CELL, text: shownDifference(name, [stored, changed], quote) }),
          ]
        : []),
    ],
  })
}
