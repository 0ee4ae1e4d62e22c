/** Where a result of the service stands among what the local engine computes on the days held out. */
import { expect, it } from 'vitest'
import { storeCandles } from '../../../src/candles/folder/folder.ts'
import type { DcaSpotConfig } from '../../../src/contract/bot.ts'
import { screenSpan } from '../../../src/workbench/evidence/holdout/read-holdout.ts'
import { candlesOf, type Row } from '../../engine/inputs.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { plainStudy } from '../../support/plain-study.ts'
import { STUDY_BASE } from '../../support/study-base.ts'
import { testSystem } from '../../support/system.ts'

it('the rounding of a configuration’s own result is neither better nor worse than the same result here', async () => {
  const market = { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' }
  const candlesFolder = temporaryFolder()
  const rows = Array.from({ length: 600 }, (_, n): Row => {
    const price = 100 + 3 * Math.sin(n / 9)
    return [price, price + 0.4, price - 0.4, price]
  })
  const candles = candlesOf(rows)
  storeCandles(candlesFolder, {
    market: 'binance/BTC-USDT',
    interval: '1m',
    candles,
    synthetic: false,
    conflict: 'refuse',
  })
  const span = { from: candles.openTime[0], to: candles.openTime[599] + 60_000 }
  const study = plainStudy({ base: { ...STUDY_BASE }, axes: [{ field: 'takeProfit', values: [0.5, 1, 1.5, 2] }] })
  const pace = {
    clock: testSystem({ sleep: 'jump' }).clock,
    signal: new AbortController().signal,
    showProgress: () => {},
  }
  const field = await screenSpan({ study, span, market, candlesFolder }, pace)
  if ('missing' in field) throw new Error(field.missing)
  const config = { ...STUDY_BASE, takeProfit: 1 } as unknown as DcaSpotConfig
  const value = field.netProfitOf(config) ?? 0
  expect([field.n, Math.abs(value)]).toEqual([4, expect.closeTo(5, -1)])
  const exact = field.percentileOf(value)
  expect([value * (1 + 1e-12), value * (1 - 1e-12)].map((near) => field.percentileOf(near))).toEqual([exact, exact])
})
