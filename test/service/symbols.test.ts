/** Symbols: what this service can backtest on. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { addCandles, ask, FROM, json, OWNER, openWorld, refusalOf, TO, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = openWorld()
})
afterEach(() => world.clear())

async function setup() {
  const service = await world.start()
  const keys = service.issueKeys({ userEmail: OWNER })
  return (path: string) => ask(service, { path: `/api/markets/${path}`, keys })
}

it('lists the symbols of an exchange with their rules and the candles there are', async () => {
  addCandles(world.candlesFolder, { interval: '1h', from: FROM - 86_400_000 })
  addCandles(world.candlesFolder, { market: 'binance/ETH-EUR' })
  addCandles(world.candlesFolder, { market: 'kraken/BTC-EUR' })
  const rules = { 'binance/BTC-USDT': { tick: 0.01, lot: 0.00001, minNotional: 5 } }
  writeFileSync(join(world.candlesFolder, 'symbols.json'), JSON.stringify(rules))
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
  expect(refusalOf(await look('binance/symbols?quote=usdt'))).toBe('400 InvalidPayload')
})

it('refuses an exchange without candles and a type that is not spot', async () => {
  const look = await setup()
  for (const exchange of ['nowhere', '%2e%2e', 'binance%2fBTC-USDT', 'Binance']) {
    expect(refusalOf(await look(`${exchange}/symbols`))).toBe('404 NotFound')
  }
  expect(refusalOf(await look('binance/symbols?type=futures'))).toBe('400 InvalidPayload')
})
