/** R10, H38: a share of the 200 places in every run, all of them in the long one. */
import { expect, it } from 'vitest'
import { share } from '../../support/share.ts'
import { fillDisks } from './disk-full.ts'

it.each([
  ['the outcome is put beside the store', false, share({ usual: 66, long: 1 })],
  ['not even the outcome can be put beside the store', true, share({ usual: 99, long: 1 })],
])(
  'a disk that ends somewhere (%s): nothing is lost, doubled or sent without an intent',
  async (_what, alsoBeside, every) => {
    const { bad, full } = await fillDisks({ every, alsoBeside })
    expect(bad).toEqual([])
    expect(full).toBeGreaterThanOrEqual(200 / every - 1)
  },
)
