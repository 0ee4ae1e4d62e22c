/** Files with one thing wrong each, and the words and the line that say so. */
import { gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { zipSync } from 'fflate'

const header = 'timestamp,open,high,low,close,volume'
export const start = 1_619_827_200_000 // 2021-05-01T00:00Z
export const good = Array.from({ length: 12 }, (_, i) => `${start + i * 60_000},10,12,9,11,5`)
export const csv = (...rows: readonly string[]) => [header, ...rows, ''].join('\n')
/** Twelve good rows with the fourth (line 5) replaced. */
const withRow = (row: string) => csv(...good.toSpliced(3, 1, row))
export const fourth = start + 3 * 60_000
const isoRows = [header, ...good.map((row, i) => row.replace(/^\d+/, new Date(start + i * 60_000).toISOString()))]
/** `count` rows every `minutes` minutes, from minute `first` on. */
function later(count: number, first: number, minutes: number): string[] {
  return Array.from({ length: count }, (_, i) => `${start + (first + i * minutes) * 60_000},10,12,9,11,5`)
}
const kline = (time: number) => `${time},10,12,9,11,5,${time + 59_999},1,2,3,4,0`

interface Damage {
  readonly what: string
  readonly content: string | Uint8Array
  readonly says: RegExp
  /** Line named by the first problem. */
  readonly line?: number
}

export const DAMAGED: readonly Damage[] = [
  { what: 'an empty file', content: '', says: /is empty/ },
  { what: 'an empty gzip', content: gzipSync(''), says: /is empty/ },
  { what: 'a header alone', content: csv(), says: /holds no candles/ },
  { what: 'a word for a price', content: withRow(`${fourth},abc,12,9,11,5`), says: /open is not .*"abc"/, line: 5 },
  { what: 'NaN', content: withRow(`${fourth},10,NaN,9,11,5`), says: /high is not .*"NaN"/, line: 5 },
  { what: 'infinity', content: withRow(`${fourth},10,12,9,11,inf`), says: /volume is not .*"inf"/, line: 5 },
  { what: 'a number too large', content: withRow(`${fourth},10,1e999,9,11,5`), says: /high is not a finite/, line: 5 },
  { what: 'an empty cell', content: withRow(`${fourth},10,12,,11,5`), says: /low is not .*""/, line: 5 },
  {
    what: 'a decimal comma',
    content: withRow(`${fourth},10,5,12,9,11,5`),
    says: /expected 6 columns, found 7/,
    line: 5,
  },
  { what: 'a cell too few', content: withRow(`${fourth},10,12,9,11`), says: /expected 6 columns, found 5/, line: 5 },
  { what: 'quotes', content: withRow(`"${fourth}",10,12,9,11,5`), says: /openTime is not/, line: 5 },
  { what: 'a high below the low', content: withRow(`${fourth},10,8,9,11,5`), says: /high 8 is below low 9/, line: 5 },
  {
    what: 'a high below the close',
    content: withRow(`${fourth},10,10,9,11,5`),
    says: /high 10 is below open/,
    line: 5,
  },
  { what: 'a low above the open', content: withRow(`${fourth},10,12,10.5,11,5`), says: /low 10.5 is above/, line: 5 },
  { what: 'a price of zero', content: withRow(`${fourth},0,12,0,11,5`), says: /above 0/, line: 5 },
  { what: 'a negative price', content: withRow(`${fourth},10,12,-9,11,5`), says: /above 0/, line: 5 },
  {
    what: 'a negative volume',
    content: withRow(`${fourth},10,12,9,11,-5`),
    says: /volume must not be negative/,
    line: 5,
  },
  {
    what: 'a time off the grid',
    content: withRow(`${fourth + 1},10,12,9,11,5`),
    says: /1m candle cannot open/,
    line: 5,
  },
  { what: 'the year 1970', content: withRow('0,10,12,9,11,5'), says: /outside the years/, line: 5 },
  {
    what: 'the year 51300',
    content: withRow('16198272000000000000000,10,12,9,11,5'),
    says: /outside the years/,
    line: 5,
  },
  {
    what: 'seconds among ms',
    content: withRow(`${fourth / 1000},10,12,9,11,5`),
    says: /is in s, the first one in ms/,
    line: 5,
  },
  {
    what: 'the year 50000 as text',
    content: withRow('50000-01-01T00:00:00Z,10,12,9,11,5'),
    says: /openTime is not/,
    line: 5,
  },
  {
    what: 'a text time among numbers',
    content: withRow('2021-05-01T00:03:00Z,10,12,9,11,5'),
    says: /openTime/,
    line: 5,
  },
  {
    what: '30 February',
    content: isoRows.toSpliced(3, 1, '2021-02-30T00:00:00Z,10,12,9,11,5').join('\n'),
    says: /openTime is not a time such as/,
    line: 4,
  },
  { what: 'a header in the middle', content: csv(...good.toSpliced(3, 0, header)), says: /openTime is not/, line: 5 },
  { what: 'two headers', content: [header, header, ...good].join('\n'), says: /openTime is not/, line: 2 },
  {
    what: 'two columns of one name',
    content: csv(...good).replace('low', 'high'),
    says: /known as high, or two are/,
  },
  {
    what: 'NULL for a price in CryptoDataDownload',
    content: [
      'https://www.CryptoDataDownload.com',
      'unix,date,symbol,open,high,low,close,Volume BTC,Volume USDT,tradecount',
      `${start},2021-05-01,BTC/USDT,10,12,9,NULL,5,50,NULL`,
    ].join('\n'),
    says: /close is not a finite decimal number: "NULL"/,
    line: 3,
  },
  {
    what: 'a second market below the first',
    content: ['symbol,time,open,high,low,close,volume', `BTC,${good[0]}`, `ETH,${good[1]}`].join('\n'),
    says: /is of ETH, the first row is of BTC/,
    line: 3,
  },
  {
    what: 'five-minute candles among those of a minute',
    content: csv(...good, ...later(14, 15, 1), ...later(14, 30, 5)),
    says: /5m candles begin here, among candles of 1m/,
    line: 28,
  },
  {
    what: 'two candles of one time',
    content: csv(...good, `${fourth},10,12,9,10,5`),
    says: /stands in line 5/,
    line: 14,
  },
  {
    what: 'a spacing of no interval',
    content: csv(good[0], `${start + 7 * 60_000},10,12,9,11,5`),
    says: /420 seconds apart/,
  },
  { what: 'a single row of no interval', content: csv(good[0]), says: /add --interval/ },
  {
    what: 'another header',
    content: `date,open,close\n${good[0]}`,
    says: /layout .* is not known: its first line is "date/,
  },
  { what: 'a web page', content: '<!doctype html><title>404</title>', says: /is a web page, not a table: "404"/ },
  { what: 'a zip of nothing but its magic', content: Buffer.from('PK\u0003\u0004\u0000\u0000'), says: /cut short/ },
  { what: 'a zip cut short', content: zip({ 'a.csv': csv(...good) }).subarray(0, 90), says: /directory is missing/ },
  { what: 'a zip of two files', content: zip({ 'a.csv': csv(...good), 'b.csv': csv(...good) }), says: /holds 2 files/ },
  { what: 'a zip without a file', content: zip({}), says: /holds no file/ },
  {
    what: 'a zip in a zip',
    content: zip({ 'a.zip': zip({ 'a.csv': csv(...good) }) }),
    says: /archive inside an archive/,
  },
  {
    what: 'a zip that climbs out',
    content: zip({ '../../a.csv': csv(...good) }),
    says: /would lie elsewhere: "\.\.\/\.\./,
  },
  { what: 'a zip with a root path', content: zip({ '/etc/a.csv': csv(...good) }), says: /would lie elsewhere/ },
  { what: 'a zip with a drive', content: zip({ 'C:\\a.csv': csv(...good) }), says: /would lie elsewhere/ },
  { what: 'a zip bomb', content: zip({ 'a.csv': '0'.repeat(20_000_000) }), says: /more than 16 MiB/ },
  {
    what: 'a zip bomb that lies about its size',
    content: lyingZip(zip({ 'a.csv': '0'.repeat(20_000_000) }), 1000),
    says: /more than the 1000 bytes that its directory says/,
  },
  { what: 'a zip that lies the other way', content: lyingZip(zip({ 'a.csv': csv(...good) }), 5000), says: /says 5000/ },
  { what: 'a zip with a flipped bit', content: flippedZip(csv(...good)), says: /checksum/ },
  { what: 'an encrypted zip', content: encryptedZip(csv(...good)), says: /encrypted/ },
  {
    what: 'a Lean file without its day',
    content: '0,10,12,9,11,5\n60000,10,12,9,11,5\n',
    says: /does not give the day/,
  },
  { what: 'a Parquet file cut short', content: Buffer.from('PAR1\u0015\u0004'), says: /as a Parquet file/ },
  { what: 'an Arrow file cut short', content: Buffer.from('ARROW1\u0000\u0000\uffff'), says: /as an Arrow or Feather/ },
  { what: 'Feather version 1', content: Buffer.from('FEA1\u0000\u0001'), says: /Feather version 1/ },
  {
    what: 'a damaged database',
    content: Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(600, 7)]),
    says: /as a SQLite file/,
  },
  { what: 'a database of something else', content: otherDatabase(), says: /no such table: ohlcv/ },
  { what: 'JSON cut short', content: JSON.stringify([[start, 1, 1, 1, 1, 1]]).slice(0, -4), says: /as freqtrade JSON/ },
  { what: 'JSON of words', content: JSON.stringify([[start, '1', 1, 1, 1, null]]), says: /expected \[time/, line: 1 },
  { what: 'JSON of another kind', content: '[3]', says: /expected \[time/, line: 1 },
  { what: 'random bytes', content: Buffer.from([0, 255, 254, 7, 200, 10, 13]), says: /not text/ },
  { what: 'gzip cut short', content: gzipSync(csv(...good)).subarray(0, 60), says: /damaged gzip: unexpected end/ },
  { what: 'gzip with a flipped bit', content: flipped(gzipSync(csv(...good))), says: /damaged gzip/ },
  { what: 'gzip that unpacks without end', content: gzipSync(Buffer.alloc(20_000_000)), says: /more than 16 MiB/ },
  {
    what: 'a kline cut short',
    content: [kline(start), kline(start + 60_000).slice(0, -8)].join('\n'),
    says: /columns/,
    line: 2,
  },
]

function zip(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)])))
}

/** The archive with another unpacked size in its directory. */
function lyingZip(archive: Uint8Array, size: number): Uint8Array {
  const copy = Buffer.from(archive)
  copy.writeUInt32LE(size, copy.indexOf(Buffer.from('PK\u0001\u0002')) + 24)
  return copy
}

/** Stored, not deflated, so that only the checksum can tell. */
function flippedZip(content: string): Uint8Array {
  const archive = Buffer.from(zipSync({ 'a.csv': Buffer.from(content) }, { level: 0 }))
  archive[archive.indexOf('10,12') + 1] ^= 1
  return archive
}

function encryptedZip(content: string): Uint8Array {
  const archive = Buffer.from(zip({ 'a.csv': content }))
  archive[archive.indexOf(Buffer.from('PK\u0001\u0002')) + 8] |= 1
  return archive
}

function otherDatabase(): Uint8Array {
  const db = new Database(':memory:')
  db.exec('create table trades (id integer)')
  const bytes = db.serialize()
  db.close()
  return bytes
}

function flipped(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, i) => (i === bytes.length - 6 ? byte ^ 1 : byte)) // the checksum at the end
}
