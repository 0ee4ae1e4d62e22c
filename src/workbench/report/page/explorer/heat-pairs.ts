/** All pairs of fields as small heat maps in the upper triangle of a matrix; the names stand on its diagonal. */
import type { ConfigField } from '../../../../contract/bot.ts'
import type { ShownCell } from '../../model/heat-cells.ts'
import { makeElement } from '../make-element.ts'

export interface HeatPairs {
  readonly element: HTMLElement
  /** `cells` of the pair at `row` (y) and `column` (x). */
  readonly show: (pair: PairPlace, cells: readonly ShownCell[], isLarge: boolean) => void
}

export interface PairPlace {
  readonly row: number
  readonly column: number
}

const SVG = 'http://www.w3.org/2000/svg'

/** Rows above the diagonal, from left to right. */
export function pairsOf(fields: readonly ConfigField[]): PairPlace[] {
  return fields.flatMap((_, row) => fields.slice(row + 1).map((_field, after) => ({ row, column: row + 1 + after })))
}

export function createHeatPairs(
  fields: readonly ConfigField[],
  levels: readonly number[],
  enlarge: (pair: PairPlace) => void,
): HeatPairs {
  const element = makeElement('div', {
    class: 'heat-pairs',
    is: { role: 'group', 'aria-label': 'All pairs of parameters' },
  })
  element.style.setProperty('--pairs', String(fields.length))
  const buttons = new Map<string, HTMLButtonElement>()
  const put = (child: HTMLElement, { row, column }: PairPlace): void => {
    child.style.setProperty('grid-area', `${row + 1} / ${column + 1}`)
    element.append(child)
  }
  fields.forEach((field, place) => {
    const parts = field.match(/^[a-z]+|[A-Z][a-z]*/g) ?? [field]
    const broken = parts.flatMap((part, index) => (index === 0 ? [part] : [makeElement('wbr'), part]))
    put(makeElement('span', { class: 'pair-name', children: broken }), { row: place, column: place })
  })
  for (const pair of pairsOf(fields)) {
    const picture = document.createElementNS(SVG, 'svg')
    picture.setAttribute('viewBox', `0 0 ${levels[pair.column]} ${levels[pair.row]}`)
    picture.setAttribute('preserveAspectRatio', 'none')
    picture.setAttribute('aria-hidden', 'true')
    const button = makeElement('button', {
      class: 'pair',
      is: { type: 'button', 'aria-label': `Show ${fields[pair.column]} and ${fields[pair.row]} large` },
      children: [picture],
    })
    button.title = `${fields[pair.column]} × ${fields[pair.row]}`
    button.addEventListener('click', () => enlarge(pair))
    buttons.set(`${pair.row} ${pair.column}`, button)
    put(button, pair)
  }
  return {
    element,
    show({ row, column }, cells, isLarge) {
      const button = buttons.get(`${row} ${column}`)
      const picture = button?.querySelector('svg')
      if (button === undefined || picture === undefined || picture === null) return
      button.setAttribute('aria-pressed', String(isLarge))
      paintCells(picture, cells, levels[column], levels[row])
    },
  }
}

/** Squares are made once; then only what changes of them is written. */
function paintCells(picture: SVGElement, cells: readonly ShownCell[], width: number, height: number): void {
  cells.forEach((cell, index) => {
    const square = picture.children.item(index) ?? newSquare(picture, index, { width, height })
    const look = `${cell.kind} ${cell.tone === null ? '' : `fill-${cell.tone}`} ${cell.marks.includes('winner') ? 'winner' : ''}`
    if (square.getAttribute('class') !== look) square.setAttribute('class', look)
  })
}

function newSquare(
  picture: SVGElement,
  index: number,
  { width, height }: { width: number; height: number },
): SVGElement {
  const square = document.createElementNS(SVG, 'rect')
  square.setAttribute('x', String(index % width))
  square.setAttribute('y', String(height - 1 - Math.floor(index / width)))
  square.setAttribute('width', '1')
  square.setAttribute('height', '1')
  picture.append(square)
  return square
}
