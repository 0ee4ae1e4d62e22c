/** The parallel coordinates of the explorer: drag along an axis to select a range of it, as a term of the filter does. */
import { rangeIn, withRanges } from '../../model/filter.ts'
import {
  axisAt,
  evenSample,
  lineOpacity,
  MOST_LINES,
  MOST_SELECTED_LINES,
  numberOnAxis,
  type ParallelAxis,
  parallelAxes,
} from '../../model/parallel-axes.ts'
import { makeElement } from '../make-element.ts'
import { offerExports } from '../save-file.ts'
import type { SectionView } from '../section-view.ts'
import { colourOf, type LayeredPlot, layPlot, watchPointer } from './layered-plot.ts'

/** Half of what an axis offers to a finger, in pixels. */
const GRIP = 22

export async function mountParallel(place: HTMLElement, sectionView: SectionView): Promise<void> {
  const { section, table } = sectionView
  const axes = parallelAxes(table, { ...section, metric: section.objective.metric })
  const chart = section.charts.parallel
  if (chart === undefined || axes.length === 0) return
  const drawn = evenSample(new Uint8Array(table.count).fill(1), MOST_LINES)
  const sheet = makeElement('div', { class: 'parallel-sheet' })
  sheet.style.setProperty('--axes', String(axes.length))
  place.append(
    makeElement('div', {
      class: 'scroll parallel-scroll',
      is: { tabindex: 0, role: 'group', 'aria-label': 'Axes, which scroll sideways where there is little room' },
      children: [sheet],
    }),
  )
  const plot = await layPlot(sheet, sectionView, {
    chart,
    data: {},
    resized: (resized) => placeGrips(sheet, axes, resized),
    paint: (context, painted) => paintLines(context, painted, { sectionView, axes }),
    paintTrials(context, painted) {
      const space = lineSpace(painted, { sectionView, axes })
      context.strokeStyle = colourOf('--accent')
      context.lineWidth = 1
      context.globalAlpha = lineOpacity(drawn.length)
      for (const trial of drawn) context.stroke(linesOf([trial], space)) // one by one: where many lie they are darker
      context.globalAlpha = 1
      paintBest(context, space, sectionView)
    },
  })
  brushAxes(sheet, plot, { sectionView, axes })
  offerExports(place.closest('figure') ?? place, { name: `${section.prefix}parallel`, view: plot })
}

/** Where a finger begins on an axis, the browser must not scroll; between the axes it may. */
function placeGrips(sheet: HTMLElement, axes: readonly ParallelAxis[], { frame, scale }: LayeredPlot): void {
  for (const grip of sheet.querySelectorAll('.axis-grip')) grip.remove()
  const { left, top, height } = frame()
  axes.forEach((_, axis) => {
    const grip = makeElement('div', { class: 'axis-grip', is: { 'data-axis': axis } })
    grip.style.setProperty('left', `${left + scale('x')(axis) - GRIP}px`)
    grip.style.setProperty('top', `${top}px`)
    grip.style.setProperty('height', `${height}px`)
    sheet.append(grip)
  })
}

interface Coordinates {
  readonly sectionView: SectionView
  readonly axes: readonly ParallelAxis[]
}

function brushAxes(sheet: HTMLElement, plot: LayeredPlot, { sectionView, axes }: Coordinates): void {
  const axisNear = (at: { readonly x: number }) =>
    axes.findIndex((_, axis) => Math.abs(plot.scale('x')(axis) - at.x) <= GRIP)
  const select = (axis: ParallelAxis, range: { readonly min: number; readonly max: number } | null): void => {
    const { filter } = sectionView.state()
    if (range === null && rangeIn(sectionView.table, filter, axis.column) === null) return
    sectionView.set({ filter: withRanges(sectionView.table, filter, [{ column: axis.column, range }]) })
  }
  watchPointer(sheet, {
    positionOf: plot.positionOf,
    drag(from, to) {
      const axis = axes.at(axisNear(from))
      if (axisNear(from) < 0 || axis === undefined) return
      const [one, other] = [from.y, to.y].map((y) => numberOnAxis(axis, 1 - y / plot.frame().height))
      select(axis, { min: Math.min(one, other), max: Math.max(one, other) })
    },
    click(at) {
      const axis = axes.at(axisNear(at))
      if (axisNear(at) >= 0 && axis !== undefined) select(axis, null)
    },
  })
}

function paintLines(context: CanvasRenderingContext2D, plot: LayeredPlot, { sectionView, axes }: Coordinates): void {
  const size = plot.frame()
  const space = lineSpace(plot, { sectionView, axes })
  const { across } = space
  const { count, mask } = sectionView.selection()
  const stroke = (trials: readonly number[], colour: string, width: number): void => {
    context.strokeStyle = colourOf(colour)
    context.lineWidth = width
    context.stroke(linesOf(trials, space))
  }
  if (count < sectionView.table.count) {
    context.globalAlpha = 0.8
    context.fillStyle = colourOf('--paper')
    context.fillRect(0, -2, size.width, size.height + 4)
    context.globalAlpha = 1
    paintAxes(context, across, size.height)
    context.globalAlpha = count > 200 ? 0.35 : 0.7
    stroke(evenSample(mask, MOST_SELECTED_LINES), '--accent', 1)
    context.globalAlpha = 1
  }
  paintBest(context, space, sectionView)
  const opened = sectionView.opened()
  if (opened !== null) {
    stroke([opened], '--paper', 5)
    stroke([opened], '--ink', 2.5)
  }
  for (const [index, axis] of axes.entries())
    paintRange(context, sectionView, { axis, x: across[index], height: size.height })
}

function paintBest(context: CanvasRenderingContext2D, space: LineSpace, { table }: SectionView): void {
  if (table.rank(0) === null) return
  context.strokeStyle = colourOf('--best')
  context.lineWidth = 2.5
  context.stroke(linesOf([0], space))
}

function paintAxes(context: CanvasRenderingContext2D, across: readonly number[], height: number): void {
  context.fillStyle = colourOf('--line-strong')
  for (const x of across) context.fillRect(x - 0.75, 0, 1.5, height)
}

interface LineSpace {
  readonly columns: readonly (Float64Array | undefined)[]
  readonly axes: readonly ParallelAxis[]
  /** Of each axis, in pixels. */
  readonly across: readonly number[]
  readonly height: number
}

function lineSpace({ frame, scale }: LayeredPlot, { sectionView, axes }: Coordinates): LineSpace {
  return {
    columns: axes.map(({ column }) => sectionView.table.values(column)),
    axes,
    across: axes.map((_, axis) => scale('x')(axis)),
    height: frame().height,
  }
}

function linesOf(trials: readonly number[], { columns, axes, across, height }: LineSpace): Path2D {
  const path = new Path2D()
  for (const trial of trials) {
    let isBegun = false
    for (const [index, axis] of axes.entries()) {
      const value = columns[index]?.[trial] ?? Number.NaN
      if (!Number.isFinite(value)) continue // the line goes on to the next axis
      const y = (1 - axisAt(axis, value)) * height
      if (isBegun) path.lineTo(across[index], y)
      else path.moveTo(across[index], y)
      isBegun = true
    }
  }
  return path
}

function paintRange(
  context: CanvasRenderingContext2D,
  { table, state }: SectionView,
  { axis, x, height }: { readonly axis: ParallelAxis; readonly x: number; readonly height: number },
): void {
  const range = rangeIn(table, state().filter, axis.column)
  if (range === null) return
  const at = (value: number) => (1 - axisAt(axis, Math.min(axis.high, Math.max(axis.low, value)))) * height
  const [top, bottom] = [at(range.max), at(range.min)]
  context.fillStyle = colourOf('--accent')
  context.globalAlpha = 0.25
  context.fillRect(x - 7, top - 2, 14, bottom - top + 4)
  context.globalAlpha = 1
  context.strokeStyle = colourOf('--ink')
  context.lineWidth = 1.25
  context.strokeRect(x - 7, top - 2, 14, bottom - top + 4)
}
