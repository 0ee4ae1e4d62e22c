/** A change of the folder cut short at any of its steps leaves all of the old candles or all of the new ones. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listCandles, loadCandles, storeCandles } from '../../src/candles/folder/folder.ts'
import { hashCandles } from '../../src/candles/months.ts'
import type { Candles } from '../../src/engine/candles.ts'
import { temporaryFolder } from '../support/folder.ts'
import { failureOf, plainCandles, snapshot } from './arbitrary-candles.ts'

const market = 'binance/BTC-USDT'
const hour = 3_600_000
const before = plainCandles(Date.UTC(2021, 2, 20), 1100, hour)
const after: Candles = { ...before, volume: before.volume.map((volume) => volume + 1) }

function store(folder: string, candles: Candles) {
  return storeCandles(folder, { market, interval: '1h', candles, synthetic: false, conflict: 'replace' })
}

/** A folder that holds `before`, and the months of `after` in a folder of their own. */
function setup() {
  const folder = temporaryFolder()
  store(folder, before)
  const changed = temporaryFolder()
  store(changed, after)
  const at = (root: string) => join(root, 'binance', 'BTC-USDT', '1h')
  return { folder, months: at(folder), newMonths: at(changed), finished: snapshot(changed) }
}

it('the months of these tests are more than one', () => {
  expect(readdirSync(setup().months).sort()).toEqual(['2021-03.arrow', '2021-04.arrow', '2021-05.arrow'])
})

it.each([0, 1, 2, 3])(
  'killed after staging %i of three months, the old candles hold and the next import sweeps up',
  (k) => {
    const { folder, months, newMonths, finished } = setup()
    mkdirSync(join(months, '.staged'))
    for (const name of readdirSync(newMonths).sort().slice(0, k))
      cpSync(join(newMonths, name), join(months, '.staged', name))
    writeFileSync(join(months, '.lock'), String(deadProcess()))
    expect(loadCandles(folder, { market }).info.hash).toBe(hashCandles(before))
    expect(listCandles(folder)[0].hash).toBe(hashCandles(before))
    store(folder, after)
    expect(snapshot(folder)).toEqual(finished)
  },
)

it.each([0, 1, 2, 3])('killed after the commit with %i of three months in place, the new candles hold', (k) => {
  const { folder, months, newMonths, finished } = setup()
  cpSync(newMonths, join(months, '.committed'), { recursive: true })
  for (const name of readdirSync(newMonths).sort().slice(0, k)) {
    renameSync(join(months, '.committed', name), join(months, name))
  }
  writeFileSync(join(months, '.lock'), String(deadProcess()))
  expect(loadCandles(folder, { market }).info.hash).toBe(hashCandles(after))
  expect(listCandles(folder)[0].hash).toBe(hashCandles(after))
  expect(store(folder, after)).toMatchObject({ added: 0, same: 1100, conflicting: 0 })
  expect(snapshot(folder)).toEqual(finished)
})

it('a folder that another living process is changing is left alone', () => {
  const { folder, months } = setup()
  writeFileSync(join(months, '.lock'), String(process.ppid))
  const held = snapshot(folder)
  const failure = failureOf(() => store(folder, after))
  expect(failure.code).toBe('storeUnusable')
  expect(failure.message).toContain(`process ${process.ppid}`)
  expect(snapshot(folder)).toEqual(held)
  rmSync(join(months, '.lock'))
  expect(store(folder, after).conflicting).toBe(1100)
})

/** The number of a process that has ended. */
function deadProcess(): number {
  return spawnSync(process.execPath, ['--version']).pid
}
