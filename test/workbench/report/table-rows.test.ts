/** The rows of the table: their order, where keys lead, and what is saved of them. */
import { describe, expect, it } from 'vitest'
import { METRIC_NAMES, METRICS } from '../../../src/contract/metrics.ts'
import {
  nextSort,
  rowAfter,
  shownColumns,
  type TableRow,
  tableRows,
} from '../../../src/workbench/report/model/table-rows.ts'
import { trialCsv } from '../../../src/workbench/report/model/trial-words.ts'
import { fixtureStudy } from '../../support/fixture-trials.ts'
import { deskTable } from './section-table.ts'
import { sectionOf } from './sections.ts'

const where = [{ metric: 'closedDeals', bounds: { min: 200 } }] as const
const study = fixtureStudy({ objective: { direction: 'maximize', metric: 'netProfit', where } })
const input = sectionOf(study)
const { section, table } = deskTable({
  ...input,
  trials: input.trials.map((trial, index) => ({
    ...trial,
    metrics: trial.metrics === null ? null : { ...trial.metrics, sharpe: index % 3 === 0 ? null : index },
  })),
})
const everything = new Uint8Array(table.count).fill(1)
const trialsOf = (rows: readonly TableRow[]) => rows.flatMap((row) => ('trial' in row ? [row.trial] : []))
const titlesOf = (rows: readonly TableRow[]) => rows.flatMap((row) => ('group' in row ? [row.group] : []))

describe('the order of the table', () => {
  it('is that of the ranking at rest, with the groups that have trials', () => {
    const rows = tableRows(table, everything, null)
    expect(titlesOf(rows)).toEqual(['ranked', 'outside'])
    expect(trialsOf(rows)).toEqual(Array.from({ length: 96 }, (_, trial) => trial))
    const ranked = everything.map((_, trial) => Number(table.rank(trial) !== null))
    expect(titlesOf(tableRows(table, ranked, null))).toEqual([])
    expect(tableRows(table, new Uint8Array(96), null)).toEqual([])
  })

  it.each(['sharpe', 'netProfit', 'takeProfit', 'sampleSize', 'rank'] as const)(
    'by %s is ascending or descending in each group, what is undefined last both ways',
    (by) => {
      for (const descending of [false, true]) {
        const rows = tableRows(table, everything, { by, descending })
        for (const group of ['ranked', 'outside'] as const) {
          const values = trialsOf(rows)
            .filter((trial) => table.standing(trial) === group)
            .map((trial) =>
              by === 'rank'
                ? table.rank(trial)
                : by === 'sampleSize'
                  ? Number.parseInt(table.sampleSize(trial)?.replace('under', '0') ?? '', 10)
                  : table.number(trial, by),
            )
          const known = values.filter((value) => value !== null)
          expect(values.slice(0, known.length)).toEqual(known)
          expect(known).toEqual(known.toSorted((a, b) => (descending ? b - a : a - b)))
        }
      }
    },
  )

  it('by a column that there is not is that of the ranking', () => {
    for (const by of ['constructor', 'netprofit', '']) {
      expect(trialsOf(tableRows(table, everything, { by, descending: true }))).toEqual(
        trialsOf(tableRows(table, everything, null)),
      )
    }
  })

  it('chosen by a head begins with the best and turns around', () => {
    expect(nextSort(null, 'netProfit')).toEqual({ by: 'netProfit', descending: true })
    expect(nextSort(null, 'maxDrawdownPercent')).toEqual({ by: 'maxDrawdownPercent', descending: false })
    expect(nextSort({ by: 'netProfit', descending: true }, 'netProfit')).toEqual({ by: 'netProfit', descending: false })
    expect(nextSort(null, 'rank')).toEqual({ by: 'rank', descending: true })
    expect(nextSort({ by: 'rank', descending: true }, 'rank')).toBeNull()
    expect(nextSort({ by: 'netProfit', descending: true }, 'rank')).toBeNull()
    for (const name of METRIC_NAMES) {
      expect(nextSort(null, name)?.descending, name).toBe(METRICS[name].better !== 'lower')
    }
  })
})

it('keys lead from trial to trial, over the titles, and not beyond the ends', () => {
  const rows: TableRow[] = [
    { group: 'ranked', count: 2 },
    { trial: 0 },
    { trial: 1 },
    { group: 'outside', count: 1 },
    { trial: 2 },
  ]
  const after = (key: string, at: number) => rowAfter(key, { rows, at, page: 2 })
  expect(['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End'].map((key) => after(key, 2))).toEqual([
    2, 0, 2, 0, 0, 2,
  ])
  expect(after('ArrowUp', 1)).toBe(0)
  expect(after('ArrowDown', 4)).toBe(2)
  expect(after('ArrowDown', -1)).toBe(0)
  expect(after('a', 1)).toBeUndefined()
  expect(after('constructor', 1)).toBeUndefined()
  expect(rowAfter('End', { rows: [], at: -1, page: 2 })).toBeUndefined()
})

it('the columns are each metric and each field once, the objective first and a profit with the capital it used', () => {
  for (const metric of METRIC_NAMES) {
    const { kept, usual, more } = shownColumns({ direction: 'maximize', metric, where: [] }, ['takeProfit'])
    const all = [...kept, ...usual, ...more]
    expect(new Set(all).size).toBe(all.length)
    expect(all).toEqual(expect.arrayContaining(['takeProfit', 'stopLoss', ...METRIC_NAMES]))
    expect(kept).toEqual(expect.arrayContaining([metric, 'netProfit', 'usedCapital.average', 'maxDrawdownPercent']))
  }
})

it('CSV has a line for each selected trial, with the very numbers', () => {
  const mask = new Uint8Array(table.count)
  mask[3] = 1
  mask[95] = 1
  const [head, ...lines] = trialCsv(section, table, mask).split('\r\n')
  expect(lines).toHaveLength(3)
  expect(lines[2]).toBe('')
  const names = head.split(',')
  for (const [line, trial] of [
    [lines[0], 3],
    [lines[1], 95],
  ] as const) {
    const cells = line.split(',')
    expect(cells).toHaveLength(names.length)
    for (const name of METRIC_NAMES) {
      const text = cells[names.indexOf(name)]
      expect(text === '' ? null : Number(text), name).toBe(table.number(trial, name))
    }
    expect(cells[names.indexOf('id')]).toBe(table.id(trial))
    expect(cells[names.indexOf('takeProfit')]).toBe(String(table.number(trial, 'takeProfit')))
  }
  expect(trialCsv({ study: '-x', market: '@a/"B",=C' }, table, mask)).toContain(`'-x,"'@a/""B"",=C",4,ranked,`)
})
