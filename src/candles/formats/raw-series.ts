import type { CollectedRows } from './row-collector.ts'

/** The layouts of whole files, recognised by content. */
export type LayoutName =
  | 'normalised'
  | 'binance-vision'
  | 'named-columns'
  | 'cryptodatadownload'
  | 'lean-minute'
  | 'lean-hour'
  | 'freqtrade-json'
  | 'arrow'
  | 'parquet'
  | 'octobot'
  | 'spelled'

/** The rows of one market in the order of the file, and what the content says about them. */
export interface RawSeries extends CollectedRows {
  readonly market: string | null
  /** A pair without its exchange, as written: `BTC/USDT`. */
  readonly symbol: string | null
  /** As written; may be none that we store. */
  readonly interval: string | null
  readonly synthetic: boolean
}

export interface RawFile {
  readonly layout: LayoutName
  /** Not empty; several when the file holds several markets. */
  readonly series: readonly RawSeries[]
  /** True when the layout may hold two candles of one time; the conflict policy then chooses one. */
  readonly holdsConflicts: boolean
  /** The content is known to be of a spot market of Binance. */
  readonly tellsSpot?: boolean
  /** How it was read, where nothing in it says so. */
  readonly assumed?: string
}
