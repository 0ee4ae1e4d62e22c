/**
 * How SQLite finds what the views are asked for: through indexes, never by reading all attempts, jobs, results or deals. The plans are those
 * of the SQLite inside this program and of the `sqlite3` of a stable Linux.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/workbench/store/store.ts'
import { VIEW_ROWS, VIEWS } from '../../../src/workbench/store/views.ts'
import { askSqlite3, sqlite3Version } from '../../support/sqlite3.ts'
import { openTemporary } from './setup.ts'

let store: Store
beforeAll(() => {
  store = openTemporary().store
})
afterAll(() => store.close())

const CONDITIONS = {
  study: "study = 'x'",
  fingerprint: "fingerprint = 'x'",
  job_id: "identity = 'x' and job_id = 'x'",
}

const asked = [
  ...Object.entries(VIEW_ROWS).flatMap(([view, { columns }]) =>
    Object.entries(CONDITIONS)
      .filter(([column]) => Object.hasOwn(columns, column) && Object.hasOwn(columns, 'identity'))
      .map(([, condition]) => `select * from ${view} where ${condition}`),
  ),
  "select * from parameters where study = 'x'",
  "select * from neighbours where fingerprint = 'x'",
  'select fingerprint, net_profit from results order by net_profit desc limit 10',
  'select * from results order by net_profit desc limit 10',
  "select trial, objective from leaderboard where study = 'x' order by objective_rank limit 10",
  'select * from allowance',
  'select * from data_sets',
].filter((question) => !/from (leaderboard|trials|outcomes) where identity/.test(question)) // those of a job: all there is on a service

/** Reading all of a table that grows with every job, under the aliases of the views; indexes in the order asked for, or of a few rows, are fine. */
const LARGE =
  /SCAN (attempt|job|result|deal|reply|trial|study_trial|[ajretlmno])\b(?! VIRTUAL| USING (COVERING )?INDEX (result_by_profit|attempt_unresolved))/

const version = sqlite3Version()

describe('a question about one study, one trial or the best ten', () => {
  it.each(asked)('%s', (question) => {
    const plan = store.db.prepare<[], { detail: string }>(`explain query plan ${question}`).all()
    expect(plan.map(({ detail }) => detail).filter((detail) => LARGE.test(detail))).toEqual([])
  })

  it.skipIf(version === undefined)(`has such a plan in sqlite3 ${version} too`, () => {
    const plans = asked.map((question) => askSqlite3(store.path, `explain query plan ${question}`))
    expect(plans.filter((plan) => LARGE.test(plan))).toEqual([])
  })
})

it('a condition on the study reaches the leaderboard before it is ranked, and a join the days before they are unfolded', () => {
  const planOf = (question: string) =>
    store.db
      .prepare<[], { detail: string }>(`explain query plan ${question}`)
      .all()
      .map(({ detail }) => detail)
  expect(planOf("select rank from leaderboard where study = 'x'")).toContain(
    'SEARCH study_run USING COVERING INDEX study_run_of (study=?)',
  )
  // Of a hundred studies the definition of that one alone is taken apart.
  const definitions = planOf("select rank from leaderboard where study = 'x'").filter((detail) => / c\b/.test(detail))
  expect(definitions.filter((detail) => detail.includes('(name=?'))).not.toEqual([])
  expect(definitions.filter((detail) => detail.startsWith('SCAN'))).toEqual([])
  // Three columns of the ranking: neither a configuration nor a result is looked up once more for them. Studies of one market and of several
  // are ranked apart.
  const three = planOf("select trial, net_profit, rank from leaderboard where study = 'x' order by rank limit 10")
  const once = 'SEARCH r USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN'
  expect(three.filter((detail) => /^SEARCH [tr] .*LEFT-JOIN$/.test(detail))).toEqual([once, once])
  const best =
    "select date from leaderboard l join equity_daily d on d.fingerprint = l.fingerprint where l.study = 'x' and l.rank = 1"
  expect(planOf(best)).toContain('SEARCH j USING INDEX job_of_trial (fingerprint=?)')
})

it('neighbours are looked up one by one', () => {
  const plan = store.db.prepare<[], { detail: string }>("explain query plan select * from neighbours where study = 'x'")
  const lookups = plan
    .all()
    .filter(({ detail }) => /trial_of_span .*take_profit_percent=\? AND stop_loss_percent=\?/.test(detail))
  expect(lookups).toHaveLength(1)
})

/** The parser of SQLite 3.40 takes no more than a hundred parts that are not closed yet; from 3.47 on there is no such bound. */
const SPARE_PARTS = 20

it.skipIf(version === undefined)(
  `every view leaves the parser of sqlite3 ${version} room for ${SPARE_PARTS} more open parts, so that the next column does not break it`,
  () => {
    const padded = (view: string) => {
      const body = view.replace(/^create view \w+ as/, '').replaceAll(/--.*$/gm, '')
      return `create view padded as select ${'('.repeat(SPARE_PARTS)}${body})${')'.repeat(SPARE_PARTS - 1)}`
    }
    const broken = Object.entries(VIEWS).filter(([, view]) => {
      try {
        return askSqlite3(':memory:', padded(view)) !== ''
      } catch {
        return true
      }
    })
    expect(broken.map(([name]) => name)).toEqual([])
  },
)
