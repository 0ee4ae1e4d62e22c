/** Rows as CSV or as one JSON document per line, one portion after the other. */
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { csvCell } from './csv-cell.ts'
import type { RowWriter } from './parquet.ts'
import type { Cell, ColumnType, TypedColumn } from './view-rows.ts'

export interface Spelling {
  /** What comes before the first row. */
  readonly head: string
  readonly line: (row: readonly Cell[]) => string
}

/** As RFC 4180 has it, with a line of names, but for the line ends: `$(… | tail -1)` takes no CR along. */
export function csvSpelling(columns: readonly TypedColumn[]): Spelling {
  const line = (values: readonly unknown[]) => `${values.map(csvCell).join(',')}\n`
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
