/** Reads rows of candles in the JSON answers of exchanges. */
import { INTERVALS, marketName } from '../../contract/market.ts'
import { type Candles, sliceCandles } from '../../engine/candles.ts'
import { Failure } from '../../errors.ts'
import { alignRows, orderRows } from '../assemble.ts'
import { parseDecimal } from '../formats/decimal.ts'
import { createProblemList, createRowCollector } from '../formats/row-collector.ts'
import type { Answer, FetchRequest, SourceName } from './source.ts'

/** @throws Failure serviceUnreadable when an answer is no JSON */
export function parseAnswer(name: string, { bytes }: Answer): unknown {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw unreadable(name, `no JSON, it begins with ${JSON.stringify(text.slice(0, 60))}`, cause)
  }
}

/**
 * `columns` are the positions of time, open, high, low, close and volume in a row. Returns only the candles of the request:
 * exchanges also send neighbours and the candle that is not complete yet.
 * @throws Failure serviceUnreadable when it is no array of rows; candlesInvalid when a row is no candle
 */
export function candlesOfRows(
  name: string,
  rows: unknown,
  { columns, request }: { readonly columns: readonly number[]; readonly request: FetchRequest },
): Candles {
  if (!Array.isArray(rows)) throw unreadable(name, 'something else than rows of candles')
  const problems = createProblemList(name)
  const collector = createRowCollector(rows.length, {}, problems)
  for (const [i, row] of rows.entries()) {
    const cells = Array.isArray(row) ? columns.map((column) => numberOf(row[column])) : []
    if (cells.length === 6 && cells.every(Number.isFinite)) collector.add(i + 1, Float64Array.from(cells))
    else problems.add(i + 1, 'unreadable', `is no candle: ${JSON.stringify(row)?.slice(0, 80)}`)
  }
  const collected = collector.finish()
  const ordered = orderRows(collected.rows, collected.lines)
  for (const { line, keptLine } of ordered.conflicts) {
    problems.add(line, 'conflict', `a candle of this time stands in row ${keptLine} with other values`)
  }
  const candles = alignRows(ordered, request.interval, problems)
  problems.refuse('the answer cannot be used')
  return sliceCandles(candles, request.from, request.to)
}

/** The request cut into pages of `most` candles. */
export function pagesOf(request: FetchRequest, most: number): FetchRequest[] {
  const step = most * INTERVALS[request.interval]
  const pages: FetchRequest[] = []
  for (let from = request.from; from < request.to; from += step) {
    pages.push({ ...request, from, to: Math.min(from + step, request.to) })
  }
  return pages
}

export function unreadable(name: string, found: string, cause?: unknown): Failure {
  return new Failure('serviceUnreadable', `${name} answered ${found}`, {
    cause,
    hint: 'try again later; what was fetched so far is stored',
  })
}

/** Prices come as JSON numbers or as decimal text. */
function numberOf(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return Number.NaN
  const bytes = Buffer.from(value)
  return parseDecimal(bytes, 0, bytes.length)
}

/** @throws Failure usage unless the market is on the source's exchange and the source has the interval */
export function refuseUnlessServed(source: SourceName, { market, interval }: FetchRequest, hasInterval: boolean): void {
  if (market.exchange === source && hasInterval) return
  throw new Failure('usage', `${source} has no ${interval} candles of ${marketName(market)}`, {
    hint: `it has markets of the exchange ${source}; another interval can be made by \`dcalab candles resample\``,
  })
}
