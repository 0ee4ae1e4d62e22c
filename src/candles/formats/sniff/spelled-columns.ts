/** Which column of a table holds what: by the words of its first row in seven languages, by the user's own words, else by position. */
import { type CandleColumn, volumeOfBase } from '../column-names.ts'

/** Where the cells of a candle are; a date and its time of day may have a column each. */
export interface Columns {
  readonly time: readonly number[]
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  /** null: the file has none, and 0 is taken. */
  readonly volume: number | null
}

/** The preferred word first. Compared without case, brackets, points and what stands in brackets. */
const WORDS: Readonly<Record<CandleColumn | 'timeOfDay', string>> = {
  openTime: `unix, unix timestamp, unix time, timestamp, open time, opentime, open timestamp, datetime, date time, gmt time,
    utc time, time utc, local time, date, time, day, start, begin, ts, t, , datum, zeit, zeitpunkt, zeitstempel, date et heure,
    horodatage, heure, fecha, fecha y hora, fecha hora, hora, data, data hora, data e hora, дата, время, дата и время, 时间,
    日期, 开盘时间, 时间戳, 交易时间`,
  timeOfDay: 'time, hour, uhrzeit, zeit, heure, hora, время, 时间',
  open: `open, open price, opening price, o, eröffnung, eröffnungskurs, eröffnungspreis, erster, ouverture, ouv, apertura,
    abertura, открытие, откр, цена открытия, 开盘, 开盘价`,
  high: `high, high price, h, max, maximum, hoch, höchst, höchstkurs, höchster, tageshoch, haut, plus haut, alto, máximo,
    maximo, máx, máxima, alta, максимум, макс, максимальная, 最高, 最高价`,
  low: `low, low price, l, min, minimum, tief, tiefst, tiefstkurs, tiefster, tagestief, bas, plus bas, bajo, mínimo, minimo,
    mín, mínima, baixa, минимум, мин, минимальная, 最低, 最低价`,
  close: `close, close price, closing price, c, last, price, schluss, schlusskurs, letzter, zuletzt, kurs, clôture, cloture,
    clôt, dernier, cierre, último, ultimo, fechamento, закрытие, закр, цена, цена закрытия, 收盘, 收盘价`,
  volume: `volume, base volume, volume base, vol, v, volumen, umsatz, stückzahl, volumes, объем, объём, 成交量, tickvol,
    tick volume, tickvolume, amount, quantity`,
}

export function bareName(cell: string): string {
  return cell
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\([^)]*\)|\[[^\]]*\]|[<>"'.:]/gu, ' ')
    .replaceAll(/[\s_]+/gu, ' ')
    .trim()
}

/** The ways to read the names, the likelier first; empty, with the column that is missing or stands there twice, when none does. */
export function columnsByName(names: readonly string[]): {
  readonly ways: readonly Columns[]
  readonly lacks?: string
} {
  const bare = names.map(bareName)
  const places = (of: CandleColumn | 'timeOfDay'): readonly number[] =>
    WORDS[of].split(/,\s*/).flatMap((word) => {
      const first = bare.indexOf(word)
      return first !== -1 && first === bare.lastIndexOf(word) ? [first] : []
    })
  const [open, high, low, close] = (['open', 'high', 'low', 'close'] as const).map((of) => places(of).at(0))
  if (open === undefined) return { ways: [], lacks: 'open' }
  if (high === undefined) return { ways: [], lacks: 'high' }
  if (low === undefined) return { ways: [], lacks: 'low' }
  if (close === undefined) return { ways: [], lacks: 'close' }
  const named = places('volume').at(0) ?? volumeOfBase(bare)
  const prices = { open, high, low, close, volume: named === -1 ? null : named }
  const times = places('openTime')
  const hours = places('timeOfDay')
  const pairs = times.flatMap((date) => hours.filter((hour) => hour !== date).map((hour) => [date, hour]))
  const ways = [...pairs, ...times.map((time) => [time])].map((time) => ({ ...prices, time }))
  return ways.length === 0 ? { ways, lacks: 'time' } : { ways }
}

/** Where no row has names: the time, or a date and a time of day, perhaps after the name of a market; then open, high, low, close, volume. */
export function columnsByPosition(width: number): readonly Columns[] {
  const from = (start: number, time: readonly number[]): Columns => ({
    time,
    open: start,
    high: start + 1,
    low: start + 2,
    close: start + 3,
    volume: start + 4 < width ? start + 4 : null,
  })
  const ways = [from(2, [0, 1]), from(1, [0]), from(3, [1, 2]), from(2, [1])]
  return ways.filter(({ close }) => close < width)
}

/**
 * What the user says: `time=Date+Time,open=Open,high=3`, each by its name or its number from 1; where some are left out, their names are
 * asked for.
 * @returns a sentence when it does not fit the file
 */
export function columnsAsGiven(given: string, names: readonly string[], width: number): Columns | string {
  const found = new Map<string, readonly number[]>()
  for (const part of given.split(',')) {
    const [what = '', ...rest] = part.split('=')
    const key = what.trim().toLowerCase()
    if (!/^(?:time|open|high|low|close|volume)$/.test(key) || rest.length === 0)
      return `"${part}" is not time=, open=, high=, low=, close= or volume=`
    const wanted = rest.join('=').trim()
    const whole = placeOf(wanted, names, width)
    const places = whole === undefined ? wanted.split('+').map((name) => placeOf(name.trim(), names, width)) : [whole]
    const known = places.filter((place) => place !== undefined)
    if (known.length !== places.length)
      return `no column is "${wanted}"; there are ${names.length > 0 ? names.join(', ') : `${width}`}`
    if (known.length > (key === 'time' ? 2 : 1)) return `${key} has one column, found "${wanted}"`
    found.set(key, known)
  }
  const byName = columnsByName(names).ways.at(0)
  const place = (key: 'open' | 'high' | 'low' | 'close'): number | undefined => found.get(key)?.at(0) ?? byName?.[key]
  const time = found.get('time') ?? byName?.time
  const [open, high, low, close] = [place('open'), place('high'), place('low'), place('close')]
  if (time === undefined || open === undefined || high === undefined || low === undefined || close === undefined) {
    return 'time, open, high, low and close must all be named'
  }
  return { time, open, high, low, close, volume: found.get('volume')?.at(0) ?? byName?.volume ?? null }
}

function placeOf(wanted: string, names: readonly string[], width: number): number | undefined {
  const exact = names.findIndex((name) => name.trim() === wanted)
  const byName = exact === -1 ? names.findIndex((name) => bareName(name) === bareName(wanted)) : exact
  if (byName !== -1) return byName
  const number = /^\d+$/.test(wanted) ? Number(wanted) : 0
  return number >= 1 && number <= width ? number - 1 : undefined
}
