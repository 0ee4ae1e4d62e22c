/** The sentences of verdicts, each as a page that a person reads, on recorded and made-up markets; their numbers come out a second way. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { INTERVALS } from '../../../src/contract/market.ts'
import { type Candles, sliceCandles } from '../../../src/engine/candles.ts'
import { runReference } from '../../../src/engine/reference.ts'
import { madeUpWindow } from '../../bench/league/markets.ts'
import { readCsvCandles } from '../../support/csv-candles.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type Program, program } from '../../support/program.ts'
import { share } from '../../support/share.ts'
import { sharedData } from '../../support/shared-data.ts'
import { STUDY_BASE } from '../../support/study-base.ts'
import { API_KEY, goodBody, json, SECRET_KEY, scriptedService } from '../api/world.ts'
import { expectRecomputed, ladderOf, type VerdictJson, worst } from './recomputed.ts'

const folder = temporaryFolder()
const environment = { XDG_STATE_HOME: folder }
const EVERY = share({ usual: 12, long: 1 })
const { takeProfit: _, ...base } = STUDY_BASE
/** Without bounds: what is said of the first of them is what matters here. */
const objective = { maximize: 'stressedPerUsed' }
const grid = { dcaPriceScalePercent: [1, 2], takeProfit: [1, 2] }
let dcalab: Program
beforeAll(() => {
  dcalab = program(folder, environment)
})

const recorded = (coin: string) => sharedData(`candles/binance_${coin}-USDT_5m_2022-08_2023-09.csv.gz`)
const marketOf = (coin: string) => ({ exchange: 'binance', baseAsset: coin, quoteAsset: 'USDT' })

async function store(coin: string, candles: Candles): Promise<Candles> {
  const rows = Array.from(candles.openTime, (time, at) =>
    [time, candles.open[at], candles.high[at], candles.low[at], candles.close[at], candles.volume[at]].join(','),
  )
  const file = join(folder, `${coin}.csv`)
  writeFileSync(file, `timestamp,open,high,low,close,volume\n${rows.join('\n')}\n`)
  const { code, err } = await dcalab(['candles', 'import', file, '--market', `binance/${coin}-USDT`])
  expect([code, err]).toEqual([0, err])
  return candles
}

/** Twelve candles of five minutes as one of an hour; days are whole in what is given. */
function hours({ openTime, open, high, low, close }: Candles): Candles {
  const starts = Array.from(openTime.keys()).filter((at) => openTime[at] % INTERVALS['1h'] === 0)
  const rows = starts.map((from, at) => {
    const to = starts[at + 1] ?? openTime.length
    return [
      openTime[from],
      open[from],
      Math.max(...high.subarray(from, to)),
      Math.min(...low.subarray(from, to)),
      close[to - 1],
      1,
    ]
  })
  const [times, opens, highs, lows, closes, volume] = [0, 1, 2, 3, 4, 5].map((cell) =>
    Float64Array.from(rows, (row) => row[cell]),
  )
  return { intervalMs: INTERVALS['1h'], openTime: times, open: opens, high: highs, low: lows, close: closes, volume }
}

async function run(name: string, study: object, at: Program = dcalab, more: readonly string[] = []): Promise<void> {
  const file = join(folder, `${name}.json`)
  writeFileSync(file, JSON.stringify({ name, base, objective, grid, ...study }))
  await at(['run', file, ...more])
}

/** The page of a verdict: it fits a terminal, and nothing in it changes from day to day. */
async function page(name: string, at: Program = dcalab): Promise<string> {
  const { out, err, code } = await at(['verdict', name])
  const lines = `${out}${code === 0 ? '' : err}`.trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(24)
  // An error is one line, and so is what can be pasted.
  const words = code === 0 ? lines.filter((line) => !line.startsWith('  next')) : []
  expect(words.filter((line) => line.length > 80)).toEqual([])
  return `${lines.join('\n').replaceAll(/127\.0\.0\.1:\d+/g, 'elsewhere')}\n`
}

async function expectGolden(name: string, at?: Program, study = name): Promise<void> {
  await expect(await page(study, at)).toMatchFileSnapshot(`../../golden/verdicts/${name}.txt`)
}

async function expectNumbers(name: string, candlesOf: Readonly<Record<string, Candles>>): Promise<void> {
  const found = JSON.parse((await dcalab(['verdict', name, '--stretches', '--json'])).out)
  for (const one of [found].flat() as readonly VerdictJson[]) {
    const { config } = JSON.parse((await dcalab(['show', one.trial, '--json'])).out)
    expectRecomputed(one, { candles: candlesOf[one.market], config, every: EVERY })
  }
}

it.each([
  ['no-edge', 'noEdge'],
  ['planted', 'planted'],
] as const)('a made-up market: %s', async (name, kind) => {
  const coin = kind.toUpperCase()
  const { candles, from } = madeUpWindow(kind, 'golden', 0)
  await store(coin, candles)
  const day = (days: number) => new Date(from + days * 86_400_000).toISOString()
  await run(name, { market: marketOf(coin), period: { from: day(0), to: day(60) }, validate: { holdout: '15d' } })
  await expectGolden(name)
  await expectNumbers(name, { [`binance/${coin}-USDT`]: candles })
})

it.skipIf(recorded('SOL') === undefined || recorded('BTC') === undefined)(
  'Solana and Bitcoin: one market whose hold-out was lost, and two with one headline',
  async () => {
    const [sol, btc] = ['SOL', 'BTC'].map((coin) => hours(readCsvCandles(recorded(coin) ?? '', INTERVALS['5m'])))
    const candlesOf = { 'binance/SOL-USDT': await store('SOL', sol), 'binance/BTC-USDT': await store('BTC', btc) }
    const study = { period: { from: '2023-05-01', to: '2023-08-01' }, validate: { holdout: '30d' } }
    await run('sol', { ...study, market: marketOf('SOL') })
    await expectGolden('sol')
    await expectNumbers('sol', candlesOf)
    await run('btc-sol', { ...study, markets: [marketOf('BTC'), marketOf('SOL')] })
    await expectGolden('btc-sol')
    await expectNumbers('btc-sol', candlesOf)
    expect((await dcalab(['holdout', 'sol', '--test', '--reason', 'golden', '--yes'])).code).toBe(0)
    await expectGolden('lost-holdout', dcalab, 'sol')
    const { holdout, trial } = JSON.parse((await dcalab(['verdict', 'sol', '--json'])).out)
    const { config } = JSON.parse((await dcalab(['show', trial, '--json'])).out)
    const unseen = sliceCandles(sol, Date.parse('2023-07-02'), Date.parse('2023-08-01'))
    const [own, plain] = [config, ladderOf(config.investment)].map((one) => {
      const { netProfit, usedCapital } = runReference({ ...worst, candles: unseen, config: one }).metrics
      return (100 * netProfit) / usedCapital.average
    })
    expect(holdout.days).toBe(30)
    expect(holdout.perUsedPercent).toBeCloseTo(own, 8)
    expect(holdout.plainPerUsedPercent).toBeCloseTo(plain, 8)
    expect(own).toBeLessThan(plain)
  },
)

it('a service that fills optimistically and says nothing of it, one that fails, and one that has not finished', async () => {
  const { candles, from } = madeUpWindow('planted', 'golden', 1)
  await store('ELSE', candles)
  const day = (days: number) => new Date(from + days * 86_400_000).toISOString()
  const study = { market: marketOf('ELSE'), period: { from: day(0), to: day(30) } }
  for (const [name, state] of [
    ['optimistic', 'completed'],
    ['failures', 'failed'],
    ['nothing-finished', 'running'],
  ]) {
    const service = await scriptedService((hit, response, index) => {
      if (hit.method !== 'POST') return json(response, 200, goodBody(hit))
      const { name: job } = JSON.parse(hit.body)
      const result = { metrics: { netProfit: 300, closedDeals: 90, usedCapital: { average: 200, max: 400 } } }
      json(response, 201, { id: `job-${index}`, name: job, state, ...(state === 'completed' ? { result } : {}) })
    })
    const away = program(folder, {
      ...environment,
      DCALAB_STORE: join(folder, `${name}.sqlite`),
      DCALAB_BASE_URL: service.url,
      DCALAB_API_KEY: API_KEY,
      DCALAB_SECRET_KEY: SECRET_KEY,
    })
    await run(name, study, away, state === 'running' ? ['--max', '0'] : [])
    await expectGolden(name, away)
    await service.close()
  }
})
