/** The columns of the configuration and of the metrics: their words come from the fields and from the metrics' own rows. */
import { CONFIG, type FieldRow } from '../../../contract/bot.ts'
import type { MetricRow } from '../../../contract/metric-row.ts'
import { METRICS } from '../../../contract/metrics.ts'
import { CONFIG_COLUMNS } from '../config-columns.ts'
import type { Columns, ViewColumn } from './column.ts'

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
