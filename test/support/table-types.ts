/** The types of a database's tables, as kysely wants them, written from the schema. */
import Database from 'better-sqlite3'
import { EXITS } from '../../src/contract/bot.ts'
import { MIGRATIONS } from '../../src/workbench/store/migrate.ts'
import type { TrialState } from '../../src/workbench/store/records.ts'

/** That no check lists: a table of deals is too large to be made anew for one, and those of counts come from a view. */
const STATES: Readonly<Record<TrialState, true>> = {
  ...{ planned: true, submitting: true, unknown: true, running: true, done: true },
  ...{ failed: true, stalled: true, gone: true, undecided: true },
}

export function storeTableTypes(): string {
  return tableTypes(MIGRATIONS, { 'deal.exit': Object.keys(EXITS), 'study_count.state': Object.keys(STATES) })
}

interface Column {
  readonly name: string
  readonly type: string
  readonly isNullable: number
  /** SQLite gives it a value where an insert has none. */
  readonly isGiven: number
}

/** As many on a line as fit; the formatter leaves these files alone. */
function wrapped(members: readonly string[]): readonly string[] {
  const lines: string[] = []
  for (const member of members) {
    const longer = `${lines.at(-1)}; ${member}`
    if (lines.length > 0 && longer.length <= 120) lines[lines.length - 1] = longer
    else lines.push(`    ${member}`)
  }
  return lines
}

/** `words`: by `table.column`, those that no check lists. */
export function tableTypes(
  layouts: readonly string[],
  words: Readonly<Record<string, readonly string[]>> = {},
): string {
  const db = new Database(':memory:')
  try {
    for (const layout of layouts) db.exec(layout)
    const tables = db
      .prepare<[], { name: string; sql: string }>(
        "select name, sql from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
      )
      .all()
    const rows = tables.map(({ name: table, sql }) => {
      const columns = db
        .prepare<[object], Column>(
          `select name, type, "notnull" = 0 and pk = 0 as isNullable, dflt_value is not null or (pk > 0 and type = 'INTEGER' and
             (select count(*) from pragma_table_info(:table) where pk > 0) = 1) as isGiven from pragma_table_info(:table)`,
        )
        .all({ table })
      const members = columns.map(
        (column) => `${column.name}: ${typeOf(column, words[`${table}.${column.name}`] ?? listedIn(sql, column.name))}`,
      )
      const line = `  ${table}: { ${members.join('; ')} }`
      return line.length <= 120 ? line : [`  ${table}: {`, ...wrapped(members), '  }'].join('\n')
    })
    const generated = rows.some((row) => row.includes('Generated<'))
      ? "import type { Generated } from 'kysely'\n\n"
      : ''
    return `/** Written from the schema by \`test/table-types.test.ts -u\`. */\n${generated}export interface Tables {\n${rows.join('\n')}\n}\n`
  } finally {
    db.close()
  }
}

/** The words of \`check (state in ('open', 'closed'))\`; of numbers none. */
function listedIn(sql: string, column: string): readonly string[] {
  const [, list = ''] = new RegExp(`check \\(${column} in\\s*\\(([^)]*)\\)\\)`).exec(sql) ?? []
  return [...list.matchAll(/'([^']*)'/g)].map(([, word]) => word)
}

function typeOf({ type, isNullable, isGiven }: Column, words: readonly string[]): string {
  const plain = { TEXT: 'string', BLOB: 'Uint8Array' }[type.toUpperCase()] ?? 'number'
  const known = words.length === 0 ? plain : words.map((word) => `'${word}'`).join(' | ')
  const read = isNullable === 1 ? `${known} | null` : known
  return isGiven === 1 ? `Generated<${read}>` : read
}
