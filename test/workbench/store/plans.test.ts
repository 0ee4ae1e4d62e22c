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
  'select fingerprint, net_profit from results order by net_profit desc limit 10',
  'select * from results order by net_profit desc limit 10',
  "select trial, objective from answers where study = 'x' order by rank limit 10",
].filter((question) => !/from (answers|trials) where identity/.test(question)) // those of a job: all there is on a service

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

it('a condition on the study reaches the answers before they are ranked, and a join the days before they are unfolded', () => {
  const planOf = (question: string) =>
    store.db
      .prepare<[], { detail: string }>(`explain query plan ${question}`)
      .all()
      .map(({ detail }) => detail)
  // Three columns of the ranking: no configuration is looked up for them. Studies of one market and of several are ranked apart.
  const three = planOf("select trial, objective, rank from answers where study = 'x' order by rank limit 10")
  expect(three.filter((detail) => /^SEARCH (t|v|y) .*LEFT-JOIN$/.test(detail))).toEqual([])
  const best =
    "select date from answers l join equity_daily d using (identity, job_id) where l.study = 'x' and l.rank = 1"
  expect(planOf(best).join('\n')).toMatch(/SEARCH j USING INDEX (job_of_trial|sqlite_autoindex_job_1) /)
})

it('which metric a study ranks by is looked up in one place of the answers, whatever its markets: every opening reads their text', () => {
  const choices = VIEWS.answers.match(/\bcase (?:d\.\w*metric|json_extract\(b\.value, '\$\.metric'\)) when/g)
  expect(choices).toEqual([
    'case d.metric when',
    'case d.first_metric when',
    "case json_extract(b.value, '$.metric') when",
  ])
})

it('neighbours are looked up one by one', () => {
  const plan = store.db.prepare<[], { detail: string }>("explain query plan select * from parameters where study = 'x'")
  const lookups = plan
    .all()
    .filter(({ detail }) => /trial_of_span .*take_profit_percent=\? AND stop_loss_percent=\?/.test(detail))
  expect(lookups).toHaveLength(2)
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
