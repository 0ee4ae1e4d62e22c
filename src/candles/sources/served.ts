import { marketName } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import type { FetchRequest, SourceName } from './source.ts'

/** @throws Failure usage unless the market is on the source's exchange and the source has the interval */
export function refuseUnlessServed(source: SourceName, { market, interval }: FetchRequest, hasInterval: boolean): void {
  if (market.exchange === source && hasInterval) return
  throw new Failure('usage', `${source} has no ${interval} candles of ${marketName(market)}`, {
    hint: `it has markets of the exchange ${source}; another interval can be made by \`dcalab candles resample\``,
  })
}
