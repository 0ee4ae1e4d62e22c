import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Data, exampleStudy, parseData, problemsOf } from './example.ts'

/** The values of one axis of `takeProfit`, whose bounds are above 0 and at most 1000. */
function axisValues(axis: Data): readonly number[] {
  return parseData(exampleStudy({ takeProfit: axis })).axes[0].values
}

/** `digits` thousandths as a person writes them; the test's own arithmetic is in whole numbers. */
function thousandths(digits: number): number {
  return Number(`${digits}e-3`)
}

describe('a range by step', () => {
  it('holds exactly from + i · step, as if computed in whole thousandths', () => {
    const ranges = fc.record({
      from: fc.integer({ min: 1, max: 100_000 }),
      step: fc.integer({ min: 1, max: 2000 }),
      count: fc.integer({ min: 1, max: 200 }),
    })
    fc.assert(
      fc.property(ranges, ({ from, step, count }) => {
        const to = from + step * (count - 1)
        const expected = Array.from({ length: count }, (_, i) => thousandths(from + i * step))
        expect(axisValues({ from: thousandths(from), to: thousandths(to), step: thousandths(step) })).toEqual(expected)
      }),
    )
  })

  it('is refused when it misses `to`, with the two values it could reach', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 2, max: 500 }),
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: 1, max: 499 }),
        (from, step, count, beyond) => {
          fc.pre(beyond < step)
          const below = from + step * count
          const axis = { from: thousandths(from), to: thousandths(below + beyond), step: thousandths(step) }
          const [{ message }] = problemsOf(() => axisValues(axis))
          expect(message).toContain(`expected ${thousandths(below)} or ${thousandths(below + step)}`)
        },
      ),
    )
  })

  it('does not drift: three steps of 0.1 are 0.3, and half percents are half percents', () => {
    expect(axisValues({ from: 0.1, to: 0.7, step: 0.1 })).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
    expect(axisValues({ from: 0.5, to: 3, step: 0.5 })).toEqual([0.5, 1, 1.5, 2, 2.5, 3])
    expect(axisValues({ from: 1e-7, to: 3e-7, step: 1e-7 })).toEqual([1e-7, 2e-7, 3e-7])
    expect(axisValues({ from: 2, to: 2, step: 5 })).toEqual([2])
  })
})

describe('a range by count', () => {
  it('rises from `from` to `to` as written, with as many values as asked for, each once', () => {
    const ranges = fc.record({
      from: fc.integer({ min: 1, max: 400_000 }),
      width: fc.integer({ min: 1, max: 500_000 }),
      count: fc.integer({ min: 2, max: 300 }),
      scale: fc.constantFrom('linear', 'log'),
    })
    fc.assert(
      fc.property(ranges, ({ from, width, count, scale }) => {
        const range = { from: thousandths(from), to: thousandths(from + width) }
        const values = axisValues({ ...range, count, scale })
        expect([values[0], values.at(-1), values.length]).toEqual([range.from, range.to, count])
        expect(values.every((value, i) => i === 0 || value > values[i - 1])).toBe(true)
      }),
    )
  })

  it('holds the exact fractions rounded once to 12 significant digits', () => {
    const ranges = fc.tuple(
      fc.integer({ min: 1, max: 10_000 }),
      fc.integer({ min: 1, max: 10_000 }),
      fc.integer({ min: 2, max: 40 }),
    )
    fc.assert(
      fc.property(ranges, ([from, width, count]) => {
        const values = axisValues({ from: thousandths(from), to: thousandths(from + width), count })
        values.slice(1, -1).forEach((value, index) => {
          const [digits, exponent] = value.toExponential(11).replace('.', '').split('e') // 12 digits · 10^(exponent − 11)
          expect(Number(`${digits}e${Number(exponent) - 11}`)).toBe(value)
          // |found − exact| ≤ half a unit of the last digit, all in whole numbers: times 10^20 · (count − 1).
          const intervals = BigInt(count - 1)
          const exact = (BigInt(from) * intervals + BigInt(index + 1) * BigInt(width)) * 10n ** 17n
          const unit = 10n ** BigInt(Number(exponent) + 9) * intervals
          const distance = BigInt(digits) * unit - exact
          expect((distance < 0n ? -distance : distance) * 2n <= unit).toBe(true)
        })
      }),
    )
  })

  it('reads as a person would write it', () => {
    expect(axisValues({ from: 0.5, to: 3, count: 6 })).toEqual([0.5, 1, 1.5, 2, 2.5, 3])
    expect(axisValues({ from: 1, to: 2, count: 4 })).toEqual([1, 1.33333333333, 1.66666666667, 2])
    expect(axisValues({ from: 0.5, to: 4, count: 4, scale: 'log' })).toEqual([0.5, 1, 2, 4])
    expect(axisValues({ from: 1, to: 100, count: 5, scale: 'log' })).toEqual([1, 3.16227766017, 10, 31.6227766017, 100])
    expect(axisValues({ from: 2, to: 2, count: 1 })).toEqual([2])
  })
})

describe('a list', () => {
  it('keeps the order of the file', () => {
    expect(axisValues([3, 1, 2.5])).toEqual([3, 1, 2.5])
  })
})
