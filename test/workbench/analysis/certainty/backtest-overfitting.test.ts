/** PBO against a plain second way, which adds every half's days anew and ranks by sorting, and against laws. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { backtestOverfitting } from '../../../../src/workbench/analysis/certainty/sharpe-probability.ts'

/** Every set of `size` of the items. */
function choose<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  if (size === 0) return [[]]
  return items.flatMap((item, index) => choose(items.slice(index + 1), size - 1).map((others) => [item, ...others]))
}

function slowly(columns: readonly (readonly number[])[], blocks: number): { probability: number; halves: number } {
  const days = columns[0].length
  // array_split: the first days % blocks spans have one day more
  const lengths = Array.from({ length: blocks }, (_, at) => Math.floor(days / blocks) + (at < days % blocks ? 1 : 0))
  const blockOfDay = lengths.flatMap((length, block) => Array.from({ length }, () => block))
  const halves = choose([...new Set(blockOfDay)], blocks / 2)
  const logits = halves.map((half) => {
    const means = (isInHalf: boolean) =>
      columns.map((returns) => {
        const chosen = returns.filter((_, day) => half.includes(blockOfDay[day]) === isInHalf)
        return chosen.reduce((sum, value) => sum + value, 0) / chosen.length
      })
    const inSample = means(true)
    const winner = inSample.indexOf(Math.max(...inSample))
    const outOfSample = means(false)
    const sorted = [...outOfSample].sort((a, b) => a - b)
    const own = outOfSample[winner]
    const rank = (sorted.indexOf(own) + 1 + sorted.lastIndexOf(own) + 1) / 2
    const omega = rank / (columns.length + 1)
    return Math.log(omega / (1 - omega))
  })
  return { probability: logits.filter((logit) => logit <= 1e-12).length / halves.length, halves: halves.length }
}

/** Whole numbers, so that sums are exact and ties are ties in whatever order they are added. */
const someColumns = fc
  .record({ configs: fc.integer({ min: 2, max: 7 }), days: fc.integer({ min: 6, max: 20 }) })
  .chain(({ configs, days }) => {
    const returns = fc.array(fc.integer({ min: -4, max: 4 }), { minLength: days, maxLength: days })
    return fc.array(returns, { minLength: configs, maxLength: configs })
  })

it.each([2, 4, 6])('with %i blocks it is what the plain way says', (blocks) => {
  fc.assert(
    fc.property(someColumns, (columns) => {
      expect(backtestOverfitting(columns, blocks)).toEqual(slowly(columns, blocks))
    }),
  )
})

it('with sixteen blocks it takes 12,870 halves, and the plain way agrees', () => {
  const wave = (config: number) => Array.from({ length: 37 }, (_, day) => ((day * (config + 3) * 7 + config) % 11) - 5)
  const columns = Array.from({ length: 5 }, (_, config) => wave(config))
  const found = backtestOverfitting(columns)
  expect(found).toEqual(slowly(columns, 16))
  expect(found?.halves).toBe(12_870)
})

it('does not change with the scale of all returns, nor with an amount added to all, nor with the order of the blocks', () => {
  fc.assert(
    fc.property(someColumns, (columns) => {
      const whole = columns.map((returns) => returns.slice(0, returns.length - (returns.length % 6)))
      const each = whole[0].length / 6
      const turned = whole.map((returns) => [...returns.slice(each), ...returns.slice(0, each)])
      const found = backtestOverfitting(whole, 6)
      expect(backtestOverfitting(turned, 6)).toEqual(found)
      expect(
        backtestOverfitting(
          whole.map((returns) => returns.map((value) => 8 * value)),
          6,
        ),
      ).toEqual(found)
      expect(
        backtestOverfitting(
          whole.map((returns) => returns.map((value) => value + 3)),
          6,
        ),
      ).toEqual(found)
    }),
  )
})

it('is 0 where one configuration is best on every day', () => {
  const days = Array.from({ length: 32 }, (_, day) => (day % 5) - 2)
  const columns = [days, days.map((value) => value + 1), days.map((value) => value - 1)]
  expect(backtestOverfitting(columns)).toEqual({ probability: 0, halves: 12_870 })
})

it('is 1 where what is won in one half is lost in the other', () => {
  const gains = Array.from({ length: 16 }, (_, day) => 2 ** day)
  const columns = [gains, gains.map((value) => -value)].map((returns) =>
    returns.map((value, day) => (day < 15 ? value : -value)),
  )
  // Each column sums to about 0 over all days with no half at 0, so the winner of a half is the loser of the other.
  const total = columns[0].reduce((sum, value) => sum + value, 0)
  expect(Math.abs(total)).toBe(1)
  expect(backtestOverfitting(columns)?.probability).toBe(1)
})

it.each([
  ['one configuration', [[1, 2, 3, 4]], 4],
  ['no configuration', [], 4],
  [
    'fewer days than blocks',
    [
      [1, 2, 3],
      [3, 2, 1],
    ],
    4,
  ],
])('has no value with %s', (_, columns, blocks) => {
  expect(backtestOverfitting(columns, blocks)).toBeNull()
})
