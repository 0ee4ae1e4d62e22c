/** R10, H38: the long run, a full disk at each of 200 places. */
import { expect, it } from 'vitest'
import { fillDisks } from './disk-full.ts'

it.each([false, true])(
  'the disk ends after k more pages, k = 1…200 (nor is there room beside the store: %s)',
  async (alsoBeside) => {
    const { bad, full } = await fillDisks({ every: 1, alsoBeside })
    expect(bad).toEqual([])
    expect(full).toBeGreaterThanOrEqual(199)
  },
)
