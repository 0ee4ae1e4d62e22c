/** The stretches are what their table says: spans of whole days, in order, and candles for all of them. */
import { describe, expect, it } from 'vitest'
import { findMissingEdge } from '../../../src/candles/months.ts'
import { INTERVALS } from '../../../src/contract/market.ts'
import { readCsvCandles } from '../../support/csv-candles.ts'
import { sharedData } from '../../support/shared-data.ts'
import { clusterOf, groupOf, STRETCHES } from './stretches.ts'

const DAY_MS = 86_400_000

describe('the stretches of the method’s bench', () => {
  it('are 381, in 107 market-months; 285 of them on candles of an hour', () => {
    expect(STRETCHES.length).toBe(381)
    expect(new Set(STRETCHES.map(clusterOf)).size).toBe(107)
    expect(STRETCHES.filter((stretch) => groupOf(stretch) === '1h').length).toBe(285)
  })

  it('have a train span, and the test span right after it, of whole days', () => {
    const wrong = STRETCHES.filter(
      ({ train, test }) =>
        !(train.from < train.to && train.to === test.from && test.from < test.to) ||
        [train.from, test.from, test.to].some((time) => !Number.isInteger(time / DAY_MS)),
    )
    expect(wrong).toEqual([])
  })

  it('are all different', () => {
    expect(new Set(STRETCHES.map((stretch) => JSON.stringify(stretch))).size).toBe(STRETCHES.length)
  })

  for (const file of new Set(STRETCHES.map((stretch) => stretch.file))) {
    const path = sharedData(`candles/${file}.csv.gz`)
    it.skipIf(path === undefined)(`lie inside the candles of ${file}`, () => {
      const ofFile = STRETCHES.filter((stretch) => stretch.file === file)
      const stored = INTERVALS[ofFile[0].stored]
      const { openTime } = readCsvCandles(String(path), stored)
      const missing = ofFile.map(({ train, test }) =>
        findMissingEdge(openTime, stored, { from: train.from, to: test.to }),
      )
      expect(missing.filter((edge) => edge !== undefined)).toEqual([])
    })
  }
})
