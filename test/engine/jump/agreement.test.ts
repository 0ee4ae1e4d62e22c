import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { INTERVALS, isInterval } from '../../../src/contract/market.ts'
import { sliceCandles } from '../../../src/engine/candles.ts'
import { prepareCandles } from '../../../src/engine/jump/prepared.ts'
import { readCsvCandles } from '../../support/csv-candles.ts'
import { isLong, share } from '../../support/share.ts'
import { sharedData } from '../../support/shared-data.ts'
import { someInput } from '../arbitraries.ts'
import { findDisagreements } from './agreement.ts'
import { createDice, seedsFrom, someInputOf, someLength, walkCandles } from './cases.ts'

const SMALL_CASES = share({ usual: 200, long: 1000 })
const WALKS = share({ usual: 120, long: 700 })
/** At length, with seeds of their own. */
const MORE_WALKS = share({ usual: 0, long: 20_000 })
const REAL_CASES = share({ usual: 60, long: 300 })
const CASES_PER_FILE = 500

describe('the jump engine decides exactly as the reference', () => {
  it('on small made-up candles, where a counterexample shrinks', () => {
    fc.assert(
      fc.property(someInput, (input) => {
        expect(findDisagreements(input)).toEqual([])
      }),
      { numRuns: SMALL_CASES },
    )
  })

  it('on random walks of up to several blocks', () => {
    for (const seed of [...seedsFrom(1, WALKS), ...seedsFrom(1_000_000, MORE_WALKS)]) {
      const dice = createDice(seed)
      const input = someInputOf(dice, walkCandles(dice, someLength(dice)))
      expect({ seed, differences: findDisagreements(input) }).toEqual({ seed, differences: [] })
    }
  })

  it('without candles', () => {
    const dice = createDice(1)
    expect(findDisagreements(someInputOf(dice, walkCandles(dice, 0)))).toEqual([])
  })
})

const realFiles = [
  ['DOGE, minutes of the 2021 crash', 'candles/binance_DOGE-USDT_1m_2021-04_2021-05.csv.gz', 60_000],
  ['XVG, a thin market with flat candles', 'candles/binance_XVG-USDT_5m_2025-01_2025-06.csv.gz', 300_000],
  ['BTC hours over seven years with gaps', 'candles/binance_BTC-USDT_1h_2017-08_2024-04.csv.gz', 3_600_000],
] as const

for (const [name, file, intervalMs] of realFiles) {
  const path = sharedData(file)
  describe.skipIf(path === undefined)(`on real candles: ${name}`, () => {
    it('decides exactly as the reference', () => {
      const candles = readCsvCandles(path ?? '', intervalMs)
      const whole = prepareCandles(candles)
      const dice = createDice(file.length)
      for (let run = 1; run <= REAL_CASES / realFiles.length; run++) {
        const from = dice.whole(0, candles.close.length - 3000)
        const part = sliceCandles(candles, candles.openTime[from], candles.openTime[from + dice.whole(100, 2999)])
        const isWhole = dice.chance(0.1)
        const input = someInputOf(dice, isWhole ? candles : part)
        const differences = findDisagreements(input, isWhole ? whole : undefined)
        expect({ run, differences }).toEqual({ run, differences: [] })
      }
    })
  })
}

describe.runIf(isLong)('on every recorded file', () => {
  const anyFile = isLong ? sharedData('candles/binance_BTC-USDT_1m_2021-04_2021-05.csv.gz') : undefined
  const folder = anyFile === undefined ? undefined : dirname(anyFile)
  const files = folder === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith('.csv.gz'))

  it.each(files)(`agrees on ${CASES_PER_FILE} cases of %s`, (file) => {
    const interval = file.split('_')[2]
    if (!isInterval(interval)) throw new Error(`no interval in ${file}`)
    const candles = readCsvCandles(join(folder ?? '', file), INTERVALS[interval])
    const dice = createDice(file.length)
    for (let run = 1; run <= CASES_PER_FILE; run++) {
      const length = Math.min(candles.close.length, dice.chance(0.02) ? 60_000 : dice.whole(100, 5000))
      const from = dice.whole(0, candles.close.length - length)
      const part = sliceCandles(candles, candles.openTime[from], candles.openTime[from + length - 1])
      expect({ run, differences: findDisagreements(someInputOf(dice, part)) }).toEqual({ run, differences: [] })
    }
  })
})
