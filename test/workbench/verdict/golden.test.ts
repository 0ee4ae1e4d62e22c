/** The sentences of verdicts, each as a page that a person reads, on recorded and made-up markets; their numbers come out a second way. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { INTERVALS } from '../../../src/contract/market.ts'
import { type Candles, sliceCandles } from '../../../src/engine/candles.ts'
import { CONVENTION_PRESETS, DEFAULT_COSTS } from '../../../src/engine/conventions.ts'
import { runReference } from '../../../src/engine/reference.ts'
import { startService } from '../../../src/service/start.ts'
import { realSystem } from '../../../src/system.ts'
import { madeUpWindow } from '../../bench/league/markets.ts'
import { readCsvCandles } from '../../support/csv-candles.ts'
import { projectRoot } from '../../support/dcalab.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type Program, program } from '../../support/program.ts'
import { share } from '../../support/share.ts'
import { sharedData } from '../../support/shared-data.ts'
import { STUDY_BASE } from '../../support/study-base.ts'
import { API_KEY, goodBody, json, SECRET_KEY, scriptedService } from '../api/world.ts'
import { expectReasonsRecomputed, expectRecomputed, ladderOf, type VerdictJson, worst } from './recomputed.ts'

const folder = temporaryFolder()
const environment = { XDG_STATE_HOME: folder }
const EVERY = share({ usual: 24, long: 1 })
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

async function store(coin: string, candles: Candles, at: Program = dcalab): Promise<Candles> {
  const rows = Array.from(candles.openTime, (time, at) =>
    [time, candles.open[at], candles.high[at], candles.low[at], candles.close[at], candles.volume[at]].join(','),
  )
  const file = join(folder, `${coin}.csv`)
  writeFileSync(file, `timestamp,open,high,low,close,volume\n${rows.join('\n')}\n`)
  const { code, err } = await at(['candles', 'import', file, '--market', `binance/${coin}-USDT`])
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

type CandlesOf = Readonly<Record<string, Candles>>

async function expectNumbers(name: string, candlesOf: CandlesOf, at: Program = dcalab): Promise<void> {
  for (const { verdict, config } of await expectReasons(name, candlesOf, at)) {
    expectRecomputed(verdict, { candles: candlesOf[verdict.market], config, every: EVERY })
  }
}

async function expectReasons(name: string, candlesOf: CandlesOf, at: Program = dcalab) {
  const found = JSON.parse((await at(['verdict', name, '--stretches', '--json'])).out)
  const verdicts = [found].flat() as readonly VerdictJson[]
  return Promise.all(
    verdicts.map(async (verdict) => {
      const { config, period, metrics } = JSON.parse((await at(['show', verdict.trial, '--json'])).out)
      const candles = sliceCandles(candlesOf[verdict.market], Date.parse(period.from), Date.parse(period.to))
      const rivals = grid.dcaPriceScalePercent
        .flatMap((dcaPriceScalePercent) => grid.takeProfit.map((takeProfit) => ({ dcaPriceScalePercent, takeProfit })))
        .map((point) => ({ ...config, ...point }))
        .filter((rival) => JSON.stringify(rival) !== JSON.stringify(config))
      expectReasonsRecomputed(verdict, { candles, config, rivals, reported: metrics.netProfit })
      return { verdict, config }
    }),
  )
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

const minutesOfEth = sharedData('candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz')
const hoursOfBitcoin = sharedData('candles/binance_BTC-USDT_1h_2017-08_2024-04.csv.gz')

it.skipIf(minutesOfEth === undefined)('Ethereum by the minute: not judged, with what to fetch', async () => {
  const eth = await store('ETH', readCsvCandles(minutesOfEth ?? '', INTERVALS['1m']))
  await run('eth', { market: marketOf('ETH'), period: { from: '2025-05-20', to: '2025-08-18' } })
  await expectGolden('eth')
  // Ten runs of 130 thousand minutes by the reference engine.
  if (EVERY === 1) await expectReasons('eth', { 'binance/ETH-USDT': eth })
})

it.skipIf(hoursOfBitcoin === undefined)('Bitcoin by the hour, on years of history', async () => {
  const apart = program(folder, { ...environment, DCALAB_CANDLES_DIR: join(folder, 'years') })
  const btc = await store('BTC', readCsvCandles(hoursOfBitcoin ?? '', INTERVALS['1h']), apart)
  await run('btc', { market: marketOf('BTC'), period: { from: '2023-01-01', to: '2023-07-01' } }, apart)
  await expectGolden('btc', apart)
  await expectNumbers('btc', { 'binance/BTC-USDT': btc }, apart)
})

it('a service that fills optimistically and does not say so, once calibration has found it out', async () => {
  const { candles, from } = madeUpWindow('planted', 'golden', 2)
  await store('FOUND', candles)
  const service = await startService({
    system: realSystem({}),
    storePath: join(folder, 'optimist.sqlite'),
    candlesFolder: join(folder, 'candles'),
    workerFile: pathToFileURL(join(projectRoot, 'dist/engine-worker.js')),
    rate: 0,
    undisclosed: true,
    conventions: { ...CONVENTION_PRESETS.default, intrabar: 'optimistic' },
    costs: DEFAULT_COSTS,
  })
  const { apiKey, secretKey } = service.issueKeys({ userEmail: 'me@example.org' })
  const away = program(folder, {
    ...environment,
    DCALAB_STORE: join(folder, 'calibrated.sqlite'),
    DCALAB_BASE_URL: service.url,
    DCALAB_API_KEY: apiKey,
    DCALAB_SECRET_KEY: secretKey,
  })
  const day = (days: number) => new Date(from + days * 86_400_000).toISOString()
  const study = { market: marketOf('FOUND'), period: { from: day(0), to: day(30) } }
  await run('calibrated', study, away)
  expect(await away(['service', 'calibrate', 'calibrated'])).toMatchObject({ code: 0 })
  await expectGolden('calibrated', away)
  await expectNumbers('calibrated', { 'binance/FOUND-USDT': candles }, away)
  await service.close()
})

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
    if (state === 'completed') await expectNumbers(name, { 'binance/ELSE-USDT': candles }, away)
    await service.close()
  }
})
