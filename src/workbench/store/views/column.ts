import { CONFIG, type FieldRow } from '../../../contract/bot.ts'

// A column of a promised view: where it comes from and what it means. The view's SQL, `column_doc` and VIEWS.md follow from it.

export type Unit =
  | 'quote'
  | 'base'
  | 'percent'
  | 'minutes'
  | 'ms'
  | 'count'
  | 'ratio'
  | 'yes/no' // 1 or 0
  | 'time' // ISO 8601 UTC
  | 'text'
  | 'json'

interface ColumnWords {
  readonly unit: Unit
  readonly meaning: string
  /** When the column is NULL; null = never. */
  readonly whenNull: string | null
  /** The store's layout (`pragma user_version`) that first had it; absent = the first that is known, or an earlier one. */
  readonly since?: number
}

export interface ViewColumn extends ColumnWords {
  readonly sql: string
}

/** By column name, in the order of the view. */
export type Columns = Readonly<Record<string, ViewColumn>>

export interface View {
  /** What one row is, and what holds for all columns. */
  readonly rows: string
  readonly columns: Columns
  /** What `from` reads by name, so that it nests less deeply: SQL of a statement by `name as` or `name as materialized`. */
  readonly parts?: Readonly<Record<string, string>>
  /** `from …` to the end of the statement. */
  readonly from: string
}

// The columns of the configuration and of the metrics: their words come from the fields and from the metrics' own rows.

export function configColumns(table: string): Columns {
  return Object.fromEntries(
    Object.values<FieldRow>(CONFIG).map(({ column, unit, says, since }): [string, ViewColumn] => {
      const row = { sql: `${table}.${column}`, unit, meaning: says, whenNull: null }
      return [column, since === undefined ? row : { ...row, since }]
    }),
  )
}

export function selectView({ columns, parts = {}, from }: View): string {
  const entries = Object.entries(columns)
  const lines = entries.map(([column, row], i) => {
    const comma = i === entries.length - 1 ? '' : ','
    const nulls = row.whenNull === null ? '' : `; NULL ${row.whenNull}`
    return `    ${row.sql} as ${column}${comma} -- ${row.unit}: ${row.meaning}${nulls}`
  })
  const named = Object.entries(parts).map(([part, sql]) => `${part} (${sql})`)
  const before = named.length === 0 ? '' : `  with ${named.join(',\n    ')}\n`
  return `${before}  select\n${lines.join('\n')}\n  ${from}`
}
