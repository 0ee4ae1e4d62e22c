/** What a report costs its reader's browser: to draw it, and a step of what a hand does in it. */
import { pathToFileURL } from 'node:url'
import type { Browser, CDPSession, Locator, Page } from 'playwright-core'
import { median } from './measure.ts'

/** Milliseconds that the page's main thread was busy. */
export interface Reading {
  readonly drawn: number
  /** Of these, the mean of 20 steps. */
  readonly brushStep: number
  readonly whatIfStep: number
  readonly whatIfKey: number
  /** Of 100 trials at another fee, until their places are shown; and the longest task of the main thread meanwhile. */
  readonly repriced: number
  readonly longestFrame: number
}

const STEPS = 20

/** By the page's own means: a locator brings a script of 300 kB along and looks at every frame, a fifth of what it would measure. */
const UNTIL_DRAWN = `new Promise((done) => {
  const page = document.documentElement
  const look = () => 'drawn' in page.dataset && done()
  new MutationObserver(look).observe(page, { attributes: true })
  look()
})`

/** Medians of so many readings, each in a page of its own. The page has to be one of a single study on one market. */
export async function measureReading(browser: Browser, file: string, rounds: number): Promise<Reading> {
  const seen: Reading[] = []
  for (let round = 0; round < rounds; round++) seen.push(await readOnce(browser, file))
  const middle = (name: keyof Reading) => median(seen.map((each) => each[name]))
  return {
    drawn: middle('drawn'),
    brushStep: middle('brushStep'),
    whatIfStep: middle('whatIfStep'),
    whatIfKey: middle('whatIfKey'),
    repriced: middle('repriced'),
    longestFrame: middle('longestFrame'),
  }
}

async function readOnce(browser: Browser, file: string): Promise<Reading> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  const session = await page.context().newCDPSession(page)
  // by the thread's own clock: other programs on the machine are no part of it
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.goto(pathToFileURL(file).href)
  await session.send('Runtime.evaluate', { awaitPromise: true, expression: UNTIL_DRAWN })
  const drawn = await taskMs(session)
  const brushStep = await brush(page, session)
  const slider = await openBest(page)
  const whatIfStep = await drag(page, session, slider)
  const whatIfKey = await press(page, session, slider)
  const compared = await reprice(page, session)
  await page.close()
  return { drawn, brushStep, whatIfStep, whatIfKey, ...compared }
}

/** The words that are seen and the height of a page that has just opened, on a desk. */
export async function measureLength(browser: Browser, file: string): Promise<{ words: number; pixels: number }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await page.goto(pathToFileURL(file).href)
  await page.waitForSelector('html[data-drawn]')
  const words = await page.evaluate<number>('document.body.innerText.split(/\\s+/).length')
  const pixels = await page.evaluate<number>('document.documentElement.scrollHeight')
  await page.close()
  return { words, pixels }
}

/** The kernel is compiled and the candles are prepared by then: the places as they are have been computed. */
async function reprice(page: Page, session: CDPSession): Promise<Pick<Reading, 'repriced' | 'longestFrame'>> {
  await page.evaluate(`location.hash = 'filter=' + encodeURIComponent('rank<=100')`)
  const costs = page.locator('.other-costs')
  await costs.scrollIntoViewIfNeeded()
  await costs.locator('summary').click()
  const done = page.locator('.other-costs[aria-busy="false"] p:has-text("100 visible trials")')
  await done.waitFor()
  await page.evaluate(`(() => {
    globalThis.tasks = [0]
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' })
    const fee = document.querySelector('.other-costs input')
    fee.value = '0.2'
    fee.dispatchEvent(new Event('input'))
  })()`)
  const before = await taskMs(session)
  await done.waitFor()
  const repriced = (await taskMs(session)) - before
  return { repriced, longestFrame: await page.evaluate<number>('Math.max(...tasks)') }
}

/** What the main thread has worked since the page was made. */
async function taskMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
}

/** The mean of so many steps. Two frames are waited for after each, so that it is drawn. */
async function meanStep(page: Page, session: CDPSession, step: (index: number) => Promise<void>): Promise<number> {
  const before = await taskMs(session)
  for (let index = 1; index <= STEPS; index++) {
    await step(index)
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  }
  return ((await taskMs(session)) - before) / STEPS
}

/** Draws a rectangle over the scatter plot, the heat maps and the number of trials below it in view. */
async function brush(page: Page, session: CDPSession): Promise<number> {
  const { x, y, width, height } = await boxOf(page.locator('[data-live="scatter"]'))
  const at = (share: number) => [x + share * width, y + share * height] as const
  await page.mouse.move(...at(0.3))
  await page.mouse.down()
  const cost = await meanStep(page, session, (index) => page.mouse.move(...at(0.3 + (0.4 * index) / STEPS)))
  await page.mouse.up()
  await page.waitForURL(({ hash }) => hash.includes('netProfit'))
  await page.evaluate(`location.hash = ''`)
  return cost
}

/** The trial that is ranked first, and its take profit. */
async function openBest(page: Page): Promise<Locator> {
  const name = await page.locator('.ranking tbody tr[data-trial] code').first().textContent()
  await page.evaluate(`location.hash = 'trial=${name}'`)
  await page.waitForSelector(`.inspector[data-shown="${name}"]`)
  return page.getByRole('slider', { name: 'TP %, slider' })
}

/** A hand that holds the slider: nothing is kept until it lets go. */
async function drag(page: Page, session: CDPSession, slider: Locator): Promise<number> {
  const { x, y, width, height } = await boxOf(slider)
  const at = (share: number) => [x + share * width, y + height / 2] as const
  await page.mouse.move(...at(0.2))
  await page.mouse.down()
  const cost = await meanStep(page, session, (index) => page.mouse.move(...at(0.2 + (0.6 * index) / STEPS)))
  await page.mouse.up()
  await page.waitForURL(({ hash }) => hash.includes('if=takeProfit'))
  return cost
}

/** As a hand's steps: charts and tables of the trial follow when keys rest. */
async function press(page: Page, session: CDPSession, slider: Locator): Promise<number> {
  await slider.focus()
  return meanStep(page, session, () => page.keyboard.press('ArrowLeft'))
}

async function boxOf(place: Locator) {
  await place.scrollIntoViewIfNeeded()
  const box = await place.boundingBox()
  if (box === null) throw new Error('it is not drawn')
  return box
}
