/** No state without an exit: whatever becomes of a submission and whatever the list shows, the hints that are printed lead to its result. */
import { expect, it } from 'vitest'
import { inWords, share } from '../../support/share.ts'
import { CASES, judgeCase } from './exits.ts'

const cases = process.env.ONLY
  ? CASES.filter((c) => `${c.fate} × ${c.shows} × ${c.dialect}`.includes(process.env.ONLY ?? ''))
  : CASES.filter((_, n) => share({ usual: n % 7 === 0, long: true }))

it(`${inWords(cases.length)} fates of a submission: none without an exit, nothing lost, nothing paid twice`, {
  timeout: 900_000,
}, async () => {
  const verdicts = []
  for (const given of cases) verdicts.push(await judgeCase(given))
  const all = (what: 'withoutExit' | 'paidTwice' | 'lost' | 'untrue') => verdicts.flatMap((verdict) => verdict[what])
  const states = verdicts.reduce((sum, verdict) => sum + verdict.states, 0)
  const inFigures = `${all('withoutExit').length} without an exit, ${all('lost').length} lost, ${all('paidTwice').length} paid twice`
  process.stdout.write(`exits: ${states} commands in ${cases.length} cases: ${inFigures}\n`)
  expect({
    withoutExit: all('withoutExit'),
    lost: all('lost'),
    paidTwice: all('paidTwice'),
    untrue: all('untrue'),
  }).toEqual({ withoutExit: [], lost: [], paidTwice: [], untrue: [] })
})
