import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { paretoFront } from '../../../src/workbench/analysis/pareto.ts'

interface Row {
  readonly cost: number
  readonly gain: number
}

const row = fc.record({ cost: fc.integer({ min: -5, max: 5 }), gain: fc.integer({ min: -5, max: 5 }) })
const rows = fc.array(row, { maxLength: 40 })

function beats(a: Row, b: Row): boolean {
  return a.cost <= b.cost && a.gain >= b.gain && (a.cost < b.cost || a.gain > b.gain)
}

function front(of: readonly Row[]): Row[] {
  return paretoFront(of, (each) => each)
}

describe('laws of the Pareto front', () => {
  it('is exactly the rows that no row beats, ties included', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const unbeaten = all.filter((candidate) => !all.some((other) => beats(other, candidate)))
        expect(new Set(front(all))).toEqual(new Set(unbeaten))
      }),
    )
  })

  it('rises in gain with cost, whatever the order of the rows', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const found = front(all)
        for (const [index, { cost, gain }] of found.entries()) {
          const before = found[index - 1] ?? { cost: Number.NEGATIVE_INFINITY, gain: Number.NEGATIVE_INFINITY }
          expect(cost).toBeGreaterThanOrEqual(before.cost)
          expect(gain).toBeGreaterThanOrEqual(before.gain)
        }
        expect(new Set(front([...all].reverse()))).toEqual(new Set(found))
      }),
    )
  })
})

it('leaves out rows that cannot be compared', () => {
  const good = { cost: 1, gain: 1 }
  expect(front([{ cost: Number.NaN, gain: 9 }, good, { cost: 0, gain: Number.POSITIVE_INFINITY }])).toEqual([good])
})
