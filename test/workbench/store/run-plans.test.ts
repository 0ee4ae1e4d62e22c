/**
 * In a store of a million results a question that walks a whole table takes seconds. So every statement that a run, `status`, `show` and
 * `leaderboard` prepare is held against SQLite's own plan of it.
 */
import type Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { readTried } from '../../../src/workbench/store/readers.ts'
import { readSpending } from '../../../src/workbench/store/spending.ts'
import { rankStored } from '../../../src/workbench/store/stored-ranking.ts'
import { countStudies } from '../../../src/workbench/store/study-counts.ts'
import { makeTrials, makeWorld } from '../run/setup.ts'

const identity = 'embedded:0f3a-77'
/** Those with a row per trial, attempt or result. */
const LARGE = ['trial', 'study_trial', 'attempt', 'job', 'result', 'deal', 'reply']

/** Every statement that is prepared on the connection from now on. */
function listen(db: Database.Database): ReadonlySet<string> {
  const heard = new Set<string>()
  const prepare = db.prepare.bind(db)
  db.prepare = ((sql: string) => {
    heard.add(sql)
    return prepare(sql)
  }) as typeof db.prepare // the same statement, of whatever parameters and rows
  return heard
}

/** Tables that the statement walks from one end to the other, or as far as they are of one service, which is mostly the same. */
function walked(db: Database.Database, sql: string): string[] {
  const plain = sql.replaceAll(/:[A-Za-z_]\w*|\?/g, "'x'") // a plan needs no values, but the driver does
  const steps = db.prepare<[], { detail: string }>(`explain query plan ${plain}`).all()
  const aliases = new Map(
    [...plain.matchAll(/\b(?:from|join|update|into) "?(\w+)"?(?: as)? "?(\w+)"?/gi)].map(([, table, alias]) => [
      alias,
      table,
    ]),
  )
  return steps.flatMap(({ detail }) => {
    const isFew = /attempt_open|attempt_unresolved|job_duplicate/.test(detail) // indexes of the rows that are open or doubled
    // For its trigger an added service is searched for in what refers to it: it is new, so that nothing does.
    const isNewKey = sql.startsWith('insert into "service"')
    const isOfService = /^SEARCH .*\(identity=\?(?: AND account=\?)?\)$/.test(detail) && !isFew && !isNewKey
    const name = /^SCAN|AUTOMATIC/.test(detail) || isOfService ? (/^\w+ (\w+)/.exec(detail)?.[1] ?? '') : ''
    const table = aliases.get(name) ?? name
    return LARGE.includes(table) ? [`${detail} of ${table} in ${plain}`] : []
  })
}

it('no question of every day walks a table of a million rows', async () => {
  const world = makeWorld({ identity })
  const heard = listen(world.store.db)
  const trials = makeTrials(3)
  expect((await world.run(trials)).stoppedBy).toBeNull()
  const { db } = world.store
  countStudies(world.store)
  rankStored(world.store, {
    study: 'ladder',
    objective: { direction: 'maximize', metric: 'netProfit', where: [] },
    top: 2,
  })
  readTried(world.store, trials[0].fingerprint)
  readSpending(world.store, { study: 'ladder', identity })
  expect(heard.size).toBeGreaterThan(30)
  expect(
    [...heard].filter((sql) => /^\s*(select|with|update|delete|insert)/i.test(sql)).flatMap((sql) => walked(db, sql)),
  ).toEqual([])
})
