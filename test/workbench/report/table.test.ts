/** The live table and its filter in a real browser: sorted, filtered and opened by mouse, keyboard and address. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readFacts } from '../../../src/workbench/report/facts.ts'
import type { StudyInput } from '../../../src/workbench/report/input.ts'
import { readPageRuntime } from '../../../src/workbench/report/write.ts'
import {
  closePages,
  findBrowser,
  type OpenedReport,
  openAgain,
  openReport,
  sharedBrowser,
  startAnew,
} from '../../support/browser.ts'
import { fixtureConfigs, fixtureStudy, fixtureTrial, fixtureTrials } from '../../support/fixture-trials.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { buildReport } from './build-report.ts'
import { idOf } from './section-table.ts'
import { inputOf, SMALL_AXES, sectionOf } from './sections.ts'

const browserPath = findBrowser()

describe.skipIf(browserPath === undefined)('the table in Chromium', () => {
  const folder = temporaryFolder()
  let browser: Browser
  /** Of the usual section, for all tests that need no other one. */
  let usual: OpenedReport
  /** One section after the other. */
  let changing: OpenedReport | undefined
  let written = ''

  beforeAll(async () => {
    browser = await sharedBrowser(browserPath ?? '')
    const file = join(folder, 'usual.html')
    writeFileSync(file, buildReport(inputOf(sectionOf()), readPageRuntime()))
    usual = await openReport(browser, file)
  })
  afterAll(async () => {
    await closePages(browser)
  })

  /** Nothing is asked of the network, and nothing is said on the console. */
  afterEach(() => {
    expect([...usual.trouble, ...(changing?.trouble ?? [])]).toEqual([])
  })

  async function open(...sections: readonly StudyInput[]): Promise<Page> {
    const file = join(folder, 'report.html')
    const html = buildReport(inputOf(...sections), readPageRuntime())
    if (changing !== undefined && html === written) return startAnew(changing.page)
    written = html
    writeFileSync(file, html)
    if (changing === undefined) changing = await openReport(browser, file)
    else await openAgain(changing.page)
    return changing.page
  }

  const rows = (page: Page) => page.locator('.ranking tbody tr[data-trial]')
  const counted = (page: Page) => page.locator('.filter-bar output').textContent()
  const heads = (page: Page) => page.locator('.ranking thead th').allTextContents()

  /** Fingerprints in the order shown, of the rows that are drawn. */
  const names = (page: Page) => rows(page).locator('th code').allTextContents()

  /** The texts of a column in the order shown. */
  async function column(page: Page, name: string): Promise<string[]> {
    const at = (await heads(page)).findIndex((head) => head.startsWith(name))
    return rows(page)
      .locator(`:scope > :nth-child(${at + 1})`)
      .allTextContents()
  }

  const bounded = fixtureStudy({
    objective: {
      direction: 'maximize',
      metric: 'netProfit',
      where: [{ metric: 'closedDeals', bounds: { min: 300 } }],
    },
  })

  it('is walked by arrow keys and opened by Enter, and the row of the open trial is marked', async () => {
    const { page } = usual // the first of all: it remembers which row the keys were at
    const order = await names(page)
    const grid = page.getByRole('grid')
    const active = () => grid.getAttribute('aria-activedescendant')
    await page.getByLabel('Filter', { exact: true }).focus()
    await grid.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    const id = await active()
    expect(await page.locator(`[id="${id}"] th code`).textContent()).toBe(order[1])
    await page.keyboard.press('Enter')
    expect(await page.locator('.ranking [aria-selected="true"] th code').allTextContents()).toEqual([order[1]])
    expect(new URL(page.url()).hash).toBe(`#trial=${order[1]}`)
    await grid.focus() // it was with the trial that opened
    await page.keyboard.press('End')
    expect(await page.locator(`[id="${await active()}"]`).getAttribute('aria-rowindex')).toBe('98')
    expect(await grid.getAttribute('aria-rowcount')).toBe('98')
    await rows(page).last().locator('th').click() // the trial covers the rest of the row
    expect(await page.locator('.ranking [aria-selected="true"] th code').textContent()).not.toBe(order[1])
    await page.goBack()
    expect(await page.locator('.ranking [aria-selected="true"] th code').textContent()).toBe(order[1])
  })

  it('shows what the filter selects, says how many, and what it does not understand', async () => {
    const page = await startAnew(usual.page)
    const filter = page.getByLabel('Filter', { exact: true })
    expect(await counted(page)).toBe('96 trials')
    await filter.fill('takeProfit=1 dcaMaxSafetyOrders=4')
    expect(await counted(page)).toBe('4 of 96 trials')
    expect(await rows(page).count()).toBe(4)
    await filter.fill('takeProfit=1 netProfit>much')
    expect(await counted(page)).toBe('16 of 96 trials')
    expect(await filter.getAttribute('aria-invalid')).toBe('true')
    const described = await filter.getAttribute('aria-describedby')
    expect(await page.locator(`[id="${described}"]`).textContent()).toBe(
      'netprofit> expects a number, found much. Ignored: netProfit>much; filtered by takeProfit=1 alone.',
    )
    expect(await page.locator('.chips .ignored').allTextContents()).toEqual(['netProfit>much'])
    await page.getByRole('button', { name: 'remove netProfit>much' }).click()
    expect(await filter.inputValue()).toBe('takeProfit=1')
    expect(await filter.getAttribute('aria-invalid')).toBe('false')
    const columns = await page.locator('.column-picker summary').textContent()
    await filter.fill('netProfit>99999')
    await page.locator('[data-live=table] .empty').waitFor()
    expect(await page.locator('.column-picker summary').textContent()).toBe(columns)
    await page.locator('.skip').press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe(columns) // next comes the table
    expect(await page.getByText('No trial is selected by the filter.').isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Clear' }).click()
    expect(await counted(page)).toBe('96 trials')
    expect(await rows(page).count()).toBeGreaterThan(10)
  })

  it('sorts by a head, best first and then worst, and says so to a screen reader', async () => {
    const page = await startAnew(usual.page)
    const ranked = await names(page)
    const drawdown = page.getByRole('columnheader', { name: 'Max drawdown %' }).getByRole('button')
    await drawdown.focus()
    await page.keyboard.press('Enter')
    const values = async () => (await column(page, 'Max drawdown')).map(Number)
    const lowest = await values()
    expect(lowest.length).toBeGreaterThan(10)
    expect(lowest).toEqual([...lowest].sort((a, b) => a - b))
    await page.keyboard.press('Enter') // the head has the focus still
    const highest = await values()
    expect(highest).toEqual([...highest].sort((a, b) => b - a))
    expect(highest[0]).toBeGreaterThan(lowest[0])
    expect(await page.locator('.ranking th[aria-sort="descending"]').textContent()).toContain('Max drawdown')
    const order = page.locator('[data-order="0"]')
    expect(await order.textContent()).toBe('By Max drawdown, highest first; the rank is still the study’s.')
    await page.getByRole('button', { name: 'Rank' }).click()
    expect(await names(page)).toEqual(ranked)
    expect(await order.textContent()).toMatch(/^By .*, best first; equal ones by fingerprint\./)
  })

  it('puts those outside of the bounds below, each with the bound that it breaks', async () => {
    const page = await open(sectionOf(bounded))
    const { ranked, outside } = readFacts(sectionOf(bounded))
    expect(outside.length).toBeGreaterThan(10)
    await page.getByLabel('Filter', { exact: true }).fill('rank>0 deals<320 takeProfit>0')
    const inside = ranked.filter(({ metrics }) => (metrics.closedDeals ?? 0) < 320).length
    expect(await counted(page)).toBe(`${inside} of 96 trials`)
    await page.getByLabel('Filter', { exact: true }).fill('outside')
    expect(await page.locator('.ranking tr.group').textContent()).toBe(
      `Excluded by the limits of the study: ${outside.length} trials`,
    )
    const [first] = outside
    expect(await rows(page).first().locator('th').textContent()).toBe(
      `${idOf(first)}Closed deals ${first.metrics.closedDeals} (at least 300)`,
    )
  })

  it('comes back after a reload as it was left: filter, order, columns and open trial', async () => {
    const page = await startAnew(usual.page)
    await page.getByLabel('Filter', { exact: true }).fill('takeProfit>1 profit>5')
    await page.getByRole('button', { name: 'Closed deals' }).click()
    await page.locator('.column-picker summary').click()
    for (const name of ['Average deal', 'Realized profit, USDT']) await page.getByLabel(name, { exact: true }).check()
    await page.getByLabel('ROI, %').uncheck()
    await rows(page).nth(2).click()
    const seen = async () => ({
      filter: await page.getByLabel('Filter', { exact: true }).inputValue(),
      count: await counted(page),
      heads: await heads(page),
      names: await names(page),
      sorted: await page.locator('.ranking th[aria-sort="descending"]').textContent(),
      open: await page.locator('.ranking [aria-selected="true"]').textContent(),
    })
    const left = await seen()
    expect(left.heads.join()).toMatch(/Realized profit/)
    expect(left.heads.join()).not.toMatch(/ROI/)
    await page.reload()
    await page.waitForSelector('html[data-whole]')
    expect(await seen()).toEqual(left)
  })

  it('shows a win rate only in the company that it needs', async () => {
    const page = await startAnew(usual.page)
    await page.evaluate("location.hash = '#columns=winRatePercent'")
    await page.getByRole('columnheader', { name: 'Win rate' }).waitFor()
    expect((await heads(page)).join()).toMatch(/Unrealized profit.*Longest deal|Longest deal.*Unrealized profit/)
  })

  it('keeps every digit of a number at hand', async () => {
    const page = await startAnew(usual.page)
    const [best] = readFacts(sectionOf()).ranked
    expect(await rows(page).first().locator('td').nth(1).getAttribute('title')).toBe(String(best.metrics.netProfit))
  })

  /** Of a market that a spreadsheet would compute; most trials used no capital. */
  function oddSection(): StudyInput {
    const study = fixtureStudy({ markets: [{ exchange: '=cmd', baseAsset: 'B', quoteAsset: '"T"' }] })
    const trials = sectionOf(study).trials.map((trial, index) => ({
      ...trial,
      metrics: trial.metrics === null ? null : { ...trial.metrics, roiOnMaxUsedPercent: index < 90 ? null : index },
    }))
    return sectionOf(study, { trials })
  }

  it('has what is undefined last whichever way it is sorted', async () => {
    const page = await open(oddSection())
    await page.evaluate("location.hash = '#columns=roiOnMaxUsedPercent'")
    const head = page.getByRole('button', { name: 'ROI on used capital %' })
    for (const first of ['+95.00', '+90.00']) {
      await head.click()
      expect((await column(page, 'ROI on used')).slice(0, 7)).toEqual(expect.arrayContaining([first, '–']))
      expect((await column(page, 'ROI on used')).slice(0, 1)).toEqual([first])
      expect((await column(page, 'ROI on used')).slice(6, 7)).toEqual(['–'])
    }
    expect(await rows(page).nth(8).locator('td[title="no capital was used"]').count()).toBeGreaterThan(0)
  })

  it('saves what is selected as CSV with every column and digit, and text that is no formula', async () => {
    const page = await open(oddSection())
    await page.getByLabel('Filter', { exact: true }).fill('takeProfit=1 dcaMaxSafetyOrders=4')
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    const download = await saved
    expect(download.suggestedFilename()).toMatch(/^btc-may-2021-.*\.csv$/)
    const text = readFileSync(await download.path(), 'utf8')
    const [head, ...lines] = text.split('\r\n')
    expect(lines.pop()).toBe('')
    expect(lines).toHaveLength(4)
    const { ranked } = readFacts(sectionOf())
    const chosen = ranked.filter(({ config }) => config.takeProfit === 1 && config.dcaMaxSafetyOrders === 4)
    const at = head.split(',').indexOf('netProfit')
    for (const [index, line] of lines.entries()) {
      expect(line).toMatch(/^btc-may-2021,"'=cmd\/B-""T""",[0-9]+,ranked,/)
      expect(line.split(',')[at]).toBe(String(chosen[index].metrics.netProfit))
    }
  })

  it('saves a chart as SVG without a colour that only the page knows, and as PNG', async () => {
    const page = await startAnew(usual.page)
    const figure = page.locator('figure', { has: page.locator('#plot-importance') })
    await page.locator('#plot-importance').scrollIntoViewIfNeeded() // it is drawn when it comes near
    for (const [kind, begin] of [
      ['SVG', '<svg'],
      ['PNG', '\x89PNG'],
    ]) {
      await figure.locator('summary', { hasText: 'Save' }).click()
      const saved = page.waitForEvent('download')
      await figure.getByRole('button', { name: kind }).click()
      const download = await saved
      expect(download.suggestedFilename()).toBe(`importance.${kind.toLowerCase()}`)
      const content = readFileSync(await download.path(), 'latin1')
      expect(content.slice(0, begin.length)).toBe(begin)
      expect(content).not.toContain('var(--')
    }
    // those of the explorer as they are seen: with what the filter selects
    await page.getByLabel('Filter', { exact: true }).fill('takeProfit=1')
    for (const [name, has] of [
      ['scatter', 'paint-order="stroke"'],
      ['heat', 'of the 16 trials that the filter selects'],
      ['parallel', '<image '],
    ]) {
      const menu = page.locator('figure', { has: page.locator(`#plot-${name}`) })
      await menu.locator('summary', { hasText: 'Save' }).click()
      const saved = page.waitForEvent('download')
      await menu.getByRole('button', { name: 'SVG' }).click()
      const svg = readFileSync(await (await saved).path(), 'utf8')
      expect((await saved).suggestedFilename()).toBe(`${name}.svg`)
      expect(svg).toContain(has)
      expect(svg).not.toContain('var(--')
      const drawn = `new Promise((resolve) => Object.assign(new Image(), { onload: (event) => resolve(event.target.naturalWidth), onerror: () => resolve(0), src: 'data:image/svg+xml,' + encodeURIComponent(${JSON.stringify(svg)}) }))`
      expect(await page.evaluate(drawn)).toBeGreaterThan(200)
    }
  })

  it('of 1,000 trials has a few dozen rows in the document, and every one of them in reach', async () => {
    const tenths = Array.from({ length: 10 }, (_, index) => 1 + index / 10)
    const five = tenths.slice(0, 5)
    const study = fixtureStudy({
      axes: [
        { field: 'dcaMaxSafetyOrders', values: tenths.map((value) => Math.round(value * 10)) },
        { field: 'dcaPriceScalePercent', values: five },
        { field: 'dcaVolumeScale', values: five.slice(1) },
        { field: 'takeProfit', values: five },
      ],
    })
    const page = await open(sectionOf(study))
    expect(await counted(page)).toBe('1,000 trials')
    expect(await rows(page).count()).toBeLessThan(50)
    await page.getByRole('grid').focus()
    await page.keyboard.press('End')
    expect((await column(page, 'Rank')).at(-1)).toBe('1,000')
    expect(await rows(page).count()).toBeLessThan(50)
    await page.getByLabel('Filter', { exact: true }).fill('takeProfit=1.4 rank<=500')
    expect(await counted(page)).toMatch(/^[0-9]{2,3} of 1,000 trials$/)
    expect(await rows(page).count()).toBeLessThan(50)
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
  /** Eight trials, which differ in every axis. */
  const wideSection = (study = wide) =>
    sectionOf(study, { trials: fixtureTrials(study).filter((_, index) => index % 9 === 0) })

  /** Heads whose whole cell a reader sees without scrolling. */
  async function headsInView(page: Page): Promise<string[]> {
    const found: unknown = await page.evaluate(`(() => {
      const room = document.querySelector('.scroll.tall').getBoundingClientRect()
      return [...document.querySelectorAll('.ranking thead th')]
        .filter((head) => head.getBoundingClientRect().right <= room.right + 1)
        .map((head) => head.textContent.replace(/\\s+/g, ' '))
    })()`)
    return Array.isArray(found) ? found.map(String) : []
  }

  it('cuts no column off on a desk: what has no room waits in the picker', async () => {
    const page = await open(wideSection())
    const shown = await heads(page)
    expect(await headsInView(page)).toHaveLength(shown.length)
    expect(shown.length).toBeGreaterThanOrEqual(13)
    await page.locator('.column-picker summary').click()
    await page.getByRole('button', { name: 'All' }).click()
    expect((await heads(page)).length).toBeGreaterThan(40)
    await page.getByRole('button', { name: 'The usual ones' }).click()
    expect(await heads(page)).toEqual(shown)
  })

  it('on a phone shows rank, name, profit, the capital in use and the drawdown, and the page does not move sideways', async () => {
    const file = join(folder, 'phone.html')
    writeFileSync(file, buildReport(inputOf(wideSection()), readPageRuntime()))
    const { page, trouble } = await openReport(browser, file, { width: 360, touch: true })
    expect(await headsInView(page)).toEqual([
      'Rank',
      'Trial',
      'Net profit USDT',
      'Average used capital USDT',
      'Max drawdown %',
    ])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    const objective = { direction: 'minimize', metric: 'maxDrawdownLowPercent', where: [] } as const
    writeFileSync(file, buildReport(inputOf(wideSection({ ...wide, objective })), readPageRuntime()))
    await openAgain(page)
    expect((await headsInView(page)).slice(2, 4)).toEqual(['Max drawdown at lows %', 'Net profit USDT'])
    expect(trouble).toEqual([])
  })

  it('of several markets stands in each section, set up when the reader comes near or the address speaks of it', async () => {
    const markets = ['BTC', 'ETH', 'SOL'].map((baseAsset) => ({ exchange: 'binance', baseAsset, quoteAsset: 'USDT' }))
    const study = fixtureStudy({ axes: SMALL_AXES, markets })
    const trials = markets.flatMap((market, m) =>
      fixtureConfigs(SMALL_AXES).map((config, index) => {
        const trial = fixtureTrial(study, config, index + 7 * m)
        return { ...trial, market, fingerprint: `${m}${trial.fingerprint.slice(1)}` }
      }),
    )
    const page = await open(...markets.map((market) => sectionOf(study, { market, trials })))
    expect(await page.locator('.ranking').count()).toBe(1)
    const cell = page.locator('.matrix tbody tr').nth(3).locator('a').nth(2)
    const name = (await cell.getAttribute('href'))?.split('=')[1]
    await cell.click()
    await page.locator('[data-live="table"][data-section="2"] .ranking').waitFor()
    const third = page.locator('[data-live="table"][data-section="2"]')
    expect(await third.locator('[aria-selected="true"] th code').textContent()).toBe(name)
    await page
      .locator('[data-section="2"] .filter-bar, .filter-bar[data-section="2"]')
      .getByLabel('Filter', { exact: true })
      .fill('deals>1')
    await page.reload()
    await page.waitForSelector('html[data-whole]')
    expect(new URL(page.url()).hash).toContain('s3-filter=deals')
    expect(await third.locator('[aria-selected="true"] th code').textContent()).toBe(name)
    expect(await page.locator('[data-live="table"][data-section="1"] .ranking').count()).toBe(0)
    await page.getByRole('heading', { name: 'binance/ETH-USDT' }).click() // folded
    await page.locator('[data-live="table"][data-section="1"] .ranking').waitFor()
  })
})
