/** Commands that only look make nothing: neither at a mistyped path nor before the first run. */
import { readdirSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import type { Desk } from '../support/dcalab.ts'
import { deskInProcess } from '../support/program.ts'

let at: Desk
beforeAll(() => {
  at = deskInProcess()
})

const onlyLooking: readonly (readonly string[])[] = [
  ['status'],
  ['status', 'demo', '--json'],
  ['study', 'list'],
  ['leaderboard', 'demo'],
  ['show', '3fa94c01b2d7'],
  ['report', 'demo'],
  ['promote', 'demo', '--dry-run'],
  ['store', 'reread', '--dry-run'],
  ['sql', 'select 1'],
]

it.each(onlyLooking)('%s %s at a path that leads nowhere says so and makes no file', async (...args) => {
  const { code, stdout, stderr } = await at.dcalab(args, { DCALAB_STORE: 'typo/bench.sqlite' })
  expect(stdout + stderr).toContain('There is no store at typo/bench.sqlite yet')
  expect(code).toBe(6)
  expect(readdirSync(at.folder)).toEqual([])
})

it('before the first run the usual store is empty, and looking does not make it', async () => {
  expect(await at.dcalab(['status'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('no study has been run yet\n'),
  })
  const { studies, allowance } = JSON.parse((await at.dcalab(['status', '--json'])).stdout)
  expect({ studies, available: allowance.available }).toEqual({ studies: [], available: 100 })
  expect(await at.dcalab(['leaderboard', 'demo'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the store holds no study "demo"'),
  })
  expect(await at.dcalab(['report', 'demo'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'the store holds no study "demo"\nhint: it holds none yet; begin one: `dcalab study init`',
    ),
  })
  expect(readdirSync(at.folder)).toEqual([])
})
