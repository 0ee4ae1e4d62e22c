/**
 * OctoBot's data files: SQLite, `ohlcv(timestamp, exchange_name, cryptocurrency, symbol, time_frame, candle)`, several markets and
 * intervals in one file. `candle` is JSON `[open time in s, open, high, low, close, volume]`; the row's own timestamp is the candle's close.
 */
import Database from 'better-sqlite3'
import { createRowCollector, type ProblemList, type RawFile, type RawSeries, type RowRules } from './row-collector.ts'

/** Opens the database from memory, so that SQLite writes no file beside it. @throws Error when it is not a file of OctoBot */
export function readOctobotFile(bytes: Uint8Array, rules: RowRules, problems: ProblemList): RawFile {
  const db = new Database(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), { readonly: true })
  try {
    const groups = db
      .prepare('select exchange_name, symbol, time_frame, count(*) as n from ohlcv group by 1, 2, 3 order by 1, 2, 3')
      .all() as readonly Group[] // the column list above
    const series = groups.map((group) => readGroup(db, group, rules, problems))
    if (series.length === 0) throw new Error('its table ohlcv is empty')
    return { layout: 'octobot', series, holdsConflicts: false }
  } finally {
    db.close()
  }
}

interface Group {
  readonly exchange_name: unknown
  readonly symbol: unknown
  readonly time_frame: unknown
  readonly n: number
}

function readGroup(db: Database.Database, group: Group, rules: RowRules, problems: ProblemList): RawSeries {
  const rows = db
    .prepare(
      'select rowid, candle from ohlcv where exchange_name is ? and symbol is ? and time_frame is ? order by rowid',
    )
    .iterate(group.exchange_name, group.symbol, group.time_frame) as Iterable<{ rowid: number; candle: unknown }> // as selected
  const collector = createRowCollector(group.n, rules, problems)
  const cells = new Float64Array(6)
  for (const { rowid, candle } of rows) {
    const values = parseCandle(candle)
    if (values === undefined) {
      const shown = String(candle).slice(0, 80)
      problems.add(rowid, 'unreadable', `expected [time, open, high, low, close, volume] as JSON, found ${shown}`)
      continue
    }
    cells.set(values)
    collector.add(rowid, cells)
  }
  const pair = /^([A-Z0-9]+)\/([A-Z0-9]+)$/i.exec(String(group.symbol))
  const market = `${String(group.exchange_name).toLowerCase()}/${pair?.slice(1).join('-').toUpperCase()}`
  return {
    ...collector.finish(),
    market: pair === null ? null : market,
    symbol: String(group.symbol),
    interval: String(group.time_frame),
    synthetic: false,
  }
}

function parseCandle(candle: unknown): number[] | undefined {
  if (typeof candle !== 'string') return undefined
  try {
    const values: unknown = JSON.parse(candle)
    if (Array.isArray(values) && values.length === 6 && values.every((value) => typeof value === 'number'))
      return values
  } catch {
    // handled below like any other cell that is not a candle
  }
  return undefined
}
