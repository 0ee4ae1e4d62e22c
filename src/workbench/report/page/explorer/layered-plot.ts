/**
 * A chart in layers: Vega draws axes and names, with every trial where they are few. A canvas below it has every trial where they are many, and one above it
 * what changes (the selection, the open trial), so that a step of a brush paints a few thousand points instead of running a chart of ten thousand again.
 */
import type { View } from 'vega'
import { drawChart } from '../draw-chart.ts'
import { makeElement } from '../make-element.ts'
import type { SectionView } from '../section-view.ts'

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
  readonly chart: string
  readonly data: Readonly<Record<string, readonly unknown[]>>
  /** Called after the chart has been drawn anew or has another size. */
  readonly resized: (plot: LayeredPlot) => void
  /** Paint the upper layer, which shows nothing while all trials are selected and none is open, and the lower one where there is one; the plot's upper left corner is at 0, 0. */
  readonly paint: Painter
  readonly paintTrials?: Painter
}

type Painter = (context: CanvasRenderingContext2D, plot: LayeredPlot) => void

/** The lower layer is painted once, and finely: paper and saved files show it as it is. */
const LOWER_PIXELS = 2

export async function layPlot(
  place: HTMLElement,
  sectionView: SectionView,
  { chart, data, resized, paint, paintTrials }: LayeredPlotInput,
): Promise<LayeredPlot> {
  const isBlank = () => sectionView.selection().count === sectionView.table.count && sectionView.opened() === null
  const base = makeElement('div', { class: 'plot-base' })
  const canvas = (name: string) => makeElement('canvas', { class: name, is: { 'aria-hidden': 'true' } })
  const upper = { canvas: canvas('plot-upper'), paint, ratio: () => devicePixelRatio }
  const lower = paintTrials && { canvas: canvas('plot-lower'), paint: paintTrials, ratio: () => LOWER_PIXELS }
  const layers: readonly Layer[] = lower === undefined ? [upper] : [lower, upper]
  place.append(...(lower === undefined ? [] : [lower.canvas]), base, upper.canvas)
  const view = await drawChart(base, chart, data)
  const frame = () => frameOf(view)
  const wipe = (canvas: HTMLCanvasElement, ratio: number): void => {
    canvas.width = Math.round(base.clientWidth * ratio)
    canvas.height = Math.round(base.clientHeight * ratio)
  }
  let isUsed = false
  const paintOn = (canvas: HTMLCanvasElement, layer: Layer): void => {
    const context = canvas.getContext('2d')
    if (context === null) return
    const { left, top } = frame()
    const ratio = layer.ratio()
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.clearRect(0, 0, canvas.width, canvas.height)
    context.setTransform(ratio, 0, 0, ratio, left * ratio, top * ratio)
    layer.paint(context, plot)
  }
  // Chromium keeps what is painted for paper as commands, and among those what is cleared becomes white: paper gets finished pixels, in its colours
  const paintLayer = (layer: Layer): void => {
    if (layer === upper) {
      isStale = false
      if (!isUsed && isBlank()) return // a canvas costs as much as a chart
      if (!isUsed) wipe(upper.canvas, upper.ratio())
      isUsed = true
    }
    if (!('printing' in document.documentElement.dataset)) {
      paintOn(layer.canvas, layer)
      return
    }
    const picture = makeElement('canvas')
    wipe(picture, layer.ratio())
    const pixels = picture.getContext('2d', { willReadFrequently: true })
    if (pixels === null || picture.width * picture.height === 0) return
    inColoursOfPaper(() => paintOn(picture, layer))
    wipe(layer.canvas, layer.ratio())
    layer.canvas.getContext('2d')?.putImageData(pixels.getImageData(0, 0, picture.width, picture.height), 0, 0)
  }
  const paintAll = (): void => layers.forEach(paintLayer)
  // while one chart is worked in, those out of sight wait
  let isSeen = true
  let isStale = false
  const plot: LayeredPlot = {
    frame,
    scale: (name) => view.scale(name) as (value: unknown) => number, // scales of position, which our specs name
    repaint() {
      isStale = !isSeen
      if (isSeen) paintLayer(upper)
    },
    positionOf({ clientX, clientY }) {
      const box = base.getBoundingClientRect()
      const { left, top } = frame()
      return { x: clientX - box.left - left, y: clientY - box.top - top }
    },
    view: () => view,
    async toSVG() {
      paintLayer(upper)
      return withLayers(await view.toSVG(), base.getBoundingClientRect(), { lower, upper })
    },
  }
  const layOver = (): void => {
    for (const layer of layers) if (layer === lower || isUsed) wipe(layer.canvas, layer.ratio())
    resized(plot)
    paintAll()
  }
  layOver()
  sectionView.watch((before) => {
    const { filter, trial } = sectionView.state()
    if (filter !== before.filter || trial !== before.trial) plot.repaint()
  })
  let width = base.clientWidth
  new ResizeObserver(() => {
    if (base.clientWidth === width) return
    width = base.clientWidth
    void view.signal('width', width).runAsync().then(layOver)
  }).observe(base)
  new IntersectionObserver(([{ isIntersecting }]) => {
    isSeen = isIntersecting
    if (isSeen && isStale) paintLayer(upper)
  }).observe(place)
  addEventListener('beforeprint', paintAll)
  addEventListener('afterprint', paintAll)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paintAll)
  return plot
}

function frameOf(view: View): Frame {
  const [left, top] = view.origin()
  const padding: { readonly left: number; readonly top: number } = Object(view.padding()) // our specs name its sides
  return { left: left + padding.left, top: top + padding.top, width: view.width(), height: view.height() }
}

/** A chart's SVG with the layers below and above what it draws. */
function withLayers(
  svg: string,
  { width, height }: DOMRect,
  { lower, upper }: { readonly lower: Layer | undefined; readonly upper: Layer },
): string {
  const picture = (layer: Layer | undefined) =>
    layer === undefined ? '' : `<image width="${width}" height="${height}" href="${layer.canvas.toDataURL()}"/>`
  return svg.replace(/(<svg[^>]*>)(.*)<\/svg>\s*$/s, (_, open: string, drawn: string) =>
    [open, picture(lower), drawn, picture(upper), '</svg>'].join(''),
  )
}

interface Layer {
  readonly canvas: HTMLCanvasElement
  readonly paint: Painter
  /** Pixels of the canvas for one of the page. */
  readonly ratio: () => number
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
