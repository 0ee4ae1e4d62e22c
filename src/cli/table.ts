/**
 * The one printer of tables. A column has a role; columns stand in the order of their roles, with the same decimals all the way down, and a table is
 * no wider than the terminal: details give way, then text breaks at words, then companions give way. What distinguishes rows is never hidden: where it
 * does not fit, the table goes on below itself.
 */
import {
  countOf,
  type FittingTable,
  formatNumber,
  inOneLine,
  paint,
  printable,
  type Tone,
  wrapWords,
} from './output.ts'

/** In their order. */
const ROLES = ['id', 'alarm', 'objective', 'varied', 'companion', 'detail'] as const

export interface Column<Row> {
  readonly title: string
  /** null is shown as a dash: unknown is not zero. */
  readonly value: (row: Row) => string | number | null
  readonly digits?: number
  /** Default: companion. An alarm is shown only where some row has one: a text or a number other than 0. */
  readonly role?: (typeof ROLES)[number]
  /** The colour of a cell, where there are colours. */
  readonly tone?: (value: string | number | null) => Tone | undefined
}

/** An aligned table for `printLines`; numbers to the right, text to the left. */
export function fittingTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): FittingTable {
  const aligned = columns
    .map((column) => measure(rows, column))
    .filter(({ role, isUnusual }) => role !== 'alarm' || isUnusual)
    .sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role))
  return {
    linesWithin({ columns: room = Number.POSITIVE_INFINITY, colours }) {
      const leastDetailed = withoutLast('detail', aligned, (columns) => widthOf(columns) <= room)
      const kept = withoutLast('companion', leastDetailed, (columns) => leastWidth(columns) <= room)
      const hidden = aligned.filter((column) => !kept.includes(column)).map(({ title }) => title)
      const blocks = inBlocks(kept, room).flatMap((block, at) => [
        ...(at === 0 ? [] : ['']),
        ...joinColumns(shrunk(block, room), rows.length, colours),
      ])
      return [...blocks, ...(hidden.length === 0 ? [] : wrapWords(describeHidden(hidden), room))]
    },
  }
}

/** The last of a role go first; one column stays, however wide it is. */
function withoutLast(
  role: Measured['role'],
  columns: readonly Measured[],
  fits: (columns: readonly Measured[]) => boolean,
): readonly Measured[] {
  let kept = columns
  while (kept.length > 1 && !fits(kept)) {
    const last = kept.findLast((column) => column.role === role)
    if (last === undefined || last === kept[0]) break
    kept = kept.filter((column) => column !== last)
  }
  return kept
}

const MOST_NAMED = 12

function describeHidden(hidden: readonly string[]): string {
  const named = hidden.length > MOST_NAMED ? '' : `: ${hidden.join(', ')}`
  return `${countOf(hidden.length, 'column')} hidden${named}; --wide shows all`
}

interface Measured {
  readonly title: string
  readonly role: (typeof ROLES)[number]
  readonly isNumber: boolean
  readonly isUnusual: boolean
  readonly cells: readonly string[]
  /** Of the cells. */
  readonly tones: readonly (Tone | undefined)[]
  readonly width: number
  /** Narrower no word of it fits. */
  readonly least: number
}

/** Of a line of a title, where no cell is wider. */
const WIDEST_TITLE = 9
/** Text that is broken keeps so much, where it has it. */
const LEAST_TEXT = 16

function measure<Row>(
  rows: readonly Row[],
  { title: given, value, digits, tone, role = 'companion' }: Column<Row>,
): Measured {
  const title = printable(given)
  const values = rows.map(value)
  const numbers = values.filter((cell) => typeof cell === 'number')
  const cells = values.map((cell) => formatCell(cell, digits ?? usualDigits(numbers)))
  const cellWidth = widest(cells)
  const width = Math.max(cellWidth, widest(titleLines(title, Math.max(cellWidth, WIDEST_TITLE))))
  const words = widest([...cells, title].flatMap((text) => text.split(' ')))
  return {
    ...{ title, role, cells, width },
    isNumber: numbers.length > 0,
    isUnusual: values.some((cell) => cell !== null && cell !== 0 && cell !== ''),
    tones: values.map((cell) => tone?.(cell)),
    least: Math.min(width, Math.max(words, LEAST_TEXT)),
  }
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, text.length), 0)
}

const gap = '  '

function widthOf(columns: readonly Pick<Measured, 'width'>[]): number {
  return columns.reduce((sum, { width }) => sum + width + gap.length, -gap.length)
}

function leastWidth(columns: readonly Measured[]): number {
  return widthOf(columns.map(({ least }) => ({ width: least })))
}

/** The columns side by side where they fit, else what identifies a row at the beginning of every block. */
function inBlocks(columns: readonly Measured[], room: number): Measured[][] {
  const lead = columns.filter(({ role }, at) => role === 'id' || at === 0)
  const blocks = [[...lead]]
  for (const column of columns.slice(lead.length)) {
    const block = blocks[blocks.length - 1]
    if (block.length > lead.length && leastWidth([...block, column]) > room) blocks.push([...lead, column])
    else block.push(column)
  }
  return blocks
}

/** Text gives way at words, the widest column first, until the rest fits beside it. */
function shrunk(columns: readonly Measured[], room: number): readonly Measured[] {
  let all = columns
  for (const column of columns.toSorted((a, b) => b.width - a.width)) {
    const over = widthOf(all) - room
    if (over <= 0) break
    const narrower = { ...column, width: Math.max(column.least, column.width - over) }
    all = all.map((one) => (one === column ? narrower : one))
  }
  return all
}

function joinColumns(columns: readonly Measured[], rowCount: number, colours: boolean): string[] {
  const padded = (text: string, { isNumber, width }: Measured) => (isNumber ? text.padStart(width) : text.padEnd(width))
  const titles = columns.map(({ title, width }) => titleLines(title, width))
  const height = Math.max(...titles.map(({ length }) => length))
  const head = Array.from({ length: height }, (_, line) =>
    columns.map((column, at) => padded(titles[at][line - height + titles[at].length] ?? '', column)),
  )
  const rules = columns.map(({ width }) => '-'.repeat(width))
  const body = Array.from({ length: rowCount }, (_, row) => {
    const cells = columns.map(({ cells, width }) => wrapWords(cells[row], width))
    return Array.from({ length: Math.max(...cells.map(({ length }) => length)) }, (_, line) =>
      columns.map((column, at) =>
        paint(padded(cells[at][line] ?? '', column), colours ? column.tones[row] : undefined),
      ),
    )
  }).flat()
  return [...head, rules, ...body].map((line) => line.join(gap).trimEnd())
}

/** Broken at spaces where it is wider than `width` or its widest word; a unit stays beside its word. */
function titleLines(title: string, width: number): readonly string[] {
  const joined = title.replaceAll(/ (?=[%×])/g, '\u2060')
  return wrapWords(joined, Math.max(width, widest(joined.split(' ')))).map((line) => line.replaceAll('\u2060', ' '))
}

function formatCell(value: string | number | null, digits: number): string {
  if (value === null) return '-'
  // A service's words must not make rows of their own.
  return typeof value === 'string' ? printable(inOneLine(value)) : formatNumber(value, digits)
}

const MOST_DECIMALS = 12

/**
 * None for whole numbers, else those of the largest: two below 10, one below 1,000, none above; more where it is below one, so that a profit in BTC is
 * not 0.00.
 */
function usualDigits(numbers: readonly number[]): number {
  if (numbers.every(Number.isInteger)) return 0
  const largest = Math.max(...numbers.map(Math.abs))
  if (largest >= 1) return largest < 10 ? 2 : largest < 1_000 ? 1 : 0
  return Math.min(2 - Math.floor(Math.log10(largest)), MOST_DECIMALS)
}

/** As many decimals as are needed to show four significant digits of every number of a column, and no more than they have. */
export function tellingDigits(numbers: readonly number[]): number {
  return numbers.reduce((most, value) => {
    if (Number.isInteger(value) || !Number.isFinite(value)) return most
    const enough = Math.min(Math.max(2, 3 - Math.floor(Math.log10(Math.abs(value)))), MOST_DECIMALS)
    const text = value.toFixed(enough).replace(/0+$/, '')
    return Math.max(most, text.length - text.indexOf('.') - 1)
  }, 0)
}
