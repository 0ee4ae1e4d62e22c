/**
 * `npm run bench`: how long one config takes on one year of candles, ours against C loops of the same rules. CPU time, rounds
 * interleaved so that all suffer alike from whatever else the machine does, medians, ratios of one run. Decisions are checked before a clock runs.
 * `npm run bench -- unrelated`, `dense`, `sharing`, `objectives`, `more`, `growth`, `checks` or `programs`, one or several, measures only these; `--json FILE` keeps the figures, and where they were measured, for
 * the history in `SPEED.md` (`history/`).
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { DcaSpotConfig } from '../../src/contract/bot.ts'
import { type Candles, sliceCandles } from '../../src/engine/candles.ts'
import { CONVENTION_PRESETS, DEFAULT_COSTS, NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import { boardConfig, createFlight } from '../../src/engine/jump/flight.ts'
import { runJump } from '../../src/engine/jump/jump.ts'
import { type PreparedCandles, prepareCandles } from '../../src/engine/jump/prepared.ts'
import { createSweep } from '../../src/engine/jump/sweep.ts'
import { runReference } from '../../src/engine/reference.ts'
import { type BenchLog, createBenchLog } from './bench-run.ts'
import { type Baseline, findBaselines, type Market, timeBaseline } from './c-baselines.ts'
import { type BenchCandles, benchCandles, coarser } from './candle-sets.ts'
import { denseConfigs, rowsOf, unrelatedConfigs } from './configs.ts'
import { checkDecisions } from './decisions.ts'
import { compareSharing } from './grid-figures.ts'
import { measureGrowth } from './growth.ts'
import { watchLoad } from './load-watch.ts'
import { cpuMs, median, print } from './measure.ts'
import { compareObjectives } from './objective-figures.ts'
import { measurePrograms } from './programs.ts'
import { CANDLES_PER_ROUND, interleave, ROUNDS, ratio, YEAR_MINUTES } from './rounds.ts'

const BOARDINGS = 50

const market: Market = { conventions: CONVENTION_PRESETS.default, costs: DEFAULT_COSTS, symbol: NO_SYMBOL_RULES }
const root = process.cwd()
const { values, positionals } = parseArgs({ options: { json: { type: 'string' } }, allowPositionals: true })
const isWanted = (part: string) => positionals.length === 0 || positionals.includes(part)
const load = await watchLoad()
const log = createBenchLog(load)
const baselines = findBaselines(join(root, 'test/bench'))
print(
  baselines === undefined
    ? 'gcc was not found: the C loops are left out.\n'
    : `This processor has ${baselines.vectors}${baselines.vectors === 'AVX-512' ? ': the faster of AVX2 and AVX-512 is compared with' : ''}.\n`,
)
const sets = benchCandles()
try {
  if (isWanted('unrelated'))
    compareUnrelated('unrelated random configs, pessimistic rule', sets, {
      make: unrelatedConfigs,
      stated: log.headline,
    })
  if (isWanted('dense')) {
    compareUnrelated('worst configs: take profit 0.3 %', sets, { make: denseConfigs, stated: () => {} })
  }
  if (isWanted('sharing')) compareSharing(sets, market, { baselines, log })
  if (isWanted('objectives')) compareObjectives(sets, market, log)
  if (isWanted('more')) measureMore(sets[0])
  if (isWanted('growth')) measureGrowth(market, log, Number(process.env.GROWTH ?? 1e6))
  if (isWanted('checks') || isWanted('programs')) measurePrograms({ log, load, isWanted })
  if (values.json !== undefined) log.write(values.json)
} finally {
  baselines?.clear()
  await load.close()
}

/** One config at a time has nothing to share: this is the bare engine. */
function compareUnrelated(
  title: string,
  markets: readonly BenchCandles[],
  { make, stated }: { readonly make: (count: number) => DcaSpotConfig[]; readonly stated: BenchLog['headline'] },
): void {
  const lines = markets.map(({ name, market: key, candles }) => {
    const count = candles.close.length
    const configs = make(Math.max(20, Math.round(CANDLES_PER_ROUND / ROUNDS / count)))
    const prepared = prepareCandles(candles)
    const { events } = checkDecisions(candles, prepared, configs, { market, baselines })
    const sweep = createSweep(prepared, { ...market, want: 'profit' })
    const full = createSweep(prepared, { ...market, want: 'full' })
    const rows = rowsOf(configs)
    const caseFile = baselines?.writeCase(candles, configs, market)
    const runC = (name: Baseline) => timeBaseline(baselines, name, caseFile)
    const reference = configs.slice(0, 3)
    const times = interleave({
      jump: () => cpuMs(() => sweep.run(rows)) / configs.length,
      full: () => cpuMs(() => full.run(rows)) / configs.length,
      plain: () => runC('plain') / configs.length,
      lean: () => runC('lean') / configs.length,
      avx2: () => runC('avx2') / configs.length,
      wide: () => runC('wide') / configs.length,
      reference: () =>
        cpuMs(() => reference.forEach((config) => void runReference({ candles, config, ...market }))) / 3,
    })
    const perYear = YEAR_MINUTES / count
    const us = (ms: number) => (1000 * ms * perYear).toFixed(1)
    stated('unrelated', key, 1000 * times.jump * perYear)
    stated('lean', key, times.lean / times.jump)
    const vectorised = Math.min(times.avx2, times.wide)
    stated('vectorised', key, vectorised / times.jump)
    stated('full', key, times.full / times.jump)
    return [
      name,
      String(Math.round(events * perYear)),
      us(times.jump),
      us(times.full),
      us(times.plain),
      us(times.lean),
      us(times.avx2),
      us(times.wide),
      us(times.reference),
      ratio(times.plain, times.jump),
      ratio(times.lean, times.jump),
      ratio(vectorised, times.jump),
      ratio(times.full, times.jump),
      ratio(times.reference, times.jump),
    ]
  })
  const head = [
    'candles',
    'events',
    'jump',
    'full',
    'plain C',
    'lean C',
    'AVX2 C',
    `${baselines?.vectors ?? '–'} C`,
    'reference',
    '× plain',
    '× lean',
    '× faster of both',
    'full ÷ bare',
    '× reference',
  ]
  log.table(`${title} (µs CPU per config-year)`, head, lines)
}

/** Figures that are not about C: preparing, tables, appending, finer candles, one whole backtest. */
function measureMore({ name, candles }: BenchCandles): void {
  const configs = unrelatedConfigs(2000)
  const rows = rowsOf(configs)
  const prepared = prepareCandles(candles)
  const empty = prepareCandles(sliceCandles(candles, 0, 0))
  const shorter = prepareCandles(cutLastDay(candles))
  const times = interleave({
    prepare: () => cpuMs(() => void prepareCandles(candles)),
    tables: () => cpuMs(() => boardAll(configs)),
    plan: () => cpuMs(() => void createSweep(empty, { ...market, want: 'profit' }).run(rows)),
    one: () => cpuMs(() => void runJump({ candles, config: configs[0], ...market }, prepared)),
  })
  const appended: number[] = []
  for (let round = 0; round < 3; round++) {
    const inFlight = createSweep(shorter, { ...market, want: 'profit' }).start(rows)
    appended.push(cpuMs(() => inFlight.advance(prepared)))
  }
  const sparse = configs.slice(0, 300)
  const finest = createSweep(prepared, { ...market, want: 'profit' })
  const coarse = createSweep(prepareCandles(coarser(candles, 90)), { ...market, want: 'profit' })
  const scale = interleave({
    fine: () => cpuMs(() => void finest.run(rowsOf(sparse))),
    coarse: () => cpuMs(() => void coarse.run(rowsOf(sparse))),
  })
  log.table(
    `more, on ${name}`,
    ['what', 'figure'],
    [
      ['preparing the candles', `${times.prepare.toFixed(1)} ms`],
      ['the tables of a config', `${((1000 * times.tables) / configs.length / BOARDINGS).toFixed(2)} µs`],
      ['a config’s row, key, place and tables', `${((1000 * times.plan) / configs.length).toFixed(2)} µs`],
      ['one backtest with every metric and all deals', `${times.one.toFixed(2)} ms`],
      [
        'appending a day to a million configs',
        `${((median(appended) * 1e6) / configs.length / 1000).toFixed(2)} CPU-seconds`,
      ],
      ['90 × the candles of one price path', `${ratio(scale.fine, scale.coarse)} × the time`],
      ['memory that all workers share', `${bytesPerCandle(prepared).toFixed(1)} bytes per candle`],
      ['memory of a config in flight with 3 to 8 safety orders', `${bytesPerConfig(configs).toFixed(0)} bytes`],
    ],
  )
}

function boardAll(configs: readonly DcaSpotConfig[]): void {
  const flight = createFlight(market, { configs: 1, rows: 101, maxSafetyOrders: 100 })
  for (let time = 0; time < BOARDINGS; time++) {
    for (const config of configs) boardConfig(flight, { slot: 0, table: 0, family: 0 }, config, market)
  }
}

function cutLastDay(candles: Candles): Candles {
  const keep = Math.max(0, candles.close.length - 1440)
  return sliceCandles(candles, 0, candles.openTime[keep])
}

/** Shared by all workers, the memory of the kernel's own work apart. */
function bytesPerCandle({
  count,
  openTime,
  open,
  high,
  low,
  close,
  dayEnd,
  dayNumber,
  pyramid,
}: PreparedCandles): number {
  const { lowest, highest, lowestClose, highestClose } = pyramid
  const columns = [openTime, open, high, low, close, dayEnd, dayNumber, lowest, highest, lowestClose, highestClose]
  return columns.reduce((bytes, { byteLength }) => bytes + byteLength, 0) / count
}

/** State, tables and all that is observed, of a batch of these configs. */
function bytesPerConfig(configs: readonly DcaSpotConfig[]): number {
  const tableRows = configs.reduce((sum, { dcaMaxSafetyOrders }) => sum + dcaMaxSafetyOrders + 1, 0)
  const size = { configs: configs.length, rows: tableRows, maxSafetyOrders: 100, observes: 'all' as const }
  const { tables, ints, floats, watches } = createFlight(market, size)
  return [tables, ints, floats, watches].reduce((sum, { byteLength }) => sum + byteLength, 0) / configs.length
}
