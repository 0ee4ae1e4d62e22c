/** The long run: more than 20,000 random (config, conventions, candles) cases, a quarter of them on real candles. */
import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { INTERVALS, isInterval } from '../../../src/contract/market.ts'
import { sliceCandles } from '../../../src/engine/candles.ts'
import { prepareCandles } from '../../../src/engine/jump/prepared.ts'
import { createSweep } from '../../../src/engine/jump/sweep.ts'
import { readCsvCandles } from '../../support/csv-candles.ts'
import { sharedData } from '../../support/shared-data.ts'
import { findDisagreements } from './agreement.ts'
import { createDice, someInputOf, someLength, walkCandles } from './cases.ts'
import { findSweepDifferences, rowsOf, someSweep } from './sweep-cases.ts'

const WALKS = 20_000
const REAL_CASES_PER_FILE = 500
const SWEEPS = 1000
/** Seeds of the normal tests end far below: this run adds to them. */
const FIRST_SEED = 1_000_000

it(`agrees with the reference on ${WALKS} random walks`, () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + WALKS; seed++) {
    const dice = createDice(seed)
    const input = someInputOf(dice, walkCandles(dice, someLength(dice)))
    expect({ seed, differences: findDisagreements(input) }).toEqual({ seed, differences: [] })
  }
})

it(`agrees on every point of ${SWEEPS} grids, their relatives sharing deals`, () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SWEEPS; seed++) {
    const some = someSweep(createDice(seed), seed % 2 === 0 ? 'profit' : 'full')
    const columns = createSweep(prepareCandles(some.candles), some.options).run(rowsOf(some.configs))
    expect({ seed, differences: findSweepDifferences(some, columns) }).toEqual({ seed, differences: [] })
  }
})

const anyFile = sharedData('candles/binance_BTC-USDT_1m_2021-04_2021-05.csv.gz')
const folder = anyFile === undefined ? undefined : dirname(anyFile)
const files =
  folder === undefined || !existsSync(folder) ? [] : readdirSync(folder).filter((name) => name.endsWith('.csv.gz'))

for (const file of files) {
  it(`agrees on ${REAL_CASES_PER_FILE} cases of ${file}`, () => {
    const interval = basename(file).split('_')[2]
    if (!isInterval(interval)) throw new Error(`no interval in ${file}`)
    const candles = readCsvCandles(join(folder ?? '', file), INTERVALS[interval])
    const dice = createDice(file.length)
    for (let run = 1; run <= REAL_CASES_PER_FILE; run++) {
      const length = Math.min(candles.close.length, dice.chance(0.02) ? 60_000 : dice.whole(100, 5000))
      const from = dice.whole(0, candles.close.length - length)
      const part = sliceCandles(candles, candles.openTime[from], candles.openTime[from + length - 1])
      expect({ run, differences: findDisagreements(someInputOf(dice, part)) }).toEqual({ run, differences: [] })
    }
  })
}
