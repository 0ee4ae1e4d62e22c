/**
 * The views: what analysts are promised. Tables have a history, views have a present: they are rebuilt at open whenever
 * their text has changed. Only features of SQLite 3.40 and older, so that any client can read the file.
 */

import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import { allRows, runBuilt, runEach } from '../../sqlite/statements.ts'
import { query } from './tables.ts'
import { botsView } from './views/drift-view.ts'
import { RESULT_VIEWS } from './views/result-views.ts'
import { SERIES_VIEWS } from './views/series-views.ts'
import { type Columns, selectView, type View } from './views/shared-columns.ts'
import { attemptsView, SPENDING_VIEWS } from './views/spending-views.ts'
import { studiesView, trialsView } from './views/trial-views.ts'
import { verdictsView } from './views/verdict-views.ts'

// `column_doc`: what every column of every view is, for whoever has only the file. A view like the others, so that it is never older than they are.

const DOC_COLUMNS: Columns = {
  relation: { sql: cell(0), unit: 'text', meaning: 'the view', whenNull: null },
  column_name: { sql: cell(1), unit: 'text', meaning: 'its column', whenNull: null },
  unit: {
    sql: cell(2),
    unit: 'text',
    meaning: 'quote, base, percent, minutes, ms, count, ratio, yes/no (1 or 0), time (ISO 8601 UTC), text or json',
    whenNull: null,
  },
  meaning: { sql: cell(3), unit: 'text', meaning: 'what it says', whenNull: null },
  when_null: { sql: cell(4), unit: 'text', meaning: 'when it is NULL', whenNull: 'where the column never is' },
  since: {
    sql: cell(5),
    unit: 'count',
    meaning: 'layout of the store (pragma user_version) that first had it; 14 is the first that is known',
    whenNull: null,
  },
}

/** The layout that a new store has first; what is older has no number of its own. */
export const FIRST_KNOWN = 14

/** Over `views` and itself. */
function columnDoc(views: Readonly<Record<string, View>>): View {
  const rows = [
    ...Object.entries(views).map(([name, view]) => [name, view.columns] as const),
    ['column_doc', DOC_COLUMNS] as const,
  ]
  const lines = rows.flatMap(([relation, described]) =>
    Object.entries(described).map(([column, { unit, meaning, whenNull, since = 0 }]) =>
      JSON.stringify([relation, column, unit, meaning, whenNull, Math.max(since, FIRST_KNOWN)]),
    ),
  )
  return {
    rows: 'One row per column of every view, this one included.',
    columns: DOC_COLUMNS,
    from: `from json_each('[\n${lines.join(',\n').replaceAll("'", "''")}]')`,
  }
}

/** Of a row of the list. One text is read in no time by whoever opens the file, where five thousand values in SQL take two milliseconds. */
function cell(n: number): string {
  return `json_extract(value, '$[${n}]')`
}

/** None reads another: an analyst may keep something else under the name of any of them. */
const promised: Readonly<Record<string, View>> = {
  answers: RESULT_VIEWS.answers,
  results: RESULT_VIEWS.results,
  trials: trialsView,
  studies: studiesView,
  revisions: SPENDING_VIEWS.revisions,
  study_runs: SPENDING_VIEWS.studyRuns,
  deals: SERIES_VIEWS.deals,
  equity_daily: SERIES_VIEWS.equityDaily,
  monthly_returns: SERIES_VIEWS.monthlyReturns,
  market_daily: SERIES_VIEWS.marketDaily,
  parameters: SERIES_VIEWS.parameters,
  verdicts: verdictsView,
  attempts: attemptsView,
  bots: botsView,
}

export const VIEW_ROWS: Readonly<Record<string, View>> = { ...promised, column_doc: columnDoc(promised) }

export const VIEWS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(VIEW_ROWS).map(([name, view]) => [name, createView(name, view)]),
)

/** A statement whose text says what every column is, for those who read the schema. */
function createView(name: string, view: View): string {
  return `create view ${name} as\n  -- ${view.rows}\n${selectView(view)}`
}

/** Makes the views whose names are free. Call inside a transaction. */
export function makeViews(db: Database.Database): void {
  const taken = namesInUse(db)
  for (const [name, text] of Object.entries(VIEWS)) if (!taken.has(name)) db.exec(text)
}

interface ViewsFound {
  /** Every view is there in its present text, but for those whose name is taken. */
  readonly current: boolean
  /** Names of views under which the file has something of an analyst's own. */
  readonly taken: readonly string[]
}

/** Of a store of the present layout. */
export function compareViews(db: Database.Database): ViewsFound {
  const inUse = namesInUse(db)
  const others = Object.entries(VIEWS).filter(([name, text]) => normal(inUse.get(name)?.sql ?? '') !== normal(text))
  const isOurs = others.length === 0 ? () => false : isRecorded(db)
  const taken = others.flatMap(([name]) => {
    const found = inUse.get(name)
    return found === undefined || (found.type === 'view' && isOurs(found)) ? [] : [name]
  })
  return { current: taken.length === others.length, taken }
}

/** Tables, views and indexes share their names, whose case does not matter. */
function namesInUse(db: Database.Database): ReadonlyMap<string, StoredObject> {
  const objects = readObjects(db).filter(({ type }) => type !== 'trigger')
  return new Map(objects.map((object) => [object.name.toLowerCase(), object]))
}

/** What follows `create view`, which SQLite writes in capitals; it keeps the rest as given. */
const normal = (sql: string) => sql.slice('create view'.length).trim()

// Which objects of the file are ours. Everything else is an analyst's: it is neither replaced nor lost, and where it has the name of one of
// our views, that view is left out of the file. Tables, indexes and triggers of ours are those that the migrations make; views are those
// that `our_object` records with the hash of their text.

export interface StoredObject {
  readonly type: 'table' | 'index' | 'trigger' | 'view'
  readonly name: string
  /** The table or view that it belongs to; of tables and views itself. */
  readonly tbl_name: string
  readonly sql: string
}

/** Objects that SQLite made by itself, as for a primary key, have no text and are left out. */
export function readObjects(db: Database.Database): readonly StoredObject[] {
  return db
    .prepare<[], StoredObject>(
      "select type, name, tbl_name, sql from sqlite_schema where sql is not null and name not like 'sqlite^_%' escape '^'",
    )
    .all()
}

/** @param layouts the steps of `migrate.ts` that have made the file */
export function findForeign(db: Database.Database, layouts: readonly string[]): readonly StoredObject[] {
  if (layouts.length === 0) return readObjects(db) // where nothing records what is ours, nothing is
  const made = namesMadeBy(layouts)
  const isOurView = isRecorded(db)
  return readObjects(db).filter((object) =>
    object.type === 'view' ? !isOurView(object) : !made.has(object.name.toLowerCase()),
  )
}

/** Whether a view is one that we made, in whatever text. */
function isRecorded(db: Database.Database): (view: StoredObject) => boolean {
  const rows = allRows(db, query.selectFrom('our_object').selectAll())
  const hashes = new Map(rows.map(({ name, text_hash }) => [name, text_hash]))
  return ({ name, sql }) => hashes.get(name) === hashOf(sql)
}

/** Call inside a transaction, when the file is as this program wants it. */
export function recordOurs(db: Database.Database, foreign: readonly StoredObject[]): void {
  const isForeign = new Set(foreign.map(keyOf))
  const ours = readObjects(db).filter((object) => object.type !== 'table' && !isForeign.has(keyOf(object)))
  const rows = ours.map(({ name, sql }) => ({ name, text_hash: hashOf(sql) }))
  runBuilt(db, query.deleteFrom('our_object'))
  runEach(db, rows, (row) => query.insertInto('our_object').values(row))
}

const keyOf = ({ type, name }: StoredObject) => `${type} ${name}`

function namesMadeBy(layouts: readonly string[]): ReadonlySet<string> {
  const db = new Database(':memory:')
  try {
    for (const layout of layouts) db.exec(layout)
    return new Set(readObjects(db).map(({ name }) => name))
  } finally {
    db.close()
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
