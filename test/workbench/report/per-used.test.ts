/** A service that states net profit and average used capital, and not their quotient, which is an optional metric of ours. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { storeCandles } from '../../../src/candles/folder/folder.ts'
import { gatherStudy } from '../../../src/workbench/report/gather.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { storeSeveralMarkets } from '../store/several-markets.ts'
import { buildReport } from './build-report.ts'
import { visibleText } from './document.ts'
import { inputOf, NO_RUNTIME } from './sections.ts'

it('profit per capital used of the bot stands beside that of holding and of the plain ladder', async () => {
  const { store } = await storeSeveralMarkets({ made: { BTC: [9] } })
  store.db.exec('update result set used_capital_average = 400, net_profit_per_used_percent = null')
  const candlesFolder = join(temporaryFolder(), 'candles')
  const from = Date.parse('2021-04-21')
  const count = 28 * 24
  const price = (n: number) => Number((50_000 * (1 + 0.05 * Math.sin(n / 12))).toFixed(2))
  const column = (value: (n: number) => number) => Float64Array.from({ length: count }, (_, n) => value(n))
  const [open, close] = [column(price), column((n) => price(n + 1))]
  const candles = {
    ...{ intervalMs: 3_600_000, open, close, volume: column(() => 1), openTime: column((n) => from + n * 3_600_000) },
    high: open.map((each, n) => Math.max(each, close[n])),
    low: open.map((each, n) => Math.min(each, close[n])),
  }
  storeCandles(candlesFolder, {
    market: 'binance/BTC-USDT',
    interval: '1h',
    candles,
    synthetic: false,
    conflict: 'refuse',
  })
  const sections = gatherStudy(store, 'several', { candlesFolder, embedded: 'none', findKnown: () => undefined })
  const [span] = sections[0].best?.spans ?? []
  expect(span.perUsedPercent.hold).not.toBeNull()
  expect(span.perUsedPercent.plain).not.toBeNull()
  expect(span.perUsedPercent.bot).toBe((100 * 90) / 400)
  const text = visibleText(buildReport(inputOf(...sections), NO_RUNTIME))
  expect(text).not.toMatch(/days from 2021-04-21 ?bot–/)
})
