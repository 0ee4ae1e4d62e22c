/**
 * `npm run pictures`: the pictures of README, made by the real program: the study `eth-2025` on real minutes, its results of the engine, examined, its
 * report in Chromium. They lie in `src/guide/pictures/`.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { loadCandles } from '../../src/candles/folder/folder.ts'
import { realSystem } from '../../src/system.ts'
import { openStore } from '../../src/workbench/store/store.ts'
import { parseStudy } from '../../src/workbench/study/parse.ts'
import { findBrowser, launchBrowser } from '../support/browser.ts'
import { ended, projectRoot } from '../support/dcalab.ts'
import { storeEngineResults } from '../support/engine-results.ts'
import { removeFolder, temporaryFolder } from '../support/folder.ts'
import { sharedData } from '../support/shared-data.ts'

const STUDY = 'eth-2025'
const pictures = join(projectRoot, 'src/guide/pictures')
const folder = temporaryFolder()
const places = ['--store', join(folder, 'store.sqlite'), '--candles-dir', join(folder, 'candles')]

interface Picture {
  readonly name: string
  /** What stands behind the `#` of the page's address. */
  readonly address: string
  readonly height: number
  /** Goes to the place that is shown. */
  readonly prepare: (page: Page) => Promise<unknown>
}

const PICTURES: readonly Picture[] = [
  { name: 'verdict', address: '', height: 760, prepare: async () => {} },
  {
    name: 'explorer',
    address: '#filter=netProfit%3E80',
    height: 760,
    prepare: (page) => page.evaluate("document.getElementById('explorer').scrollIntoView()"),
  },
  {
    name: 'trial',
    address: '#trial=2537d764cd2e',
    height: 1100,
    prepare: (page) => page.waitForSelector('[data-live="inspector"] canvas, [data-live="inspector"] svg'),
  },
]

try {
  await main()
} finally {
  removeFolder(folder)
}

async function main(): Promise<void> {
  const file = sharedData('candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz')
  const browserPath = findBrowser()
  if (file === undefined || browserPath === undefined) throw new Error('pictures need the shared candles and Chromium')
  await dcalab('candles', 'import', file)
  await fillStore()
  await dcalab('examine', STUDY)
  const report = join(folder, 'report.html')
  await dcalab('report', STUDY, '--out', report)
  mkdirSync(pictures, { recursive: true })
  const browser = await launchBrowser(browserPath)
  for (const { name, address, height, prepare } of PICTURES) {
    const page = await browser.newPage({ viewport: { width: 1280, height }, reducedMotion: 'reduce' })
    await page.goto(pathToFileURL(report).href + address)
    await page.waitForSelector('html[data-drawn]')
    await prepare(page)
    await page.evaluate('new Promise((done) => setTimeout(done, 500))') // charts that come in idle time
    await page.screenshot({ path: join(pictures, `${name}.png`) })
    await page.close()
  }
  await browser.close()
}

async function fillStore(): Promise<void> {
  const system = realSystem(process.env)
  const study = parseStudy(readFileSync(join(projectRoot, `studies/${STUDY}.yaml`), 'utf8'), { file: `${STUDY}.yaml` })
  const store = await openStore(join(folder, 'store.sqlite'), { system })
  await storeEngineResults({ store, system }, study, (market) => {
    const { candles, info } = loadCandles(join(folder, 'candles'), { market, ...study.period })
    return { candles, interval: info.interval, hash: info.hash }
  })
  store.close()
}

async function dcalab(...args: readonly string[]): Promise<void> {
  const { code, stderr } = await ended(
    spawn(process.execPath, [
      join(projectRoot, 'dist/main.js'),
      ...args,
      ...(args[0] === 'candles' ? places.slice(2) : places),
    ]),
  )
  if (code !== 0) throw new Error(`dcalab ${args.join(' ')} ended with ${code}: ${stderr}`)
}
