/** The rows of a file with their market, and with their interval where the options, the content or the name give one. */
import { findMarket, type Interval, isInterval } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import { type FileContent, readFileContent } from './file-bytes.ts'
import { guessFromName, intervalOf } from './file-name.ts'
import { readRawFile } from './read-file.ts'
import type { LayoutName, ProblemList, RawSeries, RowRules } from './row-collector.ts'
import type { Spelling } from './sniff/read-spelled.ts'

export interface ReadOptions {
  /** `exchange/BASE-QUOTE`; default: the market in the content or in the file name. */
  readonly market?: string
  /** Default: the interval in the content or the file name, or the spacing of the rows. */
  readonly interval?: Interval | undefined
  /** Most bytes to unpack; default 1 GiB. */
  readonly limit?: number
  /** What the user says about a text file that no known layout fits; it is found out else. */
  readonly spelling?: Spelling
}

export interface NamedSeries extends Omit<RawSeries, 'market' | 'interval' | 'symbol'> {
  /** null when it is not known. */
  readonly market: string | null
  readonly statedInterval: Interval | null
}

export interface NamedFile {
  readonly layout: LayoutName
  readonly holdsConflicts: boolean
  readonly problems: ProblemList
  /** How it was read, where nothing in it says so; null else. */
  readonly assumed: string | null
  readonly series: readonly NamedSeries[]
}

/**
 * Reads every row of a file; what is wrong with single rows is added to `problems`.
 * @throws Failure candlesInvalid when the file as a whole cannot be read; usage when a market is given for a file that holds
 * several
 */
export async function readSeries(path: string, options: ReadOptions, rules: RowRules = {}): Promise<NamedFile> {
  return nameSeries(path, readFileContent(path, options.limit), options, rules)
}

/** The same for a file whose content has been read. */
export async function nameSeries(
  path: string,
  content: FileContent,
  options: ReadOptions,
  rules: RowRules = {},
): Promise<NamedFile> {
  const read = await readRawFile(path, content, rules, options.spelling)
  const { layout, holdsConflicts, showsSpot = false, problems, series, assumed = null } = read
  const markets = new Set(series.map(({ market, symbol }) => market ?? symbol))
  if (options.market !== undefined && markets.size > 1) {
    throw new Failure(
      'usage',
      `${path} holds ${markets.size} markets (${[...markets].join(', ')}); --market is for files of one`,
      { hint: 'import it without --market' },
    )
  }
  if (options.market !== undefined && findMarket(options.market) === undefined) {
    throw new Failure('usage', `expected a market such as binance/BTC-USDT, found ${options.market}`)
  }
  return {
    layout,
    holdsConflicts,
    problems,
    assumed,
    series: series.map(({ market, interval, symbol, ...rows }) => {
      const guess = guessFromName({ path, innerName: content.innerName, layout, showsSpot, symbol })
      const statedBefore = interval === null ? intervalOf(guess) : knownInterval(path, interval)
      return {
        ...rows,
        market: options.market ?? market ?? guess.market,
        statedInterval: options.interval ?? statedBefore,
      }
    }),
  }
}

function knownInterval(path: string, interval: string): Interval {
  if (isInterval(interval)) return interval
  throw new Failure('candlesInvalid', `${path} holds candles of ${interval}, which is no interval we store`)
}
