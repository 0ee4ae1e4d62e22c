/** Metadata for Datasette: what every view and column means, from the rows of `column_doc`; the tables behind them are hidden. */
import { basename } from 'node:path'
import type { Store } from './store.ts'
import type { ColumnWords, Unit } from './views/column.ts'
import { VIEW_ROWS } from './views.ts'

/** Units that Datasette itself knows; of the others the description tells. */
const KNOWN_UNITS: Partial<Readonly<Record<Unit, string>>> = { minutes: 'min', ms: 'ms' }

export interface DatasetteMetadata {
  readonly title: string
  readonly description: string
  readonly databases: Readonly<Record<string, { readonly tables: Readonly<Record<string, TableMetadata>> }>>
}

type TableMetadata =
  | { readonly hidden: true }
  | {
      readonly title: string
      readonly description: string
      readonly columns: Readonly<Record<string, string>>
      readonly units: Readonly<Record<string, string>>
    }

/** Datasette calls a database by its file's name without the ending. */
export function datasetteMetadata({ db, path }: Store): DatasetteMetadata {
  const database = basename(path).replace(/\.[^.]+$/, '')
  const tables = db.prepare<[], string>("select name from sqlite_schema where type = 'table'").pluck().all()
  const hidden = tables.map((name) => [name, { hidden: true }] as const)
  const views = Object.entries(VIEW_ROWS).map(([name, { rows, columns }]) => {
    const entries = Object.entries(columns)
    return [
      name,
      {
        title: name,
        description: rows,
        columns: Object.fromEntries(entries.map(([column, words]) => [column, describe(words)])),
        units: Object.fromEntries(
          entries.flatMap(([column, { unit }]) => (KNOWN_UNITS[unit] ? [[column, KNOWN_UNITS[unit]]] : [])),
        ),
      },
    ] as const
  })
  return {
    title: 'DCA Lab',
    description: 'Backtests of DCA bots: studies, trials, results. Undefined numbers are NULL; times are ISO 8601 UTC.',
    databases: { [database]: { tables: Object.fromEntries([...hidden, ...views]) } },
  }
}

function describe({ unit, meaning, whenNull, deprecated }: ColumnWords): string {
  const nulls = whenNull === null ? '' : `; NULL ${whenNull}`
  const old = deprecated === undefined ? '' : `; deprecated: ${deprecated}`
  return `${unit}: ${meaning}${nulls}${old}`
}
