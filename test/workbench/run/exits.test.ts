/** No state without an exit: whatever becomes of a submission and whatever the list shows, the hints that are printed lead to its result. */
import { expect, it } from 'vitest'
import { share } from '../../support/share.ts'
import { byTurn } from '../../support/turn.ts'
import { CASES, judgeCase } from './exits.ts'

/** A prime number apart, so that fates, lists and dialects of all kinds are among them; at each commit others. */
const cases = share({ usual: byTurn(CASES, 29), long: CASES })

it(`${cases.length} fates of a submission: none without an exit, nothing lost, nothing paid twice`, {
  timeout: 3_600_000,
}, async () => {
  let commands = 0
  const found = { withoutExit: [], lost: [], paidTwice: [], untrue: [] } as Record<string, string[]>
  for (const given of cases) {
    const { states, ...verdict } = await judgeCase(given)
    commands += states
    for (const [what, ways] of Object.entries(verdict)) found[what].push(...ways)
  }
  const { withoutExit, lost, paidTwice } = found
  const figures = `${withoutExit.length} without an exit, ${lost.length} lost, ${paidTwice.length} paid twice`
  process.stdout.write(`exits: ${commands} commands in ${cases.length} cases: ${figures}\n`)
  expect(found).toEqual({ withoutExit: [], lost: [], paidTwice: [], untrue: [] })
})
