/** R5 at length: `npm run test:reliability`. */
import { expect, it } from 'vitest'
import { killMany, killNaiveProgram } from './kill9.ts'

it('killed 1,000 times with SIGKILL, every trial is one job and every result is stored', () => killMany(10, 100, 0))

it('the naive order makes at least 30 doubles per 100 kills (control)', async () => {
  const doubles = await killNaiveProgram({ kills: 100, seed: 1 })
  process.stdout.write(`R5 control: ${doubles} doubles after 100 kill -9 of the naive order\n`)
  expect(doubles).toBeGreaterThanOrEqual(30)
})
