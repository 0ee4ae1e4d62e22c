/**
 * `npm run pictures`: the pictures of README, made by the real program: the study `btc-may-2021` on real minutes with the hours of years before it, its results of
 * the engine, examined, its report in Chromium. They lie in `src/guide/pictures/`.
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

const STUDY = 'btc-may-2021'
const FILES = ['binance_BTC-USDT_1m_2021-04_2021-05', 'binance_BTC-USDT_1h_2017-08_2024-04']
const pictures = join(projectRoot, 'src/guide/pictures')
const folder = temporaryFolder()
const places = ['--store', join(folder, 'store.sqlite'), '--candles-dir', join(folder, 'candles')]

interface Picture {
  readonly name: string
  readonly height: number
  /** Goes to the place that is shown. */
  readonly prepare: (page: Page) => Promise<unknown>
}

const PICTURES: readonly Picture[] = [
  { name: 'verdict', height: 900, prepare: async () => {} },
  {
    name: 'trial',
    height: 1100,
    prepare: async (page) => {
      await page.click('#verdict a[href*="trial="]')
      await page.waitForSelector('[data-live="inspector"] canvas, [data-live="inspector"] svg')
    },
  },
]

try {
  await main()
} finally {
  removeFolder(folder)
}

async function main(): Promise<void> {
  const files = FILES.flatMap((name) => sharedData(`candles/${name}.csv.gz`) ?? [])
  const browserPath = findBrowser()
  if (files.length < FILES.length || browserPath === undefined)
    throw new Error('pictures need the shared candles and Chromium')
  await dcalab('candles', 'import', ...files)
  await fillStore()
  await dcalab('examine', STUDY)
  const report = join(folder, 'report.html')
  await dcalab('report', STUDY, '--out', report)
  mkdirSync(pictures, { recursive: true })
  const browser = await launchBrowser(browserPath)
  for (const { name, height, prepare } of PICTURES) {
    const page = await browser.newPage({ viewport: { width: 1280, height }, reducedMotion: 'reduce' })
    await page.goto(pathToFileURL(report).href)
    await page.waitForSelector('html[data-whole]')
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
