/** R17, H69: kill -9 of a search, in its probes, samples and batches, and of the opening of its hold-out: what is paid, proposed and best is as undisturbed. */
import { expect, it } from 'vitest'
import { share } from '../support/share.ts'
import { killSearches } from './kill-search.ts'

const { kills, seed } = share({
  usual: { kills: { search: 5, opening: 1 }, seed: 173 },
  long: { kills: { search: 45, opening: 15 }, seed: 0 },
})
const count = kills.search + kills.opening

it(`killed ${count} times with SIGKILL, a search pays for each proposal once and ends as if it had not been`, async () => {
  const { during, searches, bad } = await killSearches({ kills, seed })
  const places = [...during].map(([role, times]) => `${times} after ${role === '' ? 'nothing' : role}`).join(', ')
  process.stdout.write(`R17: ${bad.length} bad after ${count} kill -9 in ${searches} searches (${places})\n`)
  expect(bad).toEqual([])
  // The seed of the usual share kills in each of them.
  for (const role of ['test', 'sample', 'chosen', 'finalist']) expect(during.get(role) ?? 0, role).toBeGreaterThan(0)
})
