/** The long run of what `screen-grid.test.ts` checks a share of. */
import { expect, it } from 'vitest'
import { screenAndBruteForce } from './agreement.ts'

const STUDIES = 1500

it('a screen finds what brute force finds, over many studies', async () => {
  for (let seed = 100_001; seed <= 100_000 + STUDIES; seed++) {
    const { found, expected } = await screenAndBruteForce(seed)
    expect(found).toEqual(expected)
  }
})
