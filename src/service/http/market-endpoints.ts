/** Endpoint of an exchange's symbols: those with stored candles. */
import { findSymbolRules, listCandles } from '../../candles/folder/folder.ts'
import type { SymbolBody, SymbolListBody } from '../../contract/bodies.ts'
import { findMarket } from '../../contract/market.ts'
import { Refusal } from '../refusal.ts'
import { readParameters } from './parameters.ts'
import { type Answer, type Call, ok, type Service } from './service.ts'

export function answerSymbols({ candlesFolder }: Service, { parameter: exchange, query }: Call): Answer {
  const { type, quote } = readParameters('listSymbols', query)
  const symbols = listSymbols(candlesFolder, exchange).filter((symbol) => symbol.type === type)
  if (symbols.length === 0) throw new Refusal('NotFound', 'no candles of this exchange here')
  const body: SymbolListBody = {
    symbols: symbols.filter(({ quoteAsset }) => quote === undefined || quoteAsset === quote),
  }
  return ok(body)
}

function listSymbols(candlesFolder: string, exchange: string): SymbolBody[] {
  const stored = listCandles(candlesFolder)
  const names = new Set(stored.map(({ market }) => market))
  return [...names].flatMap((name) => {
    const market = findMarket(name)
    if (market?.exchange !== exchange) return []
    const { tick, lot, minNotional } = findSymbolRules(candlesFolder, name)
    return {
      exchange,
      type: 'spot' as const,
      symbol: `${market.baseAsset}-${market.quoteAsset}`,
      baseAsset: market.baseAsset,
      quoteAsset: market.quoteAsset,
      tickSize: tick,
      lotSize: lot,
      minNotional,
      candles: stored
        .filter((candles) => candles.market === name)
        .map(({ interval, from, to }) => ({ interval, from: toTime(from), to: toTime(to) })),
    }
  })
}

function toTime(ms: number): string {
  return new Date(ms).toISOString()
}
