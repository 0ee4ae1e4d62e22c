import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ReportInput } from '../../../src/workbench/report/input.ts'
import { readPageRuntime } from '../../../src/workbench/report/write.ts'
import { fixtureStudy, fixtureTrials } from '../../support/fixture-trials.ts'
import { buildReport } from './build-report.ts'
import { attribute, elementsOf, textOf, visibleText } from './document.ts'
import { idOf } from './section-table.ts'
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

  it('says when candles are generated and when no exchange took part, and is silent when they are not', () => {
    expect(text).toContain('our own: no exchange took part')
    expect(text).not.toContain('Synthetic candles.')
    const real = sectionOf().trials.map((trial) => ({ ...trial, simulated: false }))
    expect(page(inputOf(sectionOf(fixtureStudy(), { trials: real }))).text).not.toContain('our own')
    const generated = sectionOf().trials.map((trial) => ({
      ...trial,
      candles: { interval: '1m', count: 40_320, missing: 0, hash: 'aa', synthetic: true },
    }))
    expect(page(inputOf(sectionOf(fixtureStudy(), { trials: generated }))).text).toContain('Synthetic candles.')
  })

  it('says of every share of one profit what it is of, where several stand side by side', () => {
    expect(text).toContain('Profit per capital used % of average used')
    expect(text).toContain('ROI % of investment')
    expect(text).toContain('Max drawdown %Profit') // by its name of the peak
  })

  it('says once that its times are UTC', () => {
    expect(text).toContain('2021-04-21 to 2021-05-19 (28 days)')
    expect(text.split('All times are UTC.')).toHaveLength(2)
  })

  it('names other services a study was run on, whose results it leaves out', () => {
    expect(
      page(inputOf(sectionOf(fixtureStudy(), { otherServices: [{ name: 'bots.example', done: 12, total: 96 }] }))).text,
    ).toContain('Also run on bots.example (12 of 96 done): services are never mixed')
  })

  it('of a study whose trials are all outside of its bounds is that none meets them, with the reason', () => {
    const where = [{ metric: 'closedDeals', bounds: { min: 100_000 } }] as const
    const study = fixtureStudy({ objective: { direction: 'maximize', metric: 'netProfit', where } })
    const { text: none } = page(inputOf(sectionOf(study)))
    expect(none).toContain('None of 96 configurations meets the limits of the objective.')
    expect(none).toMatch(/Closed deals \d+ \(at least 100000\)/)
    expect(none).toContain('Excluded by the limits of the study: 96 trials')
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
    expect(text).toContain('1 trial without a result, in the service’s words')
  })

  it('says how each number was made', () => {
    for (const words of [
      'fee 0.1 %',
      'intrabar pessimistic',
      '40,315 of 1m',
      '5 candles missing',
      'Candles per trial, while a deal was open: 3 to 5',
      'deal still open',
    ]) {
      expect(text).toContain(words)
    }
    expect(text).toContain('1 number could not be read')
    expect(text).toContain('sharpe: the reply says "NaN"')
  })

  it('says so where no candle was missing', () => {
    const whole = trials.map(({ metrics, ...trial }) => ({
      ...trial,
      metrics: metrics === null ? null : { ...metrics, missingInDeals: 0 },
    }))
    const { text: complete } = page(inputOf(sectionOf(fixtureStudy(), { trials: whole })))
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
    expect(inline).toHaveLength(2)
    for (const element of inline) {
      expect(csp).toContain(`'sha256-${createHash('sha256').update(textOf(element)).digest('base64')}'`)
    }
    expect(csp).toContain("default-src 'none'")
    expect(csp).toContain("connect-src 'none'")
    // WebAssembly is not script: the kernel is compiled out of bytes in one of the two scripts
    expect(csp.replace(" 'wasm-unsafe-eval'", '')).not.toContain('unsafe')
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
    const known = new Set([...ids, ...trials.map((trial) => `trial=${idOf(trial)}`)])
    for (const link of links) expect(known).toContain(link.slice(1))
  })

  it('is the same text for the same input', () => {
    expect(buildReport(inputOf(sectionOf(fixtureStudy(), { trials: mixed })), NO_RUNTIME)).toBe(html)
  })
})

it('without results is one sentence, what was asked, and what failed: no section is empty', () => {
  const never = page(
    inputOf(sectionOf(fixtureStudy(), { trials: [], identity: null, service: null, spending: null, best: null })),
  )
  expect(headingsOf(never.elements)).toEqual(['Not run yet'])
  const allFailed = sectionOf().trials.map((trial) => failedTrial(trial, 'no'))
  const failed = page(inputOf(sectionOf(fixtureStudy(), { trials: allFailed, best: null })))
  expect(headingsOf(failed.elements)).toEqual(['Every trial failed', 'Trials without a result'])
  expect(failed.text).toContain('0 configurations to come, 96 failed.')
  for (const { text, elements } of [never, failed]) {
    expect(text).not.toContain('No data:')
    expect(
      elements.filter((element) =>
        ['plot', 'reasons', 'stretches', 'also', 'empty'].includes(attribute(element, 'class') ?? ''),
      ),
    ).toEqual([])
  }
})

function headingsOf(elements: ReturnType<typeof elementsOf>): string[] {
  return tags(elements, 'h2').map(textOf)
}

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
