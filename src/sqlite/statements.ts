/**
 * SQL that kysely writes and better-sqlite3 runs, synchronously: nothing else can happen between a read and the decision that depends on it.
 * A statement is compiled once and prepared once per connection. What stands in the code is part of its text, so that SQLite finds the
 * indexes that hold a part of a table; only what is given at each call is bound.
 */
import type Database from 'better-sqlite3'
import {
  type Compilable,
  createQueryId,
  DummyDriver,
  Kysely,
  type RawBuilder,
  type RootOperationNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql as text,
} from 'kysely'

export function queriesOf<Tables>(): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
}

interface Built<Row> extends Compilable<Row> {
  toOperationNode(): RootOperationNode
}

/** Where a statement takes what is given under this name when it is run. */
class Place {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** SQLite plans a statement with `order by` or `limit` again at every run where a column is compared with a value alone; `+` in front changes nothing else. */
class StatementCompiler extends SqliteQueryCompiler {
  protected override appendValue(value: unknown): void {
    if (value instanceof Place) this.append('+')
    if (value instanceof Place) super.appendValue(value)
    else this.appendImmediateValue(value)
  }
}

const places = new Proxy({}, { get: (_, name) => new Place(String(name)) })

export interface Statement<Row, Given> {
  all(db: Database.Database, given: Given): Row[]
  first(db: Database.Database, given: Given): Row | undefined
  iterate(db: Database.Database, given: Given): IterableIterator<Row>
  run(db: Database.Database, given: Given): Database.RunResult
}

/**
 * `build` is called once and sees no values: a member of what is given may stand wherever kysely takes one value. A list is given as JSON
 * and read with `itemsOf`.
 */
export function statement<Row, Given = void>(build: (given: Given) => Built<Row>): Statement<Row, Given> {
  let compiled: { readonly sql: string; readonly parameters: readonly unknown[] } | undefined
  const bound = (db: Database.Database, given: Given) => {
    compiled ??= new StatementCompiler().compileQuery(build(places as Given).toOperationNode(), createQueryId())
    const values = compiled.parameters.map((place) => valueAt(given as Readonly<Record<string, unknown>>, place))
    return [prepared<unknown[], Row>(db, compiled.sql), values] as const
  }
  return {
    all: (db, given) => {
      const [of, values] = bound(db, given)
      return of.all(...values)
    },
    first: (db, given) => {
      const [of, values] = bound(db, given)
      return of.get(...values)
    },
    iterate: (db, given) => {
      const [of, values] = bound(db, given)
      return of.iterate(...values)
    },
    run: (db, given) => {
      const [of, values] = bound(db, given)
      return of.run(...values)
    },
  }
}

/** The items of a list that is given as JSON: `where('id', 'in', itemsOf(ids))`. */
export function itemsOf<Item>(json: string): RawBuilder<Item> {
  return text<Item>`(select value from json_each(${json}))`
}

/** Runs a statement for every row; `build` sees none of their values, as in `statement`. Returns how many rows of the table changed. */
export function runEach<Row extends object>(
  db: Database.Database,
  rows: readonly Row[],
  build: (row: Row) => Built<unknown>,
): number {
  if (rows.length === 0) return 0
  const columns = Object.fromEntries(Object.keys(rows[0]).map((name) => [name, new Place(name)]))
  const each = statement<unknown, Row>(() => build(columns as Row))
  return rows.reduce((changes, row) => changes + each.run(db, row).changes, 0)
}

/** SQLite would take what is absent for null. */
function valueAt(given: Readonly<Record<string, unknown>>, place: unknown): unknown {
  const name = place instanceof Place ? place.name : ''
  const value = given[name]
  if (value === undefined) throw new Error(`The statement was not given ${name}`)
  return value
}

/** For a statement whose text depends on what is asked; its values are bound. */
export function allRows<Row>(db: Database.Database, built: Compilable<Row>): Row[] {
  const { sql, parameters } = built.compile()
  return prepared<unknown[], Row>(db, sql).all(...parameters)
}

export function firstRow<Row>(db: Database.Database, built: Compilable<Row>): Row | undefined {
  const { sql, parameters } = built.compile()
  return prepared<unknown[], Row>(db, sql).get(...parameters)
}

export function runBuilt(db: Database.Database, built: Compilable): Database.RunResult {
  const { sql, parameters } = built.compile()
  return prepared<unknown[], unknown>(db, sql).run(...parameters)
}

const statements = new WeakMap<Database.Database, Map<string, Database.Statement>>()

/** A statement, prepared once per connection: a run uses the same few statements at every step. */
export function prepared<Parameters extends unknown[], Row>(
  db: Database.Database,
  sql: string,
): Database.Statement<Parameters, Row> {
  const known = statements.get(db) ?? new Map<string, Database.Statement>()
  statements.set(db, known)
  const found = known.get(sql) ?? db.prepare(sql)
  known.set(sql, found)
  return found as Database.Statement<Parameters, Row> // the SQL text decides its parameters and rows
}
