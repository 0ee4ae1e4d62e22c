/** The rows of a promised view with the type of every column, one at a time, as they are when the first is read. */
import type Database from 'better-sqlite3'
import { Failure } from '../../../errors.ts'
import { firstRow } from '../../../sqlite/statements.ts'
import type { Store } from '../store.ts'
import { splitStudyName, unknownStudy } from '../study-records.ts'
import { query } from '../tables.ts'
import { isCurrent, type SHOWN } from '../views/latest-attempt.ts'
import { type Columns, PAYING_STUDY, selectView, type Unit } from '../views/shared-columns.ts'
import { attemptsView } from '../views/spending-views.ts'
import { VIEW_ROWS } from '../views.ts'

export type ColumnType = 'integer' | 'number' | 'yesNo' | 'time' | 'text'

export interface TypedColumn {
  readonly name: string
  readonly type: ColumnType
  /** What it is, as `column_doc` has it; absent = nothing is known. */
  readonly unit?: string
  readonly meaning?: string
}

export type Cell = string | number | bigint | null

interface ViewRows {
  readonly view: string
  readonly columns: readonly TypedColumn[]
  /** Integers as bigint; in the order of `columns`. While they are read, nothing else can use the store's connection. */
  readonly rows: Iterable<readonly Cell[]>
}

export interface WantedRows {
  /** A study's name; absent = the whole store. */
  readonly study?: string
  /** A promised view; absent = `answers`, or with `all` `results`. */
  readonly view?: string | undefined
  /** The service whose rows are wanted; absent = the one whose results of a study are shown. */
  readonly identity?: string
  /** The rows of every service and revision. */
  readonly all?: boolean
  /** Results, and rows of their series, with the study that paid for them, as in files that are read together; else with each that tried them. */
  readonly byPayer?: boolean
}

/** Whether each row of the view says of which service it is. @throws Failure usage for a view that is not promised */
export function isOfServices(wanted: WantedRows): boolean {
  return Object.hasOwn(VIEW_ROWS[viewOf(wanted)].columns, 'identity')
}

function viewOf({ view, all = false }: WantedRows): string {
  return promised(view ?? (all ? 'results' : 'answers'))
}

/**
 * The rows of a study, or of the whole store. A view that marks current rows gives only those, unless all are wanted.
 * @throws Failure notFound for a study that the store does not hold, usage for a view that is not promised or knows no studies
 */
export function readView(store: Store, wanted: WantedRows): ViewRows {
  const { study, identity, all = false, byPayer = false } = wanted
  const view = viewOf(wanted)
  const { columns, parts } = VIEW_ROWS[view]
  if (study !== undefined) requireStudy(store, study, view)
  // A view that chooses a service by itself gets the wanted one instead.
  const chooses = parts !== undefined && identity !== undefined && !all
  const chosenFrom = (name: string) =>
    `(${selectView({ ...VIEW_ROWS[name], parts: { ...VIEW_ROWS[name].parts, ...shownOn(':identity') } })})`
  const source = chooses ? chosenFrom(view) : view
  const ofStudy = (name: string): string => {
    const paid = paidBy(store, { study: name, columns }) ?? 'study = :study'
    const isOfResults = columns.study.sql === PAYING_STUDY.study.sql && Object.hasOwn(columns, 'job_id')
    if (byPayer || !isOfResults) return paid
    if (all) return `(${paid} or fingerprint in (select fingerprint from study_trial where study = :study))`
    const answers = chooses ? chosenFrom('answers') : 'answers'
    return `(identity, job_id) in (select identity, job_id from ${answers} where study = :study)`
  }
  const conditions = [
    ...(study === undefined ? [] : [ofStudy(study)]),
    ...(identity === undefined || chooses ? [] : ['identity = :identity']),
    ...(all || !Object.hasOwn(columns, 'is_current') ? [] : ['is_current']),
  ]
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  const statement = store.db.prepare<object[], Cell[]>(`select * from ${source} ${where}`).raw().safeIntegers()
  const bound = { ...(study === undefined ? {} : { study }), ...(identity === undefined ? {} : { identity }) }
  return {
    view,
    columns: statement.columns().map(({ name, type }) => {
      const { unit, meaning } = columns[name]
      return { name, type: typeOf(unit, type), unit, meaning }
    }),
    rows: lazily(statement, Object.keys(bound).length === 0 ? [] : [bound]),
  }
}

/** The parts of a view that choose a service, with that of `identity` (SQL) in its place. */
function shownOn(identity: string): typeof SHOWN {
  return {
    'progress as materialized': 'select 1',
    'shown as materialized': `select c.name as study, c.fingerprint, c.number as revision, ${identity} as identity
      from study c where ${isCurrent('c')}`,
  }
}

function promised(view: string): string {
  if (Object.hasOwn(VIEW_ROWS, view)) return view
  throw new Failure('usage', `--view expects a view, found "${view}"`, {
    hint: `name one of ${Object.keys(VIEW_ROWS).join(', ')}`,
  })
}

function requireStudy(store: Store, study: string, view: string): void {
  if (!Object.hasOwn(VIEW_ROWS[view].columns, 'study')) {
    throw new Failure('usage', `the view ${view} has no column for a study`, {
      hint: `export all of it: \`dcalab export store --view ${view} --out <file>\``,
    })
  }
  if (holdsStudy(store, study)) return
  const { name, revision } = splitStudyName(study)
  if (revision === null || !holdsStudy(store, name)) throw unknownStudy(store, study)
  throw new Failure('usage', `export takes a study, not one revision of it: ${study}`, {
    hint: `all revisions, with their numbers in a column: \`dcalab export ${name} --service all --out <file>\``,
  })
}

export function holdsStudy(store: Store, study: string): boolean {
  return firstRow(store.db, query.selectFrom('study').select('name').where('name', '=', study)) !== undefined
}

/** Ids of the attempts that a study's runs made. Attempts from layouts that kept no runs are found by its name. */
const PAID = `select id from attempt where study_run_id in (select id from study_run where study = :study)
  union all select id from attempt where study = :study and study_run_id is null`

/**
 * Some views name the study as it was called when it paid. SQL for its rows in such a view; null where a comparison with its name of today
 * finds the same rows.
 */
function paidBy(
  store: Store,
  { study, columns }: { readonly study: string; readonly columns: Columns },
): string | null {
  if (![PAYING_STUDY, attemptsView.columns].some((paying) => paying.study.sql === columns.study.sql)) return null
  const paid = query.selectFrom('study_run as q').innerJoin('attempt as a', 'a.study_run_id', 'q.id').select('a.id')
  const before = paid.where('q.study', '=', study).where('a.study', '<>', study)
  const since = paid.where('a.study', '=', study).where('q.study', '<>', study)
  if (firstRow(store.db, before.unionAll(since).limit(1)) === undefined) return null
  return Object.hasOwn(columns, 'run')
    ? '(run in (select id from study_run where study = :study) or run is null and study = :study)'
    : `(identity, job_id) in (select j.identity, j.remote_id from job j where j.attempt_id in (${PAID}))`
}

/** `declared`: the type of the table's column; null where the view computes it. */
function typeOf(unit: Unit, declared: string | null): ColumnType {
  if (unit === 'time') return 'time'
  if (unit === 'yes/no') return 'yesNo'
  if (unit === 'text' || unit === 'json') return 'text'
  if (declared === 'INTEGER') return 'integer'
  return declared === null && unit === 'count' ? 'integer' : 'number'
}

/** Nothing is read, and the connection is free, until the first row is asked for. */
function* lazily(statement: Database.Statement<object[], Cell[]>, parameters: object[]): Generator<readonly Cell[]> {
  yield* statement.iterate(...parameters)
}

/** What `work` reads is one state of the store, whoever writes meanwhile. */
export async function inOneState<T>(store: Store, work: () => Promise<T>): Promise<T> {
  store.db.exec('begin')
  try {
    return await work()
  } finally {
    store.db.exec('commit')
  }
}
