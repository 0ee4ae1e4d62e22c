/** The README's first promise: one command does the whole job, and a second one spends nothing. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { INTERVALS, type Interval } from '../../src/contract/market.ts'
import { sliceCandles } from '../../src/engine/candles.ts'
import { closePages, findBrowser, openReport, sharedBrowser } from '../support/browser.ts'
import { readCsvCandles } from '../support/csv-candles.ts'
import { type Desk, type Ended, projectRoot } from '../support/dcalab.ts'
import { deskInProcess } from '../support/program.ts'
import { expectReasonsRecomputed, expectRecomputed } from '../workbench/verdict/recomputed.ts'

const browserPath = findBrowser()

let at: Desk
let first: Ended
let second: Ended

beforeAll(async () => {
  at = deskInProcess()
  first = await at.dcalab(['demo', '--json'])
  second = await at.dcalab(['demo', '--json'])
})

describe('dcalab demo', () => {
  it('runs at least 60 trials over HTTP to the end, for at most 85 requests per 60', () => {
    expect(first).toMatchObject({ code: 0 })
    const { run } = JSON.parse(first.stdout)
    expect(run.trials.done).toBeGreaterThanOrEqual(60)
    expect(run.trials).toMatchObject({ done: run.trials.total, failed: 0, reused: 0, pending: 0 })
    expect(run.requests).toBeLessThanOrEqual(run.trials.total + 25)
    expect(run.stoppedBy).toBeNull()
  })

  it('leaves a report and a demo bot', () => {
    const { report, promotion } = JSON.parse(first.stdout)
    const html = readFileSync(join(at.folder, report.path), 'utf8')
    expect(html).toContain('<html')
    expect(report.trials).toBeGreaterThanOrEqual(60)
    expect(promotion).toMatchObject({ isDemo: true, created: true, reused: false })
  })

  it('is judged as the README shows it', () => {
    const { headline, sentence } = JSON.parse(first.stdout).verdict
    const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8').replaceAll(/\s+/g, ' ')
    expect(readme).toContain(`${headline.toUpperCase()}. ${sentence}`)
  })

  it('comes out the same a second way: stretches on its hours, fills and reasons on its minutes', async () => {
    const { stdout } = await at.dcalab(['verdict', 'demo', '--stretches', '--json'])
    const verdict = JSON.parse(stdout)
    const { config, period, metrics } = JSON.parse((await at.dcalab(['show', verdict.trial, '--json'])).stdout)
    const candlesOf = async (interval: Interval) => {
      const file = join(at.folder, `${interval}.csv.gz`)
      const { code } = await at.dcalab(['candles', 'export', verdict.market, '--interval', interval, '--out', file])
      expect(code).toBe(0)
      return readCsvCandles(file, INTERVALS[interval])
    }
    const [hours, minutes] = [await candlesOf('1h'), await candlesOf('1m')]
    expectRecomputed(verdict, { candles: hours, config, every: 6 })
    const candles = sliceCandles(minutes, Date.parse(period.from), Date.parse(period.to))
    expectReasonsRecomputed(verdict, { candles, config, rivals: [], reported: metrics.netProfit })
  })

  it.skipIf(browserPath === undefined)('draws its report offline in Chromium without an error', async () => {
    const browser = await sharedBrowser(browserPath ?? '')
    try {
      const { page, trouble } = await openReport(browser, join(at.folder, 'reports/demo.html'))
      await page.evaluate("dispatchEvent(new Event('beforeprint'))") // charts further down are drawn when one comes near
      for (const name of ['equity', 'drawdown', 'scatter', 'heat', 'importance', 'parallel']) {
        await page.locator(`#plot-${name} svg, [data-live=${name}] svg, [data-live=${name}] canvas`).first().waitFor()
      }
      expect(await page.locator('.plot svg').count()).toBe(3) // the three of the explorer draw themselves
      expect(await page.locator('svg path[aria-roledescription], svg .mark-symbol path').count()).toBeGreaterThan(60)
      expect(trouble).toEqual([])
    } finally {
      await closePages(browser)
    }
  })

  it('submits nothing the second time and finds its bot again', () => {
    expect(second).toMatchObject({ code: 0 })
    const { run, promotion } = JSON.parse(second.stdout)
    expect(run.trials.reused).toBe(run.trials.total)
    expect(run.requests).toBeLessThanOrEqual(5)
    expect(promotion).toMatchObject({ created: false, reused: true, botId: JSON.parse(first.stdout).promotion.botId })
  })

  it('leaves the researcher’s own 100 untouched', async () => {
    const { code, stdout } = await at.dcalab(['service', 'limits', '--json'])
    expect(code).toBe(0)
    const { ledger, service } = JSON.parse(stdout)
    expect(ledger).toMatchObject({ limit: 100, used: 0, available: 100 })
    expect(service).toMatchObject({ limit: 100, used: 0, remaining: 100 })
  })

  it('says what to open and which commands to try, and each of them works as it is printed', async () => {
    const { stdout } = await at.dcalab(['demo'])
    expect(stdout).toContain('open  reports/demo.html')
    const printed = printedCommands(stdout)
    const ended = new Map<string, Ended>()
    for (const words of printed) ended.set(words.slice(0, 2).join(' '), await at.dcalab(words))
    expect([...ended.values()].filter(({ code }) => code !== 0)).toEqual([])
    const rows =
      [...ended]
        .find(([name]) => name.startsWith('sql'))?.[1]
        .stdout.trimEnd()
        .split('\n') ?? []
    expect(rows).toHaveLength(2 + 10)
    expect(ended.get('bots list')?.stdout).toContain(JSON.parse(first.stdout).promotion.botId)
  })

  it('has a bot of its own account: the researcher has none, and is told how to name another owner', async () => {
    const { stderr } = await at.dcalab(['bots', 'list'])
    expect(stderr).toContain('no bots of researcher@localhost; --user names another owner')
  })
})

/** The words after `dcalab`, quoted ones without their quotes: those that every shell understands alike. */
function printedCommands(text: string): string[][] {
  const lines = [...text.matchAll(/try {3}dcalab (.+)$/gm)].map(([, line]) => line)
  expect(lines.length).toBeGreaterThanOrEqual(3)
  return lines.map((line) => [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain))
}
