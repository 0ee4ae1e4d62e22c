/** Symbols: what this service can backtest on. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { addCandles, ask, type Bench, FROM, json, OWNER, openBench, refusalOf, TO } from './bench.ts'

let bench: Bench
beforeEach(() => {
  bench = openBench()
})
afterEach(() => bench.clear())

async function setup() {
  const service = await bench.start()
  const keys = service.issueKeys({ userEmail: OWNER })
  return (path: string) => ask(service, { path: `/api/markets/${path}`, keys })
}

it('lists the symbols of an exchange with their rules and the candles there are', async () => {
  addCandles(bench.candlesFolder, { interval: '1h', from: FROM - 86_400_000 })
  addCandles(bench.candlesFolder, { market: 'binance/ETH-EUR' })
  addCandles(bench.candlesFolder, { market: 'kraken/BTC-EUR' })
  const rules = { 'binance/BTC-USDT': { tick: 0.01, lot: 0.00001, minNotional: 5 } }
  writeFileSync(join(bench.candlesFolder, 'symbols.json'), JSON.stringify(rules))
  const look = await setup()
  const bitcoin = {
    exchange: 'binance',
    type: 'spot',
    symbol: 'BTC-USDT',
    baseAsset: 'BTC',
    quoteAsset: 'USDT',
    tickSize: 0.01,
    lotSize: 0.00001,
    minNotional: 5,
    candles: [
      { interval: '1m', from: new Date(FROM).toISOString(), to: new Date(TO).toISOString() },
      { interval: '1h', from: '2024-01-29T00:00:00.000Z', to: new Date(TO).toISOString() },
    ],
  }
  expect(json(await look('binance/symbols?type=spot&quote=USDT'))).toEqual({ symbols: [bitcoin] })
  expect(json(await look('binance/symbols'))).toMatchObject({
    symbols: [bitcoin, { symbol: 'ETH-EUR', tickSize: null, lotSize: null, minNotional: null }],
  })
  expect(json(await look('binance/symbols?quote=XYZ'))).toEqual({ symbols: [] })
})

it('refuses an exchange without candles and a type that is not spot', async () => {
  const look = await setup()
  for (const exchange of ['nowhere', '%2e%2e', 'binance%2fBTC-USDT', 'Binance']) {
    expect(refusalOf(await look(`${exchange}/symbols`))).toBe('404 NotFound')
  }
  expect(refusalOf(await look('binance/symbols?type=futures'))).toBe('400 InvalidPayload')
})
