/** The heat maps of the explorer: one pair of fields large, all pairs small beside it, all of the trials that the filter selects. */
import { CONFIG, type ConfigField } from '../../../../contract/bot.ts'
import { cellOf, type PairGrid, pairGrid } from '../../../analysis/pair-grid.ts'
import { rangeIn, withRanges } from '../../model/filter.ts'
import {
  type Aggregate,
  BLANK_WORDS,
  type CellMark,
  cellValue,
  classesOf,
  classText,
  type HeatClass,
  type HeatPair,
  heatPicture,
  heatTitle,
  type LevelColumn,
  levelColumn,
  levelText,
  rangeOfLevel,
  type ShownCell,
  shownCells,
} from '../../model/heat.ts'
import type { ViewState } from '../../model/view-state.ts'
import { makeElement } from '../make-element.ts'
import { offerExports } from '../save-file.ts'
import type { SectionView } from '../section-view.ts'

interface Pair extends HeatPair {
  readonly place: PairPlace
}

export function mountHeat(place: HTMLElement, sectionView: SectionView): void {
  const { section, table } = sectionView
  const { paired, objective } = section
  const scores = table.values(objective.metric)
  if (paired.length < 2 || scores === undefined) return
  const { direction } = objective
  const columns = paired.map((field) => levelColumn(table, field))
  const pairs = pairsOf(paired).map((pair): Pair => {
    const [x, y] = [columns[pair.column], columns[pair.row]]
    return { place: pair, x, y, whole: pairGrid(x, y, { scores, direction, mask: null }) }
  })
  const aggregates = offerAggregates(sectionView)
  const large = makeElement('div', { class: 'heat-large' })
  const legend = makeElement('ul', { class: 'legend', is: { 'aria-label': 'Legend' } })
  const small = createHeatPairs(
    paired,
    columns.map(({ levels }) => levels.length),
    ({ row, column }) => sectionView.set({ pair: [paired[column], paired[row]] }),
  )
  place.append(
    makeElement('div', { class: 'heat-main', children: [aggregates.element, large, legend] }),
    makeElement('div', { class: 'heat-side', children: [small.element] }),
  )
  let shown: { readonly pair: Pair; readonly table: HeatTable } | null = null
  let picture = ''
  offerExports(place.closest('figure') ?? place, {
    name: `${section.prefix}heat`,
    view: { toSVG: () => Promise.resolve(picture) },
  })
  const show = (): void => {
    const { aggregate } = sectionView.state()
    const { count, mask } = sectionView.selection()
    const isAll = count === table.count
    const grids = pairs.map(({ x, y, whole }) => (isAll ? whole : pairGrid(x, y, { scores, direction, mask })))
    const view = { ...section, aggregate }
    const classes = classesOf(pairs, view)
    const wanted = pairs.find(({ place: at }) => isWanted(sectionView, at)) ?? pairs[0]
    if (shown?.pair !== wanted) {
      shown = {
        pair: wanted,
        table: createHeatTable(wanted.x, wanted.y, (cell) => chooseCell(sectionView, wanted, cell)),
      }
      large.replaceChildren(shown.table.element)
    }
    pairs.forEach((pair, index) => {
      const cells = shownCells(pair, { grid: grids[index], classes, marked: markedCells(sectionView, pair) }, view)
      small.show(pair.place, cells, pair === wanted)
      if (pair !== wanted) return
      const title = heatTitle(pair, view, { count, all: table.count })
      shown?.table.show(cells, title)
      picture = heatPicture({ x: pair.x, y: pair.y, cells, title })
      writeHeatLegend(legend, { classes, cells, reach: reachOf(grids, aggregate), sectionView })
    })
    aggregates.show(aggregate)
  }
  let isWaiting = false
  sectionView.watch((before) => {
    const { filter, pair, aggregate, trial } = sectionView.state()
    const isSame =
      filter === before.filter && pair === before.pair && aggregate === before.aggregate && trial === before.trial
    if (isWaiting || isSame) return
    isWaiting = true
    // a brush can move more than once between two frames
    requestAnimationFrame(() => {
      isWaiting = false
      show()
    })
  })
  show()
}

/** The lowest and the highest number of all cells. */
function reachOf(grids: readonly PairGrid[], aggregate: Aggregate): { readonly low: number; readonly high: number } {
  let [low, high] = [Infinity, -Infinity]
  for (const grid of grids) {
    for (const cell of grid.count.keys()) {
      const value = cellValue(grid, cell, aggregate)
      if (value === null) continue
      low = Math.min(low, value)
      high = Math.max(high, value)
    }
  }
  return { low, high }
}

/** A pair is wanted in either order. */
function isWanted({ section, state }: SectionView, { row, column }: PairPlace): boolean {
  const { pair } = state()
  const fields: readonly (ConfigField | undefined)[] = [section.paired[row], section.paired[column]]
  return pair !== null && fields.includes(pair[0]) && fields.includes(pair[1]) && pair[0] !== pair[1]
}

function markedCells(sectionView: SectionView, { x, y }: HeatPair): Readonly<Record<CellMark, number | null>> {
  const opened = sectionView.opened()
  return {
    winner: sectionView.table.rank(0) === null ? null : cellOf(x, y, 0),
    opened: opened === null ? null : cellOf(x, y, opened),
    chosen: chosenCell(sectionView, x, y, sectionView.state().filter),
  }
}

function chosenCell({ table }: SectionView, x: LevelColumn, y: LevelColumn, filter: string): number | null {
  const levelIn = ({ field, levels }: LevelColumn) => {
    const range = rangeIn(table, filter, field)
    return levels.findIndex((level) => {
      const own = rangeOfLevel(level)
      const [min, max] = 'is' in own ? [own.is, own.is] : [own.min, own.max]
      return range !== null && range.min === min && range.max === max
    })
  }
  const [column, row] = [levelIn(x), levelIn(y)]
  return column < 0 || row < 0 ? null : row * x.levels.length + column
}

/** A cell that is chosen already is left again. */
function chooseCell(sectionView: SectionView, { x, y }: Pair, cell: number): void {
  const { filter } = sectionView.state()
  const isChosen = chosenCell(sectionView, x, y, filter) === cell
  const levels = [x.levels[cell % x.levels.length], y.levels[Math.floor(cell / x.levels.length)]]
  sectionView.set({
    filter: withRanges(
      sectionView.table,
      filter,
      [x, y].map(({ field }, index) => ({ column: field, range: isChosen ? null : rangeOfLevel(levels[index]) })),
    ),
  })
}

// What is beside the heat maps: what their colours mean, and what their cells are.

const CHOICES: readonly (readonly [ViewState['aggregate'], string])[] = [
  ['mean', 'Mean'],
  ['best', 'Best'],
  ['count', 'Trials'],
]

/** Radio buttons: the usual keys choose among them. */
function offerAggregates(sectionView: SectionView): {
  readonly element: HTMLElement
  readonly show: (aggregate: ViewState['aggregate']) => void
} {
  const inputs = CHOICES.map(([value, title]) => {
    const input = makeElement('input', { is: { type: 'radio', name: `${sectionView.section.prefix}aggregate`, value } })
    input.addEventListener('change', () => sectionView.set({ aggregate: value }))
    return { value, input, label: makeElement('label', { children: [input, title] }) }
  })
  const element = makeElement('fieldset', {
    class: 'aggregates',
    children: [makeElement('legend', { class: 'unseen', text: 'What a cell is' }), ...inputs.map(({ label }) => label)],
  })
  return {
    element,
    show(aggregate) {
      for (const { input, value } of inputs) input.checked = value === aggregate
    },
  }
}

function writeHeatLegend(
  list: HTMLElement,
  {
    classes,
    cells,
    reach,
    sectionView,
  }: {
    readonly classes: readonly HeatClass[]
    readonly cells: readonly ShownCell[]
    /** Of the numbers that have these colours: a selection may go beyond what the classes were made for. */
    readonly reach: { readonly low: number; readonly high: number }
    readonly sectionView: SectionView
  },
): void {
  const { section, state } = sectionView
  const has = (test: (cell: ShownCell) => boolean) => cells.some(test)
  const decimals = state().aggregate === 'count' ? 0 : section.quote.decimals
  const entries: [swatch: string, label: string][] = [
    ...classes.map(({ tone }, index): [string, string] => [
      `heat-${tone}`,
      classText(classes, { index, reach, decimals }),
    ]),
    ...(has(({ edges }) => edges.length > 0) ? [['plateau', 'plateau'] as [string, string]] : []),
    ...(has(({ marks }) => marks.includes('winner')) ? [['winner', 'holds the best trial'] as [string, string]] : []),
    ...(has(({ marks }) => marks.includes('opened')) ? [['opened', 'holds the open trial'] as [string, string]] : []),
    ...(has(({ kind }) => kind === 'blank') ? [['hatched', BLANK_WORDS[section.blanks]] as [string, string]] : []),
  ]
  list.replaceChildren(
    ...entries.map(([swatch, label]) =>
      makeElement('li', {
        children: [makeElement('span', { class: `swatch ${swatch}`, is: { 'aria-hidden': 'true' } }), label],
      }),
    ),
  )
}

// All pairs of fields as small heat maps in the upper triangle of a matrix; the names stand on its diagonal.

interface HeatPairs {
  readonly element: HTMLElement
  /** `cells` of the pair at `row` (y) and `column` (x). */
  readonly show: (pair: PairPlace, cells: readonly ShownCell[], isLarge: boolean) => void
}

interface PairPlace {
  readonly row: number
  readonly column: number
}

const SVG = 'http://www.w3.org/2000/svg'

/** Rows above the diagonal, from left to right. */
function pairsOf(fields: readonly ConfigField[]): PairPlace[] {
  return fields.flatMap((_, row) => fields.slice(row + 1).map((_field, after) => ({ row, column: row + 1 + after })))
}

function createHeatPairs(
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
    put(makeElement('span', { class: 'pair-name', text: CONFIG[field].title, is: { title: field } }), {
      row: place,
      column: place,
    })
  })
  for (const pair of pairsOf(fields)) {
    const [x, y] = [pair.column, pair.row].map((at) => CONFIG[fields[at]].title)
    const { picture, squares } = emptyPicture(levels[pair.column], levels[pair.row])
    const button = makeElement('button', {
      class: 'pair',
      is: { type: 'button', 'aria-label': `Show ${x} and ${y} large` },
      children: [picture],
    })
    button.title = `${x} and ${y}`
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
  const appearance = `${kind} ${tone === null ? '' : `fill-${tone}`} ${isWinner ? 'winner' : ''}`
  if (square.getAttribute('class') === appearance) return
  square.setAttribute('class', appearance)
  if (isWinner) square.parentNode?.append(square) // its border lies above those of the others
}

// The large heat map: a table whose cells are buttons, so that it can be read, walked by arrow keys, and printed.

interface HeatTable {
  readonly element: HTMLElement
  readonly show: (cells: readonly ShownCell[], caption: string) => void
}

/** `choose` hears of the cell that was clicked. */
function createHeatTable(x: LevelColumn, y: LevelColumn, choose: (cell: number) => void): HeatTable {
  const width = x.levels.length
  const cells = new Map<number, HTMLElement>()
  const caption = makeElement('p', { class: 'heat-caption' })
  const rows = [...y.levels.keys()].reverse().map((row) => {
    const boxes = [...x.levels.keys()].map((column) => {
      const box = makeElement('td')
      cells.set(row * width + column, box)
      return box
    })
    return makeElement('tr', {
      children: [makeElement('th', { text: levelText(y.levels[row]), is: { scope: 'row' } }), ...boxes],
    })
  })
  const heads = x.levels.map((level) => makeElement('th', { text: levelText(level), is: { scope: 'col' } }))
  const fieldRow = makeElement('tr', {
    children: [
      makeElement('td', { class: 'corner', text: `${CONFIG[y.field].title} ↓`, is: { rowspan: 2, title: y.field } }),
      makeElement('th', {
        text: `${CONFIG[x.field].title} →`,
        is: { colspan: width, scope: 'colgroup', title: x.field },
      }),
    ],
  })
  const table = makeElement('table', {
    class: 'heat-table',
    children: [
      makeElement('thead', { children: [fieldRow, makeElement('tr', { children: heads })] }),
      makeElement('tbody', { children: rows }),
    ],
  })
  walkByKeys(table, cells, width)
  return {
    element: makeElement('div', { children: [caption, makeElement('div', { class: 'scroll', children: [table] })] }),
    show(shown, words) {
      caption.textContent = words
      table.setAttribute('aria-label', words)
      shown.forEach((cell, index) => {
        const box = cells.get(index)
        if (box !== undefined) fillCell(box, cell, () => choose(index))
      })
      offerOneStop(cells)
    },
  }
}

/** Only what changes is written, at every step of a brush. */
function fillCell(box: HTMLElement, cell: ShownCell, choose: () => void): void {
  const appearance = [
    'heat-cell',
    cell.kind,
    ...(cell.tone === null ? [] : [`heat-${cell.tone}`, `ink-${cell.tone}`]),
    ...cell.edges.map((side) => `edge-${side}`),
    ...cell.marks,
  ].join(' ')
  if (box.className === appearance && box.title === cell.words) return
  box.className = appearance
  box.title = cell.words
  if (cell.kind === 'blank') {
    box.replaceChildren(makeElement('span', { class: 'unseen', text: cell.words.split(': ').at(-1) ?? '' }))
    return
  }
  const button = box.querySelector('button') ?? newButton(box, choose)
  button.setAttribute('aria-pressed', String(cell.marks.includes('chosen')))
  button.replaceChildren(
    cell.label,
    makeElement('small', { text: cell.kind === 'number' ? `n ${cell.count}` : '' }),
    makeElement('span', { class: 'unseen', text: cell.words }),
  )
}

function newButton(box: HTMLElement, choose: () => void): HTMLButtonElement {
  const button = makeElement('button', { is: { type: 'button', tabindex: -1 } })
  button.addEventListener('click', choose)
  box.replaceChildren(button)
  return button
}

/** The table is one stop for the tab key, at the cell that had the focus last. */
function offerOneStop(cells: ReadonlyMap<number, HTMLElement>): void {
  const buttons = [...cells.values()].flatMap((box) => box.querySelector('button') ?? [])
  if (!buttons.some(({ tabIndex }) => tabIndex === 0)) buttons.at(0)?.setAttribute('tabindex', '0')
}

const STEPS: Readonly<Record<string, readonly [across: number, up: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
}

/** An arrow goes to the next cell with a button in its direction. */
function walkByKeys(table: HTMLElement, cells: ReadonlyMap<number, HTMLElement>, width: number): void {
  table.addEventListener('keydown', (event) => {
    const step = STEPS[event.key]
    const here = [...cells].find(([, box]) => box.contains(document.activeElement))
    if (step === undefined || here === undefined) return
    event.preventDefault()
    const [across, up] = step
    let [column, row] = [here[0] % width, Math.floor(here[0] / width)]
    for (;;) {
      column += across
      row += up
      const box = column < 0 || column >= width ? undefined : cells.get(row * width + column)
      if (box === undefined) return
      const button = box.querySelector('button')
      if (button === null) continue
      here[1].querySelector('button')?.setAttribute('tabindex', '-1')
      button.setAttribute('tabindex', '0')
      button.focus()
      return
    }
  })
}
