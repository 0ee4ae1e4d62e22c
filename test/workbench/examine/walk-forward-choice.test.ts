/** Who is chosen where scores are as good as equal, and where a sweep let somebody pass whom a backtest does not. */
import { expect, it } from 'vitest'
import { pickWinner } from '../../../src/workbench/evidence/examine/walk-forward.ts'
import { configsOf, DAY, foldedStudy } from './walk-forward-worlds.ts'

const study = foldedStudy({ walkForward: { trainMs: DAY, testMs: DAY, embargoMs: 0, anchored: false } })
const [config] = configsOf(study)
const names = ['d', 'b', 'c', 'a', 'e']
const configs = names.map((fingerprint) => ({ fingerprint, config }))
/** In the order of the names; `a` is far behind, `e` is not to be ranked. */
const appraisals = [10 + 1e-12, 10, 10 - 1e-12, 9, null].map((value) => ({ value, isInside: true }))
const chosenAmong = (...inside: readonly string[]) =>
  pickWinner(configs, appraisals, ({ fingerprint }) => inside.includes(fingerprint))

it('values that differ by the rounding of a sweep are ties, and go to the lower fingerprint', () => {
  expect(chosenAmong(...names)).toMatchObject({ compared: { fingerprint: 'b' }, at: 1 })
})

it('whoever is outside the bounds by a whole backtest gives way to the next', () => {
  expect(chosenAmong('a', 'c', 'd', 'e')).toMatchObject({ compared: { fingerprint: 'c' }, at: 2 })
  expect(chosenAmong('a', 'e')).toMatchObject({ compared: { fingerprint: 'a' }, at: 3 })
  expect(chosenAmong('e')).toBeNull()
})
