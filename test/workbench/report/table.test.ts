/** The ranking table in a real browser: what its filter understands, and which columns a screen shows. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildReport } from '../../../src/workbench/report/build.ts'
import { readFacts } from '../../../src/workbench/report/facts.ts'
import type { StudyInput } from '../../../src/workbench/report/input.ts'
import { readPageRuntime } from '../../../src/workbench/report/runtime.ts'
import { findBrowser, launchBrowser, openReport, type Reader } from '../../support/browser.ts'
import { fixtureStudy } from '../../support/fixture-trials.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { inputOf, sectionOf } from './sections.ts'

const browserPath = findBrowser()

describe.skipIf(browserPath === undefined)('the table in Chromium', () => {
  const folder = temporaryFolder()
  let browser: Browser

  beforeAll(async () => {
    browser = await launchBrowser(browserPath ?? '')
  })
  afterAll(async () => {
    await browser?.close()
  })

  async function open(section: StudyInput, reader: Reader = {}): Promise<Page> {
    const file = join(folder, 'report.html')
    writeFileSync(file, buildReport(inputOf(section), readPageRuntime()))
    return (await openReport(browser, file, reader)).page
  }

  /** Heads whose whole cell a reader sees before scrolling the table. */
  async function headsInView(page: Page): Promise<string[]> {
    const found: unknown = await page.evaluate(`(() => {
      const room = document.querySelector('.scroll.tall').getBoundingClientRect()
      return [...document.querySelectorAll('.ranking thead th:not([hidden])')]
        .filter((head) => head.getBoundingClientRect().right <= room.right + 1)
        .map((head) => head.textContent.replace(/\\s+/g, ' '))
    })()`)
    return Array.isArray(found) ? found.map(String) : []
  }

  it('filters by comparing numbers, with columns called in several ways', async () => {
    const page = await open(sectionOf())
    const { finished, ranked } = readFacts(sectionOf())
    const good = finished.filter(
      ({ metrics }) => (metrics.netProfit ?? 0) > 20 && (metrics.maxDrawdownPercent ?? 99) < 3,
    )
    expect(good.length).toBeGreaterThan(3)
    const says = async (typed: string) => {
      await page.getByLabel('Filter').fill(typed)
      return page.locator('output').textContent()
    }
    for (const typed of [
      'netProfit>20 drawdown<3',
      'net_profit > 20  max_drawdown_percent < 3',
      'profit>20 maxDrawdown<3%',
      'NETPROFIT>2e1 drawdown<3.0',
    ]) {
      expect(await says(typed), typed).toBe(`${good.length} of 96 trials`)
    }
    const many = finished.filter(({ metrics }) => (metrics.closedDeals ?? 0) >= 300).length
    expect(await says('deals≥300')).toBe(`${many} of 96 trials`)
    expect(await says('maxSafetyOrders<=4 takeProfit!=1')).toBe('40 of 96 trials')
    const large = finished.filter(({ metrics }) => (metrics.closedDeals ?? 0) >= 273).length
    expect(await says('sampleSize>=273')).toBe(`${large} of 96 trials`)
    const long = finished.filter(({ metrics }) => (metrics.dealDuration.max ?? 0) > 5 * 1440).length
    expect(await says('longestDeal>5d')).toBe(`${long} of 96 trials`)
    expect(await says(`netProfit=${ranked[0].metrics.netProfit?.toFixed(2)}`)).toBe('1 of 96 trials')
    await page.close()
  })

  it('leaves out what is undefined, whichever way it is compared', async () => {
    const page = await open(sectionOf())
    for (const typed of ['sharpe<100', 'sharpe>=-100', 'sharpe!=1']) {
      await page.getByLabel('Filter').fill(typed)
      expect(await page.locator('output').textContent(), typed).toBe('0 of 96 trials')
    }
    await page.close()
  })

  it('says what it does not understand, and hides nothing for it', async () => {
    const page = await open(sectionOf())
    await page.getByLabel('Filter').fill('proffit>20')
    const said = await page.locator('output').textContent()
    expect(said).toMatch(/^no column proffit; there are rank, netprofit, .*; 96 trials$/)
    await page.getByLabel('Filter').fill('takeProfit=1 netProfit>much')
    expect(await page.locator('output').textContent()).toBe('netprofit> expects a number, found much; 16 of 96 trials')
    expect(await page.getByLabel('Filter').getAttribute('aria-invalid')).toBe('true')
    await page.close()
  })

  const wide = fixtureStudy({
    axes: [
      { field: 'dcaMaxSafetyOrders', values: [2, 4] },
      { field: 'dcaPriceScalePercent', values: [1, 2] },
      { field: 'dcaVolumeScale', values: [1.2, 1.4] },
      { field: 'dcaPriceStepMultiplier', values: [1, 1.2] },
      { field: 'dcaInitialOrderSize', values: [20, 25] },
      { field: 'takeProfit', values: [1, 3] },
    ],
  })

  it('cuts no column off on a desk: minor ones give way, one button shows all, and print has them', async () => {
    const page = await open(sectionOf(wide))
    const shown = await page.locator('.ranking thead th:not([hidden])').count()
    expect(await headsInView(page)).toHaveLength(shown)
    expect(shown).toBeGreaterThanOrEqual(14)
    const all = page.getByRole('button', { name: 'All 21 columns' })
    await all.click()
    expect(await all.getAttribute('aria-pressed')).toBe('true')
    expect(await page.locator('.ranking thead th:not([hidden])').count()).toBe(21)
    await all.click()
    expect(await page.locator('.ranking thead th:not([hidden])').count()).toBe(shown)
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('.ranking thead th:visible').count()).toBe(21)
    await page.close()
  })

  it('asks nothing where every column fits', async () => {
    const page = await open(sectionOf(fixtureStudy({ axes: [{ field: 'takeProfit', values: [1, 3] }] })))
    expect(await page.getByRole('button', { name: /columns/ }).count()).toBe(0)
    expect(await headsInView(page)).toHaveLength(16)
    await page.close()
  })

  it('shows the objective and the profit first on a phone, outside of the bounds too', async () => {
    const page = await open(sectionOf(wide), { width: 360 })
    expect((await headsInView(page)).slice(0, 3)).toEqual(['Rank', 'Trial', 'Net profit USDT'])
    const objective = {
      direction: 'minimize',
      metric: 'maxDrawdownLowPercent',
      where: [{ metric: 'closedDeals', bounds: { min: 9999 } }],
    } as const
    const bounded = await open(sectionOf({ ...wide, objective }), { width: 360 })
    expect((await headsInView(bounded)).slice(2)).toEqual(['Max drawdown at lows %', 'Net profit USDT'])
    await page.close()
    await bounded.close()
  })
})
