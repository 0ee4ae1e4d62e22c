/** An axis drawn closer around a value: half the old distances, one old step beyond an end, inside the contract's bounds. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONFIG_FIELDS, findBoundProblem } from '../../../src/contract/bot.ts'
import { finerLevels, finerRange } from '../../../src/workbench/study/refine.ts'

const linear = (field: Parameters<typeof finerLevels>[0], values: readonly number[], winner: number) =>
  finerLevels(field, { values, scale: 'linear', winner })

describe('levels around a winner', () => {
  it('between two levels are half the way to each, in decimals as a person writes them', () => {
    expect(linear('takeProfit', [0.1, 0.3, 0.4], 0.3)).toEqual({ values: [0.2, 0.3, 0.35], extended: [] })
    expect(linear('dcaVolumeScale', [1.6, 1, 1.3], 1.3)).toEqual({ values: [1.15, 1.3, 1.45], extended: [] })
  })

  it('at an end reach one old step beyond it', () => {
    expect(linear('takeProfit', [1, 2, 3], 3)).toEqual({ values: [2.5, 3, 3.5, 4], extended: ['above'] })
    expect(linear('takeProfit', [2, 2.5, 3], 2)).toEqual({ values: [1.5, 1.75, 2, 2.25], extended: ['below'] })
  })

  it('stay inside the contract’s bounds: 0 is no take profit, half the way to it is one', () => {
    expect(linear('takeProfit', [0.5, 1], 0.5)).toEqual({ values: [0.25, 0.5, 0.75], extended: ['below'] })
    expect(linear('takeProfit', [0.5, 3], 0.5)).toEqual({ values: [0.25, 0.5, 1.75], extended: ['below'] })
    expect(linear('dcaPriceScalePercent', [80, 100], 100)).toEqual({ values: [90, 100], extended: [] })
  })

  it('on a log scale are geometric means, and the step beyond is a ratio', () => {
    const log = (winner: number) => finerLevels('takeProfit', { values: [1, 4, 16], scale: 'log', winner })
    expect(log(4)).toEqual({ values: [2, 4, 8], extended: [] })
    expect(log(16)).toEqual({ values: [8, 16, 32, 64], extended: ['above'] })
    expect(log(1)).toEqual({ values: [0.25, 0.5, 1, 2], extended: ['below'] })
  })

  it('of a field of whole numbers are whole, and its neighbours where nothing lies between', () => {
    expect(linear('dcaMaxSafetyOrders', [3, 5, 8], 5)).toEqual({ values: [4, 5, 6], extended: [] })
    expect(linear('dcaMaxSafetyOrders', [3, 4, 5], 4)).toEqual({ values: [3, 4, 5], extended: [] })
    expect(linear('dcaMaxSafetyOrders', [2, 5], 2)).toEqual({ values: [0, 1, 2, 3], extended: ['below'] })
    expect(linear('dcaMaxSafetyOrders', [0, 1], 0)).toEqual({ values: [0, 1], extended: [] })
  })

  it('no stop lies beyond the loosest stop, as far as a stop that is never reached', () => {
    expect(linear('stopLoss', [0, 10, 20], 0)).toEqual({ values: [60, 0], extended: [] })
    expect(linear('stopLoss', [0, 10, 20], 20)).toEqual({ values: [15, 20, 60], extended: [] })
    expect(linear('stopLoss', [0, 10, 20], 10)).toEqual({ values: [5, 10, 15], extended: ['below'] })
    expect(linear('stopLoss', [50, 100], 100)).toEqual({ values: [75, 100], extended: [] })
  })

  it('an axis of one level stays', () => {
    expect(linear('takeProfit', [1], 1)).toEqual({ values: [1], extended: [] })
  })
})

it('whatever the axis: the winner stays, every level is allowed, and only an end reaches beyond the old levels', () => {
  const field = fc.constantFrom(...CONFIG_FIELDS.filter((name) => name !== 'leverage'))
  const values = fc.uniqueArray(fc.integer({ min: 1, max: 90 }), { minLength: 2, maxLength: 6 })
  const scale = fc.constantFrom('linear' as const, 'log' as const)
  fc.assert(
    fc.property(field, values, scale, fc.nat(), (name, levels, kind, n) => {
      const winner = levels[n % levels.length]
      const { values: finer, extended } = finerLevels(name, { values: levels, scale: kind, winner })
      expect(finer).toContain(winner)
      expect(finer.length).toBeGreaterThanOrEqual(2)
      expect(finer.flatMap((value) => findBoundProblem(name, value) ?? [])).toEqual([])
      const isBeyond = (value: number) => value < Math.min(...levels) || value > Math.max(...levels)
      // No stop, which a stop of 100 % is, is spelt 0.
      expect(finer.some(isBeyond)).toBe(extended.length > 0)
    }),
  )
})

describe('a continuous range around a winner', () => {
  it('is half as wide, and reaches beyond an end that is near', () => {
    const range = { from: 1, to: 5, scale: 'linear' } as const
    expect(finerRange('takeProfit', range, 3)).toEqual({ range: { ...range, from: 2, to: 4 }, extended: [] })
    expect(finerRange('takeProfit', range, 1.3)).toEqual({
      range: { ...range, from: 0.3, to: 2.3 },
      extended: ['below'],
    })
    expect(finerRange('takeProfit', range, 5)).toEqual({ range: { ...range, from: 4, to: 6 }, extended: ['above'] })
    expect(finerRange('takeProfit', { ...range, to: 13 }, 1)).toMatchObject({ range: { from: 0.5, to: 4 } })
  })

  it('is so by ratios on a log scale, and whole where the field is', () => {
    const range = { from: 1, to: 16, scale: 'log' } as const
    expect(finerRange('takeProfit', range, 4).range).toEqual({ from: 2, to: 8, scale: 'log' })
    const orders = { from: 1, to: 8, scale: 'linear' } as const
    expect(finerRange('dcaMaxSafetyOrders', orders, 4).range).toEqual({ from: 2, to: 6, scale: 'linear' })
  })
})
