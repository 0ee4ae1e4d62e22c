/**
 * `npm run bench:report`: what a report costs to build and to keep, and what it costs its reader's browser: drawn, a step of a brush, a step of a what-if, all trials under another fee; and how long it is.
 * Real minutes of ETH where the shared data are there, else a generated market of the same length. `-- --keep <folder>` leaves stores and pages there; a
 * store of one of these studies that lies there already is taken as it is, such as one of a real run.
 */

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadCandles } from '../../src/candles/folder/folder.ts'
import { marketName } from '../../src/contract/market.ts'
import { realSystem } from '../../src/system.ts'
import { openStore } from '../../src/workbench/store/store.ts'
import { parseStudy } from '../../src/workbench/study/parse.ts'
import type { Study } from '../../src/workbench/study/study.ts'
import { findBrowser, launchBrowser } from '../support/browser.ts'
import { ended, projectRoot } from '../support/dcalab.ts'
import { storeEngineResults } from '../support/engine-results.ts'
import { removeFolder, temporaryFolder } from '../support/folder.ts'
import { sharedData } from '../support/shared-data.ts'
import { print, table } from './measure.ts'
import { measureLength, measureReading } from './report-reading.ts'
import { measureProgram } from './store-programs.ts'

const ROUNDS = 9
const FILE = 'candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz'

const BRUSH_MS = 50
const WHAT_IF_MS = 60
/** Of re-ranking 100 trials by another fee, and of its longest frame. */
const REPRICED_MS = 3000
const FRAME_MS = 50

interface BenchReport {
  readonly what: string
  readonly study: Study
  readonly megabytes: number
  /** As it opens on 1280 by 900. */
  readonly page?: { readonly words: number; readonly pixels: number }
  /** Processor time to build it and main-thread time to draw it; undefined = neither is measured. */
  readonly allowed?: { readonly builtMs: number; readonly drawnMs: number }
}

const ETH_SOURCE = readFileSync(join(projectRoot, 'studies/eth-2025.yaml'), 'utf8')
const TWO_MARKETS = ETH_SOURCE.replace('name: eth-2025', 'name: eth-twice').replace(
  /^market: (.*)$/m,
  'markets: [$1, { exchange: kraken, baseAsset: ETH, quoteAsset: USDT }]',
)
const TEN_THOUSAND = `name: ten-thousand
market: { exchange: binance, baseAsset: ETH, quoteAsset: USDT }
period: { from: 2025-05-20, to: 2025-08-18 }
interval: 1m
base: { investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 25, stopLoss: 0 }
grid:
  dcaMaxSafetyOrders: [2, 3, 4, 5, 6, 7, 8, 9, 10, 12]
  dcaPriceScalePercent: { from: 0.4, to: 2.8, count: 10 }
  dcaVolumeScale: [1, 1.1, 1.2, 1.3, 1.4]
  dcaPriceStepMultiplier: [1, 1.1]
  takeProfit: { from: 0.4, to: 4.9, count: 10 }
objective: { maximize: netProfit, where: { maxDrawdownPercent: { max: 25 }, closedDeals: { min: 10 } } }
`

const REPORTS: readonly BenchReport[] = [
  {
    what: '105 trials',
    study: parseStudy(ETH_SOURCE, { file: 'eth-2025.yaml' }),
    megabytes: 1.5,
    page: { words: 1600, pixels: 8000 },
    allowed: { builtMs: 900, drawnMs: 500 },
  },
  {
    what: '105 trials on two markets',
    study: parseStudy(TWO_MARKETS, { file: 'eth-twice.yaml' }),
    megabytes: 2.5,
    page: { words: 2200, pixels: 11_000 },
  },
  {
    what: '10,000 trials',
    study: parseStudy(TEN_THOUSAND, { file: 'ten-thousand.yaml' }),
    megabytes: 2.9,
    allowed: { builtMs: 3000, drawnMs: 1600 },
  },
]

const { values } = parseArgs({ options: { keep: { type: 'string' } } })
const folder = values.keep ?? temporaryFolder()
mkdirSync(folder, { recursive: true })
try {
  await main()
} finally {
  if (values.keep === undefined) removeFolder(folder)
}

async function main(): Promise<void> {
  const markets = new Set(REPORTS.flatMap(({ study }) => study.markets.map(marketName)))
  for (const market of markets) await importCandles(market)
  const browserPath = findBrowser()
  const browser = browserPath === undefined ? undefined : await launchBrowser(browserPath)
  print(`dcalab report on 90 days of minutes, medians of ${ROUNDS}\n`)
  const [sizes, pages, built, read]: string[][][] = [[], [], [], []]
  for (const { what, study, megabytes, page, allowed } of REPORTS) {
    const { args, out } = await commandFor(study)
    const { cpuMs, megabytes: memory } = measureProgram(args, folder, allowed === undefined ? 1 : ROUNDS)
    sizes.push([what, `${(statSync(out).size / 1e6).toFixed(2)} MB`, `${megabytes} MB`])
    if (browser !== undefined && page !== undefined) {
      const { words, pixels } = await measureLength(browser, out)
      pages.push([what, `${words}`, `${page.words}`, `${pixels}`, `${page.pixels}`])
    }
    if (allowed === undefined) continue
    built.push([what, ms(cpuMs), ms(allowed.builtMs), `${memory.toFixed(0)} MB`])
    if (browser === undefined) continue
    const { drawn, brushStep, whatIfStep, whatIfKey, repriced, longestFrame } = await measureReading(
      browser,
      out,
      ROUNDS,
    )
    read.push(
      [`${what}, drawn`, ms(drawn), ms(allowed.drawnMs)],
      [`${what}, a step of a brush`, ms(brushStep), ms(BRUSH_MS)],
      [`${what}, a step of a what-if`, ms(whatIfStep), ms(WHAT_IF_MS)],
      [`${what}, a what-if by a key, charts and tables once it rests`, ms(whatIfKey), ms(WHAT_IF_MS)],
      [`${what}, 100 of them ranked again under another fee`, ms(repriced), ms(REPRICED_MS)],
      [`${what}, the longest frame of that`, ms(longestFrame), ms(FRAME_MS)],
    )
  }
  await browser?.close()
  table('sizes', ['', 'size', 'allowed'], sizes)
  if (pages.length > 0) table('as it opens', ['', 'words', 'allowed', 'pixels', 'allowed'], pages)
  table('built, in time of the processor beyond bare Node', ['', 'median', 'allowed', 'memory'], built)
  if (read.length > 0) table('read, in time of the browser’s main thread', ['', 'median', 'allowed'], read)
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`
}

/** The same minutes for every market: what a report of several costs does not depend on which they are. */
async function importCandles(market: string): Promise<void> {
  const file = sharedData(FILE)
  const asked =
    file === undefined
      ? ['generate', '--market', market, '--interval', '1m', '--from', '2025-05-20', '--days', '91', '--seed', '1']
      : ['import', file, '--market', market, '--interval', '1m']
  if (file === undefined) print('generated candles: the shared data are not here\n')
  const args = ['candles', ...asked, '--candles-dir', join(folder, 'candles')]
  const { code, stderr } = await ended(spawn(process.execPath, [join(projectRoot, 'dist/main.js'), ...args]))
  if (code !== 0) throw new Error(stderr)
}

/** The command that builds the report, its store filled with the engine's results unless one is there. */
async function commandFor(study: Study): Promise<{ readonly args: readonly string[]; readonly out: string }> {
  const path = join(folder, `${study.name}.sqlite`)
  if (!existsSync(path)) await fill(path, study)
  const out = join(folder, `${study.name}.html`)
  return {
    args: ['report', study.name, '--store', path, '--candles-dir', join(folder, 'candles'), '--out', out],
    out,
  }
}

async function fill(path: string, study: Study): Promise<void> {
  const system = realSystem(process.env)
  const store = await openStore(path, { system })
  try {
    await storeEngineResults({ store, system }, study, (market) => {
      const { candles, info } = loadCandles(join(folder, 'candles'), { market, ...study.period })
      return { candles, interval: info.interval, hash: info.hash }
    })
  } finally {
    store.close()
  }
}
