/** Rows as CSV or as one JSON document per line, one portion after the other. */
import { closeSync, openSync, writeFileSync } from 'node:fs'
import type { RowWriter } from './parquet.ts'
import type { Cell, ColumnType, TypedColumn } from './view-rows.ts'

/** RFC 4180; text that a spreadsheet would run as a formula gets a leading apostrophe, numbers stay numbers. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  const text = String(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export interface Spelling {
  /** What comes before the first row. */
  readonly head: string
  readonly line: (row: readonly Cell[]) => string
}

/** As RFC 4180 has it, with a line of names, but for the line ends: `$(… | tail -1)` takes no CR along. `cell` writes one value. */
export function csvSpelling(columns: readonly TypedColumn[], cell: (value: unknown) => string): Spelling {
  const line = (values: readonly unknown[]) => `${values.map(cell).join(',')}\n`
  return { head: line(columns.map(({ name }) => name)), line }
}

/** Times are ISO 8601 texts, yes and no are true and false; integers beyond 2^53 are texts. */
export function ndjsonSpelling(columns: readonly TypedColumn[]): Spelling {
  return {
    head: '',
    line: (row) => {
      const named = columns.map(({ name, type }, i) => [name, plainValue(row[i], type)] as const)
      return `${JSON.stringify(Object.fromEntries(named))}\n`
    },
  }
}

export function textFile(path: string, { head, line }: Spelling): RowWriter {
  const handle = openSync(path, 'wx')
  writeFileSync(handle, head)
  return {
    write: (rows) => writeFileSync(handle, rows.map(line).join('')), // goes on where the last write ended
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
