/** Exports a view for other programs, in chunks: a file of any length takes the same memory. */
import { closeSync, openSync, statSync, writeFileSync } from 'node:fs'
import { Failure } from '../../../errors.ts'
import { type Store, storeFailure } from '../store.ts'
import { VIEW_ROWS } from '../views.ts'
import { writeWhole } from '../whole-file.ts'
import { csvCell } from './csv-cell.ts'
import { parquetColumnFile } from './parquet.ts'
import { type Cell, type ColumnType, readView, type TypedColumn, type WantedRows } from './view-rows.ts'

interface RowWriter {
  write(rows: Iterable<readonly Cell[]>): void
  end(): void
  /** Closes the file, also after a failure. */
  close(): void
}

/** What a file says of itself as a whole, where it has a column of that name: each different value, or how many there are. */
const LINEAGE = ['study', 'revision', 'service', 'market', 'candles_hash', 'engine_version']

const mostNamed = 100

interface ExportQuestion extends WantedRows {
  readonly showProgress: (rows: number) => void
  readonly signal: AbortSignal
}

interface ExportRequest extends ExportQuestion {
  readonly path: string
  readonly force: boolean
  /** Absent = by the ending of the path. */
  readonly format?: Format
}

interface ExportReport {
  readonly path: string
  readonly format: Format
  readonly view: string
  readonly rows: number
  readonly columns: number
  readonly bytes: number
}

export const EXPORT_FORMATS = ['parquet', 'csv', 'ndjson'] as const

type Format = (typeof EXPORT_FORMATS)[number]

/** A chunk ends with so many rows, or so much text, whichever comes first: series are long. */
const rowsAtOnce = 10_000
const charactersAtOnce = 16_000_000

/** @throws Failure usage, notFound, storeUnusable; the signal's reason */
export async function exportView(store: Store, request: ExportRequest): Promise<ExportReport> {
  const { path, force } = request
  const format = request.format ?? formatOf(path)
  const { view, columns, rows } = readView(store, request)
  let count = 0
  try {
    await writeWhole({ path, setting: '--out' }, { force, store: store.path }, async (part) => {
      const file = openFile(part, format, columns)
      try {
        count = await inChunks(store, rows, request, file.write)
        file.end()
      } finally {
        file.close()
      }
    })
  } catch (error) {
    throw storeFailure(store.path, error)
  }
  return { path, format, view, rows: count, columns: columns.length, bytes: statSync(path).size }
}

/** The rows of a statement that an analyst asks. */
interface Answer {
  readonly columns: readonly string[]
  readonly batches: AsyncIterable<readonly (readonly (string | number | null)[])[]>
}

/**
 * The same of an answer. What a column holds follows from its first rows, unit and meaning from the views where one of that name is in them.
 * @param place `path` of the file, and `store`, which is not to be overwritten
 * @throws Failure usage, storeUnusable; sqlInvalid for a column of numbers in which a text comes later
 */
export async function exportAnswer(
  { columns: names, batches }: Answer,
  place: Pick<ExportRequest, 'path' | 'force'> & { readonly store: string },
): Promise<{ readonly rows: number }> {
  const { path, force, store } = place
  const format = formatOf(path)
  let rows = 0
  await writeWhole({ path, setting: '--out' }, { force, store }, async (part) => {
    const waiting = batches[Symbol.asyncIterator]()
    const first = await waiting.next()
    const columns = names.map((name, i) => typedBy(name, first.done ? [] : first.value.map((row) => row[i])))
    const file = openFile(part, format, columns)
    try {
      for (let batch = first; !batch.done; batch = await waiting.next()) {
        if (format === 'parquet') requireNumbers(columns, batch.value)
        file.write(batch.value)
        rows += batch.value.length
      }
      file.end()
    } finally {
      file.close()
    }
  })
  return { rows }
}

const described = new Map(Object.values(VIEW_ROWS).flatMap(({ columns }) => Object.entries(columns)))

function typedBy(name: string, values: readonly (string | number | null)[]): TypedColumn {
  const known = described.get(name)
  const unit = known?.unit
  const words = known === undefined ? {} : { unit: known.unit, meaning: known.meaning }
  const isText = values.some((value) => typeof value === 'string')
  if (unit === 'time' && values.every((value) => value === null || !Number.isNaN(Date.parse(String(value)))))
    return { name, type: 'time', ...words }
  if (unit === 'yes/no' && values.every((value) => value === null || value === 0 || value === 1))
    return { name, type: 'yesNo', ...words }
  const isKnownText = unit === 'text' || unit === 'json'
  return {
    name,
    type: isText || (isKnownText && values.every((value) => value === null)) ? 'text' : 'number',
    ...words,
  }
}

function requireNumbers(columns: readonly TypedColumn[], rows: readonly (readonly unknown[])[]): void {
  const wrong = columns.find(({ type }, i) => type === 'number' && rows.some((row) => typeof row[i] === 'string'))
  if (wrong === undefined) return
  throw new Failure('sqlInvalid', `the column ${wrong.name} begins with numbers and holds a text later`, {
    hint: `write \`cast(… as text) as ${wrong.name}\``,
  })
}

function formatOf(path: string): Format {
  const format = EXPORT_FORMATS.find((ending) => path.endsWith(`.${ending}`))
  if (format !== undefined) return format
  throw new Failure('usage', `--out expects a file that ends in .${EXPORT_FORMATS.join(', .')}, found "${path}"`)
}

function openFile(path: string, format: Format, columns: readonly TypedColumn[]): RowWriter {
  if (format === 'parquet') return parquetFile(path, columns)
  return textFile(path, spellingOf(format, columns))
}

function spellingOf(format: TextFormat, columns: readonly TypedColumn[]): Spelling {
  return format === 'csv' ? csvSpelling(columns) : ndjsonSpelling(columns)
}

type TextFormat = Exclude<Format, 'parquet'>

/**
 * The same as text, chunk by chunk, wherever `write` puts it; the next chunk is read when it is taken.
 * @throws Failure usage, notFound, storeUnusable; the signal's reason
 */
export async function exportText(
  store: Store,
  request: ExportQuestion & { readonly format: TextFormat },
  write: (text: string) => Promise<void>,
): Promise<void> {
  const { columns, rows } = readView(store, request)
  const { head, line } = spellingOf(request.format, columns)
  try {
    if (head !== '') await write(head)
    await inChunks(store, rows, request, (chunk) => write(Array.from(chunk, line).join('')))
  } catch (error) {
    throw storeFailure(store.path, error)
  }
}

type Rows = Iterable<readonly Cell[]>

/** Answers how many rows there are. `write` takes a chunk to its end, row by row as they are read. */
async function inChunks(
  { clock }: Store,
  rows: Rows,
  { showProgress, signal }: ExportQuestion,
  write: (chunk: Rows) => void | Promise<void>,
): Promise<number> {
  const source = rows[Symbol.iterator]()
  let count = 0
  let next = source.next()
  function* chunk(): Generator<readonly Cell[]> {
    let characters = 0
    for (const end = count + rowsAtOnce; !next.done && count < end && characters < charactersAtOnce; count++) {
      yield next.value
      for (const cell of next.value) if (typeof cell === 'string') characters += cell.length
      next = source.next()
    }
  }
  try {
    while (!next.done) {
      await write(chunk())
      showProgress(count)
      await clock.sleep(0, signal) // lets an interrupt take effect
    }
  } finally {
    source.return?.()
  }
  return count
}

interface Spelling {
  /** What comes before the first row. */
  readonly head: string
  readonly line: (row: readonly Cell[]) => string
}

/** As RFC 4180 has it, with a line of names, but for the line ends: `$(… | tail -1)` takes no CR along. */
function csvSpelling(columns: readonly TypedColumn[]): Spelling {
  const line = (values: readonly unknown[]) => `${values.map(csvCell).join(',')}\n`
  return { head: line(columns.map(({ name }) => name)), line }
}

/** Times are ISO 8601 texts, yes and no are true and false; integers beyond 2^53 are texts. */
function ndjsonSpelling(columns: readonly TypedColumn[]): Spelling {
  return {
    head: '',
    line: (row) => {
      const named = columns.map(({ name, type }, i) => [name, plainValue(row[i], type)] as const)
      return `${JSON.stringify(Object.fromEntries(named))}\n`
    },
  }
}

function textFile(path: string, { head, line }: Spelling): RowWriter {
  const handle = openSync(path, 'wx')
  writeFileSync(handle, head)
  return {
    write: (rows) => writeFileSync(handle, Array.from(rows, line).join('')), // goes on where the last write ended
    end: () => {},
    close: () => closeSync(handle),
  }
}

function plainValue(cell: Cell, type: ColumnType): unknown {
  if (typeof cell !== 'bigint') return cell
  if (type === 'yesNo') return cell === 1n
  const number = Number(cell)
  return Number.isSafeInteger(number) ? number : cell.toString()
}

/** A new file at `path`. Every `write` is a row group. Its metadata say unit and meaning of each column, and what its rows come from. */
export function parquetFile(path: string, columns: readonly TypedColumn[]): RowWriter {
  const described = columns.flatMap(({ name, unit, meaning }) =>
    unit === undefined ? [] : [[name, { unit, meaning }]],
  )
  const facts: Record<string, string> = { columns: JSON.stringify(Object.fromEntries(described)) }
  const file = parquetColumnFile(path, columns, facts)
  const lineage = columns.flatMap(({ name }, i) =>
    LINEAGE.includes(name) ? [{ name, i, found: new Set<string>() }] : [],
  )
  return {
    ...file,
    write: (rows) => {
      const data = columnsOf(rows, columns)
      for (const { i, found } of lineage) for (const value of data[i]) if (value !== null) found.add(String(value))
      file.write(data)
    },
    end: () => {
      for (const { name, found } of lineage) {
        facts[name] = found.size > mostNamed ? `${found.size} different` : [...found].sort().join(', ')
      }
      file.end()
    },
  }
}

/** Rows by columns, each row let go as soon as it was read: numbers take no more than their eight bytes then. */
function columnsOf(rows: Iterable<readonly Cell[]>, columns: readonly TypedColumn[]): unknown[][] {
  const data = columns.map((): unknown[] => [])
  for (const row of rows) for (let i = 0; i < data.length; i++) data[i].push(parquetValue(row[i], columns[i].type))
  return data
}

/** A time in ms since 1970 UTC; a RangeError for a text that is none. */
function parquetValue(cell: Cell, type: ColumnType): unknown {
  if (cell === null) return null
  if (type === 'integer') return BigInt(cell)
  if (type === 'number') return Number(cell)
  if (type === 'yesNo') return Number(cell) === 1
  return type === 'time' ? BigInt(Date.parse(String(cell))) : String(cell)
}
