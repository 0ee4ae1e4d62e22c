/** R5: kill -9 of the built program, and of the naive order as control. */
import { expect, it } from 'vitest'
import { inWords, share } from '../support/share.ts'
import { killMany, killNaiveProgram } from './kill9.ts'

const { rounds, killsPerRound, seed } = share({
  usual: { rounds: 1, killsPerRound: 4, seed: 20_261_120 },
  long: { rounds: 10, killsPerRound: 100, seed: 0 },
})

it(`killed ${inWords(rounds * killsPerRound)} times with SIGKILL, every trial is one job and every result is stored`, () =>
  killMany(rounds, killsPerRound, seed))

it('the naive order makes at least 30 doubles per 100 kills (control)', async () => {
  const kills = share({ usual: 6, long: 100 })
  const doubles = await killNaiveProgram({ kills, seed: share({ usual: seed, long: 1 }) })
  process.stdout.write(`R5 control: ${doubles} doubles after ${kills} kill -9 of the naive order\n`)
  expect(doubles).toBeGreaterThanOrEqual(kills * 0.3)
})
