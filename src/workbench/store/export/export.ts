/** Exports a view for other programs, in portions: a file of any length takes the same memory. */
import { statSync } from 'node:fs'
import { Failure } from '../../../errors.ts'
import { type Store, storeFailure } from '../store.ts'
import { writeWhole } from '../whole-file.ts'
import { parquetFile, type RowWriter } from './parquet.ts'
import { csvFile, ndjsonFile } from './text.ts'
import { type Cell, readView, type TypedColumn } from './view-rows.ts'

export interface ExportRequest {
  /** A study's name; absent = the whole store. */
  readonly study?: string
  /** A promised view; absent = the leaderboard of a study, every result of a store. */
  readonly view?: string
  readonly path: string
  readonly force: boolean
  /** Writes one cell of a CSV file. */
  readonly csvCell: (value: unknown) => string
  readonly tell: (rows: number) => void
  readonly signal: AbortSignal
}

export interface ExportReport {
  readonly path: string
  readonly format: Format
  readonly view: string
  readonly rows: number
  readonly columns: number
  readonly bytes: number
}

const FORMATS = ['parquet', 'csv', 'ndjson'] as const

type Format = (typeof FORMATS)[number]

/** A portion ends with so many rows, or so much text, whichever comes first: series are long. */
const rowsAtOnce = 10_000
const charactersAtOnce = 16_000_000

/** @throws Failure usage, notFound, storeUnusable; the signal's reason */
export async function exportView(store: Store, request: ExportRequest): Promise<ExportReport> {
  const { path, force, signal, tell } = request
  const format = formatOf(path)
  const { view, columns, rows } = readView(store, request)
  let count = 0
  try {
    await writeWhole({ path, setting: '--out' }, { force, store: store.path }, async (part) => {
      const file = openFile(part, format, columns, request.csvCell)
      try {
        for (const portion of portionsOf(rows)) {
          file.write(portion)
          count += portion.length
          tell(count)
          await store.clock.sleep(0, signal) // lets an interrupt take effect
        }
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

function formatOf(path: string): Format {
  const format = FORMATS.find((ending) => path.endsWith(`.${ending}`))
  if (format !== undefined) return format
  throw new Failure('usage', `--out expects a file that ends in .${FORMATS.join(', .')}, found "${path}"`)
}

function openFile(
  path: string,
  format: Format,
  columns: readonly TypedColumn[],
  csvCell: (value: unknown) => string,
): RowWriter {
  if (format === 'parquet') return parquetFile(path, columns)
  return format === 'csv' ? csvFile(path, columns, csvCell) : ndjsonFile(path, columns)
}

function* portionsOf(rows: Iterable<readonly Cell[]>): Generator<readonly (readonly Cell[])[]> {
  let portion: (readonly Cell[])[] = []
  let characters = 0
  for (const row of rows) {
    portion.push(row)
    for (const cell of row) if (typeof cell === 'string') characters += cell.length
    if (portion.length < rowsAtOnce && characters < charactersAtOnce) continue
    yield portion
    portion = []
    characters = 0
  }
  if (portion.length > 0) yield portion
}
