import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decimalStep } from '../../src/engine/levels.ts'
import { roundDown, roundUp } from '../../src/engine/numbers.ts'

function stepOf(step: number) {
  const taken = decimalStep(step)
  if (taken === null) throw new Error(`${step} is no step`)
  return taken
}

describe('rounding to a tick or lot', () => {
  test('the result is the double that a person would write', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 1, max: 10_000_000 }), (decimals, count) => {
        const step = stepOf(Number(`1e-${decimals}`))
        const written = Number(`${count}e-${decimals}`)
        expect(roundDown(written, step)).toBe(written)
        expect(roundUp(written, step)).toBe(written)
      }),
    )
  })

  test('down and up enclose the value and lie at most one step apart', () => {
    const steps = fc.constantFrom(0.01, 0.0001, 0.05, 0.25, 1, 10, 1e-8)
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 100_000, noNaN: true }), steps, (value, size) => {
        const step = stepOf(size)
        const [down, up] = [roundDown(value, step), roundUp(value, step)]
        expect(down).toBeLessThanOrEqual(value * (1 + 2e-12)) // the tolerance itself, and the last bits of computing it
        expect(up).toBeGreaterThanOrEqual(value * (1 - 2e-12))
        expect(up - down).toBeLessThanOrEqual(size * (1 + 1e-6))
      }),
    )
  })

  test('a sum that misses its multiple by the last bits still counts as that multiple', () => {
    expect(roundDown(0.1 + 0.2, stepOf(0.1))).toBe(0.3)
    expect(roundDown(0.7 + 0.1, stepOf(0.1))).toBe(0.8) // 0.7999999999999999
    expect(roundUp(0.1 + 0.2, stepOf(0.1))).toBe(0.3) // 0.30000000000000004
    expect(roundUp(1.1 * 1.1, stepOf(0.01))).toBe(1.21)
  })

  test.each([
    [3743.50977, 0.01, 3743.5, 3743.51],
    [3.719, 0.01, 3.71, 3.72],
    [123.4, 0.25, 123.25, 123.5],
    [87, 25, 75, 100],
    [0.000012345, 1e-8, 0.00001234, 0.00001235],
    [0.3, 1, 0, 1],
  ])('%f in steps of %f is %f down and %f up', (value, step, down, up) => {
    expect(roundDown(value, stepOf(step))).toBe(down)
    expect(roundUp(value, stepOf(step))).toBe(up)
  })

  test('a step finer than the double leaves the value alone', () => {
    expect(roundDown(123.456, stepOf(1e-30))).toBe(123.456)
    expect(roundUp(1e20, stepOf(0.01))).toBe(1e20)
  })

  test('no step, or a step of 0, is not enforced', () => {
    expect(decimalStep(null)).toBeNull()
    expect(decimalStep(0)).toBeNull()
  })
})
