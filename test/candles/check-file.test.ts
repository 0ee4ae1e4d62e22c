import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkFile } from '../../src/candles/check-file.ts'
import { temporaryFolder } from '../support/folder.ts'
import { rejectionOf } from './arbitrary-candles.ts'

const start = Date.UTC(2021, 4, 1)
const minute = 60_000
const at = (i: number, rest = '10,12,9,11,5') => `${start + i * minute},${rest}`
const good = Array.from({ length: 40 }, (_, i) => at(i))

async function check(rows: readonly string[]) {
  const path = join(temporaryFolder(), 'x_A-B_1m.csv')
  writeFileSync(path, ['timestamp,open,high,low,close,volume', ...rows, ''].join('\n'))
  const [report] = await checkFile(path, {})
  return report
}

it('finds nothing in a good file', async () => {
  expect(await check(good)).toMatchObject({
    market: 'x/A-B',
    interval: '1m',
    count: 40,
    missing: 0,
    findings: [],
    wasOrdered: true,
  })
})

it.each([
  ['newest first', good.toReversed(), 'order', 'note', 39],
  ['rows twice', [...good, good[3], good[7]], 'duplicate', 'note', 2],
  ['two candles of one time', [...good, at(3, '10,12,9,10,5')], 'conflict', 'refuse', 1],
  ['a high below the low', good.with(3, at(3, '10,8,9,11,5')), 'highLow', 'refuse', 1],
  ['a price of zero', good.with(3, at(3, '0,12,0,11,5')), 'price', 'refuse', 1],
  ['a negative volume', good.with(3, at(3, '10,12,9,11,-5')), 'volume', 'refuse', 1],
  ['a word for a price', good.with(3, at(3, 'ten,12,9,11,5')), 'unreadable', 'refuse', 1],
  ['a cell too few', good.with(3, at(3, '10,12,9,11')), 'unreadable', 'refuse', 1],
  ['seconds among milliseconds', good.with(3, at(3).replace(/000,/, ',')), 'timeUnit', 'refuse', 1],
  ['the year 1970', good.with(3, '7,10,12,9,11,5'), 'time', 'refuse', 1],
  ['a time off the grid', good.with(3, at(3.5)), 'misaligned', 'refuse', 1],
  [
    'five-minute candles at the end',
    [...good, ...Array.from({ length: 14 }, (_, i) => at(45 + 5 * i))],
    'mixedIntervals',
    'refuse',
    1,
  ],
  ['a jump', good.with(3, at(3, '10,40,9,40,5')), 'jump', 'note', 2],
])('%s: %s', async (_, rows, code, severity, count) => {
  expect((await check(rows)).findings).toContainEqual(expect.objectContaining({ code, severity, count }))
})

it('judges a whole bad file at once, and still counts its gaps', async () => {
  const rows = [...good.slice(0, 10), ...good.slice(15), at(50, '0,0,0,0,0'), 'nonsense', at(20)].toReversed()
  const report = await check(rows)
  expect(report).toMatchObject({ count: 36, missing: 15, longestGap: 10, duplicates: 1, wasOrdered: false })
  expect(report.findings.map(({ code }) => code).sort()).toEqual(
    ['duplicate', 'flat', 'gap', 'order', 'price', 'unreadable', 'zeroVolume'].sort(),
  )
})

it('what is no table of candles at all is a failure', async () => {
  const path = join(temporaryFolder(), 'a.csv')
  writeFileSync(path, 'hello')
  expect(await rejectionOf(checkFile(path, {}))).toMatchObject({ code: 'candlesInvalid' })
})
