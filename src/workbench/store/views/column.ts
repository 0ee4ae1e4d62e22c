import { CONFIG, type FieldRow } from '../../../contract/bot.ts'
import { METRICS, type MetricRow } from '../../../contract/metrics.ts'
import { CONFIG_COLUMNS } from '../config-columns.ts'

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

/** The layout that a new store has first; what is older has no number of its own. */
export const FIRST_KNOWN = 14

export interface ColumnWords {
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

/** The configuration's columns with the API's names, as (column1, column2): a table of ten rows. */
export const CONFIG_NAMES = `(values ${Object.entries(CONFIG_COLUMNS)
  .map(([field, column]) => `('${column}', '${field}')`)
  .join(', ')})`

/** SQL for the value of the column that an expression names. */
export function configValueOf(table: string, column: string): string {
  const cases = Object.values(CONFIG_COLUMNS).map((name) => `when '${name}' then ${table}.${name}`)
  return `case ${column} ${cases.join(' ')} end`
}

/** SQL for the metric that an expression names as study files do; null for a name that is none. */
export function metricValueOf(table: string, metric: string): string {
  const cases = Object.entries<MetricRow>(METRICS).map(([name, { column }]) => `when '${name}' then ${table}.${column}`)
  return `case ${metric} ${cases.join(' ')} end`
}

/** `unless`: when a row has no numbers at all. */
export function metricColumns(table: string, unless: string | null): Columns {
  return Object.fromEntries(
    Object.values<MetricRow>(METRICS).map(({ column, unit, title, definition, nullWhen, since }) => {
      const reasons = [unless, nullWhen === null ? null : `when ${nullWhen}`].filter((reason) => reason !== null)
      const row: ViewColumn = {
        sql: `${table}.${column}`,
        unit,
        meaning: `${title}: ${definition}`,
        whenNull: reasons.length === 0 ? null : reasons.join('; '),
        since,
      }
      return [column, row]
    }),
  )
}

/** Columns that are older elsewhere came to this view with `layout`, at the earliest. */
export function sinceLayout(layout: number, columns: Columns): Columns {
  return Object.fromEntries(
    Object.entries(columns).map(([name, row]) => [name, { ...row, since: Math.max(row.since ?? 1, layout) }]),
  )
}

/** A statement whose text says what every column is, for those who read the schema. */
export function createView(name: string, view: View): string {
  return `create view ${name} as\n  -- ${view.rows}\n${selectView(view)}`
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
