import { expect, it } from 'vitest'
import { CONFIG_FIELDS } from '../../../src/contract/bot.ts'
import { METRIC_NAMES } from '../../../src/contract/metrics.ts'
import { fieldSpellings, metricSpellings } from '../../../src/workbench/report/model/filter.ts'

it('no two columns are called the same in a filter', () => {
  const all = [
    ...METRIC_NAMES.map(metricSpellings),
    ...CONFIG_FIELDS.map(fieldSpellings),
    ['rank'],
    ['samplesize'],
  ].flat()
  expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([])
})

it('a column is called as in a study file, as in SQL, as on the page, or short', () => {
  expect(metricSpellings('netProfit')).toEqual(['netprofit', 'profit'])
  expect(metricSpellings('maxDrawdownPercent')).toEqual(['maxdrawdownpercent', 'maxdrawdown', 'drawdown'])
  expect(metricSpellings('dealDuration.max')).toEqual(['dealdurationmax', 'dealdurationmaxminutes', 'longestdeal'])
  expect(fieldSpellings('dcaMaxSafetyOrders')).toEqual(['dcamaxsafetyorders', 'maxsafetyorders'])
})
