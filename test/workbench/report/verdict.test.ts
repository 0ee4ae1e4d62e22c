/** The verdict says what a trader may do with a study's result, and what stands against it. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DealBody } from '../../../src/contract/bodies.ts'
import type { Candles } from '../../../src/engine/candles.ts'
import { readFacts } from '../../../src/workbench/report/facts.ts'
import type { StudyInput } from '../../../src/workbench/report/input.ts'
import { findNextCommand } from '../../../src/workbench/report/parts/verdict/next-command.ts'
import { verdict } from '../../../src/workbench/report/parts/verdict/verdict.ts'
import { priceLine } from '../../../src/workbench/report/price-line.ts'
import { fixtureStudy, fixtureTrials } from '../../support/fixture-trials.ts'
import { attribute, elementsOf, textOf, visibleText } from './document.ts'
import { examinedSection, holdoutOf, SAMPLE_DOUBTS } from './examined-section.ts'
import { failedTrial, sectionOf } from './sections.ts'

const place = { madeAt: Date.parse('2026-02-03T10:12:00Z'), prefix: '', section: 0 }
const htmlOf = (section: StudyInput) => verdict(readFacts(section), place).toString()
const wordsOf = (section: StudyInput) => visibleText(htmlOf(section))
const headlineOf = (section: StudyInput) =>
  elementsOf(htmlOf(section))
    .filter((element) => attribute(element, 'class') === 'headline')
    .map((element) => textOf(element).replace(/\u00a0/g, ' '))
    .join()

/** The section with its trials changed. */
function withTrials(change: (trial: StudyInput['trials'][number]) => StudyInput['trials'][number]): StudyInput {
  return sectionOf(fixtureStudy(), { trials: fixtureTrials().map(change) })
}

describe('the first sentence', () => {
  it('tells the ladder to run in a trader’s numbers, and that it is to be a demo', () => {
    const { best } = readFacts(sectionOf())
    if (best === undefined) throw new Error('the fixture has a best')
    const { dcaMaxSafetyOrders, dcaPriceScalePercent, takeProfit } = best.config
    expect(headlineOf(sectionOf())).toBe(
      `Run ${dcaMaxSafetyOrders} safety orders, ${dcaPriceScalePercent} % apart, steps ×1.1, volume ×1.3, take profit ${takeProfit} %, as a demo only.`,
    )
  })

  it('names a stop, and leaves out what is not there: steps that do not grow, orders that are none', () => {
    const plain = withTrials((trial) => ({
      ...trial,
      config: { ...trial.config, dcaMaxSafetyOrders: 0, stopLoss: 12.5 },
    }))
    expect(headlineOf(plain)).toMatch(
      /^Run the first order alone, take profit [\d.]+ %, stop loss 12.5 %, as a demo only\.$/,
    )
    const even = withTrials((trial) => ({ ...trial, config: { ...trial.config, dcaPriceStepMultiplier: 1 } }))
    expect(headlineOf(even)).not.toContain('steps')
  })

  it('names base order and steps where the study varied them, though the best has steps that do not grow', () => {
    const trials = fixtureTrials().map((trial) => ({
      ...trial,
      config: { ...trial.config, dcaPriceStepMultiplier: 1, dcaInitialOrderSize: 25 },
    }))
    const axes = [
      { field: 'dcaInitialOrderSize', values: [20, 25] },
      { field: 'dcaPriceStepMultiplier', values: [1, 1.1] },
    ] as const
    expect(headlineOf(sectionOf(fixtureStudy({ axes }), { trials }))).toMatch(
      /^Run base order 25 USDT, .* apart, steps ×1, volume ×1\.3,/,
    )
  })

  it('says not to run it yet while a doubt blocks it', () => {
    const blocked = sectionOf(fixtureStudy(), {
      best: { doubts: SAMPLE_DOUBTS, deals: [], openDeal: null, engineVersion: null },
    })
    expect(headlineOf(blocked)).toMatch(/^Do not run it yet: .* 1 doubt must be answered first\.$/)
  })

  it('says to run none where even the best lost, and where none is inside the bounds', () => {
    const lost = withTrials((trial) => ({
      ...trial,
      metrics: trial.metrics === null ? null : { ...trial.metrics, netProfit: -5 },
    }))
    expect(headlineOf(lost)).toMatch(/^Run none of these: even the best made nothing \(/)
    const where = [{ metric: 'closedDeals', bounds: { min: 100_000 } }] as const
    const none = sectionOf(fixtureStudy({ objective: { direction: 'maximize', metric: 'netProfit', where } }), {
      best: null,
    })
    expect(headlineOf(none)).toBe('Run none of these: none is inside the bounds.')
  })

  it('promises nothing before there is a result, and names failures as what they are', () => {
    const trials = fixtureTrials()
    expect(headlineOf(sectionOf(fixtureStudy(), { trials: [], identity: null, service: null, best: null }))).toContain(
      'was not run',
    )
    const waiting = trials.map((trial) => ({ ...trial, state: 'planned' as const, metrics: null }))
    expect(headlineOf(sectionOf(fixtureStudy(), { trials: waiting, best: null }))).toBe('Nothing to say yet.')
    const failed = trials.map((trial) => failedTrial(trial, 'no'))
    expect(headlineOf(sectionOf(fixtureStudy(), { trials: failed, best: null }))).toBe(
      'Nothing to run: every trial failed.',
    )
  })
})

it('the rest is not taken for all: failed trials and those still to come are counted', () => {
  const [first, second, ...others] = fixtureTrials()
  const trials = [failedTrial(first, 'no'), { ...second, state: 'planned' as const, metrics: null }, ...others]
  expect(wordsOf(sectionOf(fixtureStudy(), { trials }))).toContain(
    '1 trial ended without a result, 1 trial is still to come.',
  )
  expect(wordsOf(sectionOf())).not.toMatch(/without a result|still to come/)
})

describe('the figures', () => {
  it('show net profit with the capital it used, deals with the open one, and buy & hold at the same exposure', () => {
    const words = wordsOf(sectionOf())
    expect(words).toMatch(
      /Best by net profit \+\d+\.\d\d USDT \+\d+\.\d\d % of the 1,000 USDT invested; \d+\.\d\d USDT in use on average, \+\d+\.\d\d % of that/,
    )
    expect(words).toMatch(
      /Closed deals \d+ (?:small sample, |sample of ).*; one more is still open, at [−+]?\d+\.\d\d USDT/,
    )
    expect(words).toMatch(/Buy & hold −288\.\d\d USDT −28\.86 % of the same investment, drawdown/)
    expect(words).toMatch(
      /Hold, same exposure −\d+\.\d\d USDT −\d+\.\d\d % of the same investment, with no more in use than the best on average/,
    )
  })

  it('say of the open deal that it is not known where the service does not tell', () => {
    const blind = withTrials((trial) => ({
      ...trial,
      metrics: trial.metrics === null ? null : { ...trial.metrics, openDeal: null },
    }))
    expect(wordsOf(blind)).toContain('whether one is still open is not told')
  })
})

describe('the doubts', () => {
  const section = sectionOf(fixtureStudy(), {
    best: { doubts: SAMPLE_DOUBTS, deals: [], openDeal: null, engineVersion: null },
  })
  const words = wordsOf(section)

  it('stand by weight: what blocks first, then what warns, then what is worth knowing', () => {
    const places = ['Blocks promotion: 1 doubt', 'Warns: 1 doubt', 'Worth knowing: 1 doubt'].map((text) =>
      words.indexOf(text),
    )
    expect(places.every((at) => at >= 0)).toBe(true)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  it('open to their sentence and to what to do about them, by keyboard and without scripts', () => {
    expect(words).toContain('below hold: −2 against +1')
    expect(words).toContain('holding made +1, this −2. ask what it adds')
    const chips = elementsOf(htmlOf(section)).filter(({ tagName }) => tagName === 'summary')
    expect(chips.map(textOf)).toEqual(['hold-out closed', 'below hold: −2 against +1', 'one of 96 tried'])
  })

  it('tell weights apart by a sign as well as by colour', () => {
    for (const sign of ['■ Blocks', '▲ Warns', '● Worth']) expect(words).toContain(sign)
  })

  it('do not stand there without a best', () => {
    expect(wordsOf({ ...section, trials: [], best: null })).not.toContain('Warns')
  })
})

describe('the next command', () => {
  const commandOf = (section: StudyInput) => findNextCommand(readFacts(section))?.command

  it('is to examine, then to open the hold-out, then to promote', () => {
    const section = sectionOf()
    expect(commandOf(section)).toBe('dcalab examine btc-may-2021')
    const examined = examinedSection(section)
    expect(commandOf(examined)).toBe('dcalab promote btc-may-2021')
    expect(commandOf({ ...examined, holdout: holdoutOf(section) })).toBe(
      'dcalab holdout btc-may-2021 --test --reason "…"',
    )
    const opened = { at: '2026-02-03T10:00:00.000Z', by: 'a', reason: 'b', isOfOther: false }
    expect(commandOf({ ...examined, holdout: holdoutOf(section, { opened }) })).toContain('holdout open')
    expect(commandOf({ ...examined, holdout: holdoutOf(section, { opened, results: [] }) })).toContain('promote')
  })

  it('is not to promote what lost, nor what a doubt blocks', () => {
    const lost = withTrials((trial) => ({
      ...trial,
      metrics: trial.metrics === null ? null : { ...trial.metrics, netProfit: -5 },
    }))
    expect(commandOf(examinedSection(lost))).toBeUndefined()
    const best = { doubts: SAMPLE_DOUBTS, deals: [], openDeal: null, engineVersion: null }
    expect(commandOf({ ...examinedSection(sectionOf()), best })).toBe('dcalab promote btc-may-2021 --dry-run')
  })

  it('is none where nothing has a place', () => {
    expect(commandOf(sectionOf(fixtureStudy(), { trials: [], best: null }))).toBeUndefined()
  })
})

describe('the price of the period', () => {
  const { from } = fixtureStudy().period
  const column = (values: readonly number[]) => Float64Array.from(values)
  const candlesOf = (closes: readonly number[]): Candles => ({
    intervalMs: 60_000,
    openTime: column(closes.map((_, index) => from + index * 60_000)),
    open: column(closes),
    high: column(closes.map((close) => close + 1)),
    low: column(closes.map((close) => close - 1)),
    close: column(closes),
    volume: column(closes.map(() => 0)),
  })
  const found = (closes: readonly number[]): Partial<StudyInput> => ({
    candles: { kind: 'found', candles: candlesOf(closes), interval: '1m', hash: 'aa', missing: 0 },
  })
  const deal = (profit: number, minute: number): DealBody => ({
    openedAt: new Date(from + minute * 60_000).toISOString(),
    closedAt: new Date(from + (minute + 5) * 60_000).toISOString(),
    exit: 'takeProfit',
    safetyOrders: 1,
    quantity: 1,
    cost: 10,
    proceeds: 11,
    profit,
    price: 100,
    lowestValue: null,
  })

  it('in few points keeps the lowest and the highest price, first and last, in the order of time', () => {
    const prices = fc.array(fc.integer({ min: 2, max: 1000 }), { minLength: 1, maxLength: 3000 })
    fc.assert(
      fc.property(prices, (closes) => {
        const points = priceLine(candlesOf(closes), 400)
        expect(points.length).toBeLessThanOrEqual(400)
        const seen = points.map(({ price }) => price)
        expect(Math.min(...seen)).toBe(Math.min(...closes) - 1)
        expect(Math.max(...seen)).toBe(Math.max(...closes) + 1)
        expect([seen[0], seen.at(-1)]).toEqual([closes[0], closes.at(-1)])
        const times = points.map(({ time }) => time)
        expect(times).toEqual(times.toSorted((a, b) => a - b))
      }),
    )
  })

  it('shows every deal of the best, those sold at a loss by another sign', () => {
    const deals = [deal(3, 1), deal(-2, 10), deal(4, 20)]
    const section = sectionOf(fixtureStudy(), {
      ...found([100, 120, 90, 110]),
      best: { doubts: [], deals, openDeal: null, engineVersion: null },
    })
    const html = htmlOf(section)
    expect(html).toContain('3 closed deals, 1 at a loss.')
    expect(elementsOf(html).filter(({ tagName }) => tagName === 'rect')).toHaveLength(3)
    expect(wordsOf(section)).toContain('■ with a loss')
  })

  it('says that deals are not kept where they are not, and is not drawn without candles', () => {
    const none = { doubts: [], deals: null, openDeal: null, engineVersion: null }
    expect(wordsOf(sectionOf(fixtureStudy(), { ...found([100, 120]), best: none }))).toContain('deals are not kept')
    expect(htmlOf(sectionOf())).not.toContain('price-strip')
  })
})
