/** Imports candle files: recognises them by their content, reads them completely, checks them, and only then stores them. */
import { basename } from 'node:path'
import { findMarket, type Interval } from '../contract/market.ts'
import type { Candles } from '../engine/candles.ts'
import { Failure } from '../errors.ts'
import { alignRows, decideInterval, findOtherInterval, orderRows, type RowConflict } from './assemble.ts'
import { checkCandles, type Finding } from './check.ts'
import { type ImportReport, refuseStored, storeCandles } from './folder/folder.ts'
import type { FileContent } from './formats/file-bytes.ts'
import { type NamedFile, type NamedSeries, nameSeries, type ReadOptions, readSeries } from './formats/named-series.ts'
import type { LayoutName, TimeUnit } from './formats/row-collector.ts'
import type { ConflictPolicy } from './merge.ts'
import { isoTime } from './months.ts'

export interface FileOptions extends ReadOptions {
  /** Default `keep`. */
  readonly conflict?: ConflictPolicy
}

interface CandleFile {
  /** The file's name without its folder. */
  readonly name: string
  /** null when neither the options nor the file name it. */
  readonly market: string | null
  readonly interval: Interval
  readonly candles: Candles
  /** False unless the file marks its candles as synthetic. */
  readonly synthetic: boolean
  readonly layout: LayoutName
  /** How a file was read that no known layout fits; null else. */
  readonly assumed: string | null
  readonly timeUnit: TimeUnit
  /** Rows that repeated another one exactly. */
  readonly duplicates: number
  /** Different candles of one time, settled by the conflict policy; only CryptoDataDownload may have them. */
  readonly conflicting: number
  /** Whether the rows were in time order. */
  readonly wasOrdered: boolean
}

/**
 * The candles of a file of one market, oldest first.
 * @throws Failure candlesInvalid with every problem and its line when the file cannot be read or its layout is not known
 */
export async function readCandleFile(path: string, options: FileOptions): Promise<CandleFile> {
  const files = await readMarkets(path, options)
  if (files.length === 1) return files[0]
  const held = files.map(({ market, interval }) => `${market ?? 'a market'} ${interval}`).join(', ')
  throw new Failure('candlesInvalid', `${path} holds more than one set of candles: ${held}`, {
    hint: 'import it, then name the market',
  })
}

/** What an import did, with the findings about the candles. */
export interface FileReport extends ImportReport {
  readonly findings: readonly Finding[]
  /** How the file was read, where no known layout fits it; null else. */
  readonly assumed: string | null
}

/** The candles of a file, market by market. @throws Failure candlesInvalid, usage (`readSeries`) */
export async function readMarkets(path: string, options: FileOptions): Promise<CandleFile[]> {
  return assemble(path, await readSeries(path, options), options.conflict ?? 'keep')
}

/** The candles of a downloaded file; `path` is its name. @throws Failure candlesInvalid */
export async function readDownloaded(path: string, content: FileContent, options: FileOptions): Promise<CandleFile[]> {
  return assemble(path, await nameSeries(path, content, options), options.conflict ?? 'keep')
}

/**
 * Reads a file and stores its candles; stores nothing unless everything can be stored. Returns an array where the file holds
 * several markets or intervals: each is stored as one change.
 * @throws Failure candlesInvalid as `readMarkets` and `storeCandles` do, and when the market is not known
 */
export async function importFile(
  folder: string,
  path: string,
  options: FileOptions,
): Promise<FileReport | FileReport[]> {
  const conflict = options.conflict ?? 'keep'
  const requests = (await readMarkets(path, options)).map(({ market, ...file }) => {
    if (market !== null && findMarket(market) !== undefined) return { ...file, market, conflict }
    throw marketUnstated(path, market, file.layout)
  })
  for (const request of requests) refuseStored(folder, request)
  const reports = requests.map((request) => {
    const report = storeCandles(folder, request)
    const { findings } = checkCandles(request.candles)
    return { ...report, conflicting: report.conflicting + request.conflicting, findings, assumed: request.assumed }
  })
  return reports.length === 1 ? reports[0] : reports
}

const askMarket = 'give --market, such as --market binance/BTC-USDT'

function marketUnstated(path: string, market: string | null, layout: LayoutName): Failure {
  const unstated = `${path} does not name its market`
  if (market !== null) return new Failure('candlesInvalid', `${unstated}, found ${market}`, { hint: askMarket })
  if (layout !== 'binance-vision') return new Failure('candlesInvalid', unstated, { hint: askMarket })
  const why = 'files of futures and spot differ only in the eight decimals of spot'
  return new Failure('candlesInvalid', `${unstated}: ${why}`, {
    hint: 'give --market, such as binance_usdm/BTC-USDT for USD-M futures or binance/BTC-USDT for spot',
  })
}

function assemble(path: string, file: NamedFile, conflict: ConflictPolicy): CandleFile[] {
  const { layout, problems, series, assumed } = file
  const settles = file.holdsConflicts && conflict !== 'refuse'
  const ordered = series.map((one) => orderRows(one.rows, one.lines, conflict === 'replace' ? 'last' : 'first'))
  for (const { conflicts } of ordered) if (!settles) for (const found of conflicts) addConflict(problems, found)
  const made = series.map((one, i): CandleFile => {
    const { rows, duplicates, conflicts, disordered } = ordered[i]
    const { unit, market, synthetic } = one
    const interval = intervalOf(path, one, rows.openTime, problems)
    const candles = alignRows(ordered[i], interval, problems)
    const other = findOtherInterval(candles.openTime, interval)
    if (other !== undefined) {
      problems.add(
        ordered[i].lines[other.row],
        'misaligned',
        `${other.interval} candles begin here, among candles of ${interval}`,
      )
    }
    return {
      name: basename(path),
      market,
      interval,
      candles,
      synthetic,
      layout,
      assumed,
      timeUnit: unit ?? 'ms',
      duplicates,
      conflicting: conflicts.length,
      wasOrdered: disordered === 0,
    }
  })
  problems.refuse('the candles cannot be imported')
  return made
}

function addConflict(problems: NamedFile['problems'], { time, line, keptLine }: RowConflict): void {
  problems.add(
    line,
    'conflict',
    `a candle of this time (${isoTime(time)}) stands in line ${keptLine} with other values`,
  )
}

function intervalOf(
  path: string,
  { statedInterval }: NamedSeries,
  openTime: Float64Array,
  problems: NamedFile['problems'],
): Interval {
  if (openTime.length === 0) {
    problems.refuse('no candle could be read')
    throw new Failure('candlesInvalid', `${path} holds no candles`)
  }
  const decided = decideInterval(openTime, statedInterval)
  if ('interval' in decided) return decided.interval
  problems.refuse('the candles cannot be imported')
  throw new Failure('candlesInvalid', `${path}: ${decided.why}`)
}
