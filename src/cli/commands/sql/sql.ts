/** `dcalab sql`: one read-only statement over the store's views. */

import { Failure } from '../../errors.ts'
import { type CommonOptions, type Register, withExamples, withStore } from '../context.ts'
import { formatTable, printable, printJson, printLines, tellingDigits } from '../output.ts'
import { pathsOf } from '../workbench.ts'

export const sqlCommand: Register = (program, context) => {
  const command = program
    .command('sql')
    .description('read-only SQL over the result store, as a table, JSON or CSV')
    .argument(
      '<select>',
      'one SELECT over the views: runs, trials, leaderboard, studies, attempts, outcomes, allowance, screens, screen_top, screen_parameters, column_doc',
    )
    .option('--csv', 'CSV on stdout')
  withExamples(withStore(command), [
    'dcalab sql "select fingerprint, net_profit from leaderboard limit 5"',
    'dcalab sql "select state, count(*) as n from runs group by state" --csv',
  ]).action(async (select: string, options: CommonOptions & { readonly csv?: boolean }) => {
    if (options.csv && options.json) throw new Failure('usage', '--csv and --json exclude each other')
    const { runSelect } = await import('../../workbench/store/sql.ts')
    const { columns, rows } = runSelect(pathsOf(context, options).store, select)
    const { terminal } = context.system
    if (options.json) {
      return printJson(
        terminal,
        rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]]))),
      )
    }
    if (options.csv) {
      const lines = [columns, ...rows].map((row) => row.map(csvCell).join(','))
      if (terminal.outIsTerminal) return printLines(terminal, lines)
      return terminal.out(lines.map((line) => `${line}\r\n`).join(''))
    }
    return printLines(
      terminal,
      formatTable(
        rows,
        columns.map((title, i) => ({
          title: printable(title),
          value: (row: readonly unknown[]) => tableCell(row[i]),
          digits: tellingDigits(rows.map((row) => row[i]).filter((cell) => typeof cell === 'number')),
        })),
      ),
    )
  })
}

/** Cells of the table are cut; --json and --csv have the whole texts. */
const widestCell = 64

function tableCell(value: unknown): string | number | null {
  if (value === null || typeof value === 'number') return value
  const text = String(value).replaceAll('\n', ' ')
  return text.length > widestCell ? `${text.slice(0, widestCell - 1)}…` : text
}

/** RFC 4180; text that a spreadsheet would run as a formula gets a leading apostrophe, numbers stay numbers. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  const text = String(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
