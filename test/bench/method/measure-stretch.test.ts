/** The bench on a small stretch of synthetic candles: what must hold by construction, whatever the market. */
import { beforeAll, describe, expect, it } from 'vitest'
import { generateCandles } from '../../../src/candles/synthetic/generate.ts'
import { sliceCandles } from '../../../src/engine/candles.ts'
import { prepareCandles } from '../../../src/engine/jump/prepared.ts'
import { sharedData } from '../../support/shared-data.ts'
import { measureStretch, type StretchRecord } from './measure-stretch.ts'
import { keysOf, MEASURES, RULES, SPENDINGS } from './names.ts'
import { createSpanReader } from './spans.ts'
import { STRETCHES, type Stretch } from './stretches.ts'
import { summarize } from './summarize.ts'
import { tablesOf } from './tables.ts'

const DAY_MS = 86_400_000
const FROM = Date.UTC(2024, 0, 1)

function stretchOf(trainDays: number, testDays: number): Stretch {
  const cut = FROM + trainDays * DAY_MS
  const test = { from: cut, to: cut + testDays * DAY_MS }
  return { file: 'synthetic', market: 'DEMO', stored: '1h', interval: '1h', train: { from: FROM, to: cut }, test }
}

async function measure(seed: string): Promise<StretchRecord> {
  const stretch = stretchOf(20, 10)
  const candles = generateCandles({ seed: 4, interval: '1h', from: FROM, days: 30 })
  const spanOf = ({ from, to }: Stretch['train']) => prepareCandles(sliceCandles(candles, from, to))
  return measureStretch(stretch, { train: spanOf(stretch.train), test: spanOf(stretch.test) }, seed)
}

describe('a stretch that is measured', () => {
  let record: StretchRecord
  beforeAll(async () => {
    record = await measure('a')
  })

  it('has a share, a percentile and a correlation for everything that is named, inside their bounds', () => {
    for (const name of keysOf(SPENDINGS)) expect(record.matched[name]).toBeGreaterThanOrEqual(0)
    for (const name of keysOf(SPENDINGS)) expect(record.matched[name]).toBeLessThanOrEqual(1)
    for (const rule of keysOf(RULES)) expect(Math.abs(record.next[rule].percentile - 50)).toBeLessThanOrEqual(50)
    for (const name of keysOf(MEASURES)) expect(Math.abs(record.persistence[name].itself ?? 0)).toBeLessThanOrEqual(1)
  })

  it('confirms of a calibrated twin what the twin has said: its first is the best, and stopping early regrets nothing', () => {
    const { matched, stops } = record
    expect([matched.pointFirst, matched.point26]).toEqual([matched.point, matched.point])
    expect(stops.point).toMatchObject({ stops: true, regret: 0 })
  })

  it('is the same again by the same seed, and another by another', async () => {
    expect(await measure('a')).toEqual(record)
    const other = await measure('b')
    expect(other.next.random).not.toEqual(record.next.random)
  })

  it('makes figures with an n, and tables of one width', () => {
    const figures = summarize([record], { measuredOn: '2024-01-31', seed: 'a' })
    expect(figures.inSample.point.all).toMatchObject({ value: record.matched.point, interval: null, n: 1 })
    for (const { head, lines } of tablesOf(figures)) {
      expect(lines.length).toBeGreaterThan(1)
      expect(lines.filter((line) => line.length !== head.length)).toEqual([])
    }
  })
})

const [hours] = STRETCHES.filter(
  ({ market, interval, stored }) => market === 'DOGE' && interval === '1h' && stored === '15m',
)
const recording = sharedData(`candles/${hours.file}.csv.gz`)

it.skipIf(recording === undefined)(
  'spans are cut from the recording, made of whole hours where hours are asked for',
  () => {
    const spans = createSpanReader()(hours)
    expect(spans?.train.openTime.at(0)).toBe(hours.train.from)
    expect(spans?.test.openTime.at(0)).toBe(hours.test.from)
    expect(spans?.train.count).toBe((hours.train.to - hours.train.from) / 3_600_000)
    expect(spans?.test.count).toBe((hours.test.to - hours.test.from) / 3_600_000)
  },
)
