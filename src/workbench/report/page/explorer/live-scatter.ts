/** The scatter of the explorer: drag to select by profit and drawdown, click to open the nearest trial, hover to read it. */
import type { Scene, View } from 'vega'
import { POINT_COLUMNS, POINTS, pointSize } from '../../charts/scatter.ts'
import { chartData } from '../../charts/theme.ts'
import { rangeIn, withRanges } from '../../model/filter.ts'
import { nearestPoint } from '../../model/nearest-point.ts'
import { trialTooltip } from '../../model/trial-words.ts'
import { offerExports } from '../save-file.ts'
import type { SectionView } from '../section-view.ts'
import { showTooltip } from '../tooltip.ts'
import { colourOf, type LayeredPlot, layPlot, type Spot, watchPointer } from './layered-plot.ts'

const X = 'maxDrawdownPercent'
const Y = 'netProfit'

/** More marks make an SVG slow: the page paints them itself, and Vega gets those that say how far the axes go. */
const MOST_SVG_MARKS = 2000

/** How near a mouse comes to a mark that it means. */
const MOUSE_REACH = 10

export async function mountScatter(place: HTMLElement, sectionView: SectionView): Promise<void> {
  const { table, section } = sectionView
  const [xs, ys] = [table.values(X), table.values(Y)]
  const chart = section.charts.scatter
  if (chart === undefined || xs === undefined || ys === undefined) return
  const isShown = (trial: number) => Number.isFinite(xs[trial]) && Number.isFinite(ys[trial])
  const shown = Array.from({ length: table.count }, (_, trial) => trial).filter(isShown)
  const isPainted = table.count > MOST_SVG_MARKS
  const rows = (isPainted ? farthest(shown, [xs, ys]) : shown).map((trial) => ({
    x: xs[trial],
    y: ys[trial],
    kind: table.rank(trial) === null ? 'outside' : 'trial',
  }))
  const everyTrial = new Uint8Array(table.count).fill(1)
  const placed = { x: new Float32Array(table.count), y: new Float32Array(table.count) }
  const plot = await layPlot(place, sectionView, {
    chart,
    data: { [POINTS]: chartData(POINT_COLUMNS, rows).values },
    resized({ scale }) {
      const [x, y] = [scale('x'), scale('y')]
      for (let trial = 0; trial < table.count; trial++) {
        placed.x[trial] = isShown(trial) ? x(xs[trial]) : Number.NaN
        placed.y[trial] = isShown(trial) ? y(ys[trial]) : Number.NaN
      }
    },
    paint(context, { frame, scale, view }) {
      const size = frame()
      const isPart = sectionView.selection().count < table.count
      if (isPart) veil(context, size)
      paintBrush(context, sectionView, { scale, ...size })
      if (isPart) {
        uncoverNames(context, view(), sectionView.selection().mask[0] === 1)
        paintPoints(context, sectionView.table, { ...placed, mask: sectionView.selection().mask })
      }
      paintRings(context, sectionView, placed)
    },
    ...(isPainted && { paintTrials: (context) => paintPoints(context, table, { ...placed, mask: everyTrial }) }),
  })
  answerPointer(place, sectionView, { plot, placed })
  offerExports(place.closest('figure') ?? place, { name: `${section.prefix}scatter`, view: plot })
}

/** The places of the lowest and the highest value of each column. */
function farthest(trials: readonly number[], columns: readonly Float64Array[]): number[] {
  if (trials.length === 0) return []
  const most = (values: Float64Array, sign: number) =>
    trials.reduce((found, trial) => (sign * values[trial] > sign * values[found] ? trial : found))
  return columns.flatMap((values) => [most(values, 1), most(values, -1)])
}

interface Placed {
  readonly x: Float32Array
  readonly y: Float32Array
}

/** Half of the 44 pixels that a finger needs. */
const FINGER_REACH = 22

function answerPointer(
  place: HTMLElement,
  sectionView: SectionView,
  { plot, placed }: { readonly plot: LayeredPlot; readonly placed: Placed },
): void {
  const near = (at: Spot, reach: number) => nearestPoint(placed, at, { reach, mask: sectionView.selection().mask })
  watchPointer(place, {
    positionOf: plot.positionOf,
    drag: (from, to) => sectionView.set({ filter: brushed(sectionView, plot, [from, to]) }),
    click(at) {
      const trial = near(at, FINGER_REACH)
      if (trial !== null) sectionView.open(trial)
      else sectionView.set({ filter: unbrushed(sectionView) })
    },
  })
  let hasTooltip = false
  place.addEventListener('pointermove', (event) => {
    if (event.pointerType === 'touch') return
    const trial = event.buttons === 0 ? near(plot.positionOf(event), MOUSE_REACH) : null
    // what Vega says of a mark of its own, such as buy & hold, stays
    if (trial !== null) showTooltip(null, event, null, trialTooltip(sectionView.table, sectionView.section, trial))
    else if (hasTooltip) showTooltip(null, event, null, '')
    hasTooltip = trial !== null
  })
  place.addEventListener('pointerleave', (event) => showTooltip(null, event, null, ''))
}

/** The filter with the rectangle between two corners. */
function brushed({ table, state }: SectionView, { view, frame }: LayeredPlot, corners: readonly [Spot, Spot]): string {
  const { width, height } = frame()
  const value = (name: string, at: number) => Number(view().scale(name).invert(at))
  const range = (name: string, ends: readonly number[], most: number) => {
    const values = ends.map((end) => value(name, Math.min(most, Math.max(0, end))))
    return { min: Math.min(...values), max: Math.max(...values) }
  }
  return withRanges(table, state().filter, [
    { column: X, range: range('x', [corners[0].x, corners[1].x], width) },
    { column: Y, range: range('y', [corners[0].y, corners[1].y], height) },
  ])
}

function unbrushed({ table, state }: SectionView): string {
  const { filter } = state()
  if (rangeIn(table, filter, X) === null && rangeIn(table, filter, Y) === null) return filter
  return withRanges(table, filter, [
    { column: X, range: null },
    { column: Y, range: null },
  ])
}

type Size = { readonly width: number; readonly height: number }

/** What is not selected stays to be seen, faintly. */
function veil(context: CanvasRenderingContext2D, { width, height }: Size): void {
  context.globalAlpha = 0.78
  context.fillStyle = colourOf('--paper')
  context.fillRect(-4, -8, width + 10, height + 8)
  context.globalAlpha = 1
}

/** Marks of `scatterSpec`, as Vega-Lite calls them. */
const NAMED = /^(?:hold_marks|(?:hold|best|bound_\d+)_label_marks|bound_\d+_marks)$/

/** What is named in the chart is no trial, and as clear as before; the name of the best goes with its trial. */
function uncoverNames(context: CanvasRenderingContext2D, view: View, isBestSelected: boolean): void {
  const { root } = view.scenegraph() as unknown as { readonly root: Scene } // Vega's own types take the graph for its root
  for (const { name, bounds } of root.items.flatMap(({ items }) => items)) {
    if (!NAMED.test(name) || (!isBestSelected && name.startsWith('best'))) continue
    const { x1, y1, x2, y2 } = bounds
    context.clearRect(x1 - 2, y1 - 1, x2 - x1 + 4, y2 - y1 + 2)
  }
}

function paintPoints(
  context: CanvasRenderingContext2D,
  table: SectionView['table'],
  { x, y, mask }: Placed & { readonly mask: Uint8Array },
): void {
  const radius = Math.sqrt(pointSize(table.count) / Math.PI)
  const isTiny = table.count > MOST_SVG_MARKS // then a square is no different, is painted much faster, and shows by its shade how many lie there
  context.fillStyle = colourOf('--accent')
  context.globalAlpha = isTiny ? 0.3 : 1
  const [ranked, others] = [new Path2D(), new Path2D()]
  for (let trial = 0; trial < table.count; trial++) {
    if (mask[trial] === 0 || Number.isNaN(x[trial])) continue
    if (table.rank(trial) === null) {
      others.rect(x[trial] - radius, y[trial] - radius / 2.5, 2 * radius, radius / 1.25)
      others.rect(x[trial] - radius / 2.5, y[trial] - radius, radius / 1.25, 2 * radius)
    } else if (isTiny) context.fillRect(x[trial] - radius * 0.9, y[trial] - radius * 0.9, radius * 1.8, radius * 1.8)
    else {
      ranked.moveTo(x[trial] + radius, y[trial])
      ranked.arc(x[trial], y[trial], radius, 0, 2 * Math.PI)
    }
  }
  context.globalAlpha = 1
  context.fillStyle = colourOf('--muted')
  context.fill(others)
  context.fillStyle = colourOf('--accent')
  context.fill(ranked)
}

function paintBrush(
  context: CanvasRenderingContext2D,
  { table, state }: SectionView,
  { width, height, scale }: Size & Pick<LayeredPlot, 'scale'>,
): void {
  const { filter } = state()
  const [across, up] = [rangeIn(table, filter, X), rangeIn(table, filter, Y)]
  if (across === null && up === null) return
  const within = (end: number, most: number) => Math.min(most, Math.max(0, Number.isNaN(end) ? most : end))
  const end = (name: string, value: number, otherwise: number) =>
    Number.isFinite(value) ? scale(name)(value) : otherwise
  const left = within(end('x', across?.min ?? Number.NaN, 0), width)
  const right = within(end('x', across?.max ?? Number.NaN, width), width)
  const top = within(end('y', up?.max ?? Number.NaN, 0), height)
  const bottom = within(end('y', up?.min ?? Number.NaN, height), height)
  context.strokeStyle = colourOf('--ink')
  context.lineWidth = 1
  context.setLineDash([4, 3])
  context.strokeRect(left, top, right - left, bottom - top)
  context.setLineDash([])
}

/** The ring of the best is Vega's, which the veil covers; the open trial's is only here. */
function paintRings(context: CanvasRenderingContext2D, sectionView: SectionView, { x, y }: Placed): void {
  const ring = (trial: number | null, radius: number, colour: string): void => {
    if (trial === null || Number.isNaN(x[trial])) return
    // of two colours, to be seen on any ground
    for (const [width, name] of [
      [6, '--paper'],
      [2.5, colour],
    ] as const) {
      context.beginPath()
      context.arc(x[trial], y[trial], radius, 0, 2 * Math.PI)
      context.lineWidth = width
      context.strokeStyle = colourOf(name)
      context.stroke()
    }
  }
  // as faint as its trial where the filter leaves it out
  const { mask, count } = sectionView.selection()
  if (sectionView.table.rank(0) !== null && mask[0] === 1 && count < sectionView.table.count) ring(0, 7.5, '--best')
  ring(sectionView.opened(), 11, '--ink')
}
