/** Who is chosen where scores are as good as equal, and where a sweep let somebody pass whom a backtest does not. */
import { expect, it } from 'vitest'
import { pickWinner } from '../../../src/workbench/examine/walk-forward-choice.ts'
import { configsOf, DAY, foldedStudy } from './walk-forward-worlds.ts'

const study = foldedStudy({ walkForward: { trainMs: DAY, testMs: DAY, embargoMs: 0, anchored: false } })
const [config] = configsOf(study)
const names = ['d', 'b', 'c', 'a', 'e']
const configs = names.map((fingerprint) => ({ fingerprint, config }))
/** In the order of the names; `a` is far behind, `e` is not to be ranked. */
const scores = [10 + 1e-12, 10, 10 - 1e-12, 9, null]
const chosenAmong = (...inside: readonly string[]) =>
  pickWinner(configs, scores, study, ({ fingerprint }) => inside.includes(fingerprint))

it('scores that differ by the rounding of a sweep are ties, and go to the lower fingerprint', () => {
  expect(chosenAmong(...names)).toMatchObject({ compared: { fingerprint: 'b' }, at: 1, score: 10 })
})

it('whoever is outside the bounds by a whole backtest gives way to the next', () => {
  expect(chosenAmong('a', 'c', 'd', 'e')).toMatchObject({ compared: { fingerprint: 'c' }, at: 2 })
  expect(chosenAmong('a', 'e')).toMatchObject({ compared: { fingerprint: 'a' }, at: 3, score: 9 })
  expect(chosenAmong('e')).toBeNull()
})

it('a score is told in the direction of the objective', () => {
  const lower = { objective: { ...study.objective, direction: 'minimize' } } as const
  expect(pickWinner(configs, scores, lower, () => true)?.score).toBe(-10)
  expect(Object.is(pickWinner(configs.slice(0, 1), [0], lower, () => true)?.score, 0)).toBe(true)
})
