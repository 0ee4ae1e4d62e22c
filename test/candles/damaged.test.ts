/** Files that people really have: each ends in one clear error, and the folder keeps its bytes. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createProblemList, createRowCollector } from '../../src/candles/formats/row-collector.ts'
import { importFile } from '../../src/candles/import.ts'
import { temporaryFolder } from '../support/folder.ts'
import { rejectionOf, snapshot } from './arbitrary-candles.ts'
import { csv, DAMAGED, fourth, good, start } from './damaged-files.ts'

const options = { market: 'binance/BTC-USDT', limit: 16 * 2 ** 20 }

it.each(DAMAGED)('$what is refused with its place, and the folder is unchanged', async ({ content, says, line }) => {
  const { folder, before, place } = await setup()
  const path = place('candles.csv', content)
  const failure = await rejectionOf(importFile(folder, path, options))
  expect(failure.code).toBe('candlesInvalid')
  expect([failure.message, ...failure.problems].join('\n')).toMatch(says)
  expect(failure.message).toContain(path)
  expect(failure.places).toEqual(line === undefined ? [] : [`${path}:${line}`])
  expect(snapshot(folder)).toEqual(before)
})

it('a missing file and a folder are refused', async () => {
  const { folder, before, place } = await setup()
  const path = place('candles.csv', '')
  expect((await rejectionOf(importFile(folder, `${path}.absent`, options))).message).toMatch(/no such file/)
  mkdirSync(`${path}.folder`)
  expect((await rejectionOf(importFile(folder, `${path}.folder`, options))).message).toMatch(/is a folder/)
  expect(snapshot(folder)).toEqual(before)
})

it('all problems are listed at once, the first twenty with their lines', async () => {
  const { folder, place } = await setup()
  const path = place('candles.csv', csv(...good, ...Array.from({ length: 30 }, (_, i) => `${start},x${i},1,1,1,1`)))
  const failure = await rejectionOf(importFile(folder, path, options))
  expect(failure.message).toContain('30 problems')
  expect(failure.places).toHaveLength(21)
  expect(failure.places[0]).toBe(`${path}:14`)
  expect(failure.problems.at(-1)).toBe('… and 10 more')
})

it('a row of a table whose price has no end is refused with its row', () => {
  const problems = createProblemList('rows.parquet')
  createRowCollector(1, {}, problems).add(7, Float64Array.of(start, 1, Number.POSITIVE_INFINITY, 1, 1, 1))
  expect(() => problems.refuse('not read')).toThrow('a problem in rows.parquet')
})

it('different kinds of problems of one file come together', async () => {
  const { folder, place } = await setup()
  const rows = [`${start},x,1,1,1,1`, ...good, `${fourth},10,12,9,10,5`, `${start + 7_230_000},10,12,9,11,5`]
  const failure = await rejectionOf(importFile(folder, place('candles.csv', csv(...rows)), options))
  expect(failure.problems).toHaveLength(3)
})

async function setup() {
  const folder = temporaryFolder()
  const files = temporaryFolder()
  const place = (name: string, content: string | Uint8Array): string => {
    const path = join(files, name)
    writeFileSync(path, content)
    return path
  }
  await importFile(folder, place('good.csv', csv(...good)), options)
  return { folder, before: snapshot(folder), place }
}
