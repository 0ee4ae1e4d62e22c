/** The inspector in Chromium: the engine in the page says the same as the one that answers for the numbers. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONFIG_FIELDS, type ConfigField, type DcaSpotConfig } from '../../../src/contract/bot.ts'
import { backtest } from '../../../src/engine/backtest.ts'
import type { Candles } from '../../../src/engine/candles.ts'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { prepareCandles } from '../../../src/engine/jump/prepared.ts'
import { factOfStarts, factOfTakeProfits } from '../../../src/workbench/analysis/certainty/arbitrariness.ts'
import { readFacts } from '../../../src/workbench/report/facts.ts'
import {
  formatInstant,
  formatMetricWithUnit,
  formatMinutes,
  formatSigned,
} from '../../../src/workbench/report/format.ts'
import type { StudyInput } from '../../../src/workbench/report/input.ts'
import { changeOf } from '../../../src/workbench/report/model/what-if.ts'
import { readPageRuntime } from '../../../src/workbench/report/write.ts'
import { createDice } from '../../engine/jump/cases.ts'
import {
  COLOURS_ALONE,
  closePages,
  complaintsIn,
  findBrowser,
  openReport,
  type Reader,
  sharedBrowser,
} from '../../support/browser.ts'
import { FIXTURE_HASH } from '../../support/fixture-trials.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { inWords, isLong, share } from '../../support/share.ts'
import { sharedData } from '../../support/shared-data.ts'
import { buildReport } from './build-report.ts'
import { ethStudy } from './computed-study.ts'
import { idOf } from './section-table.ts'
import { inputOf, smallSection } from './sections.ts'

const browserPath = findBrowser()
const ether = sharedData('candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz')

/** The study on its candles and the same ones once more, for which the best was computed anew; of the others it is only said that they are worse. */
function ofTwiceThePeriod({ input, candles: half }: ReturnType<typeof ethStudy>) {
  const { study } = input
  const length = study.period.to - study.period.from
  const candles: Candles = {
    intervalMs: half.intervalMs,
    openTime: twice(half.openTime, length),
    open: twice(half.open),
    high: twice(half.high),
    low: twice(half.low),
    close: twice(half.close),
    volume: twice(half.volume),
  }
  const [first, ...others] = readFacts(input).ordered.trials
  const { conventions, costs } = study
  const { metrics } = backtest({ candles, config: first.config, conventions, costs, symbol: NO_SYMBOL_RULES })
  const section: StudyInput = {
    ...input,
    study: {
      ...study,
      period: { ...study.period, to: study.period.to + length },
      objective: { ...study.objective, where: [] },
    },
    trials: [
      { ...first, metrics },
      ...others.map((each) => ({ ...each, metrics: { ...each.metrics, netProfit: -1000 } })),
    ],
    candles: { kind: 'found', candles, interval: '1m', hash: FIXTURE_HASH, missing: 0 },
  }
  const last = readFacts(section).ordered.trials[104]
  return { section, best: idOf(first), last: idOf(last), deals: metrics.closedDeals + Number(metrics.openDeal) }
}

/** @param later of the second half, ms */
function twice(column: Float64Array, later = 0): Float64Array {
  const both = new Float64Array(2 * column.length)
  both.set(column)
  both.set(
    column.map((value) => value + later),
    column.length,
  )
  return both
}

/** As a link to it does; answers once it is shown. */
async function openTrial(page: Page, trial: string): Promise<void> {
  await page.evaluate(`location.hash = 'trial=${trial}'`)
  await shows(page, trial)
}

/** Waits until all of the drawer shows a trial, with changes as the address spells them; in the page, where a selector of Playwright costs more at each frame. */
async function shows(page: Page, trial: string, change = ''): Promise<void> {
  const name = [trial, change].join(' ').trim()
  await page.evaluate(`(async () => {
    const isShown = () => document.querySelector('.inspector')?.dataset.shown === ${JSON.stringify(name)}
    const isBusy = () => document.querySelector('.inspector section[aria-busy=true]') !== null
    while (!isShown() || isBusy()) await new Promise(requestAnimationFrame)
  })()`)
}

/** Of the ETH study: its whole period at length. */
const days = share({ usual: 8, long: 90 })

describe.skipIf(browserPath === undefined)('in Chromium', () => {
  const folder = temporaryFolder()
  let files = 0
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser(browserPath ?? '')
  })
  afterAll(async () => {
    await closePages(browser)
  })

  async function opened(section: StudyInput, reader: Reader = {}) {
    const file = join(folder, `${++files}.html`)
    writeFileSync(file, buildReport(inputOf(section), readPageRuntime()))
    return { file, ...(await openReport(browser, file, reader)) }
  }

  describe.skipIf(ether === undefined)(`on the ETH study, 105 trials on ${inWords(1440 * days)} minutes`, () => {
    let study: ReturnType<typeof ethStudy>
    let report: Awaited<ReturnType<typeof opened>>
    beforeAll(async () => {
      study = ethStudy(ether ?? '', days)
      report = await opened(study.input)
    })
    afterAll(async () => {
      await report?.page.close()
    })

    it('every trial opens, and what is computed there is what is stored', async () => {
      const every = study.input.trials.map(idOf)
      const ids = every.filter((_, index) => index % share({ usual: 35, long: 1 }) === 0)
      const twins: string[] = []
      const places: string[] = []
      for (const id of ids) {
        await report.page.evaluate(`location.hash = 'trial=${id}'`)
        await shows(report.page, id)
        twins.push((await report.page.getAttribute('[data-local]', 'data-local')) ?? '')
        places.push((await report.page.textContent('.inspector-head p')) ?? '')
      }
      const pasted = await report.page.textContent('.inspector .commands')
      expect(pasted).toContain(`dcalab show ${ids.at(-1)} --study ${study.input.study.name}`)
      const { ranked } = readFacts(study.input)
      expect(ranked.length < 105).toBe(!isLong) // eight days leave some of them without a rank, ninety none
      const placeOf = (id: string) => ranked.findIndex((trial) => idOf(trial) === id) + 1
      expect(places.map((words) => words.replace(/^.*: /, ''))).toEqual(
        ids
          .map(placeOf)
          .map((place) =>
            place === 0 ? expect.not.stringMatching(/^rank/) : `rank ${place} of ${ranked.length} by net profit`,
          ),
      )
      expect(twins).toEqual(ids.map(() => 'exact'))
      expect(every).toHaveLength(105)
      expect(report.trouble).toEqual([])
    })

    it('beside the service’s numbers all are computed again while the reader is near, and no longer', async () => {
      const { page } = report
      await page.evaluate("location.hash = ''")
      const progress = page.locator('.local-progress')
      expect(await progress.isVisible()).toBe(false)
      await page.getByText('Do two engines come to the same number?').click() // folded
      await page.evaluate(`document.querySelector('[data-live=localRuns]').scrollIntoView({ behavior: 'instant' })`)
      // leaves at the fourth, before the browser draws again
      await page.evaluate(`new Promise((left) => {
        const progress = document.querySelector('.local-progress')
        const leave = () => {
          if (Number(/\\d+/.exec(progress.textContent)) <= 3) return
          changes.disconnect()
          scrollTo({ top: 0, behavior: 'instant' })
          requestAnimationFrame(() => requestAnimationFrame(left))
        }
        const changes = new MutationObserver(leave)
        changes.observe(progress, { childList: true, characterData: true, subtree: true })
      })`)
      const words = ((await page.textContent('.local-progress')) ?? '').match(
        /Computed (\d+) of 105 trials\. It continues/,
      )
      await page.evaluate(`location.hash = 'trial=${idOf(study.input.trials[0])}'`)
      await shows(page, idOf(study.input.trials[0]))
      const later = ((await page.textContent('.local-progress')) ?? '').match(/Computed (\d+) of 105 trials/)
      expect(Number(later?.[1]) - Number(words?.[1])).toBeLessThanOrEqual(2) // one step may have been under way
      expect(await page.textContent('[data-live=localRuns]')).toMatch(/^So far all \d+ are what the service stated/)
      expect(report.trouble).toEqual([])
    })

    it('a what-if of any field is what a backtest makes of it', async () => {
      const dice = createDice(15)
      const base = study.input.trials[0]
      const trial = idOf(base)
      const changes = Array.from({ length: MOVES }, () => someChange(dice, base.config))
      await report.page.evaluate(`location.hash = 'trial=${trial}'`)
      await shows(report.page, trial)
      const shown = await report.page.evaluate<readonly Made[]>(
        `(${MOVE_ON})(${JSON.stringify([trial, changes.map(spell)])})`,
      )
      const { conventions, costs } = study.input.study
      for (const [move, change] of changes.entries()) {
        const config = { ...base.config, ...change }
        const { metrics } = backtest({ candles: study.candles, config, conventions, costs, symbol: NO_SYMBOL_RULES })
        const { netProfit, closedDeals } = shown[move]
        const isExact = Math.abs(netProfit - metrics.netProfit) <= 1e-9 * Math.max(1, metrics.volume)
        expect({ change, isExact, closedDeals }).toEqual({ change, isExact: true, closedDeals: metrics.closedDeals })
      }
      const met = new Set(changes.flatMap((change) => Object.keys(change)))
      expect([...met].sort()).toEqual(CONFIG_FIELDS.filter((field) => field !== 'leverage').sort())
      expect(report.trouble).toEqual([])
    })

    it('a slider that is moved changes the numbers at once, the address when it is let go, and one button takes it back', async () => {
      const { page } = report
      const trial = idOf(study.input.trials[0])
      await openTrial(page, trial)
      const before = await page.textContent('td[data-metric=netProfit]')
      const slider = page.getByRole('slider', { name: 'TP %, slider' })
      await slider.focus()
      await page.keyboard.press('ArrowRight')
      await expect.poll(() => page.textContent('td[data-metric=netProfit]')).not.toBe(before)
      await expect.poll(() => page.url()).toContain('if=takeProfit')
      await page.getByRole('button', { name: 'Back to the trial' }).click()
      await shows(page, trial)
      expect(await page.textContent('td[data-metric=netProfit]')).toBe(before)
      expect(new URL(page.url()).hash).not.toContain('if=')
    })

    it('while a slider is moved the numbers follow and the address waits; then come the neighbours, the value set among them', async () => {
      const { page } = report
      const { config } = study.input.trials[0]
      const trial = idOf({ config })
      await openTrial(page, trial)
      const curve = `[document.querySelector('.neighbours figcaption').textContent, getComputedStyle(document.querySelector('.neighbours .plot')).opacity]`
      await page.waitForSelector('.neighbours[aria-busy=false]')
      const slider = `document.querySelector('input[aria-label="TP %, slider"]')`
      await page.getByRole('slider', { name: 'TP %, slider' }).scrollIntoViewIfNeeded()
      // as while a hand holds it
      await page.evaluate(`${slider}.value = 2, ${slider}.dispatchEvent(new Event('input'))`)
      const { conventions, costs } = study.input.study
      const { metrics } = backtest({
        candles: study.candles,
        config: { ...config, takeProfit: 2 },
        conventions,
        costs,
        symbol: NO_SYMBOL_RULES,
      })
      await page.waitForSelector(`td[data-metric=closedDeals] data[value="${metrics.closedDeals}"]`)
      expect(new URL(page.url()).hash).toBe(`#trial=${trial}`)
      // what the reader sees follows at once, the rest when they rest
      const busy: unknown = await page.evaluate(
        `${slider}.dispatchEvent(new Event('change')), [...document.querySelectorAll('.inspector section[aria-busy=true]')].map(({ dataset }) => dataset.part)`,
      )
      expect(busy).toContain('metrics')
      expect(busy).not.toContain('what-if')
      // the curve that stands there is of the value before: dim until the new one is computed
      expect(await page.evaluate(curve)).toEqual([expect.stringMatching(/over TP %: computing …$/), '0.2'])
      await shows(page, trial, 'takeProfit=2')
      expect(await page.locator(`[data-part=metrics] data[value="${metrics.closedDeals}"]`).count()).toBe(1)
      await page.waitForSelector('.neighbours[aria-busy=false]')
      const [market, changed] = [
        { conventions, costs, symbol: NO_SYMBOL_RULES },
        { ...config, takeProfit: 2 },
      ]
      const prepared = prepareCandles(study.candles)
      const { best, basin, band } = factOfTakeProfits(prepared, market, changed, { from: 0.5, to: 4.1 })
      const [words, opacity] = await page.evaluate<readonly [string, string]>(curve)
      expect(opacity).toBe('1')
      for (const part of [
        `earns ${usdt(best.netProfit)}, at ${Number(best.to.toFixed(3))} %`,
        `Within 10 % of that: ${Number(basin.from.toFixed(3))} % to ${Number(basin.to.toFixed(3))} %`,
        `2 % is at percentile ${Math.round(band?.percentile ?? Number.NaN)} of the values within ± 5 %`,
        `their middle half earns ${usdt(band?.q1)} to ${usdt(band?.q3)}`,
      ]) {
        expect(plain(words)).toContain(part)
      }
      expect(await page.locator('.neighbours .now_marks path').count()).toBe(1)
      expect(await page.locator('.neighbours .band_marks path').count()).toBe(1)
      const starts = factOfStarts(prepared, market, changed)
      await page.waitForSelector('.starts[aria-busy=false]', { state: 'attached' })
      expect(plain((await page.textContent('.starts figcaption')) ?? '')).toContain(
        `${usdt(starts.reported)} is at percentile ${Math.round(starts.percentile)} of the 1,440 starts of the first day. The middle half (shaded) earned ${usdt(starts.q1)} to ${usdt(starts.q3)}.`,
      )
      expect(await page.locator('.starts .now_marks path, .starts .now_marks line').count()).toBe(2)
    })

    it('where the service says another number, the gap is named, and every what-if with it, which goes on to no other trial', async () => {
      const [first, ...others] = study.input.trials
      if (first.metrics === null) throw new Error('a computed trial has metrics')
      const spoilt = {
        ...first,
        metrics: { ...first.metrics, netProfit: (first.metrics.netProfit ?? 0) + 5, closedDeals: 7 },
      }
      const section = { ...study.input, trials: [spoilt, ...others.slice(0, 5)] }
      const { page } = await opened(section)
      const [trial, best] = [first, readFacts(section).ranked[0]].map(idOf)
      await page.evaluate(`location.hash = new URLSearchParams({ trial: '${trial}', if: 'takeProfit=2' })`)
      await shows(page, trial, 'takeProfit=2')
      const words = (await page.textContent('[data-local=differs]')) ?? ''
      expect(words).toContain('5.00\u00a0USDT less here (0.50\u00a0% of the investment)')
      expect(words).toContain('7 stored')
      expect(await page.textContent('.what-if-result caption')).toContain(
        'the page differs from the service by 5.00\u00a0USDT',
      )
      // neither by a link nor by an arrow
      await page.evaluate(`document.querySelector('a.on-screen[href^="#trial="]').click()`)
      const hash = () => new URL(page.url()).hash
      expect(hash()).toBe(`#trial=${best}`)
      await page.goBack()
      expect(hash()).toContain('if=takeProfit')
      await page.evaluate(`document.querySelector('[aria-label$="trial of the selection"]:not(:disabled)').click()`)
      expect(hash()).toMatch(/^#trial=[0-9a-f]+$/)
      await page.close()
    })

    it('a refused value says why in the words of the bound, and computes nothing', async () => {
      const { page } = report
      const trial = idOf(study.input.trials[0])
      await page.evaluate(`location.hash = new URLSearchParams({ trial: '${trial}', if: 'takeProfit=0' })`)
      await shows(page, trial, 'takeProfit=0')
      expect(await page.textContent('.field:has([aria-invalid=true]) .problem')).toBe(
        'TP %: expected more than 0, found 0',
      )
      expect(await page.textContent('td[data-metric=netProfit]')).toBe('–')
      for (const part of ['deals', 'ladder', 'equity', 'months', 'deal-list', 'metrics']) {
        const said = await page.locator(`[data-part=${part}]`).textContent()
        expect(said, part).toContain('this configuration is refused (TP %: expected more than 0, found 0)')
      }
    })

    it('a number that is typed is kept without Enter; a reload sweeps the field that was moved last, at the same place of the drawer', async () => {
      const { page } = report
      const trial = idOf(study.input.trials[0])
      await page.evaluate(`location.hash = new URLSearchParams({ trial: '${trial}', if: 'takeProfit=2' })`)
      await shows(page, trial, 'takeProfit=2')
      await page.locator('#if-dcaPriceScalePercent-number').pressSequentially('1')
      await expect.poll(() => page.url()).toMatch(/dcaPriceScalePercent%3D[0-9.]+$/)
      const top = () => page.evaluate("document.querySelector('[data-part=months]')?.getBoundingClientRect().top")
      await page.evaluate("document.querySelector('[data-part=months]').scrollIntoView()")
      await expect.poll(() => page.evaluate('history.state?.part ?? 0'), { timeout: 20_000 }).toBeGreaterThan(3) // kept once the reader rests
      const before = await top()
      await page.reload()
      await expect
        .poll(async () => Math.abs(Number(await top()) - Number(before)), { timeout: 20_000 })
        .toBeLessThan(40)
      await page.waitForSelector('.neighbours[aria-busy=false]')
      expect(await page.textContent('.neighbours figcaption')).toContain('over step %')
    })

    it('a decimal comma is a decimal point, and a value far from the study is said to be so', async () => {
      const { page } = report
      const trial = idOf(study.input.trials[0])
      await openTrial(page, trial)
      const field = page.locator('.field:has(#if-takeProfit-number)')
      await page.locator('#if-takeProfit-number').fill('2,5')
      await expect.poll(() => page.url()).toMatch(/takeProfit%3D2\.5$/)
      expect(await field.locator('.beyond').textContent()).toBe('')
      await page.locator('#if-takeProfit-number').press('ArrowUp')
      await expect.poll(async () => Number(await page.inputValue('#if-takeProfit-number'))).toBeGreaterThan(2.5)
      await page.locator('#if-takeProfit-number').press('ArrowDown')
      await expect.poll(() => page.url()).toMatch(/takeProfit%3D2\.5$/)
      await page.locator('#if-takeProfit-number').fill('1,500')
      await expect.poll(() => field.locator('.problem').textContent()).toContain('1,500 is ambiguous')
      await page.locator('#if-takeProfit-number').fill('25')
      await expect.poll(() => field.locator('.beyond').textContent()).toContain('25 is far from what the study tried')
      expect(await page.inputValue('#if-takeProfit-number')).toBe('25')
      await shows(page, trial, 'takeProfit=25')
    })

    it('an address that names no trial of the study says so, and Escape closes it', async () => {
      const { page } = report
      await page.evaluate(`location.hash = 'trial=zzzz'`)
      await page.locator('.no-such-trial').waitFor()
      expect(await page.textContent('.no-such-trial')).toContain('The address names the trial zzzz. Of the 105 trials')
      expect(await page.textContent('.inspector h2')).toBe('No such trial')
      await page.keyboard.press('Escape')
      await page.locator('.inspector').waitFor({ state: 'hidden' })
    })

    it('a deal of the list is shown on the chart with its ladder; keys, buttons and a range on the strip zoom', async () => {
      const { page } = report
      const trial = idOf(study.input.trials[0])
      await openTrial(page, trial)
      const status = page.locator('[data-part=deals] [role=status]')
      const { from, to } = study.input.study.period
      /** As the page writes the time after a part of the period. */
      const after = (part: number) => formatInstant(from + part * (to - from))
      const whole = `${after(0)} to ${after(1)}`
      expect(await status.textContent()).toBe(whole)
      await page.getByRole('button', { name: 'Show deal 2', exact: true }).click()
      await shows(page, trial)
      expect(await page.textContent('[data-part=ladder] caption')).toContain('As it stood for deal 2,')
      expect(await page.locator('[data-part=deals] .chosen_marks path').count()).toBe(1)
      expect(await status.textContent()).not.toBe(whole)
      await page.getByRole('cell', { name: '2025-05-20' }).first().click()
      await shows(page, trial)
      expect(await page.textContent('[data-part=ladder] caption')).toContain('As it stood for deal 1,')
      await page.getByRole('button', { name: 'Lasted', exact: true }).click()
      expect(await page.getAttribute('.deal-list th:has-text("Lasted")', 'aria-sort')).toBe('descending')
      const { conventions, costs } = study.input.study
      const { config } = study.input.trials[0]
      const asked = { config, conventions, costs, symbol: NO_SYMBOL_RULES }
      const { deals, openDeal } = backtest({ candles: study.candles, ...asked })
      const lasted = deals.map(({ openedAt, closedAt }) => closedAt + study.candles.intervalMs - openedAt)
      if (openDeal !== null) lasted.push(to - openDeal.openedAt)
      const shown = () => page.locator('.deal-list tbody td:nth-child(4)').allTextContents()
      const [longest] = await shown()
      await page.getByRole('button', { name: /^Lasted/ }).click() // the other way round
      expect([...(await shown()), longest]).toEqual(
        [...lasted.toSorted((a, b) => a - b).slice(0, 200), Math.max(...lasted)].map((ms) =>
          formatMinutes(ms / 60_000),
        ),
      )
      await page.locator('.deals-figure').focus()
      await page.keyboard.press('0')
      expect(await status.textContent()).toBe(whole)
      await page.getByRole('button', { name: 'Zoom in' }).click()
      expect(await status.textContent()).toBe(`${after(0.25)} to ${after(0.75)}`)
      await page.locator('.strip').scrollIntoViewIfNeeded()
      const strip = (await page.locator('.strip').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
      await page.mouse.move(strip.x + strip.width / 2, strip.y + 20)
      await page.mouse.down()
      await page.mouse.move(strip.x + strip.width, strip.y + 20, { steps: 4 })
      await page.mouse.up()
      const [begins, ends] = (await status.textContent())?.split(' to ') ?? []
      expect([begins.slice(0, 10), ends]).toEqual([after(0.5).slice(0, 10), after(1)])
      expect(await page.textContent('.inspector h2')).toBe(`Trial ${trial}`) // the keys of the chart go to no other trial
    })

    it.each<readonly [string, Reader]>([
      ['on a desk, by day and by night', {}],
      ...(isLong ? [['on a phone', { width: 360, touch: true }] as const] : []),
    ])('%s, axe-core finds nothing to complain of in it', async (_, reader) => {
      const { page } = 'touch' in reader ? await openReport(browser, report.file, reader) : report
      const trial = idOf(study.input.trials[0])
      await page.evaluate(`location.hash = new URLSearchParams({ trial: '${trial}', if: 'dcaInitialOrderSize=80' })`)
      await shows(page, trial, 'dcaInitialOrderSize=80')
      await page.evaluate(axe.source)
      expect(await page.evaluate(complaintsIn(DRAWER))).toEqual([])
      if (page !== report.page) return page.close()
      await page.emulateMedia({ colorScheme: 'dark' })
      expect(await page.evaluate(complaintsIn(DRAWER, COLOURS_ALONE))).toEqual([])
      await page.emulateMedia({ colorScheme: 'light' })
    })

    it('all metrics stand side by side on a desk, and below each other on a phone; an opened one has the whole width', async () => {
      const { page } = report
      const trial = idOf(study.input.trials[0])
      await openTrial(page, trial)
      const lefts = () =>
        page.evaluate<readonly number[]>(
          `[...new Set([...document.querySelectorAll('.all-metrics tbody tr')].map((row) => Math.round(row.getBoundingClientRect().left)))]`,
        )
      await page.locator('.all-metrics').scrollIntoViewIfNeeded()
      expect((await lefts()).length).toBeGreaterThanOrEqual(2)
      expect(await page.getByRole('table', { name: 'Open a name to read what it means.' }).count()).toBe(1)
      expect(await page.getByRole('rowheader').filter({ hasText: 'ROI, % of investment' }).count()).toBe(1)
      const row = page.locator('.all-metrics tr', { hasText: 'ROI on used capital, % of max used' })
      const before = (await row.boundingBox())?.width ?? 0
      await row.locator('summary').click()
      expect((await row.boundingBox())?.width).toBeGreaterThan(1.9 * before)
      await row.locator('summary').click()
      await page.setViewportSize({ width: 360, height: 900 })
      expect(await lefts()).toHaveLength(1)
      await page.setViewportSize({ width: 1280, height: 900 })
    })

    it('on a phone the list of deals is as long as its deals, one below the other, and nothing hangs over the edge', async () => {
      const { page } = report
      const trial = idOf(study.input.trials[0])
      await openTrial(page, trial)
      const list = page.locator('.deal-list')
      const unseen = () => list.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)
      expect(await unseen()).toBeGreaterThan(500)
      await page.setViewportSize({ width: 360, height: 900 })
      await list.scrollIntoViewIfNeeded()
      expect(await unseen()).toBe(0)
      const [first, second] = await Promise.all([0, 1].map((row) => list.locator('tbody tr').nth(row).boundingBox()))
      expect((second?.y ?? 0) - (first?.y ?? 0)).toBeCloseTo(first?.height ?? 0, 0)
      expect(await page.evaluate(OVERHANG)).toBe(0)
      await page.setViewportSize({ width: 1280, height: 900 })
    })

    // Twice the period takes half a minute; that thinned candles make the same deals is held in run-trial.test.ts each time.
    it.skipIf(!isLong)(
      'of a long period the deals of the best 50 are computed, and of others only the price is shown',
      async () => {
        const { section, best, last, deals } = ofTwiceThePeriod(study)
        const { page, trouble } = await opened(section)
        await openTrial(page, best)
        expect(await page.textContent('[data-local=exact]')).toContain(
          'equity, drawdown and a what-if are not: all 259,200',
        )
        expect(await page.textContent('[data-part=deal-list] caption')).toContain(`${deals} deals, amounts in USDT`)
        expect(await page.textContent('[data-part=equity]')).toContain('By the minute it is not computed here')
        expect(await page.textContent('[data-part=what-if] .empty')).toContain('No what-if: all 259,200 candles')
        await page.getByRole('button', { name: 'Show deal 2', exact: true }).click()
        await shows(page, best)
        expect(await page.locator('[data-part=deals] .marks_marks path').count()).toBeGreaterThan(1)
        await openTrial(page, last)
        expect(await page.textContent('[data-local=refused]')).toContain('of the best 50 trials')
        expect(await page.textContent('[data-part=deals]')).toContain('No deals: all 259,200 candles')
        expect(await page.locator('[data-part=deals] .closes_marks path').count()).toBe(1)
        expect(await page.locator('[data-part=deals] .marks_marks path').count()).toBe(0)
        await page.evaluate(`location.hash = new URLSearchParams({ trial: '${best}', if: 'takeProfit=2' })`)
        await shows(page, best, 'takeProfit=2')
        expect(await page.textContent('[data-part=metrics] caption')).toContain('Nothing is computed: all 259,200')
        const twins = page.locator('.check:has-text("agree on every trial")')
        expect(await twins.textContent()).toContain('the candles of the best 50 trials only')
        expect(await twins.textContent()).toContain('of 50 trials')
        expect(trouble).toEqual([])
        await page.close()
      },
    )

    it('two pinned trials lie over each other with the amount held, also after a reload', async () => {
      const { page } = report
      const first = await rankedFingerprint(page, 0)
      await openTrial(page, first)
      const pin = page.getByRole('button', { name: 'Pin to compare' })
      await pin.click()
      await page.getByRole('button', { name: 'Next trial of the selection' }).click()
      await pin.click()
      await page.getByRole('button', { name: 'Pinned to compare' }).waitFor()
      const pins = () => new URLSearchParams(new URL(page.url()).hash.slice(1)).get('pins')?.split(',') ?? []
      await expect.poll(pins).toEqual([first, expect.stringMatching(/^[0-9a-f]{8}$/)]) // the address waits for what follows
      const names = pins()
      await page.keyboard.press('Escape')
      await page.reload()
      await page.evaluate("document.getElementById('compare').scrollIntoView()")
      const plot = page.locator('.pinned .plot[role=img]')
      await plot.locator('.points_marks, [class*=points]').first().waitFor({ state: 'attached' })
      expect(await plot.getAttribute('aria-label')).toMatch(new RegExp(`${names[0]} .*, ${names[1]} `))
      expect(await plot.locator('path[stroke="var(--hold)"]').count()).toBe(1)
      expect(await page.locator('.pinned thead button').count()).toBe(2)
      await page.getByRole('button', { name: `Unpin ${names[0]}` }).click()
      await expect.poll(() => page.locator('.pinned thead button').count()).toBe(1)
    })

    it('a tab leads to its part, and stays there while parts above it are drawn', async () => {
      const { page } = report
      // after the reload before this test no part of the drawer has been drawn
      await openTrial(page, await rankedFingerprint(page, 1))
      await page.getByRole('button', { name: 'Equity', exact: true }).click()
      await page.waitForSelector('.inspector:not(:has(section[aria-busy=true], figure[aria-busy=true]))')
      const below = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(
        document.querySelector('[data-part=equity]').getBoundingClientRect().top -
        document.querySelector('.inspector-contents').getBoundingClientRect().bottom))))`
      expect(Math.abs(await page.evaluate<number>(below))).toBeLessThan(30)
    })

    it('keys leave the focus where they were pressed, a change is said once, and a link begins at the head that it names', async () => {
      const { page } = report
      const trial = await rankedFingerprint(page, 2)
      const focused = () =>
        page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent')
      const press = async (name: string): Promise<void> => {
        await page.getByRole('button', { name, exact: true }).focus()
        await page.keyboard.press('Enter')
      }
      await page.evaluate("location.hash = 'provenance'")
      await expect.poll(focused).toBe('Provenance')
      await page.evaluate(`location.hash = 'trial=${trial}'`)
      await page.reload()
      await shows(page, trial)
      expect(await focused()).toBe(`Trial ${trial}`)
      await press('Pin to compare')
      await expect.poll(focused).toBe('Pinned to compare')
      await page.keyboard.press('Enter')
      await expect.poll(focused).toBe('Pin to compare')
      await press('Show deal 2')
      await shows(page, trial)
      expect(await focused()).toBe('Show deal 2')
      const status = page.locator('[data-part=what-if] [role=status]')
      expect(await status.textContent()).toBe('')
      await page.getByRole('slider', { name: 'TP %, slider' }).focus()
      await page.keyboard.press('ArrowRight')
      await expect
        .poll(async () => plain((await status.textContent()) ?? ''))
        .toMatch(/^What if TP % [\d.]+: net profit \S+ USDT, stored \S+ USDT; max drawdown \S+ %, stored \S+ %\.$/)
      await press('Back to the trial')
      await shows(page, trial)
      expect(await page.evaluate('document.activeElement.dataset.part')).toBe('what-if') // the button can do nothing more
      await expect.poll(() => status.textContent()).toMatch(/^As stored: net profit/)
    })

    it('another fee moves the places of all visible trials to where backtests put them', async () => {
      const { page } = report
      await page.evaluate("location.hash = 'filter=takeProfit>1'")
      const costs = page.locator('.other-costs')
      await costs.locator('summary').click()
      await costs.locator('tbody tr').first().waitFor()
      await page.evaluate(`(() => {
        const fee = document.querySelector('.other-costs input')
        fee.value = 0.4
        fee.dispatchEvent(new Event('input'))
      })()`)
      const { conventions } = study.input.study
      const visible = study.input.trials.filter(({ config }) => config.takeProfit > 1)
      const placed = visible
        .map(({ config }) => {
          const asked = { config, conventions, costs: { feePercent: 0.4, slippagePercent: 0 }, symbol: NO_SYMBOL_RULES }
          return {
            name: idOf({ config }),
            made: backtest({ candles: study.candles, ...asked }).metrics.netProfit,
          }
        })
        .sort((a, b) => b.made - a.made || (a.name < b.name ? -1 : 1))
        .slice(0, 10)
      const shown = () =>
        costs
          .locator('tbody tr')
          .evaluateAll((rows) => rows.map((row) => [row.children[2].textContent, row.children[3].textContent]))
      await expect
        .poll(shown, { timeout: 20_000 })
        .toEqual(placed.map(({ name, made }) => [name, formatSigned(made, 2)]))
      expect(await costs.locator('p').textContent()).toContain(`${visible.length} visible trials`)
      await costs.locator('summary').click()
    })

    it('arrows go through the selection, Escape closes, and the focus is where it was', async () => {
      const { page } = report
      const profits = study.input.trials.map(({ metrics }) => metrics?.netProfit ?? Number.NaN)
      const selected = `filter=netProfit>${profits.toSorted((a, b) => b - a)[9].toFixed(2)}`
      await page.evaluate(`location.hash = '${selected}'`)
      await page.locator('a[href^="#"]').first().focus()
      await page.evaluate(`location.hash = '${selected}&trial=${await rankedFingerprint(page, 0)}'`)
      await page.waitForSelector('.inspector:not([hidden])')
      const names = [await page.textContent('.inspector h2')]
      for (let step = 0; step < 2; step++) {
        await page.keyboard.press('ArrowRight')
        names.push(await page.textContent('.inspector h2'))
      }
      expect(new Set(names).size).toBe(3)
      await page.keyboard.press('Escape')
      expect(await page.isHidden('.inspector')).toBe(true)
      expect(await page.evaluate('document.activeElement.tagName')).toBe('A')
    })
  })

  it('without candles the stored numbers are shown, and the reason why nothing is computed; nothing hangs over the edge, on a desk and on a phone', async () => {
    const section = smallSection()
    const { page, trouble } = await opened(section, { touch: true })
    const trial = idOf(section.trials[0])
    await openTrial(page, trial)
    expect(await page.textContent('[data-local=refused]')).toContain('no local candles of this market cover the period')
    expect(await page.textContent('[data-part=what-if]')).toContain('No what-if: no local candles')
    expect(await page.textContent('.check:has-text("agree on every trial")')).toContain('Refused: no local candles')
    expect(await page.textContent('[data-part=deals] .empty')).toContain('No deals: no local candles')
    expect(await page.locator('[data-part=months] tbody tr').count()).toBe(2)
    expect(await page.textContent('[data-part=equity]')).toContain('The worst moment')
    expect(await page.locator('[data-part=equity] figure:visible').count()).toBe(2)
    expect(await page.locator('[data-part=metrics] tbody tr').count()).toBeGreaterThan(40)
    expect(await page.textContent('[data-part=ladder] caption')).toContain('percent')
    expect(await page.evaluate(OVERHANG)).toBe(0)
    await page.setViewportSize({ width: 360, height: 900 })
    await expect.poll(() => page.evaluate(OVERHANG)).toBe(0) // once the charts have the new width
    expect(trouble).toEqual([])
    await page.close()
  })
})

/** By how much the drawer is wider than its reader sees. */
const OVERHANG = "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.inspector'))"

/** For axe: all of the drawer, but of each long table the first rows, which the others are like. */
const DRAWER = isLong
  ? "'.inspector'"
  : "{ include: [['.inspector']], exclude: [['.inspector tbody tr:nth-child(n+9)']] }"

const plain = (text: string) => text.replaceAll('\u00a0', ' ')
const usdt = (value: number | undefined) => plain(formatMetricWithUnit('netProfit', value ?? null, USDT))
const USDT = { asset: 'USDT', decimals: 2 }

const MOVES = share({ usual: 25, long: 200 })

async function rankedFingerprint(page: Page, place: number): Promise<string> {
  const text = await page.locator('.ranking tbody code').nth(place).textContent()
  return (text ?? '').slice(0, 12)
}

interface Made {
  readonly netProfit: number
  readonly closedDeals: number
}

/** Runs in the page: goes to one change after the other by the address, and reads what the drawer says. */
const MOVE_ON = `async ([trial, changes]) => {
  const drawer = document.querySelector('.inspector')
  const valueOf = (metric) => Number(drawer.querySelector('td[data-metric=' + metric + '] data').value)
  const part = drawer.querySelector('[data-part=what-if]')
  const shows = async (name) => {
    while (drawer.dataset.shown !== name || part.ariaBusy === 'true') await new Promise(requestAnimationFrame)
  }
  part.scrollIntoView() // what is out of view follows later
  const made = []
  for (const change of changes) {
    location.hash = new URLSearchParams({ trial, if: change })
    await shows(trial + ' ' + change)
    made.push({ netProfit: valueOf('netProfit'), closedDeals: valueOf('closedDeals') })
  }
  return made
}`

function spell(change: Partial<DcaSpotConfig>): string {
  return CONFIG_FIELDS.flatMap((field) => (change[field] === undefined ? [] : [`${field}=${change[field]}`])).join(' ')
}

/** One or two fields elsewhere, in few digits, as a hand would set them. */
function someChange(dice: ReturnType<typeof createDice>, stored: DcaSpotConfig): Partial<DcaSpotConfig> {
  const tenths = (from: number, to: number) => dice.whole(10 * from, 10 * to) / 10
  const make: Readonly<Partial<Record<ConfigField, () => number>>> = {
    investment: () => dice.whole(200, 3000),
    dcaTotalBudget: () => dice.whole(50, 3000),
    dcaInitialOrderSize: () => dice.whole(5, 400),
    dcaMaxSafetyOrders: () => dice.whole(0, 20),
    dcaPriceScalePercent: () => tenths(0.2, 6),
    dcaVolumeScale: () => tenths(0.5, 2.5),
    dcaPriceStepMultiplier: () => tenths(0.5, 2),
    takeProfit: () => tenths(0.1, 8),
    stopLoss: () => tenths(0.5, 40),
  }
  const fields = Object.entries(make)
  const chosen = [dice.of(fields), dice.of(fields)].slice(dice.whole(0, 1))
  return changeOf(stored, Object.fromEntries(chosen.map(([field, value]) => [field, value()])))
}
