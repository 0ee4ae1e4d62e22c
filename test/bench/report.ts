/**
 * `npm run bench:report`: what a report costs to build, and what it costs the reader's browser: drawn, a step of a brush, a step of a what-if. Real minutes
 * of ETH where the shared data are there, else a generated market of the same length. `-- --keep <folder>` leaves the stores and pages there.
 */

import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { loadCandles } from '../../src/candles/folder/folder.ts'
import { realSystem } from '../../src/system.ts'
import { openStore } from '../../src/workbench/store/store.ts'
import { parseStudy } from '../../src/workbench/study/parse.ts'
import type { Study } from '../../src/workbench/study/study.ts'
import { findBrowser, launchBrowser } from '../support/browser.ts'
import { ended, projectRoot } from '../support/dcalab.ts'
import { storeEngineResults } from '../support/engine-results.ts'
import { removeFolder, temporaryFolder } from '../support/folder.ts'
import { sharedData } from '../support/shared-data.ts'
import { median, print, table } from './measure.ts'
import { measureProgram } from './store-programs.ts'

const ROUNDS = 9
const MARKET = 'binance/ETH-USDT'
const FILE = 'candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz'

interface BenchReport {
  readonly what: string
  readonly study: Study
  readonly allowed: { readonly builtMs: number; readonly drawnMs: number; readonly megabytes: number }
}

const ETH = parseStudy(readFileSync(join(projectRoot, 'studies/eth-2025.yaml'), 'utf8'), { file: 'eth-2025.yaml' })
const MANY = parseStudy(
  `name: ten-thousand
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
`,
  { file: 'ten-thousand.yaml' },
)

const REPORTS: readonly BenchReport[] = [
  { what: '105 trials', study: ETH, allowed: { builtMs: 1200, drawnMs: 800, megabytes: 1.8 } },
  { what: '10,000 trials', study: MANY, allowed: { builtMs: 3000, drawnMs: 2500, megabytes: 4 } },
]
const BRUSH_MS = 50
const WHAT_IF_MS = 100

const { values } = parseArgs({ options: { keep: { type: 'string' } } })
const folder = values.keep ?? temporaryFolder()
mkdirSync(folder, { recursive: true })
try {
  await main()
} finally {
  if (values.keep === undefined) removeFolder(folder)
}

async function main(): Promise<void> {
  await importCandles()
  const browserPath = findBrowser()
  const browser = browserPath === undefined ? undefined : await launchBrowser(browserPath)
  print(`dcalab report on 90 days of minutes, medians of ${ROUNDS}\n`)
  const [built, read]: [string[][], string[][]] = [[], []]
  for (const report of REPORTS) {
    const { path, line } = await build(report)
    built.push(line)
    if (browser !== undefined) read.push(...(await measureReading(browser, path, report)))
  }
  await browser?.close()
  table(
    'built, in time of the processor beyond bare Node',
    ['', 'median', 'allowed', 'memory', 'size', 'allowed'],
    built,
  )
  if (read.length > 0) table('read, in time of the browser’s main thread', ['', 'median', 'allowed'], read)
}

async function importCandles(): Promise<void> {
  const file = sharedData(FILE)
  const asked =
    file === undefined
      ? ['generate', '--market', MARKET, '--interval', '1m', '--from', '2025-05-20', '--days', '91', '--seed', '1']
      : ['import', file, '--market', MARKET, '--interval', '1m']
  if (file === undefined) print('generated candles: the shared data are not here\n')
  const args = ['candles', ...asked, '--candles-dir', join(folder, 'candles')]
  const { code, stderr } = await ended(spawn(process.execPath, [join(projectRoot, 'dist/main.js'), ...args]))
  if (code !== 0) throw new Error(stderr)
}

/** Fills a store with the engine's results, unless an earlier run kept it, and measures the program. */
async function build({ what, study, allowed }: BenchReport): Promise<{ path: string; line: string[] }> {
  const path = join(folder, `${study.name}.sqlite`)
  const isKept = statSync(path, { throwIfNoEntry: false }) !== undefined
  if (!isKept) await fill(path, study)
  const out = join(folder, `${study.name}.html`)
  const args = ['report', study.name, '--store', path, '--candles-dir', join(folder, 'candles'), '--out', out]
  const { cpuMs, megabytes } = measureProgram(args, folder, ROUNDS)
  const size = `${(statSync(out).size / 1e6).toFixed(2)} MB`
  const line = [what, ms(cpuMs), ms(allowed.builtMs), `${megabytes.toFixed(0)} MB`, size, `${allowed.megabytes} MB`]
  return { path: out, line }
}

async function fill(path: string, study: Study): Promise<void> {
  const system = realSystem(process.env)
  const { candles, info } = loadCandles(join(folder, 'candles'), { market: MARKET, ...study.period })
  const store = await openStore(path, { system })
  try {
    await storeEngineResults({ store, system }, study, { candles, interval: info.interval, hash: info.hash })
  } finally {
    store.close()
  }
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`
}

async function measureReading(browser: Browser, path: string, { what, allowed }: BenchReport): Promise<string[][]> {
  const drawn: number[] = []
  const brushed: number[] = []
  const changed: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable')
    await page.goto(pathToFileURL(path).href)
    await page.waitForSelector('html[data-drawn]')
    drawn.push(await taskMs(session))
    brushed.push(await brush(page, session))
    changed.push(await change(page, session))
    await page.close()
  }
  return [
    [`${what}, drawn`, ms(median(drawn)), ms(allowed.drawnMs)],
    [`${what}, a step of a brush`, ms(median(brushed)), ms(BRUSH_MS)],
    [`${what}, a step of a what-if`, ms(median(changed)), ms(WHAT_IF_MS)],
  ]
}

/** What the main thread has worked since the page was made. */
async function taskMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
}

const STEPS = 20

/** Draws a rectangle over the scatter plot. Two frames are waited for after each step, so that it is drawn. */
async function brush(page: Page, session: CDPSession): Promise<number> {
  const box = await page.locator('[data-live="scatter"]').boundingBox()
  if (box === null) throw new Error('the page has no scatter plot')
  await page.mouse.move(box.x + 0.3 * box.width, box.y + 0.3 * box.height)
  await page.mouse.down()
  const before = await taskMs(session)
  for (let step = 1; step <= STEPS; step++) {
    await page.mouse.move(
      box.x + (0.3 + (0.4 * step) / STEPS) * box.width,
      box.y + (0.3 + (0.4 * step) / STEPS) * box.height,
    )
    await frames(page)
  }
  const after = await taskMs(session)
  await page.mouse.up()
  return (after - before) / STEPS
}

/** Opens the best trial and moves its take profit. */
async function change(page: Page, session: CDPSession): Promise<number> {
  const [name = ''] = await page.evaluate<string[]>(`document.documentElement.dataset.best?.split(' ') ?? []`)
  await page.evaluate(`location.hash = '#trial=${name}'`)
  const slider = page.locator('[data-live="inspector"] input[type="range"][name="takeProfit"]')
  await slider.waitFor()
  await frames(page)
  const before = await taskMs(session)
  for (let step = 0; step < STEPS; step++) {
    await slider.press('ArrowRight')
    await frames(page)
  }
  return ((await taskMs(session)) - before) / STEPS
}

async function frames(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
}
