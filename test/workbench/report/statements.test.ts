/** What a report says about a study is so. */
import { describe, expect, it } from 'vitest'
import { buildReport } from '../../../src/workbench/report/build.ts'
import { readFacts } from '../../../src/workbench/report/facts.ts'
import type { StudyInput } from '../../../src/workbench/report/input.ts'
import { heatPart } from '../../../src/workbench/report/parts/explorer/heat.ts'
import { scatterPart } from '../../../src/workbench/report/parts/explorer/scatter-figure.ts'
import { overTimePart } from '../../../src/workbench/report/parts/over-time.ts'
import type { TrialRecord } from '../../../src/workbench/store/records.ts'
import { fixturePrices, fixtureStudy, fixtureTrials } from '../../support/fixture-trials.ts'
import { visibleText } from './document.ts'
import { inputOf, NO_RUNTIME, sectionOf } from './sections.ts'

function textOf(section: StudyInput): string {
  return visibleText(buildReport(inputOf(section), NO_RUNTIME))
}

/** The trial with some of its metrics replaced. */
function withMetrics(
  trial: TrialRecord,
  changes: (trial: TrialRecord) => Partial<TrialRecord['metrics']>,
): TrialRecord {
  return trial.metrics === null ? trial : { ...trial, metrics: { ...trial.metrics, ...changes(trial) } }
}

describe('which parameters matter', () => {
  const gaps = fixtureTrials().filter(({ config }) => config.dcaMaxSafetyOrders / 2 + config.takeProfit < 5)

  it('on a grid with gaps, effects that only add up explain everything, and nothing is said to remain', () => {
    const trials = gaps.map((trial) =>
      withMetrics(trial, ({ config }) => ({ netProfit: 7 * config.takeProfit - 3 * config.dcaMaxSafetyOrders })),
    )
    const text = textOf(sectionOf(fixtureStudy(), { trials }))
    expect(text).toContain('all of them 100.0 % (R²).')
    expect(text).not.toMatch(/The remaining|overlap/)
  })

  it('says nothing where the trials are too few to tell effects from chance', () => {
    const one = fixtureTrials(fixtureStudy({ axes: [{ field: 'takeProfit', values: [1, 2, 3] }] }))
    const text = textOf(sectionOf(fixtureStudy(), { trials: one }))
    expect(text).toContain('No data: 3 trials cannot tell 2 effects of the parameters’ values from chance.')
  })
})

describe('the best over time', () => {
  it('is not said to have ended anywhere when it stores no curve; the first that does is named', () => {
    const facts = readFacts(sectionOf())
    const [best, second] = facts.ranked
    const trials = fixtureTrials().map((trial) =>
      trial.fingerprint === best.fingerprint ? withMetrics(trial, () => ({ dailyEquity: [] })) : trial,
    )
    const text = textOf(sectionOf(fixtureStudy(), { trials }))
    expect(text).toContain(
      `The best trial stores no daily equity. The first by rank that does, 2. ${second.fingerprint.slice(0, 12)}, ended at`,
    )
    expect(text).not.toContain('The best trial ended at')
  })

  const steep = fixturePrices().map((price, day) => ({
    date: new Date(fixtureStudy().period.from + day * 86_400_000).toISOString().slice(0, 10),
    returnPercent: 2000 * (price - 1),
  }))
  const held = (returnPercents: (day: (typeof steep)[number]) => number) =>
    sectionOf(fixtureStudy(), {
      hold: {
        kind: 'found',
        interval: '1m',
        hash: 'aa',
        days: steep.map((day) => ({ ...day, returnPercent: returnPercents(day) })),
      },
    })
  const plotsOf = (section: StudyInput) => {
    const { charts } = overTimePart(readFacts(section), { prefix: '', name: 'time', title: 'Time', level: 2 })
    return new Map(charts.map(({ id, spec }) => [id, JSON.stringify(spec)]))
  }

  it('is not pressed together by buy & hold: what moves much farther gets a chart and a scale of its own', () => {
    const plots = plotsOf(held(({ returnPercent }) => returnPercent))
    expect([...plots.keys()]).toEqual(['plot-equity', 'plot-equity-hold', 'plot-drawdown', 'plot-drawdown-hold'])
    expect(plots.get('plot-equity')).not.toContain('"hold"')
    expect(plots.get('plot-equity')).toContain('Buy & hold\\t') // its value stays in the tooltip
    expect(plots.get('plot-equity-hold')).not.toContain('"s1"')
  })

  it('shares the scale with buy & hold where there is room for both', () => {
    const plots = plotsOf(held(({ returnPercent }) => returnPercent / 4000))
    expect([...plots.keys()]).toEqual(['plot-equity', 'plot-drawdown'])
    expect(plots.get('plot-equity')).toContain('"hold"')
  })
})

describe('when no trial is inside of the bounds', () => {
  const objective = {
    direction: 'maximize',
    metric: 'netProfit',
    where: [{ metric: 'maxDrawdownPercent', bounds: { max: 0.2 } }],
  } as const

  it('the one with the highest profit is called that, not the nearest to the bounds', () => {
    const facts = readFacts(sectionOf(fixtureStudy({ objective })))
    const [first] = facts.outside
    const nearest = Math.min(...facts.outside.map(({ metrics }) => metrics.maxDrawdownPercent ?? Number.NaN))
    expect(first.metrics.maxDrawdownPercent).toBeGreaterThan(nearest)
    const text = textOf(sectionOf(fixtureStudy({ objective })))
    expect(text).toContain(`Without the bounds, the best by net profit would be ${first.fingerprint.slice(0, 12)} with`)
    expect(text).not.toContain('nearest')
  })

  it('there is no front, and the page says so', () => {
    expect(textOf(sectionOf(fixtureStudy({ objective })))).toContain(
      'No trial meets the objective’s bounds: there is no Pareto front.',
    )
  })
})

it('results without a value of the objective are not said to break its bounds', () => {
  const objective = { direction: 'maximize', metric: 'cagrPercent', where: [] } as const
  const text = textOf(sectionOf(fixtureStudy({ objective })))
  expect(text).toContain(
    'None of the 96 configurations of this study with a result can be ranked: no result has a CAGR.',
  )
  expect(text).not.toContain('objective’s bounds')
})

describe('how many configurations were looked at', () => {
  const looks = { shown: 140, scanned: 1100 }

  it('is everything seen on this market and time, not this study alone, in the words of the leaderboard', () => {
    const text = textOf(sectionOf(fixtureStudy(), { looks }))
    const words = 'best of at most 1,240 configurations tried on this market and time: 140 on the service, 1,100 here'
    expect(text).toContain(`Configurations looked at 1,240 ${words}; 96 of 96 planned by this study have a result`)
    expect(text).toContain(`Looks${words}`)
  })

  it('names no best where there is none, and is not zero where none was counted', () => {
    const objective = { direction: 'maximize', metric: 'cagrPercent', where: [] } as const
    expect(textOf(sectionOf(fixtureStudy({ objective }), { looks }))).toContain('1,240 one of at most 1,240')
    const none = textOf(sectionOf(fixtureStudy(), { looks: { shown: 0, scanned: 0 } }))
    expect(none).toContain('Configurations looked at – 96 of 96 planned')
  })
})

describe('the Pareto front', () => {
  const place = { prefix: '', name: 'explorer', title: 'Explorer', level: 2 } as const
  const frontAndPoints = (section: StudyInput) => {
    const [{ spec }] = scatterPart(readFacts(section), place).charts
    const { layer } = JSON.parse(JSON.stringify(spec))
    const rows = (name: string): { c0: number; c1: number }[] =>
      layer.find((each: { name?: string }) => each.name === name).data.values
    return { front: rows('front'), points: rows('points') }
  }
  /** Profit rises with drawdown, so that every ranked trial is on the front. */
  const alongAnEdge = (study: ReturnType<typeof fixtureStudy>) =>
    fixtureTrials(study).map((trial, index) =>
      withMetrics(trial, () => ({ netProfit: index, maxDrawdownPercent: 1 + index / 1000, closedDeals: 50 })),
    )

  it('is that of the trials within the bounds, in a small study too', () => {
    const bounded = fixtureStudy()
    const trials = alongAnEdge(bounded).map((trial, index) =>
      index === 0 ? withMetrics(trial, () => ({ netProfit: 9999, maxDrawdownPercent: 0.1, closedDeals: 1 })) : trial,
    )
    const { front, points } = frontAndPoints(sectionOf(bounded, { trials }))
    expect(points).toContainEqual(expect.objectContaining({ c0: 0.1, c1: 9999 }))
    expect(front).toHaveLength(95)
  })

  it('is the same in a large study, of which every trial is drawn', () => {
    const study = fixtureStudy({
      axes: [
        { field: 'dcaPriceScalePercent', values: Array.from({ length: 43 }, (_, index) => 1 + index / 10) },
        { field: 'takeProfit', values: Array.from({ length: 50 }, (_, index) => 1 + index / 10) },
      ],
    })
    const trials = alongAnEdge(study).map((trial, index) =>
      index > 0 && index < 100 ? withMetrics(trial, () => ({ maxDrawdownPercent: 19 })) : trial,
    )
    const { front, points } = frontAndPoints(sectionOf(study, { trials }))
    expect(points).toHaveLength(2150)
    expect(front[0]).toEqual({ c0: 1, c1: 0 })
    expect(front).toHaveLength(2051)
  })

  const boundsOf = (max: number) => {
    const bounded = fixtureStudy()
    const where = [{ metric: 'maxDrawdownPercent', bounds: { max } }] as const
    const study = { ...bounded, objective: { ...bounded.objective, where } }
    const part = scatterPart(readFacts(sectionOf(study)), place)
    return { spec: JSON.stringify(part.charts[0].spec), text: part.body.toString() }
  }

  it('stands beside the bounds of the objective; one far from all trials is said and not drawn', () => {
    const near = boundsOf(10)
    expect(near.spec).toContain('at most 10.00\u00a0%')
    expect(near.text).not.toContain('far from all trials')
    const far = boundsOf(90)
    expect(far.spec).not.toContain('at most')
    expect(far.text).toContain(
      'The bound of at most 90.00\u00a0% max drawdown lies far from all trials and is not drawn.',
    )
  })
})

describe('the heat map', () => {
  const place = { prefix: '', name: 'explorer', title: 'Explorer', level: 2 } as const
  const partOf = (trials: readonly TrialRecord[], study = fixtureStudy()) => {
    const { charts, body } = heatPart(readFacts(sectionOf(study, { trials })), place)
    return { spec: JSON.stringify(charts.at(0)?.spec), text: body.toString() }
  }

  it('as a picture says in each cell how many trials it rests on where that differs', () => {
    const gaps = fixtureTrials().filter(({ config }) => config.takeProfit > 0.5 || config.dcaPriceScalePercent === 1)
    const { spec } = partOf(gaps)
    expect(spec).toContain('"name":"counts"')
    expect(spec).toContain('"n 1"')
    expect(partOf(fixtureTrials()).spec).not.toContain('"name":"counts"')
  })

  it('says of a study that varies one parameter that it needs two', () => {
    const study = fixtureStudy({ axes: [{ field: 'takeProfit', values: [1, 2, 3] }] })
    expect(partOf(fixtureTrials(study), study).text).toContain('it needs two varied parameters')
  })
})
