import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findSymbolRules, saveSymbolRules } from '../../src/candles/folder/folder.ts'
import { readExchangeInfo } from '../../src/candles/formats/exchange-info.ts'
import { NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import { temporaryFolder } from '../support/folder.ts'
import { failureOf } from './arbitrary-candles.ts'

function setup(text?: string): string {
  const folder = temporaryFolder()
  if (text !== undefined) writeFileSync(join(folder, 'symbols.json'), text)
  return folder
}

it('enforces nothing where nothing is said', () => {
  expect(findSymbolRules(setup(), 'binance/BTC-USDT')).toBe(NO_SYMBOL_RULES)
  expect(findSymbolRules(setup('{}'), 'binance/BTC-USDT')).toBe(NO_SYMBOL_RULES)
  expect(findSymbolRules(setup('{}'), 'constructor')).toBe(NO_SYMBOL_RULES)
})

it('reads the rules of a market; one left out is not enforced', () => {
  const folder = setup(
    '{ "binance/BTC-USDT": { "tick": 0.01, "lot": 0.00001, "minNotional": 10 }, "x/A-B": { "tick": 1 } }',
  )
  expect(findSymbolRules(folder, 'binance/BTC-USDT')).toEqual({ tick: 0.01, lot: 0.00001, minNotional: 10 })
  expect(findSymbolRules(folder, 'x/A-B')).toEqual({ tick: 1, lot: null, minNotional: null })
})

it('saves the rules of one market and leaves the others', () => {
  const folder = setup()
  saveSymbolRules(folder, new Map([['x/A-B', { tick: 1, lot: null, minNotional: null }]]))
  saveSymbolRules(folder, new Map([['binance/BTC-USDT', { tick: 0.01, lot: 0.00001, minNotional: 0 }]]))
  saveSymbolRules(folder, new Map([['x/A-B', { tick: 2, lot: null, minNotional: null }]]))
  expect(findSymbolRules(folder, 'x/A-B').tick).toBe(2)
  expect(findSymbolRules(folder, 'binance/BTC-USDT').minNotional).toBe(0)
})

it.each(['', 'nonsense', '[]', '"x"', '{ "BTCUSDT": {} }', '{ "binance/BTC-USDT": 3 }'])(
  'refuses the file %s',
  (text) => {
    expect(failureOf(() => findSymbolRules(setup(text), 'binance/BTC-USDT')).code).toBe('candlesInvalid')
  },
)

it('names every problem of the file', () => {
  const text = '{ "binance/BTC-USDT": { "tick": 0, "lot": "1", "ticks": 1 }, "nope": {} }'
  expect(failureOf(() => findSymbolRules(setup(text), 'binance/BTC-USDT')).problems).toEqual([
    'tick must be null or a number above 0, found 0',
    'lot must be null or a number above 0, found "1"',
    'unknown rule "ticks"; known are tick, lot, minNotional',
    'expected a market such as binance/BTC-USDT',
  ])
})

it('reads the rules of every market from Binance’s exchangeInfo', () => {
  const filters = [
    { filterType: 'PRICE_FILTER', minPrice: '0.01', maxPrice: '1000000', tickSize: '0.01000000' },
    { filterType: 'LOT_SIZE', minQty: '0.00001', stepSize: '0.00001000' },
    { filterType: 'NOTIONAL', minNotional: '5.00000000', applyMinToMarket: true },
  ]
  const symbol = { symbol: 'BTCUSDT', status: 'TRADING', baseAsset: 'BTC', quoteAsset: 'USDT', filters }
  const odd = { ...symbol, baseAsset: 'X', filters: [{ filterType: 'PRICE_FILTER', tickSize: '0' }] }
  const path = join(setup(), 'info.json')
  writeFileSync(path, JSON.stringify({ timezone: 'UTC', symbols: [symbol, odd] }))
  const folder = setup()
  saveSymbolRules(folder, readExchangeInfo(path, 'binance'))
  expect(findSymbolRules(folder, 'binance/BTC-USDT')).toEqual({ tick: 0.01, lot: 0.00001, minNotional: 5 })
  expect(findSymbolRules(folder, 'binance/X-USDT')).toEqual({ tick: null, lot: null, minNotional: null })
})

it.each(['nonsense', '[]', '{}', '{"symbols":[]}', '{"symbols":[{}]}'])('refuses %s as an exchangeInfo', (text) => {
  const path = join(setup(), 'info.json')
  writeFileSync(path, text)
  const failure = failureOf(() => readExchangeInfo(path, 'binance'))
  expect(failure.code).toBe('candlesInvalid')
  expect(failure.message).toContain('is no exchangeInfo')
})
