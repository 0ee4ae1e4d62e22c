/** A key that another process submits with: nothing is sent, and the holder is named (H11). */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { holdLock, type Lock } from '../../src/workbench/store/lock.ts'
import { findSimulatedIdentity } from '../../src/workbench/store/services.ts'
import { openStore } from '../../src/workbench/store/store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { testSystem } from '../support/system.ts'

let folder: string
let dcalab: Program
let lock: Lock
const study = (grid: object) => ({
  name: 'held',
  market: { exchange: 'synthetic', baseAsset: 'H', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-03' },
  base: STUDY_BASE,
  grid,
})

beforeAll(async () => {
  folder = temporaryFolder()
  dcalab = program(folder, { XDG_STATE_HOME: folder })
  await dcalab(['candles', 'generate', '--market', 'synthetic/H-USDT', '--from', '2024-01-01', '--days', '2'])
  writeFileSync(join(folder, 'first.json'), JSON.stringify(study({ dcaPriceScalePercent: [1] })))
  writeFileSync(join(folder, 'second.json'), JSON.stringify(study({ dcaPriceScalePercent: [1, 2] })))
  expect((await dcalab(['run', join(folder, 'first.json')])).code).toBe(0)
  const store = openStore(join(folder, 'workbench.sqlite'), { system: testSystem() })
  const identity = findSimulatedIdentity(store) ?? ''
  lock = holdLock(store, { identity, folder: join(folder, 'dcalab') })
  store.close()
})
afterAll(() => {
  lock.release()
})

it('H81: a run whose key is held ends with exit code 5 and stoppedBy busy, and says who holds it and what is left', async () => {
  const { code, out, err } = await dcalab(['run', join(folder, 'second.json'), '--json'])
  expect(code).toBe(5)
  expect(JSON.parse(out)).toMatchObject({
    stoppedBy: 'busy',
    trials: { total: 2, done: 1, reused: 1, pending: 1 },
    allowance: { used: 1 },
  })
  expect(err).toContain(`Process ${process.pid} is already using this key`)
})

it('a finished study needs no key: its run ends with 0 meanwhile', async () => {
  const { code, out } = await dcalab(['run', join(folder, 'first.json'), '--json'])
  expect([code, JSON.parse(out).stoppedBy]).toEqual([0, null])
})

it('settling a submission by word ends the same way while the key is held', async () => {
  const { code, err } = await dcalab(['service', 'jobs', 'resolve', 'dcalab-held-0123456789ab-1', '--absent', '--json'])
  expect(code).toBe(5)
  expect(JSON.parse(err).error).toMatchObject({ code: 'keyBusy', details: { pid: process.pid } })
})

it('a study is not renamed or removed while it runs', async () => {
  const store = openStore(join(folder, 'workbench.sqlite'), { system: testSystem() })
  store.db.exec('update study_run set ended_at = null') // as while it runs
  store.close()
  for (const command of [
    ['rename', 'held', 'free'],
    ['rm', 'held'],
  ]) {
    const { code, err } = await dcalab(['study', ...command, '--json'])
    expect(code).toBe(5)
    expect(JSON.parse(err).error).toMatchObject({ code: 'keyBusy', details: { pid: process.pid } })
    expect(JSON.parse(err).error.message).toContain('the study "held" is running')
  }
})
