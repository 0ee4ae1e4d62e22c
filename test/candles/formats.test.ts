/** Tables that other programs wrote: pyarrow (Feather), pandas, DuckDB and polars (Parquet). All hold the same three hundred made-up candles. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { tableFromArrays, tableToIPC } from '@uwdata/flechette'
import fc from 'fast-check'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, it } from 'vitest'
import { decodeLz4Frame } from '../../src/candles/formats/arrow-file.ts'
import { parseTimeText } from '../../src/candles/formats/written-time.ts'
import { readCandleFile } from '../../src/candles/import.ts'
import { Failure } from '../../src/errors.ts'
import { temporaryFolder } from '../support/folder.ts'
import { plainCandles, RUNS, rejectionOf } from './arbitrary-candles.ts'

const candles = plainCandles(Date.UTC(2021, 4, 1), 300, 60_000)

it.each([
  ['lz4.feather', 'arrow'], // several record batches, timestamp[ns, UTC]
  ['zstd.feather', 'arrow'],
  ['snappy.parquet', 'parquet'], // pandas: timestamp[ns, UTC]
  ['zstd.parquet', 'parquet'], // DuckDB: milliseconds and volumes as integers
  ['lz4.parquet', 'parquet'], // polars: timestamp[us, UTC], column named time
])('%s is read as it was written', async (name, layout) => {
  const path = fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))
  expect(await readCandleFile(path, {})).toMatchObject({
    candles,
    interval: '1m',
    layout,
    market: null,
    wasOrdered: true,
  })
})

/** As Spark may be told to write them. */
function packedBy(codec: 'GZIP' | 'BROTLI'): Uint8Array {
  const { openTime, open, high, low, close, volume } = candles
  const columns = { timestamp: openTime, open, high, low, close, volume }
  const bytes = parquetWriteBuffer({
    columnData: Object.entries(columns).map(([name, data]) => ({ name, data, type: 'DOUBLE' })),
    codec,
    compressors: { GZIP: gzipSync, BROTLI: brotliCompressSync },
  })
  return new Uint8Array(bytes)
}

it.each(['GZIP', 'BROTLI'] as const)('Parquet packed by %s is read', async (codec) => {
  const path = join(temporaryFolder(), 'packed.parquet')
  writeFileSync(path, packedBy(codec))
  expect(await readCandleFile(path, {})).toMatchObject({ candles, interval: '1m', layout: 'parquet' })
})

it('a file damaged anywhere is read or refused, and nothing else', async () => {
  const names = ['lz4.feather', 'zstd.feather', 'snappy.parquet', 'zstd.parquet', 'lz4.parquet']
  const files = names.map((name) => readFileSync(new URL(`fixtures/${name}`, import.meta.url)))
  files.push(Buffer.from(packedBy('GZIP')), Buffer.from(packedBy('BROTLI')))
  const path = join(temporaryFolder(), 'damaged')
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...files), fc.nat(), fc.nat(255), fc.nat(), async (file, place, value, cut) => {
      const bytes = Buffer.from(file)
      bytes[place % bytes.length] = value
      writeFileSync(path, cut % 3 === 0 ? bytes.subarray(0, cut % bytes.length) : bytes)
      const read = await readCandleFile(path, { interval: '1m' }).catch((error: unknown) => error)
      if (read instanceof Error) expect(read).toBeInstanceOf(Failure)
    }),
    { numRuns: 10 * RUNS },
  )
})

it('a table without one of the columns, or with a hole in one, is refused', async () => {
  const place = (columns: Readonly<Record<string, unknown[]>>): string => {
    const path = join(temporaryFolder(), 'table.arrow')
    writeFileSync(path, tableToIPC(tableFromArrays(columns), { format: 'file' }) ?? '')
    return path
  }
  const [date, price] = [
    [1_619_827_200_000, 1_619_827_260_000],
    [10, 10],
  ]
  const whole = { date, open: price, high: price, low: price, close: price, volume: [1, 2] }
  expect((await readCandleFile(place(whole), {})).candles.volume).toEqual(Float64Array.of(1, 2))
  const { volume, ...without } = whole
  expect((await rejectionOf(readCandleFile(place(without), {}))).message).toMatch(/hold no volume, or two/)
  const holed = await rejectionOf(readCandleFile(place({ ...whole, close: [10, null] }), {}))
  expect(holed.problems).toEqual(['close is not a number: null'])
  const words = await rejectionOf(readCandleFile(place({ ...whole, close: ['a', 'b'] }), {}))
  expect(words.problems).toHaveLength(volume.length)
})

describe('an LZ4 frame', () => {
  const header = [0x04, 0x22, 0x4d, 0x18, 0x40, 0x70, 0xdf] // version 1, linked blocks, no checksums
  const abcd = [0x40, 97, 98, 99, 100]
  const frame = (...blocks: readonly (readonly number[])[]) =>
    Uint8Array.from([...header, ...blocks.flatMap((block) => [block.length, 0, 0, 0, ...block]), 0, 0, 0, 0])
  const decoded = (bytes: Uint8Array, size: number) => Buffer.from(decodeLz4Frame(bytes, size)).toString('latin1')

  it('repeats what stands in the block before', () => {
    expect(decoded(frame(abcd, [0x10, 101, 5, 0, 0x10, 102]), 10)).toBe('abcdeabcdf')
  })

  it('repeats a pattern that it is just writing', () => {
    expect(decoded(frame([0x1f, 97, 1, 0, 6, 0x10, 98]), 27)).toBe(`${'a'.repeat(26)}b`)
  })

  it.each([
    ['another size', frame(abcd), 5],
    ['more than its size', frame(abcd, abcd), 6],
    ['a match before its beginning', frame([0x10, 97, 9, 0, 0x10, 98]), 6],
    ['a match of distance zero', frame([0x10, 97, 0, 0, 0x10, 98]), 6],
    ['an endless match', frame([0x1f, 97, 1, 0, 255, 255, 0]), 100],
    ['a length that never ends', frame([0xf0, 255, 255]), 1000],
    ['a cut', frame(abcd).subarray(0, 13), 4],
    ['no frame', Uint8Array.from(Buffer.from('not an LZ4 frame')), 4],
    ['a dictionary', frame(abcd).map((byte, i) => (i === 4 ? byte | 1 : byte)), 4],
  ])('with %s is refused', (_, bytes, size) => {
    expect(() => decodeLz4Frame(bytes, size)).toThrow(/LZ4/)
  })
})

describe('a time in text', () => {
  const parse = (text: string) => parseTimeText(Buffer.from(text), 0, text.length)

  it.each([
    ['2025-05-27 04:36:00-04:00', '2025-05-27T08:36:00Z'],
    ['2025-05-30 16:45:00+00:00', '2025-05-30T16:45:00Z'],
    ['2025-05-30T16:45:00.250Z', '2025-05-30T16:45:00.250Z'],
    ['2025-05-30 16:45:00 UTC', '2025-05-30T16:45:00Z'],
    ['2025-05-30T16:45+0530', '2025-05-30T11:15:00Z'],
    ['2025-05-30T16:45+02', '2025-05-30T14:45:00Z'],
    ['2025-05-30 16:45:00', '2025-05-30T16:45:00Z'], // no offset is UTC
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['20180501 23:00', '2018-05-01T23:00:00Z'],
    ['20180501', '2018-05-01T00:00:00Z'],
  ])('%s is %s', (text, iso) => {
    expect(parse(text)).toBe(Date.parse(iso))
  })

  it.each(
    [
      '',
      '2025',
      '2025-13-01',
      '2025-02-29',
      '2025-5-1',
      '2025-05-01T',
      '2025-05-01 24:00',
      '2025-05-01 10:60',
      'today',
    ].concat([
      '2025-05-01 10:00 CET',
      '2025-05-01 10:00+',
      '2025-05-01 10:00Zulu',
      '2025-05-01 10:00:00.',
      '+02025-05-01',
      '2025/05/01',
    ]),
  )('%j is none', (text) => {
    expect(parse(text)).toBeNaN()
  })
})
