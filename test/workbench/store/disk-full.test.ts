/** R10, H38: the share of every run; all 200 places are in the long one. */
import { expect, it } from 'vitest'
import { fillDisks } from './disk-full.ts'

it.each([
  ['the outcome is put beside the store', false, 10],
  ['not even the outcome can be put beside the store', true, 40],
])(
  'a disk that ends somewhere (%s): nothing is lost, doubled or sent without an intent',
  async (_what, alsoBeside, every) => {
    const { bad, full } = await fillDisks({ every, alsoBeside })
    expect(bad).toEqual([])
    expect(full).toBeGreaterThanOrEqual(200 / every - 1)
  },
)
