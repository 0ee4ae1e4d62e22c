/** The names of columns in candle files of all kinds. Names are compared in lower case, without spaces around them. */

/** What a column of a file contains. */
export const CANDLE_COLUMNS = ['openTime', 'open', 'high', 'low', 'close', 'volume'] as const
export type CandleColumn = (typeof CANDLE_COLUMNS)[number]

/** Names of the open time, the preferred one first: what says that it is the open; files often hold the same time twice, as a number and as text. */
const timeNames = [
  'open_time',
  'open time',
  'opentime',
  'open_timestamp',
  'unix',
  'unix timestamp',
  'unix time',
  'unix_time',
  'epoch',
  'timestamp',
  'time',
  'datetime',
  'date',
  'start',
  '', // the index of a pandas frame
]

/** Returns the position of each of our columns in `names`, or the column that is missing or occurs twice. */
export function findCandleColumns(
  names: readonly string[],
): { readonly at: Readonly<Record<CandleColumn, number>> } | { readonly lacks: CandleColumn } {
  const clean = names.map((name) => name.trim().toLowerCase())
  const only = (name: string): number => (clean.indexOf(name) === clean.lastIndexOf(name) ? clean.indexOf(name) : -1)
  const timeName = timeNames.find((name) => clean.includes(name))
  const at = {
    openTime: timeName === undefined ? -1 : only(timeName),
    open: only('open'),
    high: only('high'),
    low: only('low'),
    close: only('close'),
    volume: findVolume(clean),
  }
  const lacks = CANDLE_COLUMNS.find((name) => at[name] === -1)
  return lacks === undefined ? { at } : { lacks }
}

/** `volume`, else the first of `Volume BTC`, `Volume USDT` …: base before quote, as CryptoDataDownload orders them. */
function findVolume(names: readonly string[]): number {
  for (const name of ['volume', 'base_volume', 'volume_base', 'vol']) {
    const first = names.indexOf(name)
    if (first !== -1) return first === names.lastIndexOf(name) ? first : -1
  }
  return volumeOfBase(names)
}

/** `Volume BTC` beside `Volume USDT`: the one that is not of money, else the first; −1 where there is none. Names in lower case. */
export function volumeOfBase(names: readonly string[]): number {
  const named = (form: RegExp): number => names.findIndex((name) => form.test(name))
  const ofBase = named(/^vol(?:ume)? (?!(?:[a-z]{0,2}usd[a-z]?|eur|gbp|jpy|krw|try|brl|dai|quote)$)[\p{L}\d]+$/u)
  return ofBase === -1 ? named(/^vol(?:ume)? [\p{L}\d]+$/u) : ofBase
}

/** Position of the column that names the market of a row, or −1. */
export function findSymbolColumn(names: readonly string[]): number {
  return names.findIndex((name) => /^(?:symbol|pair|ticker)$/i.test(name.trim()))
}
