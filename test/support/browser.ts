/** The system's Chromium, if there is one: tests that look at a page are skipped where it is absent. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'

/** First the same Chromium without its own windows and services, which takes two thirds of the time for a page. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The path of a Chromium on PATH or in the usual place, or undefined (with a message). */
export function findBrowser(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin']
  const found = folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(existsSync)
  if (found === undefined)
    process.stderr.write('skipped: needs Chromium on PATH (apt-get install chromium-headless-shell)\n')
  return found
}

/**
 * Each window of Chromium's own loads four hundred scripts for the list below its address bar, which takes as long as a report. Of two lists of
 * features the last prevails, so that those are here that Playwright switches off too.
 */
const SWITCHED_OFF = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...[
    'HttpsFirstBalancedModeAutoEnable',
    'LensOverlay',
    'MediaRouter',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
  ],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled'],
  'PreconnectToSearch',
]

export function launchBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--in-process-gpu',
      '--js-flags=--max-lazy', // most of a report's script is never called
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-features=${SWITCHED_OFF}`,
    ],
  })
}

let shared: Promise<Browser> | undefined

/** One Chromium for all files of tests that a process takes: its start costs more than most pages. It ends with the process. */
export function sharedBrowser(executablePath: string): Promise<Browser> {
  shared ??= launchBrowser(executablePath)
  return shared
}

/** What a file of tests leaves open in the shared browser. */
export async function closePages(browser: Browser | undefined): Promise<void> {
  await Promise.all(browser?.contexts().map((context) => context.close()) ?? [])
}

/** Complaints of axe-core. Told of the violations alone, it need not describe what passes; by night only colours can have broken. */
export const complaintsIn = (place: string, options = ''): string =>
  `axe.run(${place}, { resultTypes: ['violations'], ${options} }).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))`

export const COLOURS_ALONE = `runOnly: ['color-contrast']`

export interface OpenedReport {
  readonly page: Page
  /** Console errors and warnings, uncaught errors, dialogs, and requests other than for the file itself. */
  readonly trouble: readonly string[]
}

/** Who reads: on how wide a screen, by day or night, with a finger. */
export interface Reader {
  readonly width?: number
  readonly dark?: boolean
  readonly touch?: boolean
}

/** Opens a report from its file and waits until it is whole. */
export async function openReport(
  browser: Browser,
  file: string,
  { width = 1280, dark = false, touch = false }: Reader = {},
): Promise<OpenedReport> {
  const page = await browser.newPage({
    viewport: { width, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    hasTouch: touch,
  })
  const address = pathToFileURL(file).href
  const trouble: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') trouble.push(message.text())
  })
  page.on('pageerror', (error) => trouble.push(error.message))
  page.on('dialog', (dialog) => {
    trouble.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (request.url() !== address && !request.url().startsWith('data:')) trouble.push(`request ${request.url()}`)
  })
  await page.goto(address)
  await page.waitForSelector('html[data-whole]')
  return { page, trouble }
}

/** Opens the file of a page again, in which another report may be by now: without a new window, which costs as much as a report's first drawing. */
export async function openAgain(page: Page): Promise<void> {
  await page.goto(page.url().replace(/#.*$/, ''))
  await page.waitForSelector('html[data-whole]')
}

/** The page as its reader found it, for the next test to work in: nothing is chosen, and its top is seen. */
export async function startAnew(page: Page): Promise<Page> {
  await page.evaluate(`location.hash = ''`)
  await page.mouse.move(0, 0)
  await page.evaluate('scrollTo(0, 0), new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  return page
}
