/**
 * `npm run bench:candles`: what a year of minute candles costs. Import is the whole program from its start to its end; opening is a
 * process that loads the year against one that loads nothing, interleaved, medians. The memory of a screen's loading is the largest that such a
 * process held beyond one that loads a tenth of the year. The candles are made up.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { csvOf } from '../../src/candles/export.ts'
import { loadCandles, selectCandles } from '../../src/candles/folder/folder.ts'
import { generateCandles } from '../../src/candles/synthetic/generate.ts'
import { loadMarket } from '../../src/cli/local-candles.ts'
import type { Study } from '../../src/workbench/study/study.ts'
import { removeFolder, temporaryFolder } from '../support/folder.ts'
import { plainStudy } from '../support/plain-study.ts'
import { median, print, table } from './measure.ts'

const ROUNDS = 9
const MARKET = { exchange: 'bench', baseAsset: 'BTC', quoteAsset: 'USDT' }
const START = Date.UTC(2023, 0, 1)
const DAYS = { all: 365, few: 36 }
const [mode, folder = ''] = process.argv.slice(2)
if (mode === undefined) measure()
else {
  if (mode === 'open') loadCandles(folder, { market: 'bench/BTC-USDT' })
  if (mode === 'all' || mode === 'few') loadMarket(folder, yearStudy(DAYS[mode]), MARKET)
  const { user, system } = process.cpuUsage()
  print(JSON.stringify({ cpuMs: (user + system) / 1000, peakBytes: process.resourceUsage().maxRSS * 1024 }))
}

function measure(): void {
  const place = temporaryFolder()
  try {
    const candles = generateCandles({ seed: 1, interval: '1m', from: START, days: DAYS.all })
    const name = 'bench/BTC-USDT'
    const csv = [...csvOf(selectCandles({ name, market: name, interval: '1m', candles, synthetic: false }, {}))].join(
      '',
    )
    const plain = join(place, 'bench_BTC-USDT_1m_2023.csv')
    writeFileSync(plain, csv)
    const packed = `${plain}.gz`
    writeFileSync(packed, gzipSync(csv))
    const into = (target: string) => join(place, target)
    const importing = (file: string) => {
      const target = into(`folder-${Math.round(performance.now() * 1000)}`)
      return seconds(['dist/main.js', 'candles', 'import', file, '--candles-dir', target])
    }
    seconds(['dist/main.js', 'candles', 'import', plain, '--candles-dir', into('stored')])
    const own = fileURLToPath(import.meta.url)
    const rounds = Array.from({ length: ROUNDS }, () => ({
      plain: importing(plain),
      packed: importing(packed),
      again: seconds(['dist/main.js', 'candles', 'import', plain, '--candles-dir', into('stored')]),
      open: timed([own, 'open', into('stored')]),
      nothing: timed([own, 'nothing']),
      all: timed([own, 'all', into('stored')]),
      few: timed([own, 'few', into('stored')]),
    }))
    const of = (pick: (round: (typeof rounds)[0]) => number) => `${(1000 * median(rounds.map(pick))).toFixed(0)} ms`
    table(
      `a year of minutes, ${candles.openTime.length} candles, ${(csv.length / 1e6).toFixed(1)} MB of CSV`,
      ['', 'median', 'allowed'],
      [
        ['import CSV', of((round) => round.plain), '2000 ms'],
        ['import CSV.gz', of((round) => round.packed), '2000 ms'],
        ['import it again', of((round) => round.again), ''],
        ['open, beyond the start of Node', of((round) => round.open.seconds - round.nothing.seconds), '50 ms'],
        ['open, in time of the processor', of((round) => (round.open.cpuMs - round.nothing.cpuMs) / 1000), ''],
        [
          'memory of a screen, at its most',
          `${(median(rounds.map(({ all, few }) => all.peakBytes - few.peakBytes)) / ((DAYS.all - DAYS.few) * 1440)).toFixed(1)} B a candle`,
          '50 B',
        ],
      ],
    )
  } finally {
    removeFolder(place)
  }
}

function seconds(args: readonly string[]): number {
  return run(args).seconds
}

/** Beside the clock on the wall the processor's: what others do on the machine meanwhile leaves no trace in it. */
function timed(args: readonly string[]): Timed {
  const { seconds: wall, stdout } = run(args)
  return { ...(JSON.parse(stdout) as Omit<Timed, 'seconds'>), seconds: wall } // printed above
}

interface Timed {
  readonly seconds: number
  readonly cpuMs: number
  /** The most memory that was held at a time. */
  readonly peakBytes: number
}

/** What a screen loads candles for: so many days from the first on. */
function yearStudy(days: number): Study {
  return {
    ...plainStudy({ base: {}, axes: [] }),
    markets: [MARKET],
    period: { from: START, to: START + days * 86_400_000 },
    interval: '1m',
  }
}

function run(args: readonly string[]): { readonly seconds: number; readonly stdout: string } {
  const start = performance.now()
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return { seconds: (performance.now() - start) / 1000, stdout }
}
