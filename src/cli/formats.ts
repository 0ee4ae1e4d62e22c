/** Rows in the format that was asked for. CSV and NDJSON are printed while the rows come, the others once all are there. */
import { withCommas } from '../contract/metrics.ts'
import { Failure } from '../errors.ts'
import type { Terminal } from '../system.ts'
import { csvCell } from '../workbench/store/export/csv-cell.ts'
import type { StreamedAnswer } from '../workbench/store/sql/ask.ts'
import type { Row } from '../workbench/store/sql/select.ts'
import type { Format } from './option.ts'
import { jsonText, printAnswer, printJson, printLines, say, verbatim } from './output.ts'
import { fittingTable, tellingDigits } from './table.ts'

/** Of answers that are held whole: more rows are a mistake, or should be streamed. */
const rowLimit = 100_000

export type Write = (terminal: Terminal, answer: StreamedAnswer) => Promise<void>

const FORMATS: Readonly<Record<Format, Write>> = {
  table: writeTable,
  csv: writeCsv,
  json: writeJson,
  ndjson: writeNdjson,
  md: writeMarkdown,
}

export function writeAs(format: Format): Write {
  return FORMATS[format]
}

/** Objects with the same keys, which are the columns. @param columns of no rows */
export function writeRows(
  terminal: Terminal,
  format: Format,
  rows: readonly Readonly<Record<string, Row[number]>>[],
  columns: readonly string[] = [],
) {
  return FORMATS[format](terminal, {
    columns: rows.length === 0 ? columns : Object.keys(rows[0]),
    batches: inOneBatch(rows.map((row) => Object.values(row))),
  })
}

async function* inOneBatch(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  if (rows.length > 0) yield rows
}

async function writeTable(terminal: Terminal, answer: StreamedAnswer): Promise<void> {
  const rows = await collect(answer)
  const columns = answer.columns.map((title, i) => ({
    title: title.replaceAll('\n', ' '),
    value: (row: Row) => tableCell(row[i]),
    digits: tellingDigits(rows.map((row) => row[i]).filter((cell) => typeof cell === 'number')),
  }))
  await printAnswer(terminal, fittingTable(rows, columns))
}

async function writeJson(terminal: Terminal, answer: StreamedAnswer): Promise<void> {
  const names = distinctNames(terminal, answer.columns)
  const rows = await collect(answer)
  await printJson(
    terminal,
    rows.map((row) => asObject(names, row)),
  )
}

async function writeNdjson(terminal: Terminal, answer: StreamedAnswer): Promise<void> {
  const names = distinctNames(terminal, answer.columns)
  for await (const rows of answer.batches) {
    await terminal.out(rows.map((row) => `${jsonText(asObject(names, row))}\n`).join(''))
  }
}

async function writeCsv(terminal: Terminal, answer: StreamedAnswer): Promise<void> {
  const print = async (rows: readonly (readonly unknown[])[]) => {
    const lines = rows.map((row) => row.map(csvCell).join(','))
    if (terminal.outIsTerminal) return printLines(terminal, lines.map(verbatim))
    return terminal.out(lines.map((line) => `${line}\n`).join(''))
  }
  await print([answer.columns])
  for await (const rows of answer.batches) await print(rows)
}

async function writeMarkdown(terminal: Terminal, answer: StreamedAnswer): Promise<void> {
  const rows = await collect(answer)
  const rules = answer.columns.map((_, i) => (rows.some((row) => typeof row[i] === 'number') ? '---:' : '---'))
  const lines = [answer.columns.map(markdownCell), rules, ...rows.map((row) => row.map(markdownCell))]
  await printAnswer(
    terminal,
    lines.map((cells) => verbatim(`| ${cells.join(' | ')} |`)),
  )
}

/** @throws Failure sqlInvalid for more rows than are held at once */
async function collect({ batches }: StreamedAnswer): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of batches) {
    for (const row of batch) rows.push(row)
    if (rows.length > rowLimit) {
      throw new Failure('sqlInvalid', `More than ${withCommas(String(rowLimit))} rows`, {
        hint: 'add `limit`; --format csv and ndjson have no limit',
      })
    }
  }
  return rows
}

/** An object holds one value per name: the second `name` is called `name_2`. */
function distinctNames(terminal: Terminal, columns: readonly string[]): readonly string[] {
  const taken = new Set(columns)
  const seen = new Set<string>()
  const names = columns.map((column) => {
    if (!seen.has(column)) {
      seen.add(column)
      return column
    }
    let number = 2
    while (taken.has(`${column}_${number}`)) number++
    taken.add(`${column}_${number}`)
    return `${column}_${number}`
  })
  const renamed = names.filter((name, i) => name !== columns[i])
  if (renamed.length > 0) say(terminal, `note: columns of one name get a number: ${renamed.join(', ')}`)
  return names
}

function asObject(names: readonly string[], row: Row): Record<string, unknown> {
  return Object.fromEntries(names.map((name, i) => [name, row[i]]))
}

/** Cells of the table are cut; every other format has the whole texts. */
const widestCell = 64

function tableCell(value: unknown): string | number | null {
  if (value === null || typeof value === 'number') return value
  const text = String(value).replaceAll('\n', ' ')
  return text.length > widestCell ? `${text.slice(0, widestCell - 1)}…` : text
}

/** One line, in which nothing is markup. */
function markdownCell(value: unknown): string {
  return (value === null ? '-' : String(value))
    .replace(/\r?\n/g, ' ')
    .replace(/[\\|`*_[\]<>~]/g, (character) => (character === '<' ? '&lt;' : `\\${character}`))
}
