/** What the report says of bots: what was promoted, how a bot fares beside its backtest, and what is unknown said as unknown. */
import { describe, expect, it } from 'vitest'
import { DRIFT_THRESHOLDS } from '../../../src/workbench/bots/drift/drift-verdict.ts'
import { readFacts } from '../../../src/workbench/report/facts.ts'
import type { StudyInput } from '../../../src/workbench/report/input.ts'
import { hasBots } from '../../../src/workbench/report/lay-report.ts'
import { botsPart } from '../../../src/workbench/report/parts/made-bots.ts'
import { factsAsJson } from '../../../src/workbench/report/write.ts'
import { visibleText } from './document.ts'
import { driftInput, keptDrift, promotedTrial, withBot } from './kept-bots.ts'
import { inputOf, smallSection } from './sections.ts'

const place = { prefix: '', name: 'bots', title: 'Made a bot', level: 2 } as const
const partOf = (changes: Partial<StudyInput>) => botsPart(readFacts(smallSection(changes)), place)
const wordsOf = (changes: Partial<StudyInput>) => visibleText(partOf(changes).body.toString())

describe('a bot beside its backtest', () => {
  const words = wordsOf({ drifts: [driftInput()] })

  it.each([
    ['the verdict', 'Large drift. dcalab-btc.'],
    [
      'its threshold',
      `more than ${DRIFT_THRESHOLDS.gapPercent} % of the investment, or fewer than ${DRIFT_THRESHOLDS.matchedPercent} %`,
    ],
    ['both profits and the gap', 'Bot +4.00 USDT, backtest +6.50 USDT: gap −2.50 USDT.'],
    ['a part of the gap', 'timing−2.00 USDT'],
    ['a part that is not known', 'Not known: other candles.'],
    ['counts', 'late13'],
    ['orders placed otherwise', '2 orders were placed with another price, quantity or state.'],
    ['what the service does not tell', 'dcalab-btc: dcalab-btc'],
    ['under what the backtest is', 'with a fee of 0.1 % and a slippage of 0 %'],
  ])('says %s', (_, said) => {
    expect(words).toContain(said)
  })

  it('is drawn with both on one price, and what does not match is told apart', () => {
    const [deals, equity] = partOf({ drifts: [driftInput()] }).charts
    const drawn = JSON.stringify(deals.spec)
    expect([deals.name, equity.name]).toEqual(['bot-deals', 'bot-equity'])
    const layers = JSON.parse(drawn).layer.slice(2)
    const looks = layers.map(({ data }: { data: { values: { c3: string }[] } }) => data.values.map(({ c3 }) => c3))
    expect(looks).toEqual([
      ['backtest', 'backtest', 'unmatched', 'unmatched', 'unmatched', 'unmatched'],
      ['bot', 'bot', 'unmatched', 'unmatched'],
    ])
    expect(drawn).toContain('Bot: late')
    expect(drawn).toContain('Backtest: missing')
  })

  it('without candles of its time says that the price is missing, and draws the deals all the same', () => {
    const drifts = [driftInput(keptDrift(), { price: { reason: 'none cover it' } })]
    expect(wordsOf({ drifts })).toContain('The price itself is not drawn: none cover it.')
    expect(partOf({ drifts }).charts).toHaveLength(2)
  })

  it('of which nothing is told shows no number that nobody knows', () => {
    const causes = { price: null, fee: null, timing: null, convention: null, candles: null, unexplained: null }
    const check = keptDrift('x', {
      ...{ deals: null, orders: null, series: null },
      profit: { bot: null, backtest: 6.5, gap: null, causes },
      verdict: { drift: 'unknown', causes: [], sentence: 'the service tells no fills' },
    })
    const said = wordsOf({ drifts: [driftInput(check)] })
    expect(said).toContain('Drift unknown. the service tells no fills.')
    expect(said).toContain('Bot –, backtest +6.50 USDT: gap –.')
    expect(said).toContain('Not known: the service reports no executions.')
    expect(said).toContain('No picture: the service reports no deals of the bot.')
  })

  it('in whose time a closed hold-out lies shows none of its numbers', () => {
    const part = partOf({ drifts: [driftInput(keptDrift(), { isHidden: true })] })
    expect(visibleText(part.body.toString())).toContain('not shown: the hold-out of the study lies in its time')
    expect(visibleText(part.body.toString())).not.toContain('6.50')
    expect(part.charts).toEqual([])
  })
})

describe('promotions', () => {
  it('say what was shown, what was accepted by name, and what the service answered', () => {
    const said = wordsOf({ promotions: [promotedTrial()] })
    expect(said).toContain('made, and read back as a demo bot')
    expect(said).toContain('+12.50 USDT')
    expect(said).toContain('Do not use: it stops trading (accepted)')
    expect(said).toContain('No bot was compared with its backtest yet: dcalab bots compare')
  })

  it('of older programs say what is not known', () => {
    const old = promotedTrial('x', {
      netProfit: null,
      headline: null,
      accepted: null,
      validation: null,
      startedAt: null,
    })
    const said = wordsOf({ promotions: [old] })
    expect(said).toContain('– the service was not asked')
    expect(said).toContain('not by us')
  })
})

describe('the facts as JSON', () => {
  const jsonOf = (changes: Partial<StudyInput>) => {
    const section = smallSection(changes)
    const text = JSON.stringify(factsAsJson(inputOf(section), [readFacts(section)]))
    return JSON.parse(text).sections[0]
  }

  it('hold what was promoted and each bot beside its backtest, with what is not known as null', () => {
    const { promotions, drifts } = jsonOf({ promotions: [promotedTrial()], drifts: [driftInput()] })
    expect(promotions).toMatchObject([{ netProfit: 12.5, state: 'verified' }])
    expect(promotions[0].trial).toBe(promotedTrial().fingerprint)
    expect(drifts).toMatchObject([
      {
        hidden: null,
        profit: { bot: 4, backtest: 6.5, gap: -2.5, causes: { candles: null } },
        verdict: { drift: 'large' },
      },
    ])
  })

  it('hold nothing of a bot in whose time a closed hold-out lies', () => {
    const { drifts } = jsonOf({ drifts: [driftInput(keptDrift(), { isHidden: true })] })
    expect(Object.keys(drifts[0])).toEqual(['identity', 'botId', 'botName', 'trial', 'checkedAt', 'hidden'])
  })

  it('hold empty lists of a study of which no bot was made', () => {
    expect(jsonOf({})).toMatchObject({ promotions: [], drifts: [] })
  })
})

it('a study of which no bot was made has no such part', () => {
  expect(hasBots(readFacts(smallSection()))).toBe(false)
  expect(hasBots(readFacts(withBot(smallSection())))).toBe(true)
})
