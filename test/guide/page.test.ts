/** The guide as one file: `dcalab guide --open`. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COLOURS_ALONE, closePages, findBrowser, sharedBrowser } from '../support/browser.ts'
import { temporaryFolder } from '../support/folder.ts'
import { program } from '../support/program.ts'

const file = new URL('../../dist/guide.html', import.meta.url)
const html = readFileSync(file, 'utf8')
const dcalab = program(temporaryFolder())

describe('the guide as one file', () => {
  it('leads from every link to a place that is there', () => {
    const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    const links = [...html.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id)
    expect(links.filter((id) => !ids.has(id))).toEqual([])
    expect(links.length).toBeGreaterThan(80)
  })

  it('asks nothing of a network and names no file of this machine', () => {
    expect(html.match(/ src="(?!data:)[^"]+"/g)).toBeNull()
    expect(html).not.toContain(fileURLToPath(new URL('../..', import.meta.url)))
  })
})

describe('dcalab guide', () => {
  it('lists the pages in their order, and where all of it lies', async () => {
    const { code, out } = await dcalab(['guide', '--json'])
    expect(code).toBe(0)
    const { html: path, pages } = JSON.parse(out)
    expect(path).toBe(fileURLToPath(file))
    expect(pages.slice(0, 2).map(({ name }: { name: string }) => name)).toEqual(['start', 'candles'])
    expect((await dcalab(['guide'])).out).toContain('start             Start\n')
  })

  it('prints a page, and names the pages where there is none of that name', async () => {
    expect((await dcalab(['guide', 'candles'])).out).toMatch(/^# Candles\n/)
    const { code, err } = await dcalab(['guide', 'candle'])
    expect(code).toBe(2)
    expect(err).toContain('start, candles, screening')
  })
})

const browserPath = findBrowser()

describe.skipIf(browserPath === undefined)('the guide in Chromium', () => {
  const trouble: string[] = []
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    browser = await sharedBrowser(browserPath ?? '')
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    page.on('console', (message) => trouble.push(message.text()))
    page.on('pageerror', (error) => trouble.push(error.message))
    page.on('request', (request) => {
      if (!/^(file|data):/.test(request.url())) trouble.push(request.url())
    })
    await page.goto(file.href)
  })
  afterAll(() => closePages(browser))

  const shown = () => page.locator('article > section:visible').count()

  it('a search leaves the sections that hold every word; the address keeps it; a link ends it', async () => {
    const all = await shown()
    await page.keyboard.press('/')
    await page.keyboard.type('systemd cron')
    await expect.poll(shown).toBeLessThan(20)
    expect(await page.locator('#found').textContent()).toMatch(/^\d+ of \d+ sections, on \d+ pages$/)
    expect(await page.locator('#guide-long-runs').isVisible()).toBe(true)
    await page.goto('about:blank')
    await page.goto(`${file.href}#search=systemd%20cron`)
    expect(await shown()).toBeLessThan(20)
    await page.locator('nav a[href="#guide-long-runs"]').click()
    expect(await shown()).toBe(all)
    expect(trouble).toEqual([])
  })

  it('has nothing that axe calls serious, by day and by night, and fits a phone', async () => {
    await page.setViewportSize({ width: 360, height: 800 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    await page.locator('#search').fill('conventions preset') // axe takes a minute for all pages at once
    await expect.poll(shown).toBeLessThan(20)
    // It walks through what is hidden too, and judges none of it.
    await page.evaluate(
      `[...document.querySelectorAll('article > section')].filter((section) => section.getClientRects().length === 0).forEach((section) => section.remove())`,
    )
    await page.evaluate(axe.source)
    for (const [colorScheme, rules] of [
      ['light', ''],
      ['dark', COLOURS_ALONE], // nothing else can have broken
    ] as const) {
      await page.emulateMedia({ colorScheme })
      const violations: unknown = await page.evaluate(
        `axe.run(document, { resultTypes: ['violations'], ${rules} }).then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => id + ' ' + nodes[0].html))`,
      )
      expect([colorScheme, violations]).toEqual([colorScheme, []])
    }
  })
})
