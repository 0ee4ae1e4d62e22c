/** What the report says of an examination is what was kept of it: nothing more, nothing computed anew, refusals with their reason. */
import { describe, expect, it } from 'vitest'
import { readFacts } from '../../../src/workbench/report/facts.ts'
import type { HoldoutInput, StudyInput } from '../../../src/workbench/report/input.ts'
import { howSurePart } from '../../../src/workbench/report/parts/how-sure/how-sure.ts'
import { fixtureStudy, fixtureTrials } from '../../support/fixture-trials.ts'
import { buildReport } from './build-report.ts'
import { attribute, elementsOf, visibleText } from './document.ts'
import { examinedSection, holdoutOf, keptChecks, keptExamination } from './examined-section.ts'
import { idOf } from './section-table.ts'
import { inputOf, NO_RUNTIME, SMALL_AXES, sectionOf, smallSection } from './sections.ts'

const place = { prefix: '', name: 'sure', title: 'How sure', level: 2 } as const
const partOf = (section: StudyInput) => howSurePart(readFacts(section), place)
const wordsOf = (section: StudyInput) => visibleText(partOf(section).body.toString())
const cards = (section: StudyInput) =>
  [
    ...partOf(section)
      .body.toString()
      .matchAll(/class="check(?: wide)?"/g),
  ].length

describe('an examination', () => {
  const words = wordsOf(examinedSection(smallSection(), keptExamination({ ...keptChecks('its field is empty') })))

  it.each([
    ['ambiguity', 'On 12 candles the order of prices inside decides what is filled.'],
    ['its pair', '−4.00 USDT to +31.00 USDT'],
    ['a changed sign', 'These candles cannot answer whether it won or lost: use shorter ones.'],
    [
      'starts',
      '+33.00 USDT is at percentile 80 of the 1,440 starts of the first day. 12.0 % of them have the other sign.',
    ],
    ['their spread', 'middle half+16.00 USDT to +31.00 USDT'],
    ['take profits', 'The best take profit tried between 0.5 % and 5 % is 4.857 %: +43.00 USDT'],
    ['where cash ran short', 'Not proved: its field is empty.'],
    ['parts', 'The first third made 121 % of the net profit.'],
    ['the market', 'It fell by 28.8 %, in a range of 44.0 %'],
    ['benchmarks', 'holding the same average amount−90.00 USDT (13.0 %)'],
    ['capital', 'Whether profit follows capital in this study is not known: its field is empty.'],
    ['falls', '−20 %600.00−103.00 USDT8+21.0 %'],
    ['a fall into the stop', 'sold by the stop'],
    ['the next span', 'ρ−0.20'],
    [
      'walk-forward',
      '2 folds, each chosen among 6 configurations: −12.00 USDT in all out-of-sample periods, added up.',
    ],
    ['its folds', '2021-05-01 abcdef01+40.00 USDTout-of-sample period−12.00 USDT (percentile 62, market −7.00 %)'],
    ['a fold without a choice', '2021-05-06 none: its field is empty–out-of-sample period– (market –)'],
    ['its percentile', 'better than 62 % of all on the out-of-sample period.'],
    ['noise', 'ahead of the best other by+4.00 USDT ± 11.00'],
    ['a tie', 'take the two as a tie'],
    ['sharpe', '1.50 ± 3.60'],
    ['tried', 'at most 106 configurations had been tried on this market and time: 6 on the service, 100 here'],
    ['overfittingTests', 'No DSR: its field is empty.'],
    [
      'the twin',
      'The service says 1.25 USDT less than the local engine (0.125 % of the investment). It counts +2 deals.',
    ],
  ])('is told: %s', (_, text) => {
    expect(words).toContain(text)
  })

  it('behind the second says by how much, and is a tie only within its error', () => {
    const noise = (lead: number) => {
      const checks = { ...keptChecks(), noise: { ...keptChecks().noise, lead } }
      return wordsOf(examinedSection(smallSection(), keptExamination(checks)))
    }
    expect(noise(-4)).toContain('net profit less that of the best other−4.00 USDT ± 11.00')
    expect(noise(-4)).toContain('take the two as a tie')
    expect(noise(-40)).not.toContain('take the two as a tie')
  })

  it('has a card for each check, and each number of a picture in words beside it', () => {
    expect(cards(examinedSection())).toBe(Object.keys(keptChecks()).length + 1) // and the hold-out
    const rows = elementsOf(partOf(examinedSection()).body.toString()).filter(({ tagName }) => tagName === 'svg')
    expect(rows.length).toBeGreaterThan(15)
  })

  it('is refused check by check, each with its reason', () => {
    const kept = keptExamination()
    const checks = new Map([...kept.checks].map(([name]) => [name, { refused: `no ${name} here` }]))
    const refused = wordsOf(examinedSection(smallSection(), { ...kept, checks }))
    for (const name of Object.keys(keptChecks())) expect(refused).toContain(`Refused: no ${name} here.`)
  })

  it('is not believed where it has another form than this program writes', () => {
    const strange: readonly unknown[] = [
      null,
      'text',
      7,
      [],
      {},
      { ...keptChecks().noise, netProfit: 'many' },
      { standardError: null },
    ]
    for (const noise of strange) {
      const words = wordsOf(examinedSection(smallSection(), keptExamination({ ...keptChecks(), noise })))
      expect(words).toContain('Refused: it was kept in a form that this program cannot read.')
      expect(words).not.toMatch(/NaN|undefined|\[object/)
    }
    expect(wordsOf(examinedSection(smallSection(), keptExamination({ localRun: undefined })))).toContain(
      'Refused: not computed.',
    )
  })

  it('that never was is one sentence and the command', () => {
    const section = smallSection()
    expect(wordsOf(section)).toContain('The best was not examined yet')
    expect(wordsOf(section)).toContain('dcalab examine btc-may-2021')
    expect(cards(section)).toBe(0)
  })
})

describe('the hold-out', () => {
  const section = smallSection()
  const heldOut = (changes: Partial<HoldoutInput>) =>
    wordsOf(examinedSection({ ...section, holdout: holdoutOf(section, changes) }))
  const opened = { at: '2026-02-03T10:00:00.000Z', by: 'ann', reason: 'the final test', isOfOther: false }
  const [{ config, metrics }] = readFacts(section).ordered.trials
  const result = { trial: 'f'.repeat(64), market: 'binance/BTC-USDT', place: 'best on train', config, failure: null }
  const winner = {
    ...result,
    role: 'winner' as const,
    metrics: metrics === null ? null : { ...metrics, netProfit: 77.25, maxDrawdownPercent: 5.5 },
  }

  it('is closed until it is opened, with the command that opens it', () => {
    const words = heldOut({})
    expect(words).toContain('Closed. 2021-05-19 to 2021-06-16 is held out, and nothing of it is in this file.')
    expect(words).toContain('Nothing was tried on this time before.')
    expect(words).toContain('dcalab holdout btc-may-2021 --test --reason "…"')
    expect(heldOut({ seenConfigs: 12 })).toContain(
      'At most 12 configurations had been tried on this time, so it is not unseen.',
    )
  })

  it('of another service is not shown, and named', () => {
    const words = heldOut({ opened: { ...opened, elsewhere: 'bots.example' }, results: null })
    expect(words).toContain('It was tested on bots.example: results of services are not mixed.')
    expect(words).not.toContain('Results are missing')
  })

  it('stands beside the folds only where the best is the one that was tested', () => {
    const [, other] = readFacts(section).ordered.trials
    expect(heldOut({ opened, results: [{ ...winner, config: other.config }] })).not.toContain('hold-out+77.25')
  })

  it('shows no result while some are missing', () => {
    expect(heldOut({ opened })).toContain('Results are missing, and none is shown before all of them are in.')
  })

  it('shows the winner’s result with the capital it used once all are in, and beside the folds', () => {
    const words = heldOut({ opened, results: [winner] })
    expect(words).toContain('opened 2026-02-03 10:00 UTC by ann: the final test.')
    expect(words).toMatch(new RegExp(`best on train${idOf(winner)}\\+77\\.25 USDT\\d+\\.\\d\\d USDT5\\.50 %`))
    expect(words).toContain('hold-out+77.25 USDT (market')
  })

  it('says that it was opened for another revision, and that a study without one holds nothing out', () => {
    expect(heldOut({ opened: { ...opened, isOfOther: true } })).toContain('another revision of this study')
    expect(wordsOf(examinedSection())).toContain('this study holds nothing out')
  })

  it('of a study that was not examined is told too', () => {
    expect(wordsOf({ ...section, holdout: holdoutOf(section) })).toContain('Closed. 2021-05-19')
  })
})

it('no two landmarks of a page with two markets have one name', () => {
  const markets = ['BTC', 'ETH'].map((baseAsset) => ({ exchange: 'binance', baseAsset, quoteAsset: 'USDT' }))
  const study = fixtureStudy({ axes: SMALL_AXES, markets })
  const trials = markets.flatMap((market) => fixtureTrials(study).map((trial) => ({ ...trial, market })))
  const sections = markets.map((market) => examinedSection(sectionOf(study, { market, trials })))
  const landmarks = elementsOf(buildReport(inputOf(...sections), NO_RUNTIME)).flatMap((element) => {
    const isOne = element.tagName === 'section' || attribute(element, 'role') === 'region'
    return isOne ? [attribute(element, 'aria-label') ?? attribute(element, 'aria-labelledby') ?? []].flat() : []
  })
  expect(landmarks.length).toBeGreaterThan(1)
  expect(new Set(landmarks).size).toBe(landmarks.length)
})

describe('a screen’s search', () => {
  it('is said to agree with the service or not, and nothing where it made no such test', () => {
    const section = smallSection()
    expect(wordsOf({ ...section, agreement: { passed: true, failed: [] } })).toContain(
      'the service agrees with the local engine',
    )
    const failing = (...failed: string[]) => wordsOf({ ...section, agreement: { passed: false, failed } })
    expect(failing('median', 'signs')).toContain('disagrees with the local screen (median, signs)')
    expect(failing('median', 'profits')).toContain('chosen did no better than controls, which nobody chose')
    expect(failing('profits')).toContain('no local profit was clear enough to compare')
    expect(failing('of another version')).toContain('what of it was not kept')
    for (const agreement of [undefined, null, 'x', { passed: 'yes' }]) {
      expect(wordsOf({ ...section, agreement })).not.toContain('its own screen')
    }
  })
})
