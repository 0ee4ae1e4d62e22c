/** A heat map as an SVG document in the page's colours, for who takes it out of the page. Pure. */
import type { ShownCell } from './heat-cells.ts'
import { type LevelColumn, levelText } from './level-column.ts'

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
    text(`${x.field} →`, { x: LEFT, y: TOP - 28 }),
    text(`${y.field} ↓`, { x: 8, y: TOP - 8 }),
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

const EDGES: Readonly<Record<ShownCell['edges'][number], (left: number, top: number) => string>> = {
  t: (left, top) => `M${left} ${top}h${CELL.width}`,
  b: (left, top) => `M${left} ${top + CELL.height}h${CELL.width}`,
  l: (left, top) => `M${left} ${top}v${CELL.height}`,
  r: (left, top) => `M${left + CELL.width} ${top}v${CELL.height}`,
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
