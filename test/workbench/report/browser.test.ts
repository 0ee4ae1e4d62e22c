/** The report in a real browser, from a file, as a person opens it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StudyInput } from '../../../src/workbench/report/input.ts'
import { readPageRuntime } from '../../../src/workbench/report/write.ts'
import { closePages, findBrowser, type OpenedReport, openReport, sharedBrowser } from '../../support/browser.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { buildReport } from './build-report.ts'
import { PAYLOADS } from './payloads.ts'
import { poisoned } from './poisoned.ts'
import { failedTrial, inputOf, sectionOf } from './sections.ts'

const browserPath = findBrowser()

describe.skipIf(browserPath === undefined)('in Chromium', () => {
  const folder = temporaryFolder()
  let browser: Browser
  /** Of the usual section; first its charts are drawn, then they are pointed at. */
  let usual: OpenedReport

  beforeAll(async () => {
    browser = await sharedBrowser(browserPath ?? '')
    usual = await open([sectionOf()])
  })
  afterAll(async () => {
    await closePages(browser)
  })

  function open(sections: readonly StudyInput[]): Promise<OpenedReport> {
    const file = join(folder, 'report.html')
    writeFileSync(file, buildReport(inputOf(...sections), readPageRuntime()))
    return openReport(browser, file)
  }

  /** Pixels from the top of the window to a chart, once it has not moved for twenty frames: charts above that are drawn late push it. */
  const SETTLED = `new Promise((done) => {
    let last = NaN, same = 0
    const look = () => {
      const { top } = document.querySelector('#plot-importance').getBoundingClientRect()
      same = top === last ? same + 1 : 0
      last = top
      same > 20 ? done(top) : requestAnimationFrame(look)
    }
    look()
  })`

  it('draws every chart as SVG, with one mark per trial, without an error, a request or eval', async () => {
    const { page, trouble } = usual
    const plots = await page.locator('.plot').count()
    expect(plots).toBeGreaterThanOrEqual(3)
    await page.evaluate(`document.querySelectorAll('details.group').forEach((group) => { group.open = true })`)
    const height = await page.evaluate('document.documentElement.scrollHeight')
    await page.locator('#plot-importance').scrollIntoViewIfNeeded()
    await page.locator('#plot-importance svg').waitFor()
    const place = await page.evaluate<number>(SETTLED)
    await page.reload()
    await page.waitForSelector('html[data-drawn]')
    expect(await page.locator('details.group:not([open])').count()).toBe(0)
    // to a few lines: the height kept for a chart that is not drawn yet is a guess
    expect(Math.abs((await page.evaluate<number>(SETTLED)) - place)).toBeLessThan(100)
    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(await page.locator('.plot svg').count()).toBe(plots)
    expect(
      Math.abs((await page.evaluate<number>('document.documentElement.scrollHeight')) - Number(height)),
    ).toBeLessThan(400)
    expect(await page.locator('#plot-scatter .points_marks path').count()).toBe(96)
    const front = `document.querySelector('#plot-scatter .front_marks path').getBBox()`
    for (const side of ['width', 'height']) expect(await page.evaluate<number>(`${front}.${side}`)).toBeGreaterThan(10)
    const painted = `document.querySelector('#plot-parallel .plot-lower').getContext('2d').getImageData(0, 0, 2000, 600).data`
    expect(await page.evaluate<boolean>(`${painted}.some((value) => value > 0)`)).toBe(true)
    expect(await page.locator('#plot-heat .heat-cell button').count()).toBe(24)
    expect(await page.locator('#plot-importance .bars_marks path').count()).toBe(3)
    expect(await page.locator('#plot-equity .lines_marks path').count()).toBe(3)
    expect(trouble).toEqual([])
  })

  it('shows a tooltip as text', async () => {
    const { page } = usual
    await page.locator('#plot-importance').scrollIntoViewIfNeeded()
    await page.locator('#plot-importance .bars_marks path').first().hover({ force: true })
    await page.waitForSelector('#tooltip:not([hidden])')
    expect(await page.locator('#tooltip').textContent()).toMatch(/^ordersexplains/)
  })

  it('fits a phone and follows a dark screen', async () => {
    const { page, trouble } = usual
    await page.setViewportSize({ width: 420, height: 900 })
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(420)
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(20, 23, 26)')
    expect(trouble).toEqual([])
  })

  it('runs nothing of what a service wrote', async () => {
    const { trials } = sectionOf()
    const poison = PAYLOADS.slice(0, 96)
    const failed = sectionOf(undefined, { trials: trials.map((trial, index) => failedTrial(trial, poison[index])) })
    const worst = PAYLOADS.filter((_, index) => index % 48 === 0).map(poisoned)
    const { page, trouble } = await open([failed, ...worst])
    expect(await page.locator('script:not([type])').count()).toBe(1)
    expect(trouble).toEqual([])
    await page.close()
  })
})
