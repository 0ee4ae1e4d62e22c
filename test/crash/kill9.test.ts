/** R5: kill -9 of the built program, and of the naive order as control. */
import { expect, it } from 'vitest'
import { killMany, killNaiveProgram } from './kill9.ts'

const seed = 20_261_120

it(
  'killed 60 times with SIGKILL, every trial is one job and every result is stored',
  {
    timeout: 400_000,
  },
  () => killMany(4, 15, seed),
)

it('the naive order makes at least 30 doubles per 100 kills (control)', { timeout: 120_000 }, async () => {
  const kills = 20
  expect(await killNaiveProgram({ kills, seed })).toBeGreaterThanOrEqual(kills * 0.3)
})
