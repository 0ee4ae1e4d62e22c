/** The report of the ETH study of the guide, from recorded candles, in a real browser: what a trader sees before scrolling, on a phone, on paper. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DcaSpotConfig } from '../../../src/contract/bot.ts'
import { METRICS, metricValue } from '../../../src/contract/metrics.ts'
import { sliceCandles } from '../../../src/engine/candles.ts'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { runReference } from '../../../src/engine/reference.ts'
import { formatMetric } from '../../../src/workbench/report/format.ts'
import { parseStudy } from '../../../src/workbench/study/parse.ts'
import {
  COLOURS_ALONE,
  closePages,
  complaintsIn,
  findBrowser,
  type OpenedReport,
  openReport,
  sharedBrowser,
} from '../../support/browser.ts'
import { readCsvCandles } from '../../support/csv-candles.ts'
import { projectRoot } from '../../support/dcalab.ts'
import { folderInMemory } from '../../support/folder.ts'
import { pdfPages } from '../../support/pdf-text.ts'
import { program } from '../../support/program.ts'
import { share } from '../../support/share.ts'
import { sharedData } from '../../support/shared-data.ts'
import { byTurn } from '../../support/turn.ts'

const browserPath = findBrowser()
const ether = sharedData('candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz') ?? ''

const SIXTY = 60
const COMPARED = [
  'netProfit',
  'usedCapital.average',
  'maxDrawdownPercent',
  'netProfitPerUsedPercent',
  'closedDeals',
] as const

const HEADS = [
  'Explorer',
  'Everytrial',
  'Howsure',
  'Doesitlast?',
  'Doesithangonexactnumbers?',
  'Wheredidtheprofitcomefrom,andwhatwouldittake?',
  'Isitmorethanchance?',
  'Provenance',
]

/** Clicks in the page, where the filter's bar may cover the link, and waits until the page has come to rest: its last step to the head has an end of its own. */
function follow(page: Page, name: string): Promise<void> {
  return page.evaluate(`new Promise((rested) => {
    const frames = (left) => (left === 0 ? rested() : requestAnimationFrame(() => frames(left - 1)))
    addEventListener('scrollend', () => frames(3), { once: true })
    document.querySelector('.contents a[href="#${name}"]').click()
  })`)
}

/** Whether no more of the page comes up: a part that is shorter than the window ends there. */
function isAtEnd(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('scrollY + innerHeight >= document.documentElement.scrollHeight - 1')
}

/** Pixels from what stands at the top of the window to a section's head. */
function belowBars(page: Page, name: string): Promise<number> {
  return page.evaluate<number>(`(() => {
    const bars = [...document.querySelectorAll('.contents, .filter-bar')].map((bar) => bar.getBoundingClientRect())
    const stuck = bars.filter(({ top, bottom }) => top < 60 && bottom > 0).map(({ bottom }) => bottom)
    return Math.round(document.getElementById('${name}').getBoundingClientRect().top - Math.max(...stuck))
  })()`)
}

/** The values of the winner stand first, so that it is among the few trials that are run. */
const WINNER_FIRST = {
  dcaMaxSafetyOrders: '[6, 4, 8]',
  dcaVolumeScale: '[1.4, 1.2]',
  takeProfit: '[3, 1.5, 0.8]',
} as const

describe.skipIf(browserPath === undefined || ether === '')('the report of the ETH study', () => {
  const folder = folderInMemory()
  const file = join(folder, 'eth.html')
  let browser: Browser
  let desk: OpenedReport
  let phone: OpenedReport

  beforeAll(async () => {
    const dcalab = program(folder, { XDG_STATE_HOME: folder })
    const source = Object.entries(WINNER_FIRST).reduce(
      (text, [field, values]) => text.replace(new RegExp(`^  ${field}: .*$`, 'm'), `  ${field}: ${values}`),
      readFileSync(join(projectRoot, 'studies/eth-2025.yaml'), 'utf8'),
    )
    const study = join(folder, 'eth-2025.yaml')
    writeFileSync(study, source)
    for (const words of [
      ['candles', 'import', ether],
      ['run', study, '--max', '20'],
      ['examine', 'eth-2025'],
      ['report', 'eth-2025', '--out', file],
    ]) {
      expect([words, (await dcalab(words)).code]).toEqual([words, 0])
    }
    browser = await sharedBrowser(browserPath ?? '')
    desk = await openReport(browser, file)
    phone = await openReport(browser, file, { width: 360, dark: true, touch: true })
  })
  afterAll(async () => {
    await closePages(browser)
  })

  it('shows verdict, next command, the days and their table on one screen of 1280 by 900', async () => {
    const { page, trouble } = desk
    expect(await page.locator('.headline').textContent()).toBe('Not judged: too little history')
    for (const part of ['.headline', '.place', '.next-step', '.days', '.seen']) {
      const box = await page.locator(part).boundingBox()
      expect([part, (box?.y ?? Number.NaN) + (box?.height ?? Number.NaN) <= 900]).toEqual([part, true])
    }
    const text = (await page.locator('#verdict').textContent())?.replace(/\s+/g, ' ') ?? ''
    for (const words of [
      '6 safety orders, 0.8 % apart, size ×1.4, take profit 3 %',
      '+222.70 USDT',
      '448.16 USDT',
      '12.81 %',
      'bot+49.7 %',
      'same amount held+76.5 %',
      'Longest deal29 d 3 h',
    ]) {
      expect(text).toContain(words)
    }
    const command = (await page.locator('.next-step code').first().textContent()) ?? ''
    expect(command).toMatch(/^dcalab candles fetch --market binance\/ETH-USDT /)
    expect(await page.getByRole('button', { name: `Copy ${command}` }).count()).toBe(1)
    expect(trouble).toEqual([])
  })

  it('read by its accessibility tree alone says what won, against what, whether to believe it and what next, in this order', async () => {
    const tree = (await desk.page.locator('#verdict').ariaSnapshot()).replaceAll('\u00a0', ' ')
    const answers = [
      '- heading "eth-2025" [level=1]',
      'heading "Not judged: too little history" [level=2]',
      'Of 60 stretches of 30 days that the 1m candles hold, 2 do not overlap, at least 10 needed.',
      '6 safety orders, 0.8 % apart, size ×1.4, take profit 3 %',
      'Per capital used it made +49.69 % in sample, the same amount held +76.55 %, a plain ladder +45.79 %.',
      'Next: fetch the history that judges it.',
      'dcalab candles fetch --market binance/ETH-USDT',
      'Then judge it again:',
      'dcalab verdict eth-2025',
      'img "Return since the start. At the end: bot +22.27 %, plain ladder ',
      '- table "Profit per capital used, then the bot alone"',
    ]
    const places = answers.map((answer) => tree.indexOf(answer))
    expect([tree, places.indexOf(-1)]).toEqual([tree, -1])
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  it('has at most 1,600 words and 8,000 pixels', async () => {
    const { page } = desk
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(8_000)
    expect(await page.evaluate('document.body.innerText.split(/\\s+/).length')).toBeLessThanOrEqual(1_600)
  })

  it('fits a phone of 360 pixels without scrolling sideways, its chips large enough for a finger', async () => {
    const { page, trouble } = phone
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    const small: unknown = await page.evaluate(
      `[...document.querySelectorAll('.contents a, .also summary, .reasons a, .next-step button, .provenance > summary')]
        .map((target) => target.getBoundingClientRect().height).filter((height) => height < 44)`,
    )
    expect(small).toEqual([])
    expect(trouble).toEqual([])
  })

  it('sixty numbers of its table come out of the reference engine, on the minutes of the file', async () => {
    const study = parseStudy(readFileSync(join(projectRoot, 'studies/eth-2025.yaml'), 'utf8'), {
      file: 'eth-2025.yaml',
    })
    const { base, period, conventions, costs } = study
    const candles = sliceCandles(readCsvCandles(ether, 60_000), period.from, period.to)
    const rows = await desk.page.evaluate<readonly Readonly<Record<string, string>>[]>(`(() => {
      const table = document.querySelector('.trials-still')
      const names = [...table.querySelectorAll('thead th')].map((head) => head.querySelector('[title]')?.title ?? head.firstChild.textContent.trim())
      return [...table.querySelectorAll('.ranked tr')].slice(0, ${SIXTY / COMPARED.length}).map(({ cells }) =>
        Object.fromEntries([...cells].map((cell, at) => [names[at], cell.textContent])))
    })()`)
    const compared = rows.flatMap((row) => {
      const varied = study.axes.map(({ field }) => [field, Number(row[field])])
      const config: DcaSpotConfig = { ...base, ...Object.fromEntries(varied) }
      const { metrics } = runReference({ candles, config, conventions, costs, symbol: NO_SYMBOL_RULES })
      return COMPARED.map((name) => [row[METRICS[name].title], formatMetric(name, metricValue(metrics, name), 2)])
    })
    expect(compared).toHaveLength(SIXTY)
    for (const [shown, computed] of compared) expect(shown).toBe(computed)
  })

  it.each([
    ['on a desk', () => desk, ['sure', 'ranking', 'explorer']],
    ['on a phone', () => phone, ['sure', 'explorer']],
  ] as const)('%s a link of the contents ends with its head below what stands at the top', async (_, opened, names) => {
    const { page, trouble } = opened()
    for (const name of names) {
      await follow(page, name)
      const pixels = await belowBars(page, name)
      const most = (await isAtEnd(page)) ? 900 : 40
      expect([name, pixels >= 0, pixels < most]).toEqual([name, true, true])
      expect(await page.locator('.contents [aria-current]').getAttribute('href')).toBe(`#${name}`)
    }
    expect(trouble).toEqual([])
  })

  it('on a phone the contents show that there are more, and the part that is read among them', async () => {
    const { page } = phone
    const row = page.locator('.contents ol')
    await page.evaluate(`scrollTo({ top: 0, behavior: 'instant' })`)
    await expect.poll(() => row.getAttribute('data-more')).toBe('after')
    await follow(page, 'provenance')
    await expect.poll(() => row.getAttribute('data-more')).toContain('before')
    const [tab, room] = await Promise.all([
      page.locator('.contents a[href="#provenance"]').boundingBox(),
      row.boundingBox(),
    ])
    expect((tab?.x ?? 0) - (room?.x ?? 0)).toBeGreaterThanOrEqual(0)
    expect((tab?.x ?? 0) + (tab?.width ?? 0)).toBeLessThanOrEqual((room?.x ?? 0) + (room?.width ?? 0) + 1)
    expect(await desk.page.locator('.contents ol').getAttribute('data-more')).toBe('')
  })

  it('a link to where one is already leaves the reader where he scrolls next', async () => {
    const { page } = desk
    await follow(page, 'provenance')
    await follow(page, 'explorer')
    await page.evaluate(`document.querySelector('.contents a[href="#explorer"]').click()`)
    await page.evaluate(`void (globalThis.rested = new Promise((tell) => {
      const before = scrollY
      let farthest = before
      addEventListener('scroll', () => { farthest = Math.max(farthest, scrollY) })
      addEventListener('scrollend', () => Math.max(farthest, scrollY) - before >= 300 && tell(scrollY - before)) // may come before the last scroll
    }))`)
    await page.mouse.move(10, 500)
    await page.mouse.wheel(0, 300)
    expect(await page.evaluate('rested')).toBe(300)
  })

  /** One of both, the other one at the next commit. */
  const axed = [
    ['by day and by night', () => desk, 'dark'],
    ['on a phone by night and by day', () => phone, 'light'],
  ] as const

  it.each(share({ usual: byTurn(axed), long: axed }))(
    'has nothing %s in verdict and certainty that axe-core complains of',
    async (_, opened, otherwise) => {
      const { page } = opened()
      await page.evaluate(axe.source)
      const places = "{ include: [['nav.contents'], ['#verdict'], ['section[aria-labelledby=sure]']] }"
      expect(await page.evaluate(complaintsIn(places))).toEqual([])
      await page.emulateMedia({ colorScheme: otherwise })
      expect(await page.evaluate(complaintsIn(places, COLOURS_ALONE))).toEqual([])
    },
  )

  it('on paper holds the verdict, what is noted too and the checks, and no button', async () => {
    const { page } = desk
    // Chromium writes fi and fl as one letter, and nothing where a line ends.
    const pages = pdfPages(await page.pdf({ preferCSSPageSize: true })).map((one) =>
      one.normalize('NFKC').replaceAll(/\s/g, ''),
    )
    expect(pages.length).toBeLessThanOrEqual(12)
    // a head stands where its text begins, and no page holds a few words alone
    for (const one of pages) expect(one.length).toBeGreaterThan(250)
    for (const head of HEADS) expect(pages.filter((one) => one.endsWith(head))).toEqual([])
    const text = pages.join('\n')
    for (const words of [
      'Not judged: too little history',
      'Also noted',
      'outside the tested range it earns more',
      'Open deal−16.05 USDT',
      'Does the minute of the start matter?',
      'Profit by months',
    ]) {
      expect(text).toContain(words.replaceAll(' ', ''))
    }
    expect(text).not.toMatch(/Copy|Verdict/)
  })
})
