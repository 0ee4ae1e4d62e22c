/** Studies by name and revision, as the store has them. */
import { sql } from 'kysely'
import { Failure, suggest } from '../../errors.ts'
import { allRows, firstRow, statement } from '../../sqlite/statements.ts'
import type { StudyRecord } from './records.ts'
import type { Store } from './store.ts'
import { query, type RowOf } from './tables.ts'
import { isCurrent } from './views/latest-attempt.ts'

// What is said of a study that the store does not hold: with the one that was meant, where a name is near.

/** "; did you mean my-ladder?", or nothing where no name is near. */
export function suggestStudy(store: Store, text: string): string {
  return suggest(splitStudyName(text).name, namesOf(store))
}

/** @param more goes on with the sentence */
export function unknownStudy(store: Store, text: string, more = ''): Failure {
  const names = namesOf(store)
  const message = `the store has no study "${text}"${more}${suggest(splitStudyName(text).name, names)}`
  if (names.length > 0) return new Failure('notFound', message)
  return new Failure('notFound', message, {
    hint: 'it has none yet; begin one: `dcalab study init`, and run it: `dcalab run <file>`',
  })
}

function namesOf({ db }: Store): readonly string[] {
  return allRows(db, query.selectFrom('study').select('name').distinct()).map(({ name }) => name)
}

const definitions = query
  .selectFrom('study as s')
  .leftJoin('study_archive as h', 'h.name', 's.name')
  .select(['s.name', 's.number', 's.fingerprint', 's.source', 's.saved_at', 's.rerun_json', 'h.archived_at'])

/** A study in its current definition, or in the revision that the text names: `my-ladder`, `my-ladder@2`. */
export function findStudy(store: Store, text: string): StudyRecord | undefined {
  const { name, revision } = splitStudyName(text)
  const exactly = definitions.where('s.name', '=', name).where('s.number', '=', revision)
  const row = revision === null ? currentOf.first(store.db, { name }) : firstRow(store.db, exactly)
  return row === undefined ? undefined : toStudyRecord(store, row)
}

/** The stored definition that a study is, whether it is the current one or not. */
export function findRevision(
  store: Store,
  { name, fingerprint }: Pick<StudyRecord, 'name' | 'fingerprint'>,
): StudyRecord | undefined {
  const row = firstRow(store.db, definitions.where('s.name', '=', name).where('s.fingerprint', '=', fingerprint))
  return row === undefined ? undefined : toStudyRecord(store, row)
}

/** What a command calls this definition by: the bare name of the current one, `name@2` of any other. */
export function shortName(store: Store, of: StudyRecord): string {
  return findStudy(store, of.name)?.revision === of.revision ? of.name : revisionName(of)
}

/** Whether the span that a study holds out was opened, and every result of it is in: until then none of them is to be seen. */
export function isHoldoutOpened(store: Store, name: string): boolean {
  const opened = query.selectFrom('holdout_opening').select('study').where('study', '=', name)
  return firstRow(store.db, opened.where('completed_at', 'is not', null)) !== undefined
}

/** The same as the program understood it when it was last run: JSON of the study without its text. */
export function findDefinition(store: Store, { name, fingerprint }: StudyRecord): string {
  const row = firstRow(
    store.db,
    query.selectFrom('study').select('definition_json').where('name', '=', name).where('fingerprint', '=', fingerprint),
  )
  return row?.definition_json ?? 'null'
}

const current = sql.raw<boolean>(isCurrent('s'))

/** Every study in its current definition, latest first. */
export function listStudies(store: Store): StudyRecord[] {
  const listed = definitions.where(current).orderBy('s.saved_at', 'desc').orderBy('s.name')
  return allRows(store.db, listed).map((row) => toStudyRecord(store, row))
}

/** `my-ladder@2`: the revision that it names; null = the current one. */
export function splitStudyName(text: string): { readonly name: string; readonly revision: number | null } {
  const [, name, number] = /^(.*)@([1-9]\d{0,8})$/.exec(text) ?? []
  return name === undefined ? { name: text, revision: null } : { name, revision: Number(number) }
}

/** Names exactly this definition, whichever is the current one. */
export function revisionName({ name, revision }: Pick<StudyRecord, 'name' | 'revision'>): string {
  return `${name}@${revision}`
}

const currentOf = statement(({ name }: { readonly name: string }) =>
  definitions.where('s.name', '=', name).where(current),
)

type DefinitionRow = Pick<RowOf<'study'>, 'name' | 'number' | 'fingerprint' | 'source' | 'saved_at' | 'rerun_json'> & {
  readonly archived_at: string | null
}

/** Service identities a study was run on, latest first. */
const runOn = statement(({ name }: { readonly name: string }) =>
  query
    .selectFrom('study_run')
    .select(({ fn }) => ['identity', fn.max('id').as('last')])
    .where('study', '=', name)
    .groupBy('identity')
    .orderBy('last', 'desc'),
)

function toStudyRecord(store: Store, row: DefinitionRow): StudyRecord {
  return {
    name: row.name,
    revision: row.number,
    fingerprint: row.fingerprint,
    source: row.source,
    isRerun: row.rerun_json !== null,
    savedAt: row.saved_at,
    archivedAt: row.archived_at,
    identities: runOn.all(store.db, row).map(({ identity }) => identity),
  }
}
