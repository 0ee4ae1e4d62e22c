/** From a real store and real candle files to a file in its place. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storeCandles } from '../../../src/candles/folder/folder.ts'
import { generateCandles } from '../../../src/candles/synthetic/generate.ts'
import { buyAndHold } from '../../../src/engine/buy-and-hold.ts'
import { Failure } from '../../../src/errors.ts'
import { holdByDay } from '../../../src/workbench/report/gather.ts'
import { reportName, writeReport } from '../../../src/workbench/report/write.ts'
import { openStore, type Store } from '../../../src/workbench/store/store.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { testSystem } from '../../support/system.ts'
import { visibleText } from './document.ts'
import { storeRun } from './stored-run.ts'

const folder = temporaryFolder()
const reportsFolder = join(folder, 'reports')
const candlesFolder = join(folder, 'candles')
const system = testSystem({ wall: '2026-02-03T10:12:00Z' })
const from = Date.parse('2021-04-21T00:00:00Z')
const candles = generateCandles({ seed: 3, interval: '1h', from, days: 28 })
let store: Store

const SOURCE = `
name: first
market: { exchange: binance, baseAsset: BTC, quoteAsset: USDT }
period: { from: 2021-04-21, to: 2021-05-19 }
base: { investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 20, dcaPriceScalePercent: 1, dcaPriceStepMultiplier: 1.1, dcaVolumeScale: 1.3, stopLoss: 0 }
grid: { dcaMaxSafetyOrders: [2, 4], takeProfit: [0.5, 1, 2] }
objective: { maximize: netProfit }
`

beforeAll(async () => {
  store = openStore(join(folder, 'workbench.sqlite'), { system })
  storeCandles(candlesFolder, {
    market: 'binance/BTC-USDT',
    interval: '1h',
    candles,
    synthetic: true,
    conflict: 'keep',
  })
  await storeRun({ store, system }, SOURCE, 4)
  await storeRun({ store, system }, SOURCE.replace('name: first', 'name: second').replace('BTC', 'ETH'), 0)
})
afterAll(() => {
  store?.close()
})

function write(studies: readonly string[], out?: string) {
  return writeReport({
    system,
    store,
    studies,
    candlesFolder,
    candles: 'auto',
    format: 'html',
    findKnown: () => undefined,
    reportsFolder,
    ...(out === undefined ? {} : { out }),
  })
}

async function failureOf(work: () => Promise<unknown>): Promise<Failure> {
  const found = await work().then(
    () => undefined,
    (error: unknown) => error,
  )
  if (found instanceof Failure) return found
  throw new Error(`expected a Failure, found ${String(found)}`)
}

function textIn(path: string): string {
  return visibleText(readFileSync(path, 'utf8'))
}

describe('a report from the store', () => {
  it('holds every trial of the study, its spending and buy & hold from local candles', async () => {
    const written = await write(['first'])
    expect(written).toEqual({
      path: join(reportsFolder, 'first.html'),
      bytes: lstatSync(written.path).size,
      trials: 6,
    })
    const text = textIn(written.path)
    expect(text).toContain('First of 4: ')
    expect(text).toContain('InvalidPayload: too dear')
    expect(text).toContain('Serviceembedded:1234')
    expect(text).toMatch(/plain ladder[−+]?\d+/)
  })

  it('leaves nothing beside the report, and replaces an old one whole', async () => {
    await write(['first'])
    await write(['first'])
    expect(readdirSync(reportsFolder).filter((name) => name.includes('tmp'))).toEqual([])
  })

  it('of several studies takes a name made of theirs, and goes on without candles where there are none', async () => {
    const { path, trials } = await write(['first', 'second', 'first'])
    expect(path).toBe(join(reportsFolder, 'first-and-second.html'))
    expect(trials).toBe(12)
    expect(textIn(path)).toContain('binance/ETH-USDT')
    expect(readFileSync(path, 'utf8')).not.toContain(folder)
  })

  it('goes where --out says', async () => {
    const out = join(folder, 'mine.html')
    expect((await write(['first'], out)).path).toBe(out)
    expect(existsSync(out)).toBe(true)
  })

  it('replaces a link in its place instead of writing through it', async () => {
    const precious = join(folder, 'precious.txt')
    writeFileSync(precious, 'mine')
    const out = join(folder, 'link.html')
    symlinkSync(precious, out)
    await write(['first'], out)
    expect(readFileSync(precious, 'utf8')).toBe('mine')
    expect(lstatSync(out).isSymbolicLink()).toBe(false)
  })
})

describe('a report that cannot be', () => {
  it('names the studies the store holds when it lacks the one asked for', async () => {
    const failure = await failureOf(() => write(['third']))
    expect(failure.code).toBe('notFound')
    expect(failure.message).toMatch(/no study "third"; it has .*first/)
  })

  it('says why its place cannot be written, and leaves nothing there', async () => {
    const out = join(folder, 'a-folder')
    mkdirSync(out)
    const failure = await failureOf(() => write(['first'], out))
    expect(failure.code).toBe('usage')
    expect(failure.message).toContain(`cannot write the report to ${out}`)
    expect(readdirSync(folder).filter((name) => name.includes('tmp'))).toEqual([])
  })

  it('goes into no folder that is missing, as a disk leaves it that is not mounted; the usual one is made', async () => {
    const out = join(folder, 'disk', 'mine.html')
    const failure = await failureOf(() => write(['first'], out))
    expect(failure).toMatchObject({ code: 'usage', exitCode: 2, hint: expect.stringContaining('mkdir -p') })
    expect(failure.message).toBe(`cannot write the report to ${out}: there is no folder ${join(folder, 'disk')}`)
    expect(existsSync(join(folder, 'disk'))).toBe(false)
    rmSync(reportsFolder, { recursive: true })
    const usual = join(reportsFolder, 'mine.html')
    expect((await write(['first'], usual)).path).toBe(usual)
  })

  it('is not written outside of the folder, whatever the study is called', async () => {
    const before = readdirSync(folder, { recursive: true }).length
    for (const name of HOSTILE_NAMES) {
      expect((await failureOf(() => write([name]))).code, name).toBe('usage')
      expect((await failureOf(() => write(['first', name]))).code, name).toBe('usage')
    }
    expect(HOSTILE_NAMES.length).toBeGreaterThanOrEqual(40)
    expect(readdirSync(folder, { recursive: true })).toHaveLength(before)
  })
})

const HOSTILE_NAMES: readonly string[] = [
  ...[
    '',
    '.',
    '..',
    '../x',
    '../../etc/passwd',
    '/etc/passwd',
    'a/b',
    'a\\b',
    'C:\\x',
    'c:',
    '~',
    '~/x',
    './x',
    'x/..',
  ],
  ...['con', 'nul', 'aux', 'prn', 'com1', 'com9', 'lpt1', 'lpt9', 'x.html', '.hidden', '-x', 'x ', ' x', 'X', 'Ä', 'é'],
  ...[
    'a\u0000b',
    'a\nb',
    'a\tb',
    '%2e%2e',
    '..%2f',
    'a:b',
    'a*b',
    'a?b',
    'a|b',
    '<a>',
    '"a"',
    "'a'",
    '$HOME',
    '`a`',
    '\u202ea',
  ],
  'a'.repeat(65),
]

it('the names of many studies still make one safe name', () => {
  const long = ['a'.repeat(64), 'b'.repeat(64), 'c']
  expect(reportName(long)).toBe(`${'a'.repeat(40)}-and-2-more`)
  expect(reportName(['x'])).toBe('x')
  expect(() => reportName([])).toThrow(Failure)
})

it('buy & hold by day ends where the engine says it ends', () => {
  const days = holdByDay(candles, 0.1)
  expect(days).toHaveLength(28)
  expect(days.at(-1)?.returnPercent).toBeCloseTo(buyAndHold(candles, 0.001).returnPercent, 9)
  expect(
    holdByDay({ ...candles, openTime: candles.openTime.subarray(0, 0), close: candles.close.subarray(0, 0) }, 0.1),
  ).toEqual([])
})
