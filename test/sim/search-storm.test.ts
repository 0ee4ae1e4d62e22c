/** R17: searches in simulated hours of storms, one world in every run and 1,000 at length. */
import { expect, it } from 'vitest'
import { inWords, share } from '../support/share.ts'
import { stormSearches } from './storm.ts'

const some = share({ usual: { from: 1000, worlds: 1 }, long: { from: 10_000, worlds: 1_000 } })

it(`in ${inWords(some.worlds)} ${share({ usual: 'world', long: 'worlds' })} each search pays for its proposals once, batch after batch, and proposes what it would undisturbed`, async () => {
  const ends = await stormSearches(some)
  for (const end of ['enough', 'agreement', 'all asked']) expect(ends.get(end) ?? 0, end).toBeGreaterThan(0)
})
