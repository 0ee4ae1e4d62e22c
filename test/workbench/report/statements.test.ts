/** What a report says about a study is so. */
import { describe, expect, it } from 'vitest'
import { drawSvg } from '../../../src/workbench/report/drawing.ts'
import { metricInWords, readFacts } from '../../../src/workbench/report/facts.ts'
import type { SpanInput, StudyInput } from '../../../src/workbench/report/input.ts'
import { drawCurves } from '../../../src/workbench/report/parts/days.ts'
import { heatPart, scatterPart } from '../../../src/workbench/report/parts/explorer.ts'
import type { TrialRecord } from '../../../src/workbench/store/records.ts'
import { fixtureStudy, fixtureTrials } from '../../support/fixture-trials.ts'
import { buildReport } from './build-report.ts'
import { visibleText } from './document.ts'
import { bestOf, inputOf, NO_RUNTIME, sectionOf, spanOf } from './sections.ts'

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
    expect(text).toContain('The parameters explain 100.0 % of')
    expect(text).not.toMatch(/The remaining|overlap/)
  })

  it('says nothing where the trials are too few to tell effects from chance', () => {
    const one = fixtureTrials(fixtureStudy({ axes: [{ field: 'takeProfit', values: [1, 2, 3] }] }))
    const text = textOf(sectionOf(fixtureStudy(), { trials: one }))
    expect(text).toContain('No data: 3 trials cannot separate 2 effects of the parameters’ values from chance.')
  })
})

describe('the days of the best', () => {
  const { period } = fixtureStudy()
  const days = (returns: readonly number[], from: number) =>
    returns.map((returnPercent, day) => ({
      date: new Date(from + day * 86_400_000).toISOString().slice(0, 10),
      returnPercent,
    }))
  const span = (changes: Partial<SpanInput>) => spanOf(fixtureStudy(), changes)
  const seen = span({ lines: { bot: days([1, 3], period.from), hold: days([5, 2], period.from), plain: [] } })
  const later = period.to + 3 * 86_400_000
  const unseen = span({
    from: later,
    to: later + 2 * 86_400_000,
    isUnseen: true,
    lines: { bot: days([-2, 4], later), hold: [], plain: [] },
    perUsedPercent: { bot: 44.9, hold: null, plain: 11.5 },
  })

  it('go on from the choice to the unseen ones on one axis, which are shaded; what is not known is not drawn', () => {
    const drawn = drawCurves([seen, unseen], 'return')
    const ys = (slot: string) => drawn.lines.find((line) => line.slot === slot)?.points.map(({ y }) => y)
    expect(ys('bot')).toEqual([0, 1, 3, 3, 1, 7])
    expect(ys('hold')).toEqual([0, 5, 2])
    expect(ys('plain')).toBeUndefined()
    expect(drawn.unseen).toEqual([{ from: unseen.from, to: unseen.to }])
    expect(drawn.strips.at(-1)?.tooltip).toContain('bot\t+7.00')
  })

  it('fall from the highest day so far, over both', () => {
    const [{ points }] = drawCurves([span({ ...seen, lines: { ...seen.lines, hold: [] } }), unseen], 'drawdown').lines
    expect(points.map(({ y }) => y)).toEqual([0, 0, 0, 0, -1.942, 0])
  })

  it('stand in a table in the same units, with the longest deal', () => {
    const text = textOf(sectionOf(fixtureStudy(), { best: bestOf({ spans: [seen, unseen] }) }))
    expect(text).toMatch(
      /In sample 28 days from 2021-04-21Unseen 2 days from 2021-05-22 bot\+9.5 %\+44.9 %plain ladder−8.3 %\+11.5 %/,
    )
    expect(text).toMatch(/same amount held−28.8 %–/)
    expect(text).toMatch(/Longest deal\d+ d \d+ h/)
  })
})

describe('when no trial is inside of the bounds', () => {
  const objective = {
    direction: 'maximize',
    metric: 'netProfit',
    where: [{ metric: 'maxDrawdownPercent', bounds: { max: 0.2 } }],
  } as const

  it('the best without them is told with what it breaks', () => {
    const facts = readFacts(sectionOf(fixtureStudy({ objective })))
    const [first] = facts.outside
    const text = textOf(sectionOf(fixtureStudy({ objective })))
    expect(text).toContain(
      `the best by net profit reaches ${metricInWords(first.metrics, 'netProfit', facts).replace('\u00a0', ' ')}, but breaks`,
    )
  })

  it('there is no front, and the page says so', () => {
    expect(textOf(sectionOf(fixtureStudy({ objective })))).toContain(
      'No trial is within the limits of the study: there is no Pareto front.',
    )
  })
})

it('results without a value of the objective are not said to break its bounds', () => {
  const objective = { direction: 'maximize', metric: 'cagrPercent', where: [] } as const
  const text = textOf(sectionOf(fixtureStudy({ objective })))
  expect(text).toContain('Nothing can be ranked')
  expect(text).toContain('No result has a CAGR.')
  expect(text).not.toContain('limits of the study')
})

it('counts every configuration tried on this market and time, not this study alone', () => {
  const text = textOf(sectionOf(fixtureStudy(), { tried: { shown: 140, scanned: 1100 } }))
  expect(text).toContain(
    'Triedbest of at most 1,240 configurations tried on this market and time: 140 on the service, 1,100 locally',
  )
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

  it('is of the ranked trials where control configurations stand beside them', () => {
    const study = fixtureStudy()
    const unbounded = { ...study, objective: { ...study.objective, where: [] } }
    const trials = alongAnEdge(unbounded)
    const said = (chosen: StudyInput['chosen']) =>
      scatterPart(readFacts(sectionOf(unbounded, { trials, chosen })), place).body.toString()
    expect(said(null)).toContain('>Of all 96 trials, 96 cannot be beaten')
    const chosen = new Set(trials.slice(0, 40).map(({ fingerprint }) => fingerprint))
    expect(said(chosen)).toContain('>Of 40 ranked trials, 40 cannot be beaten')
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
      'The limit of at most 90.00\u00a0% max drawdown is far from all trials and is not drawn.',
    )
  })
})

describe('the heat map', () => {
  const place = { prefix: '', name: 'explorer', title: 'Explorer', level: 2 } as const
  const partOf = (trials: readonly TrialRecord[], study = fixtureStudy()) => {
    const { charts, body } = heatPart(readFacts(sectionOf(study, { trials })), place)
    return { spec: JSON.stringify(charts.at(0)?.spec), text: body.toString() }
  }

  it('as a picture says in each cell how many trials it rests on', async () => {
    const gaps = fixtureTrials().filter(({ config }) => config.takeProfit > 0.5 || config.dcaPriceScalePercent === 1)
    const [{ spec }] = heatPart(readFacts(sectionOf(fixtureStudy(), { trials: gaps })), place).charts
    const svg = await drawSvg(spec)
    expect(new Set(svg.match(/n \d+/g))).toEqual(new Set(['n 1', 'n 4']))
    expect(svg).not.toContain('var(')
  })

  it('says of a study that varies one parameter that it needs two', () => {
    const study = fixtureStudy({ axes: [{ field: 'takeProfit', values: [1, 2, 3] }] })
    expect(partOf(fixtureTrials(study), study).text).toContain('it needs two varied parameters')
  })
})
