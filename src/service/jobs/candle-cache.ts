import { type LoadedCandles, listCandles, loadCandles } from '../../candles/folder/folder.ts'
import type { Interval } from '../../contract/market.ts'
import { sharedColumns } from '../../workers/share.ts'

export interface CandlePeriod {
  readonly market: string
  /** Default: the finest stored one that covers the period. */
  readonly interval?: Interval
  /** ms UTC, inclusive. */
  readonly from: number
  /** ms UTC, exclusive. */
  readonly to: number
}

export interface CandleCache {
  /** The candles of a period, in shared memory. @throws Failure candlesMissing naming what is stored instead */
  take(period: CandlePeriod): LoadedCandles
}

/** About 190 MB. */
const defaultCapacity = 4_000_000

/**
 * Keeps the candles of the latest periods, so that the jobs of one study load them once. The hash of the stored candles is part
 * of the key: the next job uses candles that were imported meanwhile.
 * @param capacity candles kept in all; the latest period is kept whatever its size
 */
export function createCandleCache(folder: string, capacity: number = defaultCapacity): CandleCache {
  const candleCache = new Map<string, LoadedCandles>()

  return {
    take(period) {
      const stored = listCandles(folder)
        .filter(({ market }) => market === period.market)
        .map(({ interval, hash, synthetic }) => [interval, hash, synthetic])
      const name = JSON.stringify([period.market, period.interval ?? '', period.from, period.to, stored])
      const loaded = candleCache.get(name) ?? load(folder, period)
      candleCache.delete(name)
      candleCache.set(name, loaded)
      let kept = 0
      for (const [other, { info }] of [...candleCache].reverse()) {
        kept += info.count
        if (kept > capacity && other !== name) candleCache.delete(other)
      }
      return loaded
    },
  }
}

function load(folder: string, period: CandlePeriod): LoadedCandles {
  return loadCandles(folder, { ...period, makeColumns: sharedColumns })
}
