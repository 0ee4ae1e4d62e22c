/** All pairs of fields as small heat maps in the upper triangle of a matrix; the names stand on its diagonal. */
import type { ConfigField } from '../../../../contract/bot.ts'
import type { ShownCell } from '../../model/heat-cells.ts'
import { makeElement } from '../make-element.ts'
import { brokenName } from './broken-name.ts'

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
  const made = new Map<string, { readonly button: HTMLButtonElement; readonly squares: readonly SVGElement[] }>()
  const put = (child: HTMLElement, { row, column }: PairPlace): void => {
    child.style.setProperty('grid-area', `${row + 1} / ${column + 1}`)
    element.append(child)
  }
  fields.forEach((field, place) => {
    put(makeElement('span', { class: 'pair-name', children: brokenName(field) }), { row: place, column: place })
  })
  for (const pair of pairsOf(fields)) {
    const { picture, squares } = emptyPicture(levels[pair.column], levels[pair.row])
    const button = makeElement('button', {
      class: 'pair',
      is: { type: 'button', 'aria-label': `Show ${fields[pair.column]} and ${fields[pair.row]} large` },
      children: [picture],
    })
    button.title = `${fields[pair.column]} × ${fields[pair.row]}`
    button.addEventListener('click', () => enlarge(pair))
    made.set(`${pair.row} ${pair.column}`, { button, squares })
    put(button, pair)
  }
  return {
    element,
    show({ row, column }, cells, isLarge) {
      const found = made.get(`${row} ${column}`)
      found?.button.setAttribute('aria-pressed', String(isLarge))
      found?.squares.forEach((square, index) => {
        paintSquare(square, cells[index])
      })
    },
  }
}

/** One square for each cell, made once. */
function emptyPicture(
  width: number,
  height: number,
): { readonly picture: SVGElement; readonly squares: readonly SVGElement[] } {
  const picture = document.createElementNS(SVG, 'svg')
  picture.setAttribute('viewBox', `0 0 ${width} ${height}`)
  picture.setAttribute('preserveAspectRatio', 'none')
  picture.setAttribute('aria-hidden', 'true')
  const squares = Array.from({ length: width * height }, (_, cell) => {
    const square = document.createElementNS(SVG, 'rect')
    square.setAttribute('x', String(cell % width))
    square.setAttribute('y', String(height - 1 - Math.floor(cell / width)))
    square.setAttribute('width', '1')
    square.setAttribute('height', '1')
    return square
  })
  picture.append(...squares)
  return { picture, squares }
}

/** Only what changes is written, at every step of a brush. */
function paintSquare(square: SVGElement, { kind, tone, marks }: ShownCell): void {
  const isWinner = marks.includes('winner')
  const look = `${kind} ${tone === null ? '' : `fill-${tone}`} ${isWinner ? 'winner' : ''}`
  if (square.getAttribute('class') === look) return
  square.setAttribute('class', look)
  if (isWinner) square.parentNode?.append(square) // its border lies above those of the others
}
