/** The report for readers who tap, print, see little or hear: what a mouse and good eyes do not need. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StudyInput } from '../../../src/workbench/report/input.ts'
import { readPageRuntime } from '../../../src/workbench/report/write.ts'
import {
  closePages,
  complaintsIn,
  findBrowser,
  openReport,
  type Reader,
  sharedBrowser,
  startAnew,
} from '../../support/browser.ts'
import { fixtureStudy, fixtureTrials } from '../../support/fixture-trials.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { pdfPages } from '../../support/pdf-text.ts'
import { buildReport } from './build-report.ts'
import { idOf } from './section-table.ts'
import { failedTrial, inputOf, SMALL_AXES, sectionOf } from './sections.ts'

const browserPath = findBrowser()

/**
 * Every text of the page whose contrast with what is behind it is below 4.5 (WCAG 1.4.3, large text counted as small), as
 * "ratio text". Numbers in heat cells stand on their cell, other texts of charts on the paper.
 */
const LOW_CONTRAST = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const known = new Map()
  const rgba = (colour) => {
    if (!known.has(colour)) known.set(colour, painted(colour))
    return known.get(colour)
  }
  const painted = (colour) => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = colour
    canvas.fillRect(0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data]
  }
  const variable = (name) => rgba(getComputedStyle(document.documentElement).getPropertyValue(name))
  const luminance = (colour) => {
    const [r, g, b] = colour.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const above = (element) => (element === null ? [] : [element, ...above(element.parentElement)])
  const behind = (element) => above(element).map((each) => rgba(getComputedStyle(each).backgroundColor)).find((colour) => colour[3] === 255)
  const found = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement
    const text = walker.currentNode.textContent.trim()
    if (text === '' || element.closest('script, noscript, style, [hidden]') || element.getClientRects().length === 0) continue
    const style = getComputedStyle(element)
    const drawn = element instanceof SVGElement
    const tone = /--heat-ink-(..)/.exec(element.getAttribute('fill') ?? '')?.[1]
    const ground = tone ? variable('--heat-' + tone) : behind(element)
    const ink = rgba(drawn ? style.fill : style.color)
    const opacity = above(element).reduce((product, each) => product * Number(getComputedStyle(each).opacity), ink[3] / 255)
    const seen = [0, 1, 2].map((index) => opacity * ink[index] + (1 - opacity) * ground[index])
    const [light, dark] = [luminance(seen), luminance(ground)].sort((a, b) => b - a)
    const ratio = (light + 0.05) / (dark + 0.05)
    if (ratio < 4.5) found.push(ratio.toFixed(2) + ' ' + text)
  }
  return [...new Set(found)]
})()`

describe.skipIf(browserPath === undefined)('a reader in Chromium', () => {
  const folder = temporaryFolder()
  let browser: Browser
  /** Of the usual section, for all tests that need no other one. */
  let desk: Page
  let phone: Page
  /** Of trials of which some failed, and of others that are missing. */
  let gaps: Page

  beforeAll(async () => {
    browser = await sharedBrowser(browserPath ?? '')
    desk = await open(sectionOf())
    phone = await open(sectionOf(), { width: 360, touch: true })
    const study = fixtureStudy({ axes: SMALL_AXES })
    const some = fixtureTrials(study).filter((_trial, index) => index !== 5)
    const trials = some.map((trial, index) => (index < 2 ? failedTrial(trial, `no candles ${index}`) : trial))
    gaps = await open(sectionOf(study, { trials }))
  })
  afterAll(async () => {
    await closePages(browser)
  })

  async function open(section: StudyInput, reader: Reader = {}, ...further: readonly StudyInput[]): Promise<Page> {
    const file = join(folder, 'report.html')
    writeFileSync(file, buildReport(inputOf(section, ...further), readPageRuntime()))
    return (await openReport(browser, file, reader)).page
  }

  // by day and by night, in every state of a study: states-browser.test.ts
  it('on a phone, axe-core finds nothing to complain of', async () => {
    const page = phone
    await page.evaluate(axe.source) // the page allows no script but its own, so it is not put there as one
    expect(await page.evaluate(complaintsIn('document'))).toEqual([])
  })

  it('who taps beside a mark sees its tooltip, and none after a tap elsewhere', async () => {
    const page = phone
    const bar = page.locator('#plot-importance .bars_marks path').first()
    await page.locator('#plot-importance').scrollIntoViewIfNeeded() // it is drawn when it comes near
    const tooltip = page.locator('#tooltip')
    const isSeen = async () => {
      await bar.tap() // a page that is still drawing may miss a finger
      return tooltip.isVisible()
    }
    await expect.poll(isSeen).toBe(true)
    const box = await bar.boundingBox()
    if (box === null) throw new Error('the bar is not drawn')
    expect(await tooltip.textContent()).toContain('explains')
    await page.touchscreen.tap(200, 5)
    await tooltip.waitFor({ state: 'hidden' })
    await page.touchscreen.tap(box.x + box.width / 2, box.y - 8)
    await tooltip.waitFor({ state: 'visible' })
    expect(await tooltip.textContent()).toContain('by chance')
  })

  it('who taps within 22 pixels of a trial opens it', async () => {
    const page = phone
    const best = page.locator('#plot-scatter .best_marks path')
    await best.scrollIntoViewIfNeeded()
    const box = await best.boundingBox()
    if (box === null) throw new Error('the best is not drawn')
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2 - 15)
    await expect.poll(() => page.url()).toContain('trial=')
    await startAnew(page)
  })

  it('who hears the page hears one image with words per chart, and nothing unnamed inside of it', async () => {
    const page = desk
    for (const plot of await page.locator('.plot').all()) {
      expect(await plot.getAttribute('role')).toBe('img')
      expect((await plot.getAttribute('aria-label'))?.length).toBeGreaterThan(10)
    }
    // axe's rule svg-img-alt: an image inside of an SVG needs a name, or must not be offered to a screen reader
    const images = '[role="img"], [role="graphics-document"], [role="graphics-symbol"], [role="graphics-object"]'
    const offered: unknown = await page.evaluate(`[...document.querySelectorAll('svg, svg *')]
      .filter((part) => part.matches('${images}') && !part.closest('[aria-hidden="true"]') && !part.getAttribute('aria-label'))
      .map((part) => part.getAttribute('class'))`)
    expect(offered).toEqual([])
  })

  it('who sees little can tell every text from what is behind it, on a light screen and on a dark one', async () => {
    for (const page of [desk, gaps]) {
      expect(await page.evaluate(LOW_CONTRAST)).toEqual([])
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await page.evaluate(LOW_CONTRAST)).toEqual([])
      await page.emulateMedia({ colorScheme: 'light' })
    }
  })

  it('who prints has the best twenty in a table with its heads on every page that has rows of it', async () => {
    const page = desk
    const pages = pdfPages(await page.pdf({ preferCSSPageSize: true }))
    const prints = fixtureTrials().map(idOf)
    const rowsOn = (text: string) => prints.filter((print) => new RegExp(`${print}[0-9+−]`).test(text)).length
    const withRows = pages.filter((text) => rowsOn(text) > 0)
    expect(withRows.reduce((sum, text) => sum + rowsOn(text), 0)).toBe(20)
    for (const text of withRows) expect(text).toMatch(/Rank.*Trial.*capital.*drawdown.*Unknown/)
    expect(pages.join()).toMatch(/ 20 of 96;/) // paper joins the letters of “first”
    expect(pages.join()).toMatch(/Provenance.*slippage/s)
    expect(pages[0]).toContain('dcalab verdict')
    expect(pages.join()).not.toContain('`')
  })

  it('who prints a study of two markets has the charts of both, though nobody scrolled to the second', async () => {
    const markets = ['BTC', 'ETH'].map((baseAsset) => ({ exchange: 'binance', baseAsset, quoteAsset: 'USDT' }))
    const study = fixtureStudy({ axes: SMALL_AXES, markets })
    const trials = markets.flatMap((market, m) =>
      fixtureTrials(study).map((trial) => ({ ...trial, market, fingerprint: `${m}${trial.fingerprint.slice(1)}` })),
    )
    const [first, second] = markets.map((market) => sectionOf(study, { market, trials }))
    const page = await open(first, {}, second)
    expect(await page.locator('#s2-plot-scatter path').count()).toBe(0)
    const pdf = await page.pdf({ preferCSSPageSize: true })
    // of each market’s lines finished pixels and their mask: what is painted as commands is white on paper
    expect(pdf.toString('latin1').match(/\/Subtype \/Image/g)).toHaveLength(4)
    expect(await page.locator('#s2-plot-scatter .plot-base path').count()).toBeGreaterThan(6)
    expect(await page.locator('#s2-plot-parallel .plot-base :is(line, text)').count()).toBeGreaterThan(6)
    expect(await page.locator('#s2-plot-heat table').count()).toBeGreaterThan(0)
    await page.close()
  })

  it('who prints a page with folded failures has them on paper', async () => {
    const page = gaps
    expect(await page.getByText('no candles 1').isVisible()).toBe(false)
    expect(pdfPages(await page.pdf({ preferCSSPageSize: true })).join()).toContain('no candles 1')
  })

  it('who switched scripts off has the best twenty, and no empty place', async () => {
    const file = join(folder, 'report.html')
    writeFileSync(file, buildReport(inputOf(sectionOf()), readPageRuntime()))
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(pathToFileURL(file).href)
    expect(await page.locator('.trials-still tbody tr').count()).toBe(21) // and holding
    expect(await page.locator('.trials-still').isVisible()).toBe(true)
    expect(await page.locator('.filter-bar').count()).toBe(0)
    await context.close()
  })

  it('who uses a finger finds nothing of the table and its filter smaller than 44 pixels', async () => {
    const page = phone
    await page.getByLabel('Filter', { exact: true }).fill('netProfit>1')
    await page.locator('.column-picker summary').click()
    const small: unknown = await page.evaluate(`[...document.querySelectorAll(
      '.filter-bar :is(input, button), .ranking thead button, .ranking tr[data-trial], .column-picker :is(summary, button, label)')]
      .map((part) => [part.textContent, part.getBoundingClientRect().height])
      .filter(([, height]) => height > 0 && height < 44)`)
    expect(small).toEqual([])
  })
})
