/** A trial's deals on the price, zoomed by buttons, keys, a range on the strip below, or a deal of the list. */
import type { Candles } from '../../../../engine/candles.ts'
import { formatCount, formatInstant } from '../../format.ts'
import {
  drawDeals,
  type MarkRow,
  moved,
  priceBars,
  showsSticks,
  type TimeWindow,
  wholeWindow,
  within,
  zoomed,
} from '../../model/deal-marks.ts'
import type { TracedDeal } from '../../model/run-trial.ts'
import { liveChart } from '../draw-chart.ts'
import { makeButton, makeElement } from '../make-element.ts'
import type { SectionView } from '../section-view.ts'
import type { Exhibit, ExhibitPart } from './exhibit.ts'

interface DealsChart extends ExhibitPart {
  readonly zoomTo: (deal: TracedDeal) => void
}

interface ChartSpan {
  readonly whole: TimeWindow
  readonly intervalMs: number
}

type Change = (full: ChartSpan, now: TimeWindow) => TimeWindow

const closer: Change = (full, now) => zoomed(now, 0.5, full)
const further: Change = (full, now) => zoomed(now, 2, full)
const back: Change = ({ whole }, now) => moved(now, -0.5, whole)
const forth: Change = ({ whole }, now) => moved(now, 0.5, whole)
const everything: Change = ({ whole }) => whole

const BUTTONS: readonly (readonly [text: string, name: string, act: Change])[] = [
  ['+', 'Zoom in', closer],
  ['−', 'Zoom out', further],
  ['←', 'Earlier', back],
  ['→', 'Later', forth],
  ['Whole', 'Whole period', everything],
]

const KEYS: Readonly<Record<string, Change>> = {
  '+': closer,
  '=': closer,
  '-': further,
  '−': further,
  ArrowLeft: back,
  ArrowRight: forth,
  '0': everything,
}

export function dealsChart(read: SectionView['chart']): DealsChart {
  const chart = liveChart(() => read('deals'))
  const status = makeElement('p', { class: 'small', is: { role: 'status' } })
  let exhibit: Exhibit | undefined
  let shownTrial: number | undefined
  let window: TimeWindow | undefined
  const change = (make: (full: ChartSpan, now: TimeWindow) => TimeWindow): void => {
    if (exhibit?.candles == null) return
    const whole = wholeWindow(exhibit.candles)
    window = make({ whole, intervalMs: exhibit.candles.intervalMs }, window ?? whole)
    void draw()
  }
  const strip = overviewStrip((marked) => change((full, now) => markedWindow(marked, full, now)))
  const draw = async (): Promise<void> => {
    if (exhibit === undefined || exhibit.candles === null) return
    const { candles, run } = exhibit
    const shown = window ?? wholeWindow(candles)
    strip.show({ candles, deals: run?.traced ?? [], window: shown })
    status.textContent = `${formatInstant(shown.from)} to ${formatInstant(shown.to)}`
    const { rows, words } = rowsOf(exhibit, candles, shown)
    await chart.draw(rows, words)
  }
  const figure = makeElement('div', {
    class: 'deals-figure',
    is: {
      tabindex: 0,
      'data-keys': '',
      role: 'group',
      'aria-label': 'Deals on price; + and − zoom, ← and → move, 0 shows the whole period',
    },
    children: [chart.element, strip.element],
  })
  figure.addEventListener('keydown', (event) => {
    const act = KEYS[event.key]
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    change(act)
  })
  const buttons = BUTTONS.map(([text, name, act]) =>
    makeButton(text, () => change(act), { is: { 'aria-label': name } }),
  )
  const toolbar = makeElement('div', {
    class: 'toolbar',
    children: [makeElement('div', { class: 'buttons', children: buttons }), status],
  })
  const refusal = makeElement('p', { class: 'empty' })
  const element = makeElement('div', { children: [toolbar, figure, legend(), refusal] })
  return {
    element,
    async show(next) {
      if (shownTrial !== next.trial) window = undefined
      exhibit = next
      shownTrial = next.trial
      const why = next.whyNotRun
      refusal.hidden = why === null
      refusal.textContent = `No deals: ${why}.`
      // the price alone says something too
      for (const part of [toolbar, figure]) part.toggleAttribute('hidden', next.candles === null)
      element.children[2].toggleAttribute('hidden', why !== null)
      await draw()
    },
    zoomTo({ openedAt, closedAt }) {
      change(({ whole, intervalMs }) => {
        const length = Math.max((closedAt ?? whole.to) - openedAt, 20 * intervalMs)
        return within({ from: openedAt - 0.15 * length, to: openedAt + 1.15 * length }, whole)
      })
      figure.scrollIntoView({ block: 'nearest' })
    },
  }
}

function markedWindow(marked: TimeWindow, { whole, intervalMs }: ChartSpan, now: TimeWindow): TimeWindow {
  if (marked.to > marked.from) return zoomed(marked, 1, { whole, intervalMs })
  const half = (now.to - now.from) / 2
  return within({ from: marked.from - half, to: marked.from + half }, whole)
}

function rowsOf({ run, deal, sectionView: { section } }: Exhibit, candles: Candles, window: TimeWindow) {
  const { kind } = section.candles
  const bars = priceBars(candles, window, kind === 'thinned' ? section.candles.mergedMs : candles.intervalMs)
  const picture = drawDeals(run?.traced ?? [], { window, bars, quote: section.quote })
  const areSticks = showsSticks(window)
  const sticks = bars.map(({ time, end, ...prices }) => {
    const middle = (time + end) / 2
    const half = 0.36 * (end - time)
    return { ...prices, middle, left: middle - half, right: middle + half }
  })
  const shownDeals = new Set(picture.marks.filter(({ mark }) => mark === 'base').map(({ time }) => time)).size
  const chosen = deal === null ? undefined : run?.traced.at(deal)
  const [opened, closed] = [chosen?.openedAt ?? window.to, chosen?.closedAt ?? window.to]
  return {
    rows: {
      chosen:
        opened < window.to && closed > window.from
          ? [{ time: Math.max(opened, window.from), end: Math.min(closed, window.to) }]
          : [],
      frame: [
        { time: window.from, price: picture.low },
        { time: window.to, price: picture.high },
      ],
      price: areSticks ? [] : bars,
      sticks: areSticks ? sticks.filter(({ left, right }) => left >= window.from && right <= window.to) : [],
      levels: picture.levels,
      marks: sizedMarks(picture.marks),
    },
    words: `Price from ${formatInstant(window.from)} to ${formatInstant(window.to)}, with the ${formatCount(shownDeals, 'deal')} opened in it. The list of deals has the same numbers.`,
  }
}

/** Sizes in square pixels: many marks would hide each other, and the price. What begins and ends a deal is drawn over its safety orders. */
function sizedMarks(marks: readonly MarkRow[]): readonly (MarkRow & { readonly size: number })[] {
  const size = Math.max(36, 80 - marks.length / 4)
  const ends = marks.filter(({ mark }) => mark !== 'safetyOrder').map((mark) => ({ ...mark, size }))
  return [...marks.filter(({ mark }) => mark === 'safetyOrder').map((mark) => ({ ...mark, size: size / 2 })), ...ends]
}

function legend(): HTMLElement {
  const entries = [
    ['▮', 'key-chosen', 'the deal of the ladder'],
    ['▲', 'key-base', 'base order'],
    ['●', 'key-safety-order', 'safety order'],
    ['▼', 'key-take-profit', 'take profit'],
    ['✕', 'key-stop', 'stop loss'],
    ['─', 'key-safety-order', 'safety order filled'],
    ['─', 'key-waiting', 'safety order waiting'],
    ['┄', 'key-base', 'average'],
    ['╌', 'key-take-profit', 'take profit while it waits'],
  ] as const
  return makeElement('ul', {
    class: 'legend',
    is: { 'aria-label': 'Legend' },
    children: entries.map(([glyph, key, text]) =>
      makeElement('li', {
        children: [makeElement('span', { class: key, text: glyph, is: { 'aria-hidden': 'true' } }), `\u00a0${text}`],
      }),
    ),
  })
}

// The whole period as a strip: a range dragged over it is what the chart above shows.

interface OverviewStrip {
  readonly element: HTMLElement
  readonly show: (drawn: {
    readonly candles: Candles
    readonly deals: readonly TracedDeal[]
    readonly window: TimeWindow
  }) => void
}

const WIDTH = 600
const HEIGHT = 44
/** A shorter drag is a click: it moves the window there. */
const SHORTEST_DRAG_PIXELS = 6

/** @param choose what the reader marked, in ms UTC; a click gives an empty range */
function overviewStrip(choose: (marked: TimeWindow) => void): OverviewStrip {
  const svg = svgElement('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  })
  const shade = makeElement('div', { class: 'strip-window' })
  const element = makeElement('div', { class: 'strip', children: [svg, shade] })
  let whole: TimeWindow = { from: 0, to: 1 }
  let drawnFor: Candles | undefined
  const place = ({ from, to }: TimeWindow): void => {
    const share = (time: number) => (100 * (time - whole.from)) / (whole.to - whole.from)
    shade.style.setProperty('left', `${share(from)}%`)
    shade.style.setProperty('width', `${share(to) - share(from)}%`)
  }
  listenForDrags(element, {
    dragged: (from, to) => place(timesAt(from, to)),
    dropped: (from, to) => choose(timesAt(from, to)),
  })
  function timesAt(from: number, to: number): TimeWindow {
    const time = (share: number) => whole.from + Math.min(1, Math.max(0, share)) * (whole.to - whole.from)
    return { from: time(Math.min(from, to)), to: time(Math.max(from, to)) }
  }
  return {
    element,
    show({ candles, deals, window }) {
      whole = wholeWindow(candles)
      const paths =
        drawnFor === candles
          ? [svg.children[0]]
          : [svgElement('path', { d: outline(candles, whole), class: 'strip-price' })]
      drawnFor = candles
      svg.replaceChildren(...paths, svgElement('path', { d: ticks(deals, whole), class: 'strip-deals' }))
      place(window)
    },
  }
}

/** Shares of the element's width, from 0 to 1; from equals to for a click. */
function listenForDrags(
  element: HTMLElement,
  { dragged, dropped }: Readonly<Record<'dragged' | 'dropped', (from: number, to: number) => void>>,
): void {
  let start: number | undefined
  const shareAt = ({ clientX }: PointerEvent): number => {
    const { left, width } = element.getBoundingClientRect()
    return (clientX - left) / width
  }
  const far = (from: number, to: number) => Math.abs(to - from) * element.clientWidth >= SHORTEST_DRAG_PIXELS
  element.addEventListener('pointerdown', (event) => {
    start = shareAt(event)
    element.setPointerCapture(event.pointerId)
  })
  element.addEventListener('pointermove', (event) => {
    if (start !== undefined && far(start, shareAt(event))) dragged(start, shareAt(event))
  })
  element.addEventListener('pointerup', (event) => {
    if (start === undefined) return
    const end = shareAt(event)
    dropped(start, far(start, end) ? end : start)
    start = undefined
  })
  element.addEventListener('pointercancel', () => {
    start = undefined
  })
}

function outline(candles: Candles, whole: TimeWindow): string {
  const bars = priceBars(candles, whole)
  const low = Math.min(...bars.map((bar) => bar.low))
  const high = Math.max(...bars.map((bar) => bar.high))
  const x = (time: number) => ((WIDTH * (time - whole.from)) / (whole.to - whole.from)).toFixed(1)
  const y = (price: number) => (2 + ((HEIGHT - 12) * (high - price)) / (high - low || 1)).toFixed(1)
  return bars.map((bar, i) => `${i === 0 ? 'M' : 'L'}${x(bar.time)},${y(bar.close)}`).join('')
}

/** One stroke for each deal, at the bottom, as long as it lasted. */
function ticks(deals: readonly TracedDeal[], { from, to }: TimeWindow): string {
  const x = (time: number) => (WIDTH * (time - from)) / (to - from)
  return deals
    .map(
      ({ openedAt, closedAt }) =>
        `M${x(openedAt).toFixed(1)},${HEIGHT - 4}H${Math.max(x(openedAt) + 0.8, x(closedAt ?? to) - 0.8).toFixed(1)}`,
    )
    .join('')
}

function svgElement(tag: 'svg' | 'path', attributes: Readonly<Record<string, string>>): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  return element
}
