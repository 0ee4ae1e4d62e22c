/** Every trial by two engines: what is said of the gaps between them. */
import { describe, expect, it } from 'vitest'
import { localInWords, localPoint } from '../../../src/workbench/report/model/local-gate.ts'

const quote = { asset: 'USDT', decimals: 2 }
const name = (trial: number) => `trial ${trial}`
const pointOf = (trial: number, service: number, here: number) =>
  localPoint(trial, { service, here, volume: 20_000, investment: 1000 })

describe('the gap between two engines', () => {
  it('is none where sums were added up in another order', () => {
    expect(pointOf(0, 100, 100 + 1e-5).isExact).toBe(true)
    expect(pointOf(0, 100, 100 + 1e-4).isExact).toBe(false)
  })

  it('is told with the trial of which it is largest, and whether the order of the trials is the same', () => {
    const points = [pointOf(0, 100, 100), pointOf(1, 50, 53.5), pointOf(2, 80, 79.5)]
    expect(localInWords(points, { quote, name, isAll: true })).toBe(
      '1 of 3 trials is what the service stated, to the rounding of sums. Half of the gaps are at most 0.50\u00a0USDT; the largest is 3.50\u00a0USDT, 0.350\u00a0% of the investment (trial 1, more here). Ranked by either, the trials stand in orders that correlate with ρ 1.000; 1 is the same order.',
    )
    expect(localInWords(points.slice(0, 1), { quote, name, isAll: true })).toBe(
      'It is what the service stated, to the rounding of sums.',
    )
    expect(localInWords([], { quote, name, isAll: true })).toBe('')
  })

  it('is told as of so far while more are computed', () => {
    const points = [pointOf(0, 100, 100), pointOf(1, 50, 50)]
    expect(localInWords(points, { quote, name, isAll: false })).toMatch(/^So far all 2 are what the service stated/)
    expect(localInWords([...points, pointOf(2, 5, 6)], { quote, name, isAll: false })).toMatch(/^So far 2 of 3 trials/)
  })

  it('is never shown as zero because it is small', () => {
    expect(localInWords([pointOf(0, 5, 5.0003)], { quote, name, isAll: true })).toContain(
      'the largest is 0.00030\u00a0USDT, 0.000030\u00a0% of the investment',
    )
  })
})
