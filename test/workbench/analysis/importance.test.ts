import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Importance, parameterImportance, type ScoredRow } from '../../../src/workbench/analysis/importance.ts'
import { levelIndex, levelsOf } from '../../../src/workbench/analysis/pair-grid.ts'
import { median, quantile } from '../../../src/workbench/analysis/quantiles.ts'

function fullGrid(score: (a: number, b: number, c: number) => number): ScoredRow[] {
  const levels = [0, 1, 2]
  return levels.flatMap((a) =>
    levels.flatMap((b) => levels.map((c) => ({ values: { a, b, c }, score: score(a, b, c) }))),
  )
}

function found(rows: readonly ScoredRow[], fields: readonly string[] = ['a', 'b', 'c']): Importance {
  const reading = parameterImportance(rows, fields)
  if (reading.kind !== 'found') throw new Error(`expected an importance, found ${reading.kind}`)
  return reading
}

function shares(rows: readonly ScoredRow[]): Record<string, number> {
  return Object.fromEntries(found(rows).parameters.map(({ field, share }) => [field, share]))
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
const meanOf = (values: readonly number[]) => sumOf(values) / values.length

/** η² by its definition: sum of squares between the levels over the total. */
function etaSquared(rows: readonly ScoredRow[], field: string): number {
  const grand = meanOf(rows.map(({ score }) => score))
  const total = sumOf(rows.map(({ score }) => (score - grand) ** 2))
  const between = rows.map(({ values }) => {
    const level = rows.filter((other) => other.values[field] === values[field])
    return (meanOf(level.map(({ score }) => score)) - grand) ** 2
  })
  return sumOf(between) / total
}

/** R² of the additive model by another way: taking out level means in turn until nothing changes (backfitting). */
function backfitted(rows: readonly ScoredRow[]): number {
  const grand = meanOf(rows.map(({ score }) => score))
  let left = rows.map(({ values, score }) => ({ values, score: score - grand }))
  for (let round = 0; round < 2000; round++) {
    for (const field of ['a', 'b', 'c']) {
      const means = [0, 1, 2].map((level) => {
        const group = left.filter(({ values }) => values[field] === level).map(({ score }) => score)
        return group.length === 0 ? 0 : meanOf(group)
      })
      left = left.map(({ values, score }) => ({ values, score: score - means[values[field]] }))
    }
  }
  return 1 - sumOf(left.map(({ score }) => score ** 2)) / sumOf(rows.map(({ score }) => (score - grand) ** 2))
}

const anyScores = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 27, maxLength: 27 })
/** A full grid of 27 from which a filter took up to 13 points. */
const filtered = fc
  .tuple(anyScores, fc.shuffledSubarray([...Array(27).keys()], { minLength: 14 }))
  .map(([scores, kept]) =>
    kept.sort((x, y) => x - y).map((index) => fullGrid((a, b, c) => scores[9 * a + 3 * b + c])[index]),
  )
  .filter((rows) => new Set(rows.map(({ score }) => score)).size > 1)

describe('laws of importance', () => {
  it('on any grid, full or filtered, no share is negative and together they are R², chance included', () => {
    fc.assert(
      fc.property(filtered, (rows) => {
        const { parameters, rSquared, chanceRSquared } = found(rows)
        for (const { share } of parameters) expect(share).toBeGreaterThanOrEqual(0)
        expect(sumOf(parameters.map(({ share }) => share))).toBeCloseTo(rSquared, 9)
        expect(sumOf(parameters.map(({ chanceShare }) => chanceShare))).toBeCloseTo(chanceRSquared, 9)
        expect(rSquared).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('on a full grid a share is what the parameter explains alone', () => {
    fc.assert(
      fc.property(anyScores, (scores) => {
        fc.pre(new Set(scores).size > 1)
        const rows = fullGrid((a, b, c) => scores[9 * a + 3 * b + c])
        for (const { field, share } of found(rows).parameters) expect(share).toBeCloseTo(etaSquared(rows, field), 9)
      }),
    )
  })

  it('on a filtered grid what is left over is what no sum of single effects can explain', () => {
    fc.assert(
      fc.property(filtered, (rows) => {
        expect(found(rows).rSquared).toBeCloseTo(backfitted(rows), 4)
      }),
      { numRuns: 20 },
    )
  })

  it('does not change when scores are moved or stretched', () => {
    const plain = shares(fullGrid((a, b, c) => a * a + 2 * b - c * a))
    const moved = shares(fullGrid((a, b, c) => 1000 - 7 * (a * a + 2 * b - c * a)))
    for (const field of ['a', 'b', 'c']) expect(moved[field]).toBeCloseTo(plain[field], 9)
  })

  it('a score without effect reaches the chance shares on average over shuffled scores, on a filtered grid too', () => {
    const places = fullGrid(() => 0).filter(({ values: { a, b } }) => a + b < 3 && !(a === 0 && b === 2))
    const scores = places.map((_, index) => index)
    const fields = ['a', 'b', 'c']
    const shuffles = 600
    const sums = new Map(fields.map((field) => [field, 0]))
    for (let shuffle = 0; shuffle < shuffles; shuffle++) {
      const [shuffled] = fc.sample(fc.shuffledSubarray(scores, { minLength: scores.length }), {
        numRuns: 1,
        seed: shuffle,
      })
      const rows = places.map(({ values }, index) => ({ values, score: shuffled[index] }))
      for (const { field, share } of found(rows).parameters) sums.set(field, (sums.get(field) ?? 0) + share)
    }
    const { parameters } = found(places.map(({ values }, index) => ({ values, score: index })))
    for (const { field, chanceShare } of parameters) {
      expect((sums.get(field) ?? 0) / shuffles).toBeCloseTo(chanceShare, 1)
    }
  })
})

it('in a filtered grid with two parameters that only add up, leaves nothing over (η² would not add up to it)', () => {
  const rows = fullGrid((a, b) => 5 * a - 4 * b).filter(({ values: { a, b } }) => a + b <= 2)
  const alone = ['a', 'b'].map((field) => etaSquared(rows, field))
  expect(sumOf(alone)).toBeGreaterThan(1.2)
  expect(found(rows).rSquared).toBeCloseTo(1, 9)
  expect(shares(rows)).toMatchObject({ c: expect.closeTo(0, 9) })
})

it('gives everything to the only parameter that acts, and nothing to the others', () => {
  expect(shares(fullGrid((a) => 10 * a))).toEqual({ a: 1, b: 0, c: 0 })
})

it('splits an additive score as the variances of its parts, strongest first', () => {
  const rows = fullGrid((a, b) => 3 * a + b)
  expect(found(rows).parameters.map(({ field }) => field)).toEqual(['a', 'b', 'c'])
  expect(shares(rows)).toMatchObject({ a: expect.closeTo(0.9, 9), b: expect.closeTo(0.1, 9) })
})

it('leaves what two parameters only do together to neither', () => {
  expect(shares(fullGrid((a, b) => (a - 1) * (b - 1)))).toEqual({ a: 0, b: 0, c: 0 })
})

describe('has nothing to say', () => {
  it('when all scores are equal or unknown', () => {
    const equal = fullGrid(() => 0.1 + 0.2)
    expect(parameterImportance(equal, ['a'])).toEqual({ kind: 'allEqual', rows: 27 })
    const unknown = fullGrid(() => Number.NaN)
    expect(parameterImportance(unknown, ['a'])).toEqual({ kind: 'allEqual', rows: 0 })
  })

  it('when no parameter has two values', () => {
    expect(
      parameterImportance(
        fullGrid((a) => a),
        [],
      ),
    ).toEqual({ kind: 'nothingVaried' })
  })

  it('when there are as many effects as differences between trials: then any score would be explained wholly', () => {
    const onePerValue = [3, 1, 2].map((score, a) => ({ values: { a }, score }))
    expect(parameterImportance(onePerValue, ['a'])).toEqual({ kind: 'tooFewRows', rows: 3, effects: 2 })
    const pairs = [...onePerValue, ...onePerValue]
    expect(parameterImportance(pairs, ['a']).kind).toBe('found')
  })
})

describe('levels', () => {
  it('hold every value exactly once, ascending, at most twelve', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -50, max: 50 }), { maxLength: 200 }), (values) => {
        const levels = levelsOf(values)
        expect(levels.length).toBeLessThanOrEqual(12)
        for (const value of values) {
          const index = levelIndex(levels, value)
          expect(levels.filter(({ low, high }) => low <= value && value <= high)).toEqual([levels[index]])
        }
        for (let index = 1; index < levels.length; index++) {
          expect(levels[index - 1].high).toBeLessThan(levels[index].low)
        }
      }),
    )
  })

  it('keep the values of a grid axis and gather those of a random search', () => {
    expect(levelsOf([3, 1, 3, 2])).toEqual([1, 2, 3].map((value) => ({ low: value, high: value })))
    expect(levelsOf(Array.from({ length: 80 }, (_, index) => index))).toHaveLength(8)
  })
})

it('quantiles are linear between neighbours', () => {
  expect(quantile([1, 2, 3, 4], 0.25)).toBe(1.75)
  expect(median([9, 1, 5])).toBe(5)
  expect(median([])).toBeUndefined()
})
