import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Metrics, metricValue } from '../../../src/contract/metrics.ts'
import { rankByObjective, reduceAcross } from '../../../src/workbench/study/objective.ts'
import { type Objective, REDUCERS } from '../../../src/workbench/study/study.ts'

/** Only the metrics that the objectives below read. */
function metrics(values: {
  readonly netProfit: number
  readonly sharpe?: number | null
  readonly maxDrawdownPercent?: number
}) {
  return { sharpe: null, maxDrawdownPercent: 0, ...values } as Metrics // the other metrics are never read here
}

const netProfit: Objective = { direction: 'maximize', metric: 'netProfit', where: [] }

const rows = fc.uniqueArray(
  fc.record({
    fingerprint: fc.stringMatching(/^[0-9a-f]{6}$/),
    metrics: fc.option(
      fc.record({
        netProfit: fc.integer({ min: -3, max: 3 }),
        sharpe: fc.option(fc.integer({ min: -2, max: 2 })),
        maxDrawdownPercent: fc.integer({ min: 0, max: 5 }),
      }),
    ),
  }),
  { selector: ({ fingerprint }) => fingerprint },
)

const objectives: fc.Arbitrary<Objective> = fc.record({
  direction: fc.constantFrom('maximize', 'minimize'),
  metric: fc.constantFrom('netProfit', 'sharpe'),
  where: fc.constantFrom(
    [],
    [{ metric: 'maxDrawdownPercent', bounds: { max: 3 } }],
    [
      { metric: 'sharpe', bounds: { min: -1 } },
      { metric: 'maxDrawdownPercent', bounds: { min: 1, max: 4 } },
    ],
  ),
})

describe('one value of several markets', () => {
  const DIRECTIONS = ['maximize', 'minimize'] as const
  const ways = fc.record({ across: fc.constantFrom(...REDUCERS), direction: fc.constantFrom(...DIRECTIONS) })
  const finite = fc.double({ noNaN: true, min: -1e9, max: 1e9 }).map((value) => value + 0) // no −0

  it.each([
    ['mean', 'maximize', [4, -1, 3], 2],
    ['median', 'maximize', [4, -1, 3], 3],
    ['median', 'minimize', [4, -1, 3, 10], 3.5],
    ['worst', 'maximize', [4, -1, 3], -1],
    ['worst', 'minimize', [4, -1, 3], 4],
  ] as const)('%s, where more is better by %s, of %j is %d', (across, direction, values, expected) => {
    expect(reduceAcross(values, { across, direction })).toBe(expected)
  })

  it('is the median where the study says nothing', () => {
    expect(reduceAcross([1, 2, 9], { direction: 'maximize' })).toBe(2)
  })

  it('of one market is its own, to the last bit', () => {
    fc.assert(fc.property(finite, ways, (value, way) => Object.is(reduceAcross([value], way), value)))
  })

  it('is undefined where it is undefined on one, or on none', () => {
    for (const across of REDUCERS) {
      expect(reduceAcross([1, null, 3], { across, direction: 'maximize' })).toBeNull()
      expect(reduceAcross([], { across, direction: 'maximize' })).toBeNull()
    }
  })

  it('lies between the lowest and the highest, and does not depend on the order of the markets in any bit', () => {
    const shuffled = fc
      .array(finite, { minLength: 1, maxLength: 6 })
      .chain((values) => fc.tuple(fc.constant(values), fc.shuffledSubarray(values, { minLength: values.length })))
    fc.assert(
      fc.property(shuffled, ways, ([values, others], way) => {
        const value = reduceAcross(values, way) ?? Number.NaN
        expect(reduceAcross(others, way)).toBe(value)
        const slack = 1e-6 // of sums of some 1e9
        expect(value).toBeGreaterThanOrEqual(Math.min(...values) - slack)
        expect(value).toBeLessThanOrEqual(Math.max(...values) + slack)
      }),
    )
  })
})

describe('the order of trials', () => {
  it('keeps every row in exactly one place, and does not depend on the order given', () => {
    fc.assert(
      fc.property(rows, objectives, (given, objective) => {
        const trials = given.map((row) => ({ ...row, metrics: row.metrics === null ? null : metrics(row.metrics) }))
        const { ranked, outside, noValue } = rankByObjective(trials, objective)
        expect(new Set([...ranked, ...outside, ...noValue])).toEqual(new Set(trials))
        expect(ranked.length + outside.length + noValue.length).toBe(trials.length)
        const reversed = rankByObjective(trials.toReversed(), objective)
        expect([reversed.ranked, reversed.outside]).toEqual([ranked, outside])
      }),
    )
  })

  it('is best first, ties by the lower fingerprint', () => {
    fc.assert(
      fc.property(rows, objectives, (given, objective) => {
        const trials = given.map((row) => ({ ...row, metrics: row.metrics === null ? null : metrics(row.metrics) }))
        const { ranked, outside } = rankByObjective(trials, objective)
        for (const list of [ranked, outside]) {
          list.slice(1).forEach((row, index) => {
            const better = list[index]
            if (better.metrics === null || row.metrics === null) throw new Error('a ranked row has metrics')
            const [first, second] = [better.metrics, row.metrics].map((m) => metricValue(m, objective.metric) ?? NaN)
            const ahead = objective.direction === 'maximize' ? first - second : second - first
            expect(ahead > 0 || (ahead === 0 && better.fingerprint < row.fingerprint)).toBe(true)
          })
        }
      }),
    )
  })

  it('puts a trial at its bound inside, one beyond it outside, and one without the bounded metric outside', () => {
    const objective: Objective = {
      ...netProfit,
      where: [
        { metric: 'maxDrawdownPercent', bounds: { max: 30 } },
        { metric: 'sharpe', bounds: { min: 0 } },
      ],
    }
    const at = { fingerprint: 'a', metrics: metrics({ netProfit: 1, sharpe: 0, maxDrawdownPercent: 30 }) }
    const beyond = { fingerprint: 'b', metrics: metrics({ netProfit: 9, sharpe: 0, maxDrawdownPercent: 30.1 }) }
    const unknown = { fingerprint: 'c', metrics: metrics({ netProfit: 5, sharpe: null, maxDrawdownPercent: 1 }) }
    expect(rankByObjective([unknown, at, beyond], objective)).toEqual({
      ranked: [at],
      outside: [beyond, unknown],
      noValue: [],
    })
  })

  it('does not rank what has no result, or no finite value of the objective', () => {
    const unfinished = { fingerprint: 'a', metrics: null }
    const undefinedSharpe = { fingerprint: 'b', metrics: metrics({ netProfit: 1 }) }
    const infinite = { fingerprint: 'c', metrics: metrics({ netProfit: 1, sharpe: Infinity }) }
    const given = [unfinished, undefinedSharpe, infinite]
    expect(rankByObjective(given, { ...netProfit, metric: 'sharpe' }).noValue).toEqual(given)
  })
})
