/** A column of a promised view: where it comes from and what it means. The view's SQL, `column_doc` and VIEWS.md follow from it. */

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

export interface ColumnWords {
  readonly unit: Unit
  readonly meaning: string
  /** When the column is NULL; null = never. */
  readonly whenNull: string | null
  /** The store's layout (`pragma user_version`) that first had it; absent = the first. */
  readonly since?: number
  /** From which layout on it is kept for old questions only, and what to read in its place. */
  readonly deprecated?: string
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
  /** What `from` reads by name, so that it nests less deeply: SQL of a statement by the name of its rows. */
  readonly parts?: Readonly<Record<string, string>>
  /** `from …` to the end of the statement. */
  readonly from: string
}

/** Columns that are older elsewhere came to this view with `layout`, at the earliest. */
export function sinceLayout(layout: number, columns: Columns): Columns {
  return Object.fromEntries(
    Object.entries(columns).map(([name, row]) => [name, { ...row, since: Math.max(row.since ?? 1, layout) }]),
  )
}

/** A statement whose text says what every column is, for those who read the schema. */
export function createView(name: string, { rows, columns, parts = {}, from }: View): string {
  const entries = Object.entries(columns)
  const lines = entries.map(([column, row], i) => {
    const comma = i === entries.length - 1 ? '' : ','
    const nulls = row.whenNull === null ? '' : `; NULL ${row.whenNull}`
    return `    ${row.sql} as ${column}${comma} -- ${row.unit}: ${row.meaning}${nulls}`
  })
  const named = Object.entries(parts).map(([part, sql]) => `${part} as (${sql})`)
  const before = named.length === 0 ? '' : `  with ${named.join(',\n    ')}\n`
  return `create view ${name} as\n  -- ${rows}\n${before}  select\n${lines.join('\n')}\n  ${from}`
}
