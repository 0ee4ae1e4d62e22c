/** Pinned trials laid over each other with the amount held, and all visible trials under another fee and slippage. */
import { CONFIG } from '../../../contract/bot.ts'
import type { MetricName } from '../../../contract/metrics.ts'
import { keptOfFees } from '../../../engine/buy-and-hold.ts'
import type { Candles } from '../../../engine/candles.ts'
import { DAY_MS } from '../../../engine/daily-equity.ts'
import {
  formatAmount,
  formatCount,
  formatMetric,
  formatNumber,
  formatPercent,
  formatValue,
  lowerTitle,
  titleWithUnit,
} from '../format.ts'
import type { EquitySeries } from '../model/blocks.ts'
import { measureOf, type Repriced, reprice } from '../model/other-costs.ts'
import { runTrial } from '../model/run-trial.ts'
import { liveChart } from './draw-chart.ts'
import { keepFocus, makeButton, makeElement, plainTable } from './make-element.ts'
import type { SectionView as View } from './section-view.ts'

export function mountCompare(place: HTMLElement, view: View): void {
  const pinned = pinnedTrials(view)
  const costs = otherCosts(view)
  place.replaceChildren(pinned.element, costs.element)
  view.watch((before) => {
    if (view.state().pins !== before.pins) void keepFocus(pinned.element, pinned.show)
    if (view.state().filter !== before.filter) costs.compute()
  })
  void pinned.show()
}

const COMPARED: readonly MetricName[] = [
  'netProfit',
  'netProfitPerUsedPercent',
  'usedCapital.average',
  'maxDrawdownPercent',
  'closedDeals',
  'dealDuration.max',
  'unrealizedProfit',
]

function pinnedTrials(view: View) {
  const { table } = view
  const chart = liveChart(() => view.chart('compare'))
  const words = makeElement('p', { class: 'small' })
  const rows = makeElement('table')
  const scroll = makeElement('div', {
    class: 'scroll',
    is: { role: 'group', 'aria-label': 'Pinned trials', tabindex: 0 },
    children: [rows],
  })
  const element = makeElement('div', { class: 'pinned', children: [words, scroll] })
  let shown = 0
  return {
    element,
    async show(): Promise<void> {
      const mine = ++shown
      const pins = view.state().pins.flatMap((name) => table.find(name) ?? [])
      scroll.hidden = pins.length === 0
      chart.element.remove() // an image without a drawing has no words
      words.textContent =
        pins.length === 0
          ? 'Pin a trial in its drawer to draw it over the first of the ranking, the amount held and other pinned trials.'
          : 'Return on the investment, at the end of each day.'
      if (pins.length === 0) return
      const trials = table.rank(0) === null || pins.includes(0) ? pins : [...pins, 0]
      rows.replaceChildren(...comparison(trials, pins.length, view))
      const [equity, candles] = await Promise.all([view.equity(), view.candles()])
      if (mine !== shown) return
      const lines = trials.map((trial) => lineOf(trial, { series: equity?.[trial], candles }, view))
      if (lines.every((line) => line.length === 0)) {
        words.textContent = 'The daily equity of these trials is not in this file.'
        return
      }
      const held = candles === null ? [] : heldLine(candles, trials[0], view)
      if (held.length > 0)
        words.append(
          ` Dashed: the ${amountHeld(trials[0], view)} that ${nameOf(trials[0], view)} used on average, held.`,
        )
      words.after(chart.element)
      const slots = [...trials.map((_, at) => slotOf(at, pins.length)), 'held']
      const named = [...lines, held].flatMap((line, at) => line.map((point) => ({ ...point, slot: slots[at] })))
      const ends = lines.map((line, n) => `${nameOf(trials[n], view)} ${formatPercent(line.at(-1)?.value ?? null)}`)
      await chart.draw({ points: named }, `Return of the pinned trials over time. At the end: ${ends.join(', ')}.`)
    },
  }
}

/** Of its line: which of the pinned ones, or that it is the first of the ranking behind them. */
function slotOf(at: number, pinned: number): string {
  return at < pinned ? String(at) : 'first'
}

function nameOf(trial: number, { table }: View): string {
  return table.id(trial)
}

interface Point {
  readonly time: number
  /** Percent of the investment. */
  readonly value: number
}

/** As it is stored, else as the engine in this page makes it. */
function lineOf(
  trial: number,
  { series, candles }: { readonly series: EquitySeries | undefined; readonly candles: Candles | null },
  { table, section }: View,
): readonly Point[] {
  const config = table.config(trial)
  const { firstDay, values } = series ?? { firstDay: 0, values: [] }
  const point = (equity: number, day: number) => ({
    time: (day + 1) * DAY_MS,
    value: 100 * (equity / config.investment - 1),
  })
  if (values.length > 0 || candles === null || section.candles.kind !== 'full')
    return values.map((equity, day) => point(equity, firstDay + day))
  const { metrics } = runTrial({ candles, terms: table.terms(trial), config })
  return metrics.dailyEquity.map(({ date, equity }) => point(equity, Date.parse(date) / DAY_MS))
}

function amountHeld(trial: number, { table, section: { quote } }: View): string {
  return formatAmount(table.number(trial, 'usedCapital.average'), quote)
}

/** The capital that a trial used on average, held from the first candle to the last, fees paid twice. */
function heldLine({ openTime, open, close, intervalMs }: Candles, trial: number, { table }: View): readonly Point[] {
  const used = table.number(trial, 'usedCapital.average')
  if (used === null) return []
  const { feePercent } = table.terms(trial).costs
  const kept = keptOfFees(feePercent / 100)
  const share = (100 * used) / table.config(trial).investment
  const points: Point[] = []
  for (let i = 0; i < openTime.length; i++) {
    const end = openTime.at(i + 1) ?? openTime[i] + intervalMs // merged ones last until the next
    if (end % DAY_MS === 0 || i === openTime.length - 1)
      points.push({ time: end, value: share * ((close[i] / open[0]) * kept - 1) })
  }
  return points
}

/** Side by side: what is varied, then what came of it. */
function comparison(trials: readonly number[], pinned: number, view: View): Node[] {
  const { table, section } = view
  const row = (title: string, cell: (trial: number) => string) =>
    makeElement('tr', {
      children: [
        makeElement('th', { text: title, is: { scope: 'row' } }),
        ...trials.map((trial) => makeElement('td', { text: cell(trial) })),
      ],
    })
  const heads = trials.map((trial, slot) =>
    makeElement('th', {
      is: { scope: 'col' },
      children: [
        makeElement('span', { class: `swatch bar pin-${slotOf(slot, pinned)}`, is: { 'aria-hidden': 'true' } }),
        makeElement('a', { text: nameOf(trial, view), is: { href: `#${section.prefix}trial=${nameOf(trial, view)}` } }),
        slotOf(slot, pinned) === 'first'
          ? ' first of the ranking'
          : makeButton('✕', () => view.pin(trial, false), { is: { 'aria-label': `Unpin ${nameOf(trial, view)}` } }),
      ],
    }),
  )
  return plainTable(
    'Pinned trials side by side',
    [makeElement('td'), ...heads],
    [
      ...section.varied.map((field) => row(CONFIG[field].title, (trial) => formatValue(table.config(trial)[field]))),
      ...COMPARED.map((name) =>
        row(titleWithUnit(name, section.quote), (trial) =>
          formatMetric(name, table.number(trial, name), section.quote.decimals),
        ),
      ),
    ],
  )
}

/** Rows shown: whoever wants more filters. */
const MOST_ROWS = 10

function otherCosts(view: View) {
  const { table, section } = view
  const own = table.count > 0 ? table.terms(0).costs : { feePercent: 0.1, slippagePercent: 0 }
  const sliders = [
    costSlider('Fee, %', own.feePercent, { id: `${section.prefix}cost-fee`, max: 0.5, moved: () => compute() }),
    costSlider('Slippage, %', own.slippagePercent, {
      id: `${section.prefix}cost-slippage`,
      max: 0.5,
      moved: () => compute(),
    }),
  ]
  const words = makeElement('p', { class: 'small', is: { role: 'status' } })
  const rows = makeElement('table')
  const element = makeElement('details', {
    class: 'numbers other-costs',
    children: [
      makeElement('summary', { text: 'All visible trials under other costs' }),
      makeElement('div', { class: 'fields', children: sliders.map(({ element: slider }) => slider) }),
      words,
      makeElement('div', {
        class: 'scroll',
        is: { role: 'group', 'aria-label': 'Under other costs', tabindex: 0 },
        children: [rows],
      }),
    ],
  })
  let begun = 0
  element.addEventListener('toggle', () => compute())
  return { element, compute }

  function compute(): void {
    const mine = ++begun
    if (!element.open) return
    const { mask } = view.selection()
    const trials = Array.from({ length: table.count }, (_, trial) => trial).filter((trial) => mask[trial] === 1)
    const costs = { feePercent: sliders[0].value(), slippagePercent: sliders[1].value() }
    element.setAttribute('aria-busy', 'true')
    void view.kernelCandles().then((prepared) => {
      if (typeof prepared === 'string') {
        words.textContent = `Nothing is computed: ${prepared}.`
        element.setAttribute('aria-busy', 'false')
        return
      }
      const steps = reprice({ prepared, table, trials, objective: section.objective }, costs, show)
      const step = (): void => {
        if (mine === begun && steps.next().done !== true) requestAnimationFrame(step)
      }
      step()
    })
  }

  function show(found: readonly Repriced[]): void {
    const by = measureOf(section.objective)
    const moved = found.filter(({ place, placeBefore }) => place !== placeBefore).length
    words.textContent = `${formatCount(found.length, 'visible trial')} by ${lowerTitle(by)}: ${formatCount(moved, 'place')} changed.`
    const names: readonly MetricName[] = by === 'netProfit' ? [by] : [by, 'netProfit']
    const titles = names.flatMap((name) => [titleWithUnit(name, section.quote), 'Stored'])
    const heads = ['Place', 'Moved', 'Trial', ...titles]
    const caption = found.length > MOST_ROWS ? `The first ${MOST_ROWS}` : 'All of them'
    const first = found.slice(0, MOST_ROWS)
    rows.replaceChildren(
      ...plainTable(
        caption,
        heads,
        first.map((each) => repricedRow(each, names, view)),
      ),
    )
    element.setAttribute('aria-busy', 'false')
  }
}

/** @param names what each is shown by, with the stored value beside it: what they are placed by first */
function repricedRow(found: Repriced, names: readonly MetricName[], view: View): HTMLElement {
  const { trial, place, placeBefore } = found
  const { quote, prefix } = view.section
  const name = nameOf(trial, view)
  const up = placeBefore - place
  const texts = [
    formatNumber(place, 0),
    up === 0 ? '–' : `${up > 0 ? '▲' : '▼'}\u00a0${Math.abs(up)}`,
    ...names.flatMap((name) => {
      const value = name === 'netProfit' ? found.netProfit : found.value
      return [Number.isFinite(value) ? value : null, view.table.number(trial, name)].map((each) =>
        formatMetric(name, each, quote.decimals),
      )
    }),
  ].map((text) => makeElement('td', { text }))
  const link = makeElement('a', { text: name, is: { href: `#${prefix}trial=${name}` } })
  const head = makeElement('th', { is: { scope: 'row' }, children: [link] })
  return makeElement('tr', { children: [...texts.slice(0, 2), head, ...texts.slice(2)] })
}

function costSlider(
  title: string,
  own: number,
  { id, max, moved }: { readonly id: string; readonly max: number; readonly moved: () => void },
) {
  const output = makeElement('output', { text: formatValue(own), is: { for: id } })
  const input = makeElement('input', { is: { type: 'range', id, min: 0, max: Math.max(max, own), step: 0.005 } })
  input.value = String(own)
  let isMoved = false
  input.addEventListener('input', () => {
    isMoved = true
    output.textContent = formatValue(Number(input.value))
    moved()
  })
  const label = makeElement('label', { text: `${title} (stored: ${formatValue(own)})`, is: { for: id } })
  return {
    element: makeElement('div', { class: 'field', children: [label, input, output] }),
    // a slider knows no value between its steps
    value: () => (isMoved ? Number(input.value) : own),
  }
}
