/** The heat maps of a report: classes of colours (few, with a border at zero, so that the colour always shows the sign), levels, words, cells, one map as SVG. */
import { CONFIG, type ConfigField } from '../../../contract/bot.ts'
import { METRICS, type MetricName } from '../../../contract/metrics.ts'
import { type Level, levelIndex, levelsOf, type PairGrid } from '../../analysis/pair-grid.ts'
import type { Objective } from '../../study/study.ts'
import { formatCount, formatMetricWithUnit, formatNumber, formatValue, type Quote, unitInWords } from '../format.ts'
import type { Blanks, PageSection } from './document.ts'
import { type ColumnRange, roundedOut } from './filter.ts'
import type { TrialTable } from './trial-table.ts'
import type { ViewState } from './view-state.ts'

/** Tones from the page's palette: `n5` the darkest loss … `n1`, `p1` … `p5` the darkest gain. */
type Tone = `${'n' | 'p'}${1 | 2 | 3 | 4 | 5}`

export interface HeatClass {
  readonly from: number
  readonly to: number
  readonly tone: Tone
}

const STEPS = [1, 2, 3, 4, 5] as const

/** Results nearer than this differ by rounding only. */
const noise = 1e-9

/**
 * Ascending classes that cover every value (from ≤ value < to, the last one closed). Values of both signs share one step on
 * either side of zero; values of one sign are spread over their own range. `better` says which end gets the strong colours.
 */
export function heatClasses(values: readonly number[], better: 'higher' | 'lower', areCounts = false): HeatClass[] {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (high - low <= noise) return [{ from: low, to: high, tone: low < 0 ? 'n3' : 'p3' }]
  if (low < 0 && high > 0) return diverging(low, high)
  const { start, step, count } = evenClasses(low, high, areCounts)
  const sign = low < 0 ? 'n' : 'p'
  const darkAtHigh = sign === 'p' ? better === 'higher' : false
  return Array.from({ length: count }, (_, index) => {
    const strength = count === 1 ? 3 : Math.round(1 + (4 * index) / (count - 1))
    const [from, to] = [start + index * step, start + (index + 1) * step]
    return { from, to, tone: tone(sign, darkAtHigh ? strength : 6 - strength) }
  })
}

/** At most as many classes as there are tones, on multiples of a nice step. */
function evenClasses(low: number, high: number, areCounts: boolean): { start: number; step: number; count: number } {
  for (let step = niceStep((high - low) / STEPS.length); ; step = niceStep(step * 1.01)) {
    const start = Math.floor(low / step) * step
    const count = Math.max(1, Math.ceil((high - start) / step - 1e-9))
    if (count <= STEPS.length && (Number.isInteger(step) || !areCounts)) return { start, step, count }
  }
}

function diverging(low: number, high: number): HeatClass[] {
  const step = niceStep(Math.max(-low, high) / STEPS.length)
  const losses = STEPS.map((k): HeatClass => ({ from: -k * step, to: (1 - k) * step, tone: tone('n', k) })).reverse()
  const gains = STEPS.map((k): HeatClass => ({ from: (k - 1) * step, to: k * step, tone: tone('p', k) }))
  return [...losses.filter(({ to }) => to > low), ...gains.filter(({ from }) => from <= high)]
}

function tone(sign: 'n' | 'p', strength: number): Tone {
  const step = STEPS[Math.min(STEPS.length, Math.max(1, strength)) - 1]
  return `${sign}${step}`
}

/** The smallest 1, 2, 2.5 or 5 times a power of ten that is at least `step`. */
export function niceStep(step: number): number {
  const power = Number(`1e${Math.floor(Math.log10(step))}`)
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= step * (1 - 1e-9)) ?? step
}

/** The class of a value among ascending classes; the first and the last one also include values that rounding left outside. */
export function classOf(classes: readonly HeatClass[], value: number): HeatClass {
  return classes.find(({ to }) => value < to) ?? classes[classes.length - 1]
}

// A varied field cut into levels: the rows and columns of heat maps. Pure.

/** The numbers of trials, of which NaN is one that is not known. */
export type TrialNumbers = Pick<TrialTable, 'count' | 'values'>

export interface LevelColumn {
  readonly field: ConfigField
  /** Ascending, of all trials: a selection changes none. */
  readonly levels: readonly Level[]
  /** The level of each trial, by its place; −1 = none. */
  readonly of: Int16Array
}

export function levelColumn(trials: TrialNumbers, field: ConfigField): LevelColumn {
  const values = trials.values(field) ?? new Float64Array(trials.count).fill(Number.NaN)
  const levels = levelsOf([...values])
  return { field, levels, of: Int16Array.from(values, (value) => levelIndex(levels, value)) }
}

/** "1.5", or "0.5–0.9" for a range of values. */
export function levelText({ low, high }: Level): string {
  return low === high ? formatValue(low) : `${formatValue(low)}–${formatValue(high)}`
}

/** What selects a level in the filter: its own values stay inside. */
export function rangeOfLevel({ low, high }: Level): NonNullable<ColumnRange['range']> {
  const [min, max] = [roundedOut(low, -1), roundedOut(high, 1)]
  return low === high && min === low ? { is: low } : { min, max }
}

// What a heat map shows of a grid of pairs: one number a cell, and the plateau around the best. Pure.

export type Aggregate = ViewState['aggregate']

/** The shown number of a cell; null = no trial lies there. */
export function cellValue(grid: PairGrid, cell: number, aggregate: Aggregate): number | null {
  return grid.count[cell] === 0 ? null : grid[aggregate][cell]
}

/** How much of the way from the best cell to the worst a cell of the plateau may lose. */
export const PLATEAU_LOSS = 0.2

/**
 * The cells that are joined to the best one, side by side, and of which none loses more than a fifth of the way from the best to the worst cell.
 * 1 for each of them; all 0 where fewer than three cells have a value, or all have the same.
 */
export function heatPlateau(
  { width, height }: Pick<PairGrid, 'width' | 'height'>,
  values: readonly (number | null)[],
  direction: Objective['direction'],
): Uint8Array {
  const plateau = new Uint8Array(width * height)
  const sign = direction === 'maximize' ? 1 : -1
  const goodness = values.map((value) => (value === null ? Number.NaN : sign * value))
  const known = goodness.filter((value) => !Number.isNaN(value))
  const [best, worst] = [Math.max(...known), Math.min(...known)]
  if (known.length < 3 || best === worst) return plateau
  const lowest = best - PLATEAU_LOSS * (best - worst)
  const waiting = [goodness.indexOf(best)]
  for (let cell = waiting.pop(); cell !== undefined; cell = waiting.pop()) {
    if (plateau[cell] === 1 || !(goodness[cell] >= lowest)) continue
    plateau[cell] = 1
    waiting.push(...neighboursOf(cell, width, height))
  }
  return plateau
}

function neighboursOf(cell: number, width: number, height: number): number[] {
  const [x, y] = [cell % width, Math.floor(cell / width)]
  return [
    ...(x > 0 ? [cell - 1] : []),
    ...(x < width - 1 ? [cell + 1] : []),
    ...(y > 0 ? [cell - width] : []),
    ...(y < height - 1 ? [cell + width] : []),
  ]
}

// The words of heat maps: what stands in a cell, and what its colour measures. Pure.

/** At most two decimals, fewer the larger it is: a cell is narrow. */
function cellLabel(value: number): string {
  const size = Math.abs(value)
  const decimals = Number.isInteger(value) || size >= 100 ? 0 : size >= 10 ? 1 : 2
  return formatNumber(value, decimals)
}

/** "mean of Net profit", "best Net profit", "trials". */
function aggregateTitle(aggregate: Aggregate, metric: MetricName): string {
  if (aggregate === 'count') return 'trials'
  return aggregate === 'mean' ? `mean of ${METRICS[metric].title}` : `best ${METRICS[metric].title}`
}

/** With its unit. */
function aggregateText(value: number, aggregate: Aggregate, metric: MetricName, quote: Quote): string {
  return aggregate === 'count' ? formatNumber(value, 0) : formatMetricWithUnit(metric, value, quote)
}

/** "100 to 150", of a class of colours. */
function rangeText(from: number, to: number, decimalsOfQuote: number): string {
  const decimals = Math.abs(to - from) < 1 ? decimalsOfQuote : 2
  const write = (value: number) => formatNumber(value, Number.isInteger(value) ? 0 : decimals)
  return from === to ? write(from) : `${write(from)} to ${write(to)}`
}

/** A class of colours; the first and the last also have what lies beyond all of them. */
export function classText(
  classes: readonly HeatClass[],
  {
    index,
    reach,
    decimals,
  }: {
    readonly index: number
    readonly reach: { readonly low: number; readonly high: number }
    readonly decimals: number
  },
): string {
  const { from, to } = classes[index]
  const text = rangeText(from, to, decimals)
  if (index === classes.length - 1 && reach.high > to) return `${text} and above`
  return index === 0 && reach.low < from ? `${text} and below` : text
}

// A heat map's cells as they are seen: number, colour, outline and words. Pure.

export interface ShownCell {
  /** `blank`: no trial lies here, selected or not. */
  readonly kind: 'number' | 'unselected' | 'blank'
  readonly label: string
  readonly count: number
  /** null = it has no number. */
  readonly tone: Tone | null
  /** Sides at which the plateau ends: `t`, `r`, `b`, `l`; empty inside of it and off it. The highest level of y is at the top. */
  readonly edges: readonly ('t' | 'r' | 'b' | 'l')[]
  readonly marks: readonly CellMark[]
  /** For those who cannot see it, and for the tooltip. */
  readonly words: string
}

/** `winner`: holds the best trial; `opened`: the one that is open; `chosen`: the filter selects this cell. */
export type CellMark = 'winner' | 'opened' | 'chosen'

/** A pair of fields with what stays the same whatever is selected. */
export interface HeatPair {
  readonly x: LevelColumn
  readonly y: LevelColumn
  /** Of all trials. */
  readonly whole: PairGrid
}

/** What the numbers of the cells are. */
interface HeatView extends Pick<PageSection, 'objective' | 'quote' | 'blanks'> {
  readonly aggregate: Aggregate
}

/** One set of classes for all pairs and whatever is selected, so that their colours can be compared. */
export function classesOf(pairs: readonly HeatPair[], { aggregate, objective }: HeatView): readonly HeatClass[] {
  const values = pairs.flatMap(({ whole }) =>
    Array.from(whole.count.keys()).flatMap((cell) => cellValue(whole, cell, aggregate) ?? []),
  )
  if (values.length === 0) return []
  const areCounts = aggregate === 'count'
  return heatClasses(values, areCounts || objective.direction === 'maximize' ? 'higher' : 'lower', areCounts)
}

/** `count` of `all` trials. */
export function heatTitle(
  { x, y }: HeatPair,
  { aggregate, objective, quote }: HeatView,
  { count, all }: { readonly count: number; readonly all: number },
): string {
  const { metric } = objective
  const unit = METRICS[metric].unit === 'minutes' ? 'minutes' : unitInWords(metric, quote.asset)
  const of = count === all ? formatCount(count, 'trial') : `the ${formatCount(count, 'trial')} that the filter selects`
  return `${CONFIG[x.field].title} and ${CONFIG[y.field].title}: ${aggregateTitle(aggregate, metric)}${aggregate === 'count' || unit === '' ? '' : `, ${unit}`}, of ${of}`
}

interface CellsInput {
  /** Of the trials that are selected. */
  readonly grid: PairGrid
  readonly classes: readonly HeatClass[]
  /** The cell of each mark; null = there is none. */
  readonly marked: Readonly<Record<CellMark, number | null>>
}

export const BLANK_WORDS: Readonly<Record<Blanks, string>> = {
  breaksLimit: 'left out by the study’s constraints',
  untried: 'not tried',
  either: 'without a result: left out by the study’s constraints, or not finished',
}

const MARK_WORDS: Readonly<Record<CellMark, string>> = {
  winner: 'holds the best trial',
  opened: 'holds the open trial',
  chosen: 'selected',
}

export function shownCells(
  { x, y, whole }: HeatPair,
  { grid, classes, marked }: CellsInput,
  { aggregate, quote, blanks, objective: { metric, direction } }: HeatView,
): ShownCell[] {
  const tried = whole.count
  const values = Array.from(grid.count.keys(), (cell) => cellValue(grid, cell, aggregate))
  const plateau = aggregate === 'count' ? new Uint8Array(values.length) : heatPlateau(grid, values, direction)
  return Array.from(grid.count, (count, cell) => {
    const value = values[cell]
    const marks = (['winner', 'opened', 'chosen'] as const).filter((mark) => marked[mark] === cell)
    const at = `${CONFIG[x.field].title} ${levelText(x.levels[cell % grid.width])}, ${CONFIG[y.field].title} ${levelText(y.levels[Math.floor(cell / grid.width)])}`
    const said =
      value !== null
        ? `${aggregateTitle(aggregate, metric)} ${aggregateText(value, aggregate, metric, quote)}${aggregate === 'count' ? '' : ` of ${formatCount(count, 'trial')}`}`
        : tried[cell] > 0
          ? 'no trial selected'
          : BLANK_WORDS[blanks]
    return {
      kind: value !== null ? 'number' : tried[cell] > 0 ? 'unselected' : 'blank',
      label: value === null ? '–' : cellLabel(value),
      count,
      tone: value === null ? null : classOf(classes, value).tone,
      edges: edgesOf(plateau, cell, grid),
      marks,
      words: [
        `${at}: ${said}`,
        ...(plateau[cell] === 1 ? ['on the plateau'] : []),
        ...marks.map((mark) => MARK_WORDS[mark]),
      ].join('; '),
    }
  })
}

function edgesOf(plateau: Uint8Array, cell: number, { width, height }: PairGrid): ('t' | 'r' | 'b' | 'l')[] {
  if (plateau[cell] === 0) return []
  const [x, y] = [cell % width, Math.floor(cell / width)]
  const ends = {
    t: y === height - 1 || plateau[cell + width] === 0,
    r: x === width - 1 || plateau[cell + 1] === 0,
    b: y === 0 || plateau[cell - width] === 0,
    l: x === 0 || plateau[cell - 1] === 0,
  }
  return (['t', 'r', 'b', 'l'] as const).filter((side) => ends[side])
}

// A heat map as an SVG document in the page's colours, for who takes it out of the page. Pure.

/** Pixels. */
const CELL = { width: 64, height: 52 } as const
const LEFT = 150
const TOP = 72

export interface HeatPicture {
  readonly x: Pick<LevelColumn, 'field' | 'levels'>
  readonly y: Pick<LevelColumn, 'field' | 'levels'>
  readonly cells: readonly ShownCell[]
  readonly title: string
}

const EDGES: Readonly<Record<ShownCell['edges'][number], (left: number, top: number) => string>> = {
  t: (left, top) => `M${left} ${top}h${CELL.width}`,
  b: (left, top) => `M${left} ${top + CELL.height}h${CELL.width}`,
  l: (left, top) => `M${left} ${top}v${CELL.height}`,
  r: (left, top) => `M${left + CELL.width} ${top}v${CELL.height}`,
}

/** Colours are variables of the page. The highest level of y is at the top, as on the page. */
export function heatPicture({ x, y, cells, title }: HeatPicture): string {
  const [columns, rows] = [x.levels.length, y.levels.length]
  const width = Math.max(LEFT + columns * CELL.width + 12, 7.2 * title.length + 16)
  const height = TOP + rows * CELL.height + 12
  const placeOf = (index: number) =>
    [LEFT + (index % columns) * CELL.width, TOP + (rows - 1 - Math.floor(index / columns)) * CELL.height] as const
  const boxes = cells.map((cell, index) => cellPicture(cell, ...placeOf(index)))
  const outlines = cells.flatMap(({ edges }, index) => edges.map((side) => outline(EDGES[side](...placeOf(index)))))
  const across = x.levels.map((level, column) =>
    text(levelText(level), { x: LEFT + (column + 0.5) * CELL.width, y: TOP - 8, anchor: 'middle' }),
  )
  const up = y.levels.map((level, row) =>
    text(levelText(level), { x: LEFT - 8, y: TOP + (rows - 0.5 - row) * CELL.height + 4, anchor: 'end' }),
  )
  const names = [
    text(title, { x: 8, y: 18, fill: '--ink' }),
    text(`${CONFIG[x.field].title} →`, { x: LEFT, y: TOP - 28 }),
    text(`${CONFIG[y.field].title} ↓`, { x: 8, y: TOP - 8 }),
  ]
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="system-ui, sans-serif" font-size="12">${[...names, ...across, ...up, ...boxes, ...outlines].join('')}</svg>`
}

function cellPicture({ kind, tone, label, count, marks }: ShownCell, left: number, top: number): string {
  const fill = tone === null ? '--panel' : `--heat-${tone}`
  const ink = tone === null ? '--muted' : `--heat-ink-${tone}`
  const middle = left + CELL.width / 2
  const parts = [
    `<rect x="${left}" y="${top}" width="${CELL.width}" height="${CELL.height}" fill="var(${fill})" stroke="var(--paper)" stroke-width="2"/>`,
    ...(kind === 'blank' ? [] : [text(label, { x: middle, y: top + 24, anchor: 'middle', fill: ink })]),
    ...(kind === 'number'
      ? [text(`n ${count}`, { x: middle, y: top + 40, anchor: 'middle', fill: ink, size: 10 })]
      : []),
    ...(marks.includes('winner')
      ? [`<circle cx="${middle}" cy="${top + 28}" r="22" fill="none" stroke="var(--best)" stroke-width="2.5"/>`]
      : []),
  ]
  return parts.join('')
}

/** Above all cells: a neighbour would cover half of it. */
function outline(path: string): string {
  return `<path d="${path}" stroke="var(--ink)" stroke-width="2.5" fill="none"/>`
}

interface TextPlace {
  readonly x: number
  readonly y: number
  readonly anchor?: 'start' | 'middle' | 'end'
  /** A colour of the page. */
  readonly fill?: string
  readonly size?: number
}

function text(words: string, { x, y, anchor = 'start', fill = '--muted', size = 12 }: TextPlace): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="var(${fill})" font-size="${size}">${escaped(words)}</text>`
}

/** A title names a currency, which a service may have spelt as it likes. */
function escaped(words: string): string {
  return words.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(/\p{Cc}/gu, ' ')
}
