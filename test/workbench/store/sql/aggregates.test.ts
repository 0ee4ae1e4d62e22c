/** What `sql` computes beside SQLite is what the reports compute: the formulas stand in two rooms, and this holds them together. */
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pearson, rankCorrelation } from '../../../../src/workbench/analysis/correlation.ts'
import { addAggregates } from '../../../../src/workbench/store/sql/select.ts'

const db = new Database(':memory:')
addAggregates(db)
db.exec('create table pair (y, x)')
const insert = db.prepare('insert into pair values (?, ?)')

function ask(pairs: readonly (readonly unknown[])[]) {
  db.exec('delete from pair')
  for (const pair of pairs) insert.run(...pair)
  return db
    .prepare<[], Readonly<Record<'corr' | 'spearman' | 'stddev' | 'slope', number | null>>>(
      'select corr(y, x) as corr, spearman(y, x) as spearman, stddev(y) as stddev, regr_slope(y, x) as slope from pair',
    )
    .get()
}

it('correlations are those of the reports, of equal values too', () => {
  const few = fc.integer({ min: -4, max: 4 }) // so that many are equal
  fc.assert(
    fc.property(fc.array(fc.tuple(few, few), { minLength: 2, maxLength: 12 }), (pairs) => {
      const found = ask(pairs)
      const same = (one: number | null | undefined, other: number | null) =>
        other === null ? expect(one).toBeNull() : expect(one).toBeCloseTo(other, 12)
      same(found?.corr, pearson(pairs, 0))
      same(found?.spearman, rankCorrelation(pairs).rho)
    }),
  )
})

it('the deviation is that of a sample, the slope that of the first on the second, without what is no number', () => {
  const pairs = [
    [2, 1],
    [4, 2],
    [4, 3],
    [null, 4],
    ['text', 5],
    [6, null],
  ] // of each its own numbers
  const found = ask(pairs)
  expect(found?.stddev).toBeCloseTo(Math.sqrt(((2 - 4) ** 2 + 0 + 0 + (6 - 4) ** 2) / 3), 12)
  expect(found?.slope).toBeCloseTo(1, 12)
  expect(ask([[1, 1]])).toEqual({ corr: null, spearman: null, stddev: null, slope: null })
})
