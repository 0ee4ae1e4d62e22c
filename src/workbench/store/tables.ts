/** What builds questions to the store's tables, whose types are written from the schema, and instants and configurations as they are stored. */
import { type Selectable, sql } from 'kysely'
import { CONFIG, CONFIG_FIELDS, type ConfigField, type DcaSpotConfig, forEachField } from '../../contract/bot.ts'
import { Failure } from '../../errors.ts'
import { queriesOf } from '../../sqlite/statements.ts'
import type { Tables } from './table-types.ts'

export const query = queriesOf<Tables>()

/** A row as it is read. */
export type RowOf<Table extends keyof Tables> = Selectable<Tables[Table]>

/** Attempts that are not settled, spelled as their index spells them, or SQLite would not use it. */
export const IS_OPEN = sql<boolean>`state in ('intent', 'ambiguous', 'undecided')`

// Instants: milliseconds UTC in memory, ISO 8601 text with `Z` in the store (24 characters, so text order is time order).

/** The program did not exist before. */
const programMadeAt = Date.UTC(2025, 0, 1)

/** @throws Failure clockWrong for an instant that no right clock can show: an empty battery shows 1970 */
export function refuseImpossibleTime(now: number): void {
  if (now >= programMadeAt) return
  throw new Failure('clockWrong', `It is said to be ${isoTime(now)}, and this program is from 2025 at the earliest`)
}

/** Outside of these years the text would no longer be 24 characters long. */
const earliest = Date.parse('0000-01-01T00:00:00.000Z')
const latest = Date.parse('9999-12-31T23:59:59.999Z')

/** `2026-11-20T22:35:00.000Z`. An instant outside of the years 0–9999 is moved to the first or last moment of that range. */
export function isoTime(ms: number): string {
  return new Date(Math.min(latest, Math.max(earliest, ms))).toISOString()
}

export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null || !Number.isFinite(ms) ? null : isoTime(ms)
}

/** Milliseconds of a text that `isoTime` wrote. */
export function msOf(iso: string): number {
  return Date.parse(iso)
}

// Configurations as rows of the store: one column per field.

export const CONFIG_COLUMNS = forEachField((field) => CONFIG[field].column)

type ConfigColumns = { readonly [Field in ConfigField as (typeof CONFIG)[Field]['column']]: number }

export function configToColumns(config: DcaSpotConfig): ConfigColumns {
  const columns = CONFIG_FIELDS.map((field) => [CONFIG_COLUMNS[field], config[field]])
  return Object.fromEntries(columns) // one entry per field
}

export function columnsToConfig(row: ConfigColumns): DcaSpotConfig {
  return forEachField((field) => row[CONFIG_COLUMNS[field]])
}
