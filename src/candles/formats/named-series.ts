/** The rows of a file with what they are: of which market, and of which interval as far as somebody told. */
import { findMarket, type Interval, isInterval } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import { type FileContent, readFileContent } from './file-bytes.ts'
import { guessFromName, intervalOf } from './file-name.ts'
import type { ProblemList } from './problems.ts'
import type { LayoutName, RawSeries } from './raw-series.ts'
import { readRawFile } from './read-file.ts'
import type { RowRules } from './row-collector.ts'

export interface ReadOptions {
  /** `exchange/BASE-QUOTE`; else what the content or the file name tells. */
  readonly market?: string
  /** Else what the content, the file name or the spacing of the rows tells. */
  readonly interval?: Interval
  /** Most bytes to unpack; default 1 GiB. */
  readonly limit?: number
}

export interface NamedSeries extends Omit<RawSeries, 'market' | 'interval' | 'symbol'> {
  /** null when nothing tells it. */
  readonly market: string | null
  readonly toldInterval: Interval | null
}

export interface NamedFile {
  readonly layout: LayoutName
  readonly holdsConflicts: boolean
  readonly problems: ProblemList
  readonly series: readonly NamedSeries[]
}

/**
 * Every row of a file, whatever is wrong with single ones (that stands in `problems`).
 * @throws Failure candlesInvalid when the file as a whole cannot be read; usage when a market is given for a file that holds several
 */
export async function readSeries(path: string, options: ReadOptions, rules: RowRules = {}): Promise<NamedFile> {
  return nameSeries(path, readFileContent(path, options.limit), options, rules)
}

/** The same for a file whose content is at hand. */
export async function nameSeries(
  path: string,
  content: FileContent,
  options: ReadOptions,
  rules: RowRules = {},
): Promise<NamedFile> {
  const { layout, holdsConflicts, tellsSpot = false, problems, series } = await readRawFile(path, content, rules)
  const markets = new Set(series.map(({ market, symbol }) => market ?? symbol))
  if (options.market !== undefined && markets.size > 1) {
    throw new Failure(
      'usage',
      `${path} holds ${markets.size} markets (${[...markets].join(', ')}); none can be named for all`,
      {
        hint: 'import it without --market',
      },
    )
  }
  if (options.market !== undefined && findMarket(options.market) === undefined) {
    throw new Failure('usage', `expected a market such as binance/BTC-USDT, found ${options.market}`)
  }
  return {
    layout,
    holdsConflicts,
    problems,
    series: series.map(({ market, interval, symbol, ...rows }) => {
      const guess = guessFromName({ path, innerName: content.innerName, layout, tellsSpot, symbol })
      const toldBefore = interval === null ? intervalOf(guess) : knownInterval(path, interval)
      return { ...rows, market: options.market ?? market ?? guess.market, toldInterval: options.interval ?? toldBefore }
    }),
  }
}

function knownInterval(path: string, interval: string): Interval {
  if (isInterval(interval)) return interval
  throw new Failure('candlesInvalid', `${path} holds candles of ${interval}, which is no interval we store`)
}
