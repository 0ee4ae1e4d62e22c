import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSobol, MOST_DIMENSIONS } from '../../../src/workbench/search/draw-configs.ts'

/** Degrees of the coordinates' polynomials, from the file of Joe and Kuo; the first coordinate has none and counts as 1. */
const DEGREES = [1, 1, 2, 3, 3, 4, 4, 5, 5, 5, 5, 5, 5, 6, 6, 6]
const anySeed = fc.option(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { nil: null })

it('gives the ten points of three coordinates that its authors print', () => {
  const { pointAt } = createSobol(3, null)
  expect(Array.from({ length: 10 }, (_, index) => pointAt(index))).toEqual([
    [0, 0, 0],
    [0.5, 0.5, 0.5],
    [0.75, 0.25, 0.25],
    [0.25, 0.75, 0.75],
    [0.375, 0.375, 0.625],
    [0.875, 0.875, 0.125],
    [0.625, 0.125, 0.875],
    [0.125, 0.625, 0.375],
    [0.1875, 0.3125, 0.9375],
    [0.6875, 0.8125, 0.4375],
  ])
})

it('gives, far from the start, the sixteen coordinates that SciPy 1.17 gives (qmc.Sobol, 32 bits, not scrambled)', () => {
  const { pointAt } = createSobol(MOST_DIMENSIONS, null)
  const inSteps = (index: number) => pointAt(index).map((x) => x * 2 ** 32)
  expect(inSteps(1000)).toEqual([
    943718400, 415236096, 2227175424, 2906652672, 1203765248, 3896508416, 197132288, 3862953984, 2151677952, 297795584,
    364904448, 1094713344, 692060160, 1648361472, 616562688, 1589641216,
  ])
  expect(inSteps(99_999)).toEqual([
    195198976, 3616178176, 2911797248, 3941433344, 1191542784, 3543564288, 2610855936, 757497856, 3510140928,
    1360822272, 724008960, 3752689664, 481329152, 4133847040, 1285586944, 3408756736,
  ])
})

describe('laws, scrambled or not', () => {
  it('the first 2^m points, and every 2^m after them, fill each dyadic box of some coordinates with equally many (Sobol 1967)', () => {
    fc.assert(
      fc.property(
        anySeed,
        fc.uniqueArray(fc.nat({ max: MOST_DIMENSIONS - 1 }), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 9 }),
        fc.nat({ max: 3 }),
        fc.gen(),
        (seed, coordinates, m, block, random) => {
          // A box is 2^-(a + b + …) large; the net is good down to boxes with 2^t points.
          const t = coordinates.reduce((sum, coordinate) => sum + DEGREES[coordinate] - 1, 0)
          const digits = splitAmong(Math.max(0, m - t), coordinates.length, random)
          const { pointAt } = createSobol(MOST_DIMENSIONS, seed)
          const counts = new Map<string, number>()
          for (let index = block * 2 ** m; index < (block + 1) * 2 ** m; index++) {
            const point = pointAt(index)
            const box = coordinates.map((coordinate, at) => Math.floor(point[coordinate] * 2 ** digits[at])).join()
            counts.set(box, (counts.get(box) ?? 0) + 1)
          }
          const boxes = 2 ** digits.reduce((sum, each) => sum + each, 0)
          expect(counts.size).toBe(boxes)
          expect([...new Set(counts.values())]).toEqual([2 ** m / boxes])
        },
      ),
    )
  })

  it('of the first 2^16 points one lies in each of the 2^16 half-sided cubes (property A)', () => {
    for (const seed of [null, 1]) {
      const { pointAt } = createSobol(MOST_DIMENSIONS, seed)
      const cubes = new Set<number>()
      for (let index = 0; index < 2 ** 16; index++) {
        cubes.add(pointAt(index).reduce((bits, x) => 2 * bits + (x < 0.5 ? 0 : 1), 0))
      }
      expect(cubes.size).toBe(2 ** 16)
    }
  })

  it('every coordinate is at least 0 and below 1, and no two points of the first 1,000 share one', () => {
    fc.assert(
      fc.property(anySeed, fc.nat({ max: MOST_DIMENSIONS - 1 }), (seed, coordinate) => {
        const { pointAt } = createSobol(MOST_DIMENSIONS, seed)
        const values = Array.from({ length: 1000 }, (_, index) => pointAt(index)[coordinate])
        expect(values.every((x) => x >= 0 && x < 1)).toBe(true)
        expect(new Set(values).size).toBe(1000)
      }),
      { numRuns: 30 },
    )
  })
})

it('the same seed gives the same points, and another seed others', () => {
  const points = (seed: number) => Array.from({ length: 8 }, (_, index) => createSobol(4, seed).pointAt(index))
  expect(points(7)).toEqual(points(7))
  expect(points(8)).not.toEqual(points(7))
})

it('over many seeds every point is uniformly distributed, the first one too', () => {
  const seeds = 4096
  const bins = 16
  const indices = [0, 1, 5]
  const counts = indices.map(() => Array.from({ length: bins }, () => 0))
  for (let seed = 0; seed < seeds; seed++) {
    const { pointAt } = createSobol(2, seed)
    for (const [at, index] of indices.entries()) counts[at][Math.floor(pointAt(index)[1] * bins)]++
  }
  const expected = seeds / bins
  for (const ofIndex of counts) {
    const chiSquare = ofIndex.reduce((sum, count) => sum + ((count - expected) * (count - expected)) / expected, 0)
    expect(chiSquare).toBeLessThan(37.7) // 99.9 % of 15 degrees of freedom
  }
})

it('refuses more coordinates than it has direction numbers for', () => {
  expect(() => createSobol(17, 1)).toThrow('at most 16 coordinates here, 17 were asked for')
})

function splitAmong(total: number, parts: number, random: fc.GeneratorValue): number[] {
  const digits = Array.from({ length: parts }, () => 0)
  for (let i = 0; i < total; i++) digits[random(fc.nat, { max: parts - 1 })]++
  return digits
}
