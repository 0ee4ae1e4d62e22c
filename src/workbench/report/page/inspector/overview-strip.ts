/** The whole period as a strip: a range dragged over it is what the chart above shows. */
import type { Candles } from '../../../../engine/candles.ts'
import { priceBars, type TimeWindow, wholeWindow } from '../../model/price-window.ts'
import type { TracedDeal } from '../../model/run-trial.ts'
import { makeElement } from '../make-element.ts'

export interface OverviewStrip {
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
export function overviewStrip(choose: (marked: TimeWindow) => void): OverviewStrip {
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
