/** The head of the report says what the stored verdict says, leads to its evidence, and gives no advice of its own. */
import { describe, expect, it } from 'vitest'
import { readFacts } from '../../../src/workbench/report/facts.ts'
import type { ShownVerdict, StudyInput } from '../../../src/workbench/report/input.ts'
import { outlookOf, verdict } from '../../../src/workbench/report/parts/verdict.ts'
import { configFingerprint, shortIds } from '../../../src/workbench/study/fingerprint.ts'
import { fixtureStudy, fixtureTrials } from '../../support/fixture-trials.ts'
import { attribute, elementsOf, textOf, visibleText } from './document.ts'
import { idOf } from './section-table.ts'
import { bestOf, failedTrial, SMALL_AXES, sectionOf, spanOf, verdictOf } from './sections.ts'

const place = { prefixes: [''], section: 0, level: 2 } as const
const htmlOf = (section: StudyInput) => verdict([readFacts(section)], place).toString()
const wordsOf = (section: StudyInput) => visibleText(htmlOf(section))
const judgedSection = (changes: Partial<ShownVerdict> = {}) =>
  sectionOf(fixtureStudy(), { best: bestOf({ verdict: verdictOf(changes) }) })
const headlineOf = (html: string) =>
  elementsOf(html)
    .filter((element) => attribute(element, 'class') === 'headline')
    .map(textOf)

describe('the head of a judged study', () => {
  const html = htmlOf(judgedSection())
  const words = visibleText(html)

  it('is grade, sentence, reasons, configuration and next command, each once', () => {
    expect(headlineOf(html)).toEqual(['Holding did better'])
    expect(html).toContain('<h2 class="headline">')
    for (const text of [
      'In 3 stretches of 30 days it earned −6.00 USDT each',
      'same days: bot +33.0, holding the same amount −90.0',
      'Next: see the others. dcalab leaderboard btc-may-2021',
    ]) {
      expect(words.split(text)).toHaveLength(2)
    }
    expect(words).toMatch(
      /First of 96: \d safety orders, [\d.]+ % apart, size ×1.3, take profit [\d.]+ %\. Open the trial/,
    )
  })

  it('leads from each reason to its evidence on the page, or to the trial', () => {
    const { best } = readFacts(sectionOf())
    const links = (section: StudyInput) =>
      elementsOf(htmlOf(section)).flatMap((element) =>
        element.tagName === 'a' && textOf(element) !== 'Open the trial' ? (attribute(element, 'href') ?? []) : [],
      )
    expect(links(judgedSection())).toEqual(['#stretches', '#stretches', '#ranking'])
    const reason = { hard: true, sentence: 'x', remedy: 'y', command: 'z' }
    const reasons = ['stopped', 'losesHonest', 'holdoutBelowPlain'].map((code) => ({ ...reason, code }))
    expect(links(judgedSection({ reasons }))).toEqual([`#trial=${best && idOf(best)}`, '#sure', '#days'])
  })

  it('says to run it at the best grade alone', () => {
    expect(words).not.toMatch(/\bRun \d/)
    expect(wordsOf(judgedSection({ grade: 'ahead' }))).not.toMatch(/\bRun \d/)
    expect(wordsOf(judgedSection({ grade: 'beat' }))).toMatch(/Run \d safety orders/)
  })

  it('folds what else holds and what is not known', () => {
    expect(words).toContain('Also noted: 2')
    expect(words).toContain('the open deal is down 16.1.')
    expect(words).toContain('not known: hold-out. it has not been opened')
    expect(elementsOf(html).filter((element) => attribute(element, 'open') !== undefined)).toEqual([])
  })

  it('is out of date says when it was judged, and asks to judge again before anything else', () => {
    const stale = wordsOf(judgedSection({ isStale: true }))
    expect(stale).toContain('Judged 2026-02-03 10:05 UTC; what is known has changed since.')
    expect(stale).toContain('dcalab verdict btc-may-2021')
    expect(stale).not.toContain('dcalab leaderboard')
  })
})

it('what was not judged says what it made against what for the capital that each used, on unseen days first', () => {
  const spans = [spanOf(), { ...spanOf(), isUnseen: true }]
  const best = bestOf({ verdict: verdictOf({ grade: 'notJudged' }), spans })
  expect(wordsOf(sectionOf(fixtureStudy(), { best }))).toMatch(
    /Per capital used it made \S+ % on unseen days, the same amount held \S+ %, a plain ladder \S+ %; \S+ % in sample, the same amount held \S+ %, a plain ladder \S+ %\./,
  )
  expect(wordsOf(judgedSection())).not.toContain('Per capital used it made')
})

it('a study that was never judged is called that, with the command, and gets no advice', () => {
  const html = htmlOf(sectionOf())
  expect(headlineOf(html)).toEqual(['Not judged yet'])
  expect(visibleText(html)).toContain('dcalab verdict btc-may-2021')
  expect(visibleText(html)).not.toMatch(/\bRun \d|promote/)
})

describe('what to expect', () => {
  const outlook = (changes: Partial<ShownVerdict> = {}) =>
    outlookOf(readFacts(judgedSection(changes)), '')?.toString() ?? ''

  it('is a row for each direction of the market, and a range; too few stretches are a dash', () => {
    const words = visibleText(outlook())
    expect(words).toContain('Market rose+11.2 to +47.1−54.52')
    expect(words).toContain('Fell––1')
    expect(words).toContain('USDT 3 stretches, 2018 to 2021')
    const [one, ...others] = verdictOf().stretches
    const overlapping = outlook({ stretches: [one, { ...one, from: '2018-01-15T00:00:00.000Z' }, ...others] })
    expect(visibleText(overlapping)).toContain('USDT 3 overlapping stretches')
    expect(words).toContain('9 of 10−108.1 to +75.8, drawdown below 15 %')
  })

  it('draws a bar for each stretch by what it earned less what holding its usual capital did, mean and error on the same scale', () => {
    const elements = elementsOf(outlook())
    const rects = elements.filter(({ tagName }) => tagName === 'rect')
    const numbers = (element: (typeof rects)[number], ...names: readonly string[]) =>
      names.map((name) => Number(attribute(element, name)))
    const [first, second, third, error] = rects
    // excesses −30, +3 and −15 of 100 USDT; 90 pixels from +3 to −30
    const pixels = 90 / 33
    expect(numbers(first, 'y', 'height').map(Math.round)).toEqual([Math.round(3 * pixels), Math.round(30 * pixels)])
    expect(numbers(second, 'y', 'height').map(Math.round)).toEqual([0, Math.round(3 * pixels)])
    expect(numbers(third, 'y', 'height').map(Math.round)).toEqual([Math.round(3 * pixels), Math.round(15 * pixels)])
    expect(numbers(error, 'y', 'height').map(Math.round)).toEqual([Math.round(12 * pixels), Math.round(10 * pixels)])
    expect(first && textOf(first)).toContain('2018-01-01: −30.0, market +41.0 %')
  })

  it('is nothing where no excess was judged', () => {
    expect(outlook({ excess: null, expect: null })).toBe('')
  })
})

it('several markets have one headline, the worst, which names its market; the others’ sentences follow', () => {
  const markets = ['BTC', 'ETH'].map((baseAsset) => ({ exchange: 'binance', baseAsset, quoteAsset: 'USDT' }))
  const study = fixtureStudy({ axes: SMALL_AXES, markets })
  const trials = markets.flatMap((market) => fixtureTrials(study).map((trial) => ({ ...trial, market })))
  const grades = [
    verdictOf({ grade: 'ahead', headline: 'Ahead of holding, not beyond chance', sentence: 'By 3 ± 4.' }),
    verdictOf({ sentence: 'By 9 ± 2 less.' }),
  ]
  const sections = markets.map((market, at) =>
    sectionOf(study, { market, trials, best: bestOf({ verdict: grades[at] }) }),
  )
  const [first, second] = sections.map(readFacts)
  const html = verdict([first, second], { ...place, prefixes: ['s1-', 's2-'] }).toString()
  expect(headlineOf(html)).toEqual(['Holding did better on ETH-USDT'])
  expect(visibleText(html)).toContain('BTC-USDT. Ahead of holding, not beyond chance. By 3 ± 4.')
  expect(html).toContain('href="#s2-stretches"')
  expect(visibleText(html)).toContain('ETH-USDT: same days: bot +33.0, holding the same amount −90.0')
  expect(visibleText(html)).toContain('Also noted on ETH-USDT: 2')
})

it('several markets name the worst drawdown of all on the first screen, with its market, and every history to fetch', () => {
  const markets = ['BTC', 'ETH'].map((baseAsset) => ({ exchange: 'binance', baseAsset, quoteAsset: 'USDT' }))
  const study = fixtureStudy({ axes: SMALL_AXES, markets })
  const trials = markets.flatMap((market) => fixtureTrials(study).map((trial) => ({ ...trial, market })))
  const span = spanOf()
  const [first, second] = markets.map((market, at) => {
    const next = { command: `dcalab candles fetch --market ${at}`, why: 'fetch the history that judges it', jobs: 0 }
    const spans = [{ ...span, metrics: { ...span.metrics, maxDrawdownPercent: [7.1, 55.75][at] } }]
    const unjudged = verdictOf({ grade: 'notJudged', headline: 'Not judged: too little history', next })
    return readFacts(sectionOf(study, { market, trials, best: bestOf({ verdict: unjudged, spans }) }))
  })
  const words = visibleText(verdict([first, second], { ...place, prefixes: ['s1-', 's2-'] }).toString())
  expect(words).toContain('Worst drawdown: 55.75 % on ETH-USDT; to expect in 30 days there: below 15 %.')
  expect(words).toContain('The same on ETH-USDT.')
  expect(words).toMatch(
    /Next: fetch the history that judges it\. dcalab candles fetch --market 0 dcalab candles fetch --market 1 Then judge it again: dcalab verdict btc-may-2021/,
  )
})

it('the page knows the best by the id that commands take', () => {
  const best = readFacts(sectionOf()).best
  if (best === undefined) throw new Error('the fixture has a best')
  const open = elementsOf(htmlOf(judgedSection())).find((element) => textOf(element) === 'Open the trial')
  expect(open && attribute(open, 'href')).toBe(`#trial=${shortIds([configFingerprint(best.config)])[0]}`)
})

describe('without a best', () => {
  const trials = fixtureTrials()
  const where = [{ metric: 'closedDeals', bounds: { min: 100_000 } }] as const
  const bounded = fixtureStudy({ objective: { direction: 'maximize', metric: 'netProfit', where } })
  const planned = trials.map((trial) => ({ ...trial, state: 'planned' as const, metrics: null }))
  const failed = trials.map((trial) => failedTrial(trial, 'no'))
  it.each([
    [
      'was never run',
      sectionOf(fixtureStudy(), { trials: [], identity: null, service: null, best: null }),
      'Not run yet',
    ],
    ['has no result yet', sectionOf(fixtureStudy(), { trials: planned, best: null }), 'No result yet'],
    ['failed whole', sectionOf(fixtureStudy(), { trials: failed, best: null }), 'Every trial failed'],
    ['has nothing inside its limits', sectionOf(bounded, { best: null }), 'Nothing is inside the limits'],
  ])('a study that %s says so', (_, section, headline) => {
    expect(headlineOf(htmlOf(section))).toEqual([headline])
    expect(wordsOf(section)).not.toMatch(/\bRun \d|Next:/)
  })
})
