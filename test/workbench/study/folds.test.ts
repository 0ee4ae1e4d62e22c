/** The folds of a walk-forward test: whole UTC days, one test after the other, never in what is held out. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldsOf } from '../../../src/workbench/study/folds.ts'
import { planTrials } from '../../../src/workbench/study/parse.ts'
import type { Study } from '../../../src/workbench/study/study.ts'
import { type Data, exampleStudy, parseData, problemsOf } from './example.ts'

const DAY = 86_400_000
const grid = { takeProfit: [1, 2] }
const day = (at: number) => new Date(at).toISOString().replace('T00:00:00.000Z', '')

function studyWith(validate: { readonly [key: string]: Data }, period = { from: '2025-01-01', to: '2025-04-11' }) {
  return parseData(exampleStudy(grid, { period, validate }))
}

function foldsIn({ period, walkForward }: Study) {
  if (walkForward === null) throw new Error('the study asks for no folds')
  return foldsOf(period, walkForward).map(({ train, test }) =>
    [train.from, train.to, test.from, test.to].map(day).join(' '),
  )
}

describe('folds', () => {
  it('begin one test after the other, before the hold-out and its embargo', () => {
    const walkForward = { train: '30d', test: '20d' }
    // Train ends on 2025-03-12: 70 days.
    expect(foldsIn(studyWith({ holdout: '30d', walkForward }))).toEqual([
      '2025-01-01 2025-01-31 2025-01-31 2025-02-20',
      '2025-01-21 2025-02-20 2025-02-20 2025-03-12',
    ])
    expect(foldsIn(studyWith({ holdout: '30d', embargo: '2d', walkForward }))).toEqual([
      '2025-01-01 2025-01-31 2025-02-02 2025-02-22',
    ])
  })

  it('keep the first day where they are anchored', () => {
    expect(foldsIn(studyWith({ walkForward: { train: '60d', test: '20d', anchored: true } }))).toEqual([
      '2025-01-01 2025-03-02 2025-03-02 2025-03-22',
      '2025-01-01 2025-03-22 2025-03-22 2025-04-11',
    ])
  })

  it('leave out what is not a whole UTC day', () => {
    const period = { from: '2025-01-01T06:00Z', to: '2025-01-06T23:59Z' }
    expect(foldsIn(studyWith({ walkForward: { train: '3d', test: '1d' } }, period))).toEqual([
      '2025-01-02 2025-01-05 2025-01-05 2025-01-06',
    ])
  })
})

const anyLengths = fc.record({
  train: fc.integer({ min: 1, max: 70 }),
  test: fc.integer({ min: 1, max: 50 }),
  embargo: fc.integer({ min: 0, max: 5 }),
  anchored: fc.boolean(),
  holdout: fc.integer({ min: 1, max: 50 }),
})
const written = ({
  train,
  test,
  embargo,
  anchored,
  holdout,
}: typeof anyLengths extends fc.Arbitrary<infer T> ? T : never) => ({
  holdout: `${holdout}%`,
  embargo: `${embargo}d`,
  walkForward: { train: `${train}d`, test: `${test}d`, anchored },
})

describe('whatever their lengths', () => {
  it('tests follow one another without a gap, each after its train and the embargo, and none reaches the hold-out', () => {
    fc.assert(
      fc.property(anyLengths, (lengths) => {
        const { train, test, embargo, anchored } = lengths
        const study = parsed(lengths)
        if (study === null) return
        const { period, holdout, walkForward } = study
        if (walkForward === null || holdout === null) throw new Error('both were asked for')
        const folds = foldsOf(period, walkForward)
        expect(folds.length).toBeGreaterThan(0)
        folds.forEach((fold, at) => {
          expect(fold.train.from).toBe(anchored ? period.from : period.from + at * test * DAY)
          expect(fold.train.to - fold.train.from).toBe((train + (anchored ? at * test : 0)) * DAY)
          expect(fold.test.from - fold.train.to).toBe(embargo * DAY)
          expect(fold.test.to - fold.test.from).toBe(test * DAY)
          if (at > 0) expect(fold.test.from).toBe(folds[at - 1].test.to)
          for (const bound of [fold.train.from, fold.train.to, fold.test.from, fold.test.to])
            expect(bound % DAY).toBe(0)
          expect(fold.test.to).toBeLessThanOrEqual(holdout.from - embargo * DAY)
        })
        const left = period.to - (folds.at(-1)?.test.to ?? Number.NaN)
        expect(left).toBeGreaterThanOrEqual(0)
        expect(left).toBeLessThan(test * DAY) // one more would not fit
      }),
      { numRuns: 300 },
    )
  })

  it('a refusal names the longest lengths, which do fit, and one day more does not', () => {
    const refused: string[] = []
    fc.assert(
      fc.property(anyLengths, (lengths) => {
        if (parsed(lengths) !== null) return
        const [{ place, message }] = problemsOf(() => studyWith(written(lengths)))
        expect(place).toBe(`study.json:1:${JSON.stringify(fileWith(lengths)).indexOf('{"train"') + 1}`)
        refused.push(message)
        for (const part of ['train', 'test'] as const) {
          const other = part === 'train' ? 'test' : 'train'
          const most = Number(
            new RegExp(`with ${other} ${lengths[other]}d the longest ${part} is (\\d+)d`).exec(message)?.[1] ?? 0,
          )
          if (most === 0) expect(message).toContain(`with ${other} ${lengths[other]}d no ${part} fits`)
          else expect(parsed({ ...lengths, [part]: most })).not.toBeNull()
          expect(parsed({ ...lengths, [part]: most + 1 })).toBeNull()
        }
      }),
      { numRuns: 300 },
    )
    expect(refused.length).toBeGreaterThan(10)
  })
})

function fileWith(lengths: Parameters<typeof written>[0]) {
  return exampleStudy(grid, { period: { from: '2025-01-01', to: '2025-04-11' }, validate: written(lengths) })
}

/** null = refused. */
function parsed(lengths: Parameters<typeof written>[0]): Study | null {
  try {
    return studyWith(written(lengths))
  } catch {
    return null
  }
}

it('more folds than anybody reads are refused', () => {
  const period = { from: '2020-01-01', to: '2023-01-01' }
  const [{ message }] = problemsOf(() => studyWith({ walkForward: { train: '30d', test: '1d' } }, period))
  expect(message).toBe('validate.walkForward: expected at most 1000 windows, found 1066; a longer test makes fewer')
})

it('no trial of a study changes with its folds or with how they are reduced', () => {
  const file = (changes: { readonly [key: string]: Data }) => parseData(exampleStudy(grid, changes))
  const plain = file({})
  const folded = file({
    validate: { walkForward: { train: '14d', test: '7d' } },
    objective: { maximize: 'netProfit', folds: 'worst' },
  })
  expect(folded.objective.folds).toBe('worst')
  expect(folded.fingerprint).not.toBe(plain.fingerprint)
  expect(planTrials(folded)).toEqual(planTrials(plain))
})
