import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { buildReport } from '../../../src/workbench/report/build.ts'
import type { ReportInput } from '../../../src/workbench/report/input.ts'
import { readPageRuntime } from '../../../src/workbench/report/runtime.ts'
import { fixtureStudy, fixtureTrials } from '../../support/fixture-trials.ts'
import { attribute, elementsOf, textOf, visibleText } from './document.ts'
import { failedTrial, inputOf, NO_RUNTIME, sectionOf, smallSection } from './sections.ts'

function page(input: ReportInput) {
  const html = buildReport(input, NO_RUNTIME)
  const elements = elementsOf(html)
  return { html, elements, text: visibleText(html) }
}

function tags(elements: ReturnType<typeof elementsOf>, name: string) {
  return elements.filter(({ tagName }) => tagName === name)
}

describe('the answer', () => {
  const { text } = page(inputOf(sectionOf()))

  it('names the best trial, buy & hold and the number of looks in one sentence', () => {
    expect(text).toMatch(
      /Of the 96 configurations of this study with a result, the best by net profit, [0-9a-f]{12}, made \+\d+\.\d\d USDT \(\+\d+\.\d\d % of the investment; \+\d+\.\d\d % of the capital in use on average\) with a maximum drawdown of \d+\.\d\d % over \d+ closed deals \((small sample, under 107|small sample, \d+ to \d+|sample of \d+ to \d+|sample of 385\+)\)\. Buy & hold made −28\.86 % over the same period, with a drawdown of \d+\.\d\d %; with no more capital in use than the best had on average, −\d+\.\d\d %\./,
    )
  })

  it('says when results are simulated and candles generated, and is silent when they are not', () => {
    expect(text).toContain('Simulated.')
    expect(text).not.toContain('Synthetic candles.')
    const real = sectionOf().trials.map((trial) => ({ ...trial, simulated: false }))
    expect(page(inputOf(sectionOf(fixtureStudy(), { trials: real }))).text).not.toContain('Simulated.')
    const generated = sectionOf().trials.map((trial) => ({
      ...trial,
      candles: { interval: '1m', count: 40_320, missing: 0, hash: 'aa', synthetic: true },
    }))
    expect(page(inputOf(sectionOf(fixtureStudy(), { trials: generated }))).text).toContain('Synthetic candles.')
  })

  it('says of every share of one profit what it is of, where several stand side by side', () => {
    expect(text).toContain('Profit per capital in use % of average used')
    expect(text).toContain('ROI % of investment')
    expect(text).toContain('Max drawdown %Profit') // by its name of the peak
  })

  it('says once, where the period stands, that its times are UTC', () => {
    expect(text).toContain('Period2021-04-21 to 2021-05-19 (28 days, UTC)')
    expect(text).toContain('All times are UTC.')
  })

  it('says of the best five over time that no filter changes them', () => {
    expect(text).toContain('The filter has no part in it: these are the best of all trials.')
  })

  it('names other services a study was run on, whose results it leaves out', () => {
    expect(
      page(inputOf(sectionOf(fixtureStudy(), { otherServices: [{ name: 'bots.example', done: 12, total: 96 }] }))).text,
    ).toContain('This study was also run on bots.example (12 of 96 done). Those results are left out')
  })

  it('of a study whose trials are all outside of its bounds is that none meets them, with the reason', () => {
    const where = [{ metric: 'closedDeals', bounds: { min: 100_000 } }] as const
    const study = fixtureStudy({ objective: { direction: 'maximize', metric: 'netProfit', where } })
    const { text: none } = page(inputOf(sectionOf(study)))
    expect(none).toContain('None of the 96 configurations of this study with a result meets the objective’s bounds')
    expect(none).toMatch(/Closed deals \d+ \(at least 100000\)/)
    expect(none).toContain('Outside of the objective’s bounds: 96 trials')
  })
})

describe('a report', () => {
  const trials = fixtureTrials()
  const mixed = [
    failedTrial(trials[0], 'InvalidPayload: dcaTotalBudget: the ladder costs 1,004.20'),
    { ...trials[1], state: 'planned' as const, metrics: null },
    { ...trials[2], metricFlags: { sharpe: 'the reply says "NaN"' } },
    ...trials.slice(3),
  ]
  const { html, elements, text } = page(inputOf(sectionOf(fixtureStudy(), { trials: mixed })))

  it('accounts for every trial: done, failed in the service’s words, pending', () => {
    expect(text).toContain('InvalidPayload: dcaTotalBudget: the ladder costs 1,004.20')
    const facts = new Map(
      tags(elements, 'div')
        .filter(({ childNodes }) => childNodes[0]?.nodeName === 'dt')
        .map(({ childNodes }) => [textOf(childNodes[0]), textOf(childNodes[1])]),
    )
    expect([facts.get('Done'), facts.get('Failed'), facts.get('Pending')]).toEqual(['94', '1', '1'])
    expect(facts.get('Submissions')).toBe('97, 1 refused')
    expect(facts.get('Requests')).toBe('118')
  })

  it('says how each number was made', () => {
    for (const words of [
      'fee 0.1 %',
      'intrabar pessimistic',
      '40,315 of 1m',
      '5 candles missing',
      '3 to 5 candles per trial, while a deal was open',
      'deal still open',
    ]) {
      expect(text).toContain(words)
    }
    expect(text).toContain('1 number could not be read')
    expect(text).toContain('sharpe: the reply says "NaN"')
  })

  it('says of the best trial what its data lack, and nothing when every candle was there', () => {
    expect(text).toMatch(/The data lack [35] candles at times when it held a position/)
    const whole = trials.map(({ metrics, ...trial }) => ({
      ...trial,
      metrics: metrics === null ? null : { ...metrics, missingInDeals: 0 },
    }))
    const { text: complete } = page(inputOf(sectionOf(fixtureStudy(), { trials: whole })))
    expect(complete).not.toContain('The data lack')
    expect(complete).toContain('none: while a deal was open, every candle was there')
  })

  it('loads nothing and allows exactly its own scripts and style', () => {
    const addresses = elements.flatMap((element) =>
      ['src', 'href', 'action', 'srcset'].flatMap((name) => attribute(element, name) ?? []),
    )
    expect(addresses.filter((address) => !address.startsWith('#'))).toEqual(['data:,'])
    const policy = tags(elements, 'meta').map((meta) => attribute(meta, 'content') ?? '')
    const csp = policy.find((content) => content.startsWith('default-src')) ?? ''
    const inline = [
      ...tags(elements, 'script').filter((script) => attribute(script, 'type') === undefined),
      ...tags(elements, 'style'),
    ]
    expect(inline).toHaveLength(3)
    for (const element of inline) {
      expect(csp).toContain(`'sha256-${createHash('sha256').update(textOf(element)).digest('base64')}'`)
    }
    expect(csp).toContain("default-src 'none'")
    expect(csp).toContain("connect-src 'none'")
    expect(csp).not.toContain('unsafe')
  })

  it('can be read without eyes: one h1, no skipped level, a caption for every table, words for every chart', () => {
    const levels = elements.flatMap(({ tagName }) => (/^h[1-6]$/.test(tagName) ? [Number(tagName[1])] : []))
    expect(levels.filter((level) => level === 1)).toHaveLength(1)
    levels.forEach((level, index) => {
      expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1)
    })
    for (const table of tags(elements, 'table'))
      expect(table.childNodes.map(({ nodeName }) => nodeName)).toContain('caption')
    for (const plot of elements.filter((element) => attribute(element, 'role') === 'img')) {
      expect(attribute(plot, 'aria-label')?.length).toBeGreaterThan(10)
    }
    const ids = elements.flatMap((element) => attribute(element, 'id') ?? [])
    expect(new Set(ids).size).toBe(ids.length)
    const links = tags(elements, 'a').flatMap((link) => attribute(link, 'href') ?? [])
    const known = new Set([...ids, ...trials.map(({ fingerprint }) => `trial=${fingerprint.slice(0, 12)}`)])
    for (const link of links) expect(known).toContain(link.slice(1))
  })

  it('is the same text for the same input', () => {
    expect(buildReport(inputOf(sectionOf(fixtureStudy(), { trials: mixed })), NO_RUNTIME)).toBe(html)
  })
})

it('without results is one sentence, what was asked, and what failed: no section is empty', () => {
  const never = page(inputOf(sectionOf(fixtureStudy(), { trials: [], identity: null, service: null, spending: null })))
  expect(headingsOf(never.elements)).toEqual(['What it cost'])
  const allFailed = sectionOf().trials.map((trial) => failedTrial(trial, 'no'))
  const failed = page(inputOf(sectionOf(fixtureStudy(), { trials: allFailed })))
  expect(headingsOf(failed.elements)).toEqual(['Trials without a result', 'What it cost'])
  expect(failed.text).toContain('No result yet: 0 configurations to come, 96 failed.')
  for (const { text, elements } of [never, failed]) {
    expect(text).not.toContain('No data:')
    expect(
      elements.filter((element) =>
        ['plot', 'verdict-figures', 'price-strip', 'doubt-chips', 'empty'].includes(attribute(element, 'class') ?? ''),
      ),
    ).toEqual([])
  }
})

function headingsOf(elements: ReturnType<typeof elementsOf>): string[] {
  return tags(elements, 'h2').map(textOf)
}

it('of results that keep no daily equity has no section about it', () => {
  const trials = fixtureTrials().map((trial) => ({ ...trial, metrics: { ...trial.metrics, dailyEquity: [] } }))
  const { elements } = page(inputOf(sectionOf(fixtureStudy(), { trials })))
  expect(headingsOf(elements)).not.toContain('The best five over time')
  expect(headingsOf(page(inputOf(sectionOf())).elements)).toContain('The best five over time')
})

it('without local candles says that buy & hold is not drawn, and why', () => {
  const hold = { kind: 'absent', reason: 'no candles of binance/BTC-USDT are stored' } as const
  expect(page(inputOf(smallSection({ hold }))).text).toContain(
    'Buy & hold is not drawn: no candles of binance/BTC-USDT are stored. The results state −28.86 % for the whole period.',
  )
})

it('says when local candles are not those of the results', () => {
  const { hold } = smallSection()
  if (hold.kind === 'absent') throw new Error('the fixture has candles')
  expect(page(inputOf(smallSection({ hold: { ...hold, hash: 'f'.repeat(64) } }))).text).toContain(
    'which are not exactly the data of the results',
  )
})

it('of several studies compares them in one table and keeps each with its own service', () => {
  const other = sectionOf(fixtureStudy({ name: 'eth' }), {
    identity: 'embedded:second',
    service: { name: 'embedded:second', done: 96, total: 96 },
  })
  const { elements, text } = page(inputOf(sectionOf(), other))
  expect(tags(elements, 'article')).toHaveLength(2)
  expect(text).toContain('The studies side by side')
  expect(text).toContain('embedded:second')
  const ids = elements.flatMap((element) => attribute(element, 'id') ?? [])
  expect(new Set(ids).size).toBe(ids.length)
})

it('numbers a service could not make readable are dashes, never zeros', () => {
  // the store answers null inside of metrics for numbers it could not read
  const blind = smallSection().trials.map((trial) => ({
    ...trial,
    metrics: JSON.parse(
      JSON.stringify({ ...trial.metrics, sharpe: null, buyAndHoldPercent: null, maxDrawdownPercent: null }),
    ),
  }))
  const { text } = page(inputOf(smallSection({ trials: blind })))
  expect(text).toContain('What buy & hold made is not in the results.')
  expect(text).not.toMatch(/NaN|undefined|Infinity|\[object/)
})

it('with 500 trials over two years stays below 1.7 MB with everything inside', () => {
  const study = fixtureStudy({
    period: { from: Date.parse('2022-01-01'), to: Date.parse('2024-01-01') },
    axes: [
      { field: 'dcaMaxSafetyOrders', values: [2, 3, 4, 5, 6] },
      { field: 'dcaPriceScalePercent', values: [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 3] },
      { field: 'takeProfit', values: [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 3] },
    ],
  })
  const html = buildReport(inputOf(sectionOf(study)), readPageRuntime())
  expect(Buffer.byteLength(html)).toBeLessThan(1_700_000)
})
