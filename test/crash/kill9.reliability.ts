import { expect, it } from 'vitest'
import { killAndCompare, killNaiveProgram } from './kill9.ts'

it('killed 1,000 times with SIGKILL, every trial is one job and every result is stored', async () => {
  for (let round = 0; round < 10; round++) await killAndCompare({ kills: 100, seed: round })
})

it('the naive order makes at least 30 doubles per 100 kills (control)', async () => {
  expect(await killNaiveProgram({ kills: 100, seed: 1 })).toBeGreaterThanOrEqual(30)
})
