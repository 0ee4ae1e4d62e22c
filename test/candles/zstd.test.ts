/** Zstandard, decoded by Node within bounds: what libzstd packed comes out as it was, and what is damaged ends in an error. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeZstd } from '../../src/candles/formats/table.ts'
import { readCandleFile } from '../../src/candles/import.ts'
import { Failure } from '../../src/errors.ts'
import { desk } from '../support/dcalab.ts'
import { temporaryFolder } from '../support/folder.ts'
import { share } from '../support/share.ts'

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url))

/** Rows that look like candles, from a seed: 7,000 of them fill two blocks. */
function rows(count: number): Buffer {
  let state = 7
  const dice = (sides: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * sides)
  }
  return Buffer.from(
    Array.from(
      { length: count },
      (_, i) => `${1_619_827_200 + 60 * i},${3000 + dice(90)}.${dice(9)},${dice(999)}\n`,
    ).join(''),
  )
}

const noise = Buffer.from(Array.from({ length: 600 }, (_, i) => (i * i * 131 + (i >> 3) * 17) & 255))

/** Made by libzstd 1.5 (`zstd -3 --no-check` and so on), whose bytes these are. */
const PACKED: readonly (readonly [name: string, content: Buffer])[] = [
  ['fast.zst', rows(900)], // literals without a code of their own
  ['usual.zst', rows(900)],
  ['best.zst', rows(7000)], // two blocks, the second with the tables of the first
  ['streamed.zst', rows(900)], // no size in its header, a checksum at its end
  ['same-byte.zst', Buffer.alloc(300_000, 65)], // blocks of one byte each
  ['noise.zst', noise], // a block as it is
  ['empty.zst', Buffer.alloc(0)],
]

it.each(PACKED)('%s comes out as it went in', (name, content) => {
  expect(Buffer.from(decodeZstd(fixture(`zstd/${name}`), content.length)).equals(content)).toBe(true)
})

it('of several frames, no byte is lost in silence: Node 26 reads all of them, and what an older one leaves out is refused', () => {
  const [noisy, usual] = [fixture('zstd/noise.zst'), fixture('zstd/usual.zst')]
  const note = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])
  const packed = [Buffer.concat([noisy, usual]), Buffer.concat([note, noisy, note, usual])]
  const content = Buffer.concat([noise, rows(900)])
  const readsAll = Number.parseInt(process.versions.node, 10) >= 26
  for (const frames of packed) {
    if (readsAll) expect(Buffer.from(decodeZstd(frames, content.length)).equals(content)).toBe(true)
    else expect(() => decodeZstd(frames, content.length)).toThrow(`expected ${content.length}`)
  }
})

describe('damaged data', () => {
  const usual = fixture('zstd/usual.zst')
  const size = rows(900).length

  it.each([
    ['another size', usual, size + 1, `ZSTD data of ${size} bytes, expected ${size + 1}`],
    ['a smaller size', usual, size - 1, /larger than/],
    ['a cut', usual.subarray(0, -5), size, /expected|unexpected end/],
    ['nothing', usual.subarray(0, 0), size, /expected|unexpected end/],
    ['a size beyond all reason', usual, 2 ** 40, `expected ${2 ** 40}`],
    ['another format', Buffer.from('not a frame at all'), 18, /descriptor/],
    ['a wrong checksum', change(fixture('zstd/streamed.zst'), -1), size, /checksum/],
    ['a dictionary', change(usual, 4), size, /dictionary/i],
  ])('%s is refused', (_, packed, claimed, says) => {
    expect(() => decodeZstd(packed, claimed)).toThrow(says)
  })

  it('a frame of 512 MB for a page of 1,000 bytes is refused, and memory does not grow', () => {
    // Blocks of one repeated byte: four bytes say 128 KB.
    const blocks = Array.from({ length: 4096 }, (_, i) => [(i === 4095 ? 1 : 0) | 2, 0, 0x10, 65])
    const bomb = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3, ...blocks.flat()])
    const before = process.resourceUsage().maxRSS
    expect(() => decodeZstd(bomb, 1000)).toThrow('ZSTD data cannot be unpacked to 1000 bytes')
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(64 * 1024)
    expect(decodeZstd(bomb.subarray(0, 10).fill(3, 6, 7), 2 ** 17)).toHaveLength(2 ** 17)
  })

  it('wherever it is damaged, a frame gives the bytes that were asked for, or an error', () => {
    const frames = PACKED.map(([name, content]) => ({ packed: fixture(`zstd/${name}`), size: content.length }))
    // Headers and tables stand at the beginning: damage goes there more often than not.
    const place = fc.oneof(fc.nat(40), fc.nat(200), fc.nat())
    const damage = fc.array(fc.tuple(place, fc.oneof(fc.constantFrom(0, 255), fc.nat(255))), {
      minLength: 1,
      maxLength: 3,
    })
    fc.assert(
      fc.property(fc.constantFrom(...frames), damage, ({ packed, size: claimed }, changes) => {
        const bytes = Buffer.from(packed)
        for (const [at, value] of changes) bytes[at % bytes.length] = value
        try {
          expect(decodeZstd(bytes, claimed)).toHaveLength(claimed)
        } catch (error) {
          expect(error).toBeInstanceOf(Error)
          expect(String(error)).toMatch(/ZSTD/)
        }
      }),
      { numRuns: share({ usual: 400, long: 3000 }) },
    )
  })
})

function change(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Buffer.from(bytes)
  const place = at < 0 ? copy.length + at : at
  copy[place] ^= 1
  return copy
}

describe('three hundred damaged files', () => {
  const place = desk()
  const damaged = Array.from({ length: 300 }, (_, i) => {
    const name = i % 2 === 0 ? 'zstd.feather' : 'zstd.parquet'
    const bytes = fixture(name)
    // Spread over the whole file, each byte with another value.
    for (let hit = 0; hit <= i % 3; hit++)
      bytes[(i * 7919 + hit * 104_729) % bytes.length] ^= 1 + ((i * 37 + hit) % 255)
    return { path: `damaged-${i}.${name}`, bytes }
  })

  it('go through the program with little memory: each is read or named in one line, and none stops the others', async () => {
    for (const { path, bytes } of damaged) writeFileSync(join(place.folder, path), bytes)
    const files = damaged.map(({ path }) => path)
    const options = ['--market', 'binance/BTC-USDT', '--interval', '1m', '--conflict', 'replace', '--json']
    const { code, stdout, stderr } = await place.dcalab(['candles', 'import', ...files, ...options], {
      NODE_OPTIONS: '--max-old-space-size=128',
    })
    expect(code).toBe(2)
    const refused = new Set(stderr.match(/damaged-\d+\.zstd\.(?:feather|parquet)(?=[: ])/g))
    const read = (JSON.parse(stdout) as unknown[]).length
    expect(refused.size + read).toBe(files.length)
    expect(refused.size).toBeGreaterThan(200)
  })

  it('are refused in our own words', async () => {
    const folder = join(temporaryFolder(), 'files')
    mkdirSync(folder)
    for (const { path, bytes } of damaged.slice(0, 60)) {
      writeFileSync(join(folder, path), bytes)
      const outcome = await readCandleFile(join(folder, path), { interval: '1m' }).catch((error: unknown) => error)
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(Failure)
    }
  })
})
