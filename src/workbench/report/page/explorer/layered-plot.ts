/**
 * A chart in two layers: Vega draws every trial once below, and a canvas of our own above it shows what changes (the selection, the open trial), so
 * that a step of a brush paints a few thousand points instead of running a chart of ten thousand again.
 */
import type { View } from 'vega'
import { drawChart } from '../draw-chart.ts'
import { makeElement } from '../make-element.ts'

/** The plot inside of its place, in CSS pixels. */
interface Frame {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

export interface LayeredPlot {
  readonly frame: () => Frame
  /** Of the scales that the spec names, at their present size. */
  readonly scale: (name: string) => (value: unknown) => number
  /** Paints the upper layer again. */
  readonly repaint: () => void
  /** Where a pointer is in the plot. */
  readonly positionOf: (event: PointerEvent) => { readonly x: number; readonly y: number }
  readonly view: () => View
  /** Both layers as they are seen, for who saves them. */
  readonly toSVG: () => Promise<string>
}

interface LayeredPlotInput {
  readonly spec: unknown
  readonly data: Readonly<Record<string, readonly unknown[]>>
  /** `canvas` for more marks than an SVG carries well. */
  readonly renderer: 'svg' | 'canvas'
  /** Called after the chart has been drawn anew or has another size. */
  readonly resized: (plot: LayeredPlot) => void
  /** Paints the upper layer; the plot's upper left corner is at 0, 0. */
  readonly paint: (context: CanvasRenderingContext2D, plot: LayeredPlot) => void
}

export async function layPlot(place: HTMLElement, input: LayeredPlotInput): Promise<LayeredPlot> {
  const { spec, data, renderer, resized, paint } = input
  const base = makeElement('div', { class: 'plot-base' })
  const upper = makeElement('canvas', { class: 'plot-upper', is: { 'aria-hidden': 'true' } })
  place.append(base, upper)
  const draw = () => drawChart(base, renderer === 'canvas' ? forCanvas(spec) : spec, { data, renderer })
  let view = await draw()
  const frame = (): Frame => {
    const [left, top] = view.origin()
    const { left: padLeft, top: padTop } = paddingOf(view)
    return { left: left + padLeft, top: top + padTop, width: view.width(), height: view.height() }
  }
  const paintOn = (canvas: HTMLCanvasElement): void => {
    const context = canvas.getContext('2d')
    if (context === null) return
    const { left, top } = frame()
    const ratio = devicePixelRatio
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.clearRect(0, 0, canvas.width, canvas.height)
    context.setTransform(ratio, 0, 0, ratio, left * ratio, top * ratio)
    paint(context, plot)
    isStale = false
  }
  const wipe = (canvas = upper): void => {
    canvas.width = Math.round(base.clientWidth * devicePixelRatio)
    canvas.height = Math.round(base.clientHeight * devicePixelRatio)
  }
  // Chromium keeps what is painted for paper as commands, and among those what is cleared becomes white: paper gets finished pixels, in its colours
  const paintUpper = (): void => {
    if (!('printing' in document.documentElement.dataset)) {
      paintOn(upper)
      return
    }
    const picture = makeElement('canvas')
    wipe(picture)
    const pixels = picture.getContext('2d', { willReadFrequently: true })
    if (pixels === null || picture.width * picture.height === 0) return
    inColoursOfPaper(() => paintOn(picture))
    wipe()
    upper.getContext('2d')?.putImageData(pixels.getImageData(0, 0, picture.width, picture.height), 0, 0)
  }
  // while one chart is worked in, those out of sight wait
  let isSeen = true
  let isStale = false
  const catchUp = (): void => {
    if (isStale) paintUpper()
  }
  const plot: LayeredPlot = {
    frame,
    scale: (name) => view.scale(name) as (value: unknown) => number, // scales of position, which our specs name
    repaint() {
      isStale = !isSeen
      if (isSeen) paintUpper()
    },
    positionOf({ clientX, clientY }) {
      const box = base.getBoundingClientRect()
      const { left, top } = frame()
      return { x: clientX - box.left - left, y: clientY - box.top - top }
    },
    view: () => view,
    async toSVG() {
      paintUpper()
      const svg = await view.toSVG()
      const { width, height } = base.getBoundingClientRect()
      const picture = `<image width="${width}" height="${height}" href="${upper.toDataURL()}"/>`
      return svg.replace(/<\/svg>\s*$/, () => `${picture}</svg>`)
    },
  }
  const layOver = (): void => {
    wipe()
    resized(plot)
    plot.repaint()
  }
  layOver()
  let width = base.clientWidth
  new ResizeObserver(() => {
    if (base.clientWidth === width) return
    width = base.clientWidth
    void view.signal('width', width).runAsync().then(layOver)
  }).observe(base)
  new IntersectionObserver(([{ isIntersecting }]) => {
    isSeen = isIntersecting
    if (isSeen) catchUp()
  }).observe(place)
  addEventListener('beforeprint', paintUpper)
  addEventListener('afterprint', paintUpper)
  watchScheme(() => {
    if (renderer === 'svg') return plot.repaint() // its marks name variables
    view.finalize()
    void draw().then((drawn) => {
      view = drawn
      layOver()
    })
  })
  return plot
}

function paddingOf(view: View): { readonly left: number; readonly top: number } {
  const padding = view.padding()
  return typeof padding === 'number'
    ? { left: padding, top: padding }
    : { left: padding.left ?? 0, top: padding.top ?? 0 }
}

// The page's colours for canvases, which know no CSS variables.

/** A number of the page's palette, `--accent`, as the browser paints it now. */
export function colourOf(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim()
}

/** Paper is bright, whatever the screen is: the style sheet knows the attribute. */
function inColoursOfPaper(paint: () => void): void {
  const { dataset } = document.documentElement
  dataset.forPaper = ''
  try {
    paint()
  } finally {
    delete dataset.forPaper
  }
}

/**
 * A Vega spec for the canvas renderer: with colours instead of variables. The outline around letters goes, because a canvas would paint it over
 * them.
 */
function forCanvas(spec: unknown): unknown {
  if (typeof spec === 'string') return spec.replace(/var\((--[a-z0-9-]+)\)/g, (_, name: string) => colourOf(name))
  if (Array.isArray(spec)) return spec.map(forCanvas)
  if (typeof spec !== 'object' || spec === null) return spec
  const isText = 'type' in spec && spec.type === 'text' && 'encode' in spec
  return Object.fromEntries(
    Object.entries(spec).map(([key, value]) => [
      key,
      isText && key === 'encode' ? withoutStroke(value) : forCanvas(value),
    ]),
  )
}

function withoutStroke(encode: unknown): unknown {
  if (typeof encode !== 'object' || encode === null) return encode
  const sets = Object.entries(encode).map(([set, channels]) => {
    const kept = Object.entries(channels ?? {}).filter(([channel]) => channel !== 'stroke' && channel !== 'strokeWidth')
    return [set, forCanvas(Object.fromEntries(kept))]
  })
  return Object.fromEntries(sets)
}

/** Calls `react` when the screen turns light or dark. */
function watchScheme(react: () => void): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', react)
}

/** What a hand does on a plot: it drags, with mouse, pen or finger, or it only clicks. */
export interface Spot {
  readonly x: number
  readonly y: number
}

interface PointerUse {
  /** In the plot's pixels. */
  readonly positionOf: (event: PointerEvent) => Spot
  /** At every step of a drag, which began at `from`. */
  readonly drag: (from: Spot, to: Spot) => void
  readonly click: (at: Spot) => void
}

/** Fewer pixels are a click whose hand was not quite still. */
const LEAST_DRAG = 5

export function watchPointer(place: HTMLElement, { positionOf, drag, click }: PointerUse): void {
  let from: Spot | null = null
  let dragged = false
  place.addEventListener('pointerdown', (event) => {
    if (!event.isPrimary || event.button !== 0) return
    from = positionOf(event)
    dragged = false
  })
  place.addEventListener('pointermove', (event) => {
    if (from === null || !event.isPrimary) return
    const to = positionOf(event)
    if (!dragged && Math.hypot(to.x - from.x, to.y - from.y) < LEAST_DRAG) return
    if (!dragged) place.setPointerCapture(event.pointerId)
    dragged = true
    drag(from, to)
  })
  place.addEventListener('pointerup', (event) => {
    if (from === null || !event.isPrimary) return
    if (dragged) drag(from, positionOf(event))
    else click(positionOf(event))
    from = null
  })
  // the browser scrolls the page instead
  place.addEventListener('pointercancel', () => {
    from = null
  })
  // the tooltips of other charts answer taps by themselves
  place.addEventListener('click', (event) => event.preventDefault())
}
