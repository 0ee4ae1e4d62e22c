/** What builds questions to the store's tables, whose types are written from the schema. */
import { type Selectable, sql } from 'kysely'
import { queriesOf } from '../../sqlite/statements.ts'
import type { Tables } from './table-types.ts'

export const query = queriesOf<Tables>()

/** A row as it is read. */
export type RowOf<Table extends keyof Tables> = Selectable<Tables[Table]>

/** Attempts that are not settled, spelled as their index spells them, or SQLite would not use it. */
export const IS_OPEN = sql<boolean>`state in ('intent', 'ambiguous', 'parked')`
