/**
 * Tick, lot and minimum order of every market from Binance's `exchangeInfo` JSON (GET /api/v3/exchangeInfo, saved to a file):
 * PRICE_FILTER.tickSize, LOT_SIZE.stepSize, and NOTIONAL or MIN_NOTIONAL. 0 means "not enforced" there.
 */
import { findMarket } from '../../contract/market.ts'
import type { SymbolRules } from '../../engine/conventions.ts'
import { Failure } from '../../errors.ts'
import { readFileContent } from './file-bytes.ts'

/** Rules by market, `binance/BTC-USDT` and so on. @throws Failure candlesInvalid when the file is no exchangeInfo */
export function readExchangeInfo(path: string, exchange: string): ReadonlyMap<string, SymbolRules> {
  const content = parse(path)
  const symbols = isRecord(content) && Array.isArray(content.symbols) ? content.symbols : undefined
  if (symbols === undefined) throw refused(path, 'it has no list "symbols"')
  const rules = new Map<string, SymbolRules>()
  for (const symbol of symbols) {
    if (!isRecord(symbol) || !Array.isArray(symbol.filters)) throw refused(path, 'a symbol has no list "filters"')
    const market = `${exchange}/${String(symbol.baseAsset)}-${String(symbol.quoteAsset)}`
    if (findMarket(market) !== undefined) rules.set(market, rulesOf(symbol.filters.filter(isRecord)))
  }
  if (rules.size === 0) throw refused(path, 'it names no market')
  return rules
}

function rulesOf(filters: readonly Readonly<Record<string, unknown>>[]): SymbolRules {
  const read = (type: string, field: string): number | null => {
    const value = Number(filters.find(({ filterType }) => filterType === type)?.[field])
    return Number.isFinite(value) && value > 0 ? value : null
  }
  return {
    tick: read('PRICE_FILTER', 'tickSize'),
    lot: read('LOT_SIZE', 'stepSize'),
    minNotional:
      read('NOTIONAL', 'minNotional') ?? read('MIN_NOTIONAL', 'minNotional') ?? read('MIN_NOTIONAL', 'notional'),
  }
}

function parse(path: string): unknown {
  const { bytes } = readFileContent(path)
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch (cause) {
    throw refused(path, cause instanceof Error ? cause.message : String(cause), cause)
  }
}

function refused(path: string, reason: string, cause?: unknown): Failure {
  return new Failure('candlesInvalid', `${path} is no exchangeInfo of Binance: ${reason}`, {
    cause,
    hint: 'save the answer of https://api.binance.com/api/v3/exchangeInfo to a file',
  })
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
