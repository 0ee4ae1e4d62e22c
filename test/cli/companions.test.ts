/** What misleads alone is shown in company: a win rate, a Sharpe ratio, a net profit, buy & hold. */
import { describe, expect, it } from 'vitest'
import { describeMetrics, metricColumns, rankingColumns, withError } from '../../src/cli/metrics-table.ts'
import { METRIC_NAMES, METRICS } from '../../src/contract/metrics.ts'
import { sharpeError } from '../../src/engine/risk-adjusted.ts'
import { fixtureStudy } from '../support/fixture-trials.ts'
import { idleMetrics } from '../support/metrics.ts'
import { buildReport } from '../workbench/report/build-report.ts'
import { visibleText } from '../workbench/report/document.ts'
import { inputOf, NO_RUNTIME, sectionOf } from '../workbench/report/sections.ts'

const DAY = 86_400_000
const period = { from: 0, to: 30 * DAY }
const metrics = { ...idleMetrics(), winRatePercent: 100, sharpe: 1.234, unrealizedProfit: -60 }
const titlesOf = (columns: readonly { readonly title: string }[]) => columns.map(({ title }) => title)

it('one standard error of a Sharpe ratio is √(365 / days)', () => {
  expect([365, 90, 30].map((days) => sharpeError(days)?.toFixed(3))).toEqual(['1.000', '2.014', '3.488'])
  expect(sharpeError(0)).toBeNull()
})

describe('in the terminal', () => {
  it.each(METRIC_NAMES)(
    'a ranking by %s has no win rate without open loss and longest deal on its left',
    (objective) => {
      const titles = titlesOf(rankingColumns(objective, () => ({ metrics, period })))
      expect(new Set(titles).size).toBe(titles.length)
      const left = titles.slice(0, titles.indexOf('wins %'))
      expect(left).toEqual(expect.arrayContaining(['open P&L', 'longest deal min']))
      expect(titles.indexOf('profit / used %')).toBeGreaterThanOrEqual(0)
    },
  )

  it('the win rate of a market has its company of the same market', () => {
    const columns = metricColumns<null>('winRatePercent', () => ({ metrics, period }), { prefix: 'a/B-C' })
    expect(titlesOf(columns)).toEqual(['a/B-C open P&L', 'a/B-C longest deal min', 'a/B-C'])
    expect(columns.map(({ value }) => value(null))).toEqual([-60, null, 100])
  })

  it('a Sharpe ratio stands with its error, by the days of its equity or else by those asked for', () => {
    const dailyEquity = Array.from({ length: 365 }, () => ({ date: '2024-01-01', equity: 1 }))
    const lineOf = (lines: readonly string[]) => lines.find((line) => line.startsWith(METRICS.sharpe.title))
    expect(lineOf(describeMetrics({ ...metrics, dailyEquity }, period))).toMatch(/ 1\.23 ± 1\.00$/)
    expect(lineOf(describeMetrics(metrics, period))).toMatch(/ 1\.23 ± 3\.49$/)
    expect(lineOf(describeMetrics(metrics, null))).toMatch(/ 1\.23 ± unknown$/)
    expect(lineOf(describeMetrics({ ...metrics, sharpe: null }, period))).toMatch(/ -$/)
    expect(withError('sharpe', 0.5, { metrics, period })).toBe('0.50 ± 3.49')
    expect(withError('calmar', 0.5, { metrics, period })).toBe(0.5)
  })

  it('a result names its sample size, and no grade', () => {
    const text = describeMetrics(metrics, period).join('\n')
    expect(text).toMatch(/^Sample size +under 107$/m)
    expect(text).not.toMatch(/confidence/i)
  })
})

describe('in a report', () => {
  const textOf = (objective: ReturnType<typeof fixtureStudy>['objective']) =>
    visibleText(buildReport(inputOf(sectionOf(fixtureStudy({ objective }))), NO_RUNTIME))

  it('a win rate has its open loss and its longest deal: in the table, and where it breaks a bound', () => {
    const objective = { direction: 'maximize', metric: 'winRatePercent', where: [] } as const
    expect(textOf(objective)).toMatch(/RankTrialUnrealized profit USDTLongest dealWin rate %/)
    expect(textOf({ ...objective, where: [{ metric: 'closedDeals', bounds: { min: 1e6 } }] })).toMatch(
      /reaches 100\.00 %, unrealized profit −\d+\.\d\d USDT, longest deal \d d \d+ h, but breaks/,
    )
  })

  it('a Sharpe ratio has its error: in the table, and where it breaks a bound', () => {
    const days = { period: { from: Date.UTC(2021, 3, 1), to: Date.UTC(2021, 4, 31) } }
    const objective = { direction: 'maximize', metric: 'sharpe', where: [] } as const
    const reportOf = (changed: Parameters<typeof fixtureStudy>[0]) =>
      visibleText(buildReport(inputOf(sectionOf(fixtureStudy({ ...changed, ...days }))), NO_RUNTIME))
    expect(reportOf({ objective })).toMatch(/ 1 [0-9a-f]{8} −?\d+\.\d\d ± 2\.47/)
    expect(reportOf({ objective: { ...objective, where: [{ metric: 'sharpe', bounds: { min: 999 } }] } })).toMatch(
      /reaches −?\d+\.\d\d ± 2\.47, but breaks Sharpe −?\d+\.\d\d ± 2\.47 \(at least/,
    )
  })

  it('speaks of no grade', () => {
    expect(textOf({ direction: 'maximize', metric: 'netProfit', where: [] })).not.toMatch(/confidence/i)
  })
})
