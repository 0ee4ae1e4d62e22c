/** Calibration against services that do not tell what they compute by, of any fee and slippage. The truth is computed by whole backtests. */
import { beforeAll, describe, expect, it } from 'vitest'
import { sliceCandles } from '../../../../src/engine/candles.ts'
import { NO_SYMBOL_RULES } from '../../../../src/engine/conventions.ts'
import type { Calibrator } from '../../../../src/workbench/search/calibration/calibrator.ts'
import type { AssumedTerms } from '../../../../src/workbench/search/calibration/hypotheses.ts'
import { readCsvCandles } from '../../../support/csv-candles.ts'
import { share } from '../../../support/share.ts'
import { sharedData } from '../../../support/shared-data.ts'
import {
  calibratorAt,
  countPredicted,
  drawTruths,
  moveCandles,
  type Place,
  roundedProfit,
  rulesAt,
  type Service,
  serviceAt,
  uncover,
} from './hidden-service.ts'

const minutes = sharedData('candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz') ?? ''
const DAYS = share({ usual: 3, long: 30 })
const HIDDEN = share({ usual: 2, long: 30 })
/** Of them, asked in other ways too. */
const ASKED_AGAIN = share({ usual: 1, long: 30 })
const DAY_MS = 86_400_000

describe.skipIf(minutes === '')(`${HIDDEN} hidden sets on ${DAYS} days of minutes`, () => {
  const truths = drawTruths(HIDDEN, 20_251)
  const places: Place[] = []
  const calibrators: Calibrator[] = []
  beforeAll(async () => {
    const all = readCsvCandles(minutes, 60_000)
    const candles = sliceCandles(all, all.openTime[0], all.openTime[0] + DAYS * DAY_MS)
    places.push({ candles, symbol: NO_SYMBOL_RULES }, { candles, symbol: rulesAt(candles.open[0]) })
    for (const place of places) calibrators.push(await calibratorAt(place))
  })

  /** Half of the truths without symbol rules, half with them. */
  async function uncoverSome(count: number, hide: (place: Place, truth: AssumedTerms, at: number) => Service) {
    const verdicts = []
    for (const [at, truth] of truths.slice(0, count).entries()) {
      const place = places[at % 2]
      verdicts.push({ ...(await uncover(calibrators[at % 2], hide(place, truth, at), truth)), place, truth })
    }
    return verdicts
  }
  const poor = (verdicts: readonly { readonly explanation: { readonly isPoor: boolean } }[]) =>
    verdicts.filter(({ explanation }) => explanation.isPoor).length

  it('are found up to ties by at most six jobs, and what is found predicts other configs', async () => {
    const verdicts = await uncoverSome(HIDDEN, serviceAt)
    expect(verdicts.filter(({ isFound }) => isFound).length).toBe(HIDDEN)
    expect(Math.max(...verdicts.map(({ jobs }) => jobs))).toBeLessThanOrEqual(6)
    expect(poor(verdicts)).toBe(0)
    const predicted = verdicts.map(({ explanation: { best }, place, truth }) =>
      countPredicted(place, { best, truth, configs: 10 }),
    )
    expect(predicted.reduce((sum, each) => sum + each, 0) / (10 * HIDDEN)).toBeGreaterThan(0.99)
  })

  it('are mostly found from net profit to two decimals, and mostly said to be a poor match or undecided where not', async () => {
    const verdicts = await uncoverSome(ASKED_AGAIN, (place, truth) => roundedProfit(serviceAt(place, truth)))
    const found = verdicts.filter(({ isFound }) => isFound)
    const wrongly = verdicts.filter(
      ({ isRight, explanation }) => !isRight && explanation.isSettled && !explanation.isPoor,
    )
    process.stdout.write(
      `profit to the cent: ${found.length} of ${verdicts.length} found, ${wrongly.length} wrong and called good\n`,
    )
    expect(found.length).toBeGreaterThan(ASKED_AGAIN / 2)
    expect(wrongly.length).toBeLessThanOrEqual(ASKED_AGAIN / 10)
  })

  it('are said to be a poor match where they come out wrong, because the candles are others', async () => {
    const verdicts = await uncoverSome(ASKED_AGAIN, ({ candles, symbol }, truth, at) =>
      serviceAt({ symbol, candles: moveCandles(candles, at) }, truth),
    )
    const wrong = verdicts.filter(({ isRight }) => !isRight)
    expect(wrong.length).toBeGreaterThan(ASKED_AGAIN / 4)
    expect(poor(wrong)).toBe(wrong.length)
  })
})
