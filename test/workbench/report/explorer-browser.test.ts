/** The explorer's charts in a real browser: what a hand, a key or a finger does there is what every other view shows. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StudyInput } from '../../../src/workbench/report/input.ts'
import { readPageRuntime } from '../../../src/workbench/report/write.ts'
import {
  closePages,
  findBrowser,
  type OpenedReport,
  openAgain,
  openReport,
  type Reader,
  sharedBrowser,
  startAnew,
} from '../../support/browser.ts'
import { fixtureStudy, fixtureTrials } from '../../support/fixture-trials.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { buildReport } from './build-report.ts'
import { inputOf, SMALL_AXES, sectionOf } from './sections.ts'

const browserPath = findBrowser()

/** A function of the page: the pixels of a canvas, from a copy, since reading many times from the canvas itself makes it slow. */
const PIXELS = `((selector) => {
  const { width, height } = document.querySelector(selector)
  const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
  copy.drawImage(document.querySelector(selector), 0, 0)
  return copy.getImageData(0, 0, width, height)
})`

/** Two sections: one that lacks a combination, and another study. */
function gapAndAnother(): StudyInput[] {
  const [study, another] = ['btc-may-2021', 'another'].map((name) => fixtureStudy({ name, axes: SMALL_AXES }))
  const trials = fixtureTrials(study).filter(({ config }) => config.takeProfit < 3 || config.dcaMaxSafetyOrders < 8)
  return [sectionOf(study, { trials }), sectionOf(another)]
}

/** How opaque what covers trials that are not selected is, of 255. */
const VEIL = 199

describe.skipIf(browserPath === undefined)('the explorer in Chromium', () => {
  const folder = temporaryFolder()
  let browser: Browser
  /** Of the usual section, for all tests that need no other one. */
  let usual: OpenedReport
  /** One other report after the other. */
  let changing: OpenedReport | undefined
  let written = ''

  beforeAll(async () => {
    browser = await sharedBrowser(browserPath ?? '')
    usual = await open(sectionOf())
  })
  afterAll(async () => {
    expect([usual?.trouble, changing?.trouble]).toEqual([[], []])
    await closePages(browser)
  })

  function open(section: StudyInput, reader: Reader = {}) {
    const file = join(folder, 'report.html')
    writeFileSync(file, buildReport(inputOf(section), readPageRuntime()))
    return openReport(browser, file, reader)
  }

  async function openOther(...sections: readonly StudyInput[]): Promise<Page> {
    const file = join(folder, 'other.html')
    const html = buildReport(inputOf(...sections), readPageRuntime())
    if (changing !== undefined && html === written) return startAnew(changing.page)
    written = html
    writeFileSync(file, html)
    if (changing === undefined) changing = await openReport(browser, file)
    else await openAgain(changing.page)
    return changing.page
  }

  /** What the page's address says, once it says it. */
  async function addressWith(page: Page, test: (keys: URLSearchParams) => boolean): Promise<URLSearchParams> {
    const read = async () => new URLSearchParams(new URL(page.url()).hash.slice(1))
    await expect.poll(async () => test(await read())).toBe(true)
    return read()
  }

  async function boxOf(place: Locator) {
    await place.scrollIntoViewIfNeeded()
    const box = await place.boundingBox()
    if (box === null) throw new Error('it is not drawn')
    return box
  }

  /** How many pixels of the layer above a chart are painted. */
  function painted(page: Page, plot: string): Promise<number> {
    return page.evaluate(`(() => {
      const { data } = ${PIXELS}('${plot} .plot-upper')
      return data.filter((value, index) => index % 4 === 3 && value > 0).length
    })()`)
  }

  /** Of the layer above the scatter, where a mark of it lies. */
  function opaqueness(page: Page, mark: string): Promise<unknown> {
    return page.evaluate(`(() => {
      const { data, width } = ${PIXELS}('#plot-scatter .plot-upper')
      const layer = document.querySelector('#plot-scatter .plot-upper').getBoundingClientRect()
      const box = document.querySelector('#plot-scatter ${mark}').getBoundingClientRect()
      let [least, most] = [255, 0]
      for (let y = Math.ceil(box.top - layer.top); y < box.bottom - layer.top; y++) {
        for (let x = Math.ceil(box.left - layer.left); x < box.right - layer.left; x++) {
          const alpha = data[4 * (y * width + x) + 3]
          least = Math.min(least, alpha)
          most = Math.max(most, alpha)
        }
      }
      return { least, most }
    })()`)
  }

  async function drag(page: Page, from: readonly [number, number], to: readonly [number, number]): Promise<void> {
    await page.mouse.move(...from)
    await page.mouse.down()
    await page.mouse.move(...to, { steps: 5 })
    await page.mouse.up()
  }

  it('dragging over the scatter selects by profit and drawdown, and a click beside all trials ends that', async () => {
    const page = await startAnew(usual.page)
    const box = await boxOf(page.locator('#plot-scatter'))
    expect(await painted(page, '#plot-scatter')).toBe(0)
    await drag(page, [box.x + 100, box.y + 20], [box.x + 300, box.y + 160])
    const { filter } = Object.fromEntries(await addressWith(page, (keys) => keys.has('filter')))
    expect(filter).toMatch(
      /^maxDrawdownPercent>=[\d.]+ maxDrawdownPercent<=[\d.]+ netProfit>=[-\d.]+ netProfit<=[-\d.]+$/,
    )
    await expect.poll(() => painted(page, '#plot-scatter')).toBeGreaterThan(10_000)
    const caption = page.locator('.heat-caption')
    await expect.poll(() => caption.textContent()).toMatch(/of the \d+ trials that the filter selects$/)
    await page.mouse.click(box.x + box.width - 60, box.y + 40)
    await addressWith(page, (keys) => !keys.has('filter'))
    await expect.poll(() => painted(page, '#plot-scatter')).toBe(0)
  })

  it('a brush leaves what the filter says of other columns', async () => {
    const page = await startAnew(usual.page)
    await page.evaluate("location.hash = 'filter=takeProfit%3E1'")
    const box = await boxOf(page.locator('#plot-scatter'))
    await drag(page, [box.x + 100, box.y + 20], [box.x + 300, box.y + 160])
    const keys = await addressWith(page, (all) => all.get('filter')?.includes('netProfit') === true)
    expect(keys.get('filter')).toMatch(/^takeprofit>1 /i)
  })

  it('a click opens the nearest trial, which is ringed, and pointing at it tells its profit and the capital that it used', async () => {
    const page = await startAnew(usual.page)
    const best = page.locator('#plot-scatter .best_marks path')
    const box = await boxOf(best)
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    const tooltip = page.locator('#tooltip')
    await tooltip.waitFor({ state: 'visible' })
    expect(await tooltip.textContent()).toMatch(/rank 1Net profit.*Average used capital.*Max drawdown.*Closed deals/)
    await page.mouse.click(box.x + box.width / 2 - 2, box.y + box.height / 2 + 2)
    const keys = await addressWith(page, (all) => all.has('trial'))
    const label = await page.locator('#plot-scatter .mark-text text', { hasText: 'Best' }).textContent()
    expect(label).toBe(`Best ${keys.get('trial')}`)
    await expect.poll(() => painted(page, '#plot-scatter')).toBeGreaterThan(50)
  })

  it('the ring and the name of the best are as faint as its trial where the filter leaves it out', async () => {
    const page = await startAnew(usual.page)
    const label = await page.locator('#plot-scatter .mark-text text', { hasText: 'Best' }).textContent()
    await boxOf(page.locator('#plot-scatter')) // what is out of sight waits
    await page.evaluate(`location.hash = 'filter=${label?.slice(5)}'`)
    await expect.poll(() => opaqueness(page, '.best_marks'), { timeout: 20_000 }).toMatchObject({ most: 255 })
    expect(await opaqueness(page, '.best_label_marks')).toMatchObject({ least: 0 })
    await page.evaluate("location.hash = 'filter=takeProfit%3E99'") // which no trial is
    await expect.poll(() => opaqueness(page, '.best_marks'), { timeout: 20_000 }).toEqual({ least: VEIL, most: VEIL })
    expect(await opaqueness(page, '.best_label_marks')).toEqual({ least: VEIL, most: VEIL })
  })

  it('what a filter leaves out is faint on paper in the colours of paper, also where the screen is dark', async () => {
    const page = await startAnew(usual.page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await boxOf(page.locator('#plot-scatter'))
    await page.evaluate("location.hash = 'filter=takeProfit%3E99'")
    /** Opaque enough to fade what is below it, and how bright, of 255. */
    const veil = () =>
      page.evaluate<number>(`(() => {
        const { data, width, height } = ${PIXELS}('#plot-scatter .plot-upper')
        const at = 4 * (width * Math.round(height / 2) + Math.round(width / 2))
        return data[at + 3] === ${VEIL} ? Math.max(...data.slice(at, at + 3)) : -1
      })()`)
    await expect.poll(veil, { timeout: 20_000 }).toBeGreaterThan(0)
    expect(await veil()).toBeLessThan(40)
    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(await veil()).toBeGreaterThan(245)
    await page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(await veil()).toBeLessThan(40)
    await page.emulateMedia({ colorScheme: 'light' })
  })

  it('a cell of the large heat map selects its two values, and lets them go again, by keys alone', async () => {
    const page = await startAnew(usual.page)
    const chosen = page.locator('.heat-cell.chosen button')
    await page.locator('.heat-cell button[tabindex="0"]').focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    const keys = await addressWith(page, (all) => all.has('filter'))
    expect(keys.get('filter')).toMatch(/^\w+=[\d.]+ \w+=[\d.]+$/)
    await chosen.waitFor()
    expect(await chosen.getAttribute('aria-pressed')).toBe('true')
    expect(await page.locator('.heat-cell.unselected').count()).toBe(23)
    expect(await page.evaluate('document.activeElement.closest("td").className')).toContain('chosen')
    await page.keyboard.press('Enter')
    await addressWith(page, (all) => !all.has('filter'))
  })

  it('every pair of parameters is small, and the one that is clicked is large, with best or number as well as mean', async () => {
    const page = await startAnew(usual.page)
    expect(await page.locator('.heat-side .pair').count()).toBe(3)
    await page.locator('.heat-side .pair').last().click()
    await addressWith(page, (keys) => keys.get('pair')?.split(',').length === 2)
    await expect.poll(() => page.locator('.heat-side .pair').last().getAttribute('aria-pressed')).toBe('true')
    const caption = page.locator('.heat-caption')
    await page.getByRole('radio', { name: 'Trials' }).check()
    await expect.poll(() => caption.textContent()).toContain(': trials, of 96 trials')
    await page.getByRole('radio', { name: 'Best' }).check()
    await expect.poll(() => caption.textContent()).toContain(': best Net profit, USDT, of 96 trials')
    expect(await page.locator('.heat-cell.winner').count()).toBe(1)
    // its ring goes around its number
    const crossed: unknown = await page.evaluate(`(() => {
      const cell = document.querySelector('.heat-cell.winner')
      const ring = parseFloat(getComputedStyle(cell, '::after').left) + 2.5 + 1
      const room = cell.getBoundingClientRect()
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
      const seen = []
      while (texts.nextNode()) {
        if (texts.currentNode.parentElement.closest('.unseen')) continue
        const words = document.createRange()
        words.selectNodeContents(texts.currentNode)
        seen.push(...words.getClientRects())
      }
      return [seen.length > 0, seen.filter(({ left, right, top, bottom }) =>
        left < room.left + ring || right > room.right - ring || top < room.top + ring || bottom > room.bottom - ring).length]
    })()`)
    expect(crossed).toEqual([true, 0])
  })

  it('no chart is named by Vega to those who hear the page', async () => {
    const page = await startAnew(usual.page)
    expect(await page.locator('.plot-base').count()).toBeGreaterThan(0)
    expect(await page.locator('[aria-label="Vega visualization"]').count()).toBe(0)
  })

  it('dragging along an axis of the parallel coordinates selects a range of it', async () => {
    const page = await startAnew(usual.page)
    const axis = await boxOf(page.locator('.axis-grip').first())
    await drag(page, [axis.x + 22, axis.y + 10], [axis.x + 25, axis.y + axis.height / 2])
    const keys = await addressWith(page, (all) => all.has('filter'))
    expect(keys.get('filter')).toMatch(/^dcaMaxSafetyOrders>=[\d.]+ dcaMaxSafetyOrders<=[\d.]+$/)
  })

  it('more than two thousand trials are painted on a canvas, in new colours when the screen turns dark', async () => {
    const values = (count: number) => Array.from({ length: count }, (_, index) => 1 + index / 10)
    const study = fixtureStudy({
      axes: [
        { field: 'dcaPriceScalePercent', values: values(13) },
        { field: 'dcaVolumeScale', values: values(13) },
        { field: 'takeProfit', values: values(12) },
      ],
    })
    const page = await openOther(sectionOf(study))
    const ground = page.locator('#plot-scatter .plot-lower')
    expect(await ground.count()).toBe(1)
    const colours = () =>
      page.evaluate(`(() => {
        const { data } = ${PIXELS}('#plot-scatter .plot-lower')
        let sum = 0
        for (let index = 0; index < data.length; index += 4) if (data[index + 3] > 0) sum += data[index]
        return sum
      })()`)
    const light = await colours()
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(colours, { timeout: 20_000 }).not.toBe(light)
    await page.emulateMedia({ colorScheme: 'light' })
  })

  it('a combination that the study leaves out is hatched and says so', async () => {
    const page = await openOther(...gapAndAnother())
    await page.evaluate("location.hash = 's1-pair=takeProfit,dcaMaxSafetyOrders'")
    const blank = page.locator('#s1-plot-heat .heat-cell.blank')
    await blank.waitFor()
    const words = await blank.getAttribute('title')
    for (const part of ['TP % 3', 'orders 8', ': left out by the study’s constraints']) {
      expect(words).toContain(part)
    }
  })

  it('of a study on several markets each section has a selection of its own', async () => {
    const page = await openOther(...gapAndAnother())
    const second = page.locator('#s2-plot-heat')
    expect(await second.locator('.heat-cell').count()).toBe(0) // it is set up when the reader comes near
    await second.scrollIntoViewIfNeeded()
    await second.locator('.heat-cell button').first().click()
    const keys = await addressWith(page, (all) => all.has('s2-filter'))
    expect(keys.has('s1-filter')).toBe(false)
    await expect.poll(() => second.locator('.heat-cell.chosen').count()).toBe(1)
    expect(await page.locator('#s1-plot-heat .heat-cell.chosen').count()).toBe(0)
  })
})
