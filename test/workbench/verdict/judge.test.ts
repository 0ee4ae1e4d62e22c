/** One verdict from any evidence: the grade follows the rules, hard reasons first, three at most, and nothing is said that is not known. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CONFIG_DEFAULTS } from '../../../src/contract/bot.ts'
import type { MetricName } from '../../../src/contract/metrics.ts'
import { type Evidence, NOT_OPENED } from '../../../src/workbench/verdict/evidence.ts'
import { GRADE_NAMES, GRADES, judge, worstOf } from '../../../src/workbench/verdict/judge.ts'
import { REASON_CODES } from '../../../src/workbench/verdict/reasons.ts'
import { compareStretches, countDisjoint, type HistoryStretch } from '../../../src/workbench/verdict/stretches.ts'
import { amountText, describeLadder, gain, ofProfit, share } from '../../../src/workbench/verdict/words.ts'
import { metricsWith } from '../../support/metrics.ts'
import { STUDY_BASE } from '../../support/study-base.ts'

const DAY = 86_400_000
const names = { trial: 'abcd1234', study: 'my-study' }

/** Stretches of 30 days, one behind the other, whose excess is `excess` + a wave, and that of the plain ladder 0 + a wave. */
function stretches(excess: number, plain = 0, count = 20): readonly HistoryStretch[] {
  return Array.from({ length: count }, (_, at) => {
    const wave = at % 2 === 0 ? 5 : -5
    const holdReturn = at % 4 < 2 ? 0.1 : -0.1
    return {
      from: at * 30 * DAY,
      to: (at + 1) * 30 * DAY,
      netProfit: excess + wave + 400 * holdReturn,
      usedCapital: 400,
      maxDrawdownPercent: 3,
      changePercent: 100 * holdReturn,
      holdReturn,
      plainNetProfit: plain + wave + 200 * holdReturn,
      plainUsedCapital: 200,
    }
  })
}

const metrics = (known: Partial<Record<MetricName, number>>) => metricsWith((name) => known[name] ?? 0)

/** Of a bot that earns 80 from every start, and about as much with other values. */
function chance({ median = 79, otherSignPercent = 0, near = 75 }): Evidence['chance'] {
  const spread = { low5: 70, q1: 75, median: 78, q3: 82, high95: 85 }
  const starts = { of: 1440, reported: 80, percentile: 60, botsAfterTenDays: 1, excess: spread, drawdown: spread }
  return () => ({
    value: {
      starts: { ...spread, ...starts, median, otherSignPercent },
      near: { field: 'takeProfit', median: near },
    },
  })
}

function evidence(given: readonly HistoryStretch[] = stretches(1), changes: Partial<Evidence> = {}): Evidence {
  return {
    trial: {
      fingerprint: 'a'.repeat(64),
      identity: 'embedded:x',
      simulated: true,
      settings: null,
      market: { exchange: 'binance', baseAsset: 'ETH', quoteAsset: 'USDT' },
      period: { from: 700 * DAY, to: 760 * DAY },
      config: { ...CONFIG_DEFAULTS, ...STUDY_BASE, investment: 1000, dcaPriceScalePercent: 1 },
      state: 'done',
      jobId: '1',
      submittedAt: null,
      finishedAt: null,
      failure: null,
      metrics: metrics({ netProfit: 80, realizedProfit: 90, unrealizedProfit: -10 }),
      metricFlags: {},
      candles: null,
      conventions: null,
      costs: null,
      symbol: null,
      deals: [],
      openDeal: null,
      engineVersion: null,
      prunedAt: null,
      revised: [],
    },
    study: null,
    foreignService: null,
    isCalibrated: true,
    stretches: {
      value: {
        interval: '1h',
        from: 0,
        to: given.length * 30 * DAY,
        lengthMs: 30 * DAY,
        stretches: given,
        disjoint: countDisjoint(given),
        inside: 0,
        against: compareStretches(given),
      },
    },
    honest: {
      value: { interval: '1m', worstCase: 78, bestCase: 82, service: 80, stressed: 60, inDealPercent: 100 },
    },
    heldSameDays: { value: 30 },
    market: { missing: 'no days' },
    localDifference: { value: 0 },
    agreementFailed: false,
    faults: [],
    thirdsPercent: [30, 30, 40],
    tie: { missing: 'none' },
    chance: chance({}),
    tried: { shown: 20, scanned: 100 },
    holdout: null,
    standing: null,
    beyond: null,
    examined: { ambiguity: null, deflated: null, overfit: null },
    ...changes,
  }
}

const gradeOf = (of: Evidence) => judge(of, names).grade
const fills = (changes: object) => ({
  honest: {
    value: { interval: '1m', worstCase: 78, bestCase: 82, service: 80, stressed: 60, inDealPercent: 100, ...changes },
  },
})

it('an error is the spread of the stretches over the root of how many do not overlap', () => {
  const given = stretches(2)
  const against = compareStretches(given)
  // Excesses are 7 and −3: mean 2, standard deviation 5·√(20/19).
  expect(against?.excess.mean).toBeCloseTo(2, 12)
  expect(against?.excess.error).toBeCloseTo((5 * Math.sqrt(20 / 19)) / Math.sqrt(20), 12)
  // Of its capital 2/400 against 0/200, percent.
  expect(against?.overPlain.mean).toBeCloseTo(0.5, 12)
  const overlapping = given.map((one, at) => ({ ...one, from: at * 15 * DAY, to: (at + 2) * 15 * DAY }))
  expect(countDisjoint(overlapping)).toBe(10)
  expect(compareStretches(overlapping)?.excess.error).toBeCloseTo((against?.excess.error ?? 0) * Math.SQRT2, 12)
})

it.each([
  ['holdingDidBetter', stretches(-3)],
  ['holdingAsGood', stretches(-1)],
  ['noBetterThanPlain', stretches(1, 5)],
  ['ahead', stretches(1.6, -5)],
  ['beat', stretches(4, -5)],
] as const)('grade %s', (grade, given) => {
  expect(gradeOf(evidence(given))).toBe(grade)
})

it('what is not calibrated is never more than ahead', () => {
  const foreign = { isCalibrated: false, foreignService: 'bots.example' }
  expect(gradeOf(evidence(stretches(4, -5), foreign))).toBe('ahead')
})

it.each([
  ['under ten stretches that do not overlap', evidence(stretches(4, -5, 9))],
  ['most of them inside the period of the choice', inside(11)],
  ['no candles', evidence([], { stretches: { missing: 'no candles of binance/ETH-USDT are stored' } })],
  ['stretches that are all alike', evidence(stretches(1).map((one) => ({ ...one, netProfit: 0, holdReturn: 0 })))],
])('not judged: %s', (_, of) => {
  const { grade, sentence, excess, plain } = judge(of, names)
  expect([grade, excess, plain]).toEqual(['notJudged', null, null])
  expect(sentence.length).toBeGreaterThan(20)
})

function inside(count: number): Evidence {
  const of = evidence(stretches(4, -5))
  if ('missing' in of.stretches) throw new Error('it has stretches')
  return { ...of, stretches: { value: { ...of.stretches.value, inside: count } } }
}

it('half of them inside the period of the choice may still judge', () => {
  expect(gradeOf(inside(10))).toBe('beat')
})

it.each([
  ['dataFault', { faults: ['the net profit could not be read'] }],
  ['disagrees', { localDifference: { value: 2.1 } }],
  ['disagrees', { agreementFailed: true }],
  ['stopped', fills({ inDealPercent: 94.9 })],
  ['signDepends', fills({ worstCase: -1, bestCase: 3 })],
  ['signDepends', fills({ worstCase: 0.58, bestCase: -13.05 })],
  ['losesHonest', fills({ worstCase: -3, bestCase: -1 })],
  ['losesStressed', fills({ stressed: -1 })],
] as const)('%s forbids the use, whatever the stretches say', (code, changes) => {
  const { grade, reasons, headline } = judge(evidence(stretches(4, -5), changes), names)
  expect([grade, reasons[0]?.code, reasons[0]?.hard]).toEqual(['doNotUse', code, true])
  expect(headline).toMatch(/^Do not use: \w/)
})

it.each([
  ['optimisticFills', fills({ service: 120 })],
  ['openLoss', { trial: { ...evidence().trial, metrics: metrics({ realizedProfit: 30, unrealizedProfit: -8 }) } }],
  ['onePart', { thirdsPercent: [10, 61, 29] }],
  ['startDecides', { chance: chance({ median: 71.9 }) }],
  ['startDecides', { chance: chance({ otherSignPercent: 26 }) }],
  ['knifeEdge', { chance: chance({ near: 59.9 }) }],
  ['tie', { tie: { value: { others: 3, isAtLeast: false, usesLeast: true, lead: 1, error: 4 } } }],
  ['uncalibrated', { isCalibrated: false, foreignService: 'bots.example' }],
  [
    'holdoutBelowPlain',
    { holdout: { value: { days: 30, perUsedPercent: 1, plainPerUsedPercent: 2, seenConfigs: 0 } } },
  ],
  ['spentHoldout', { holdout: { value: { days: 30, perUsedPercent: 3, plainPerUsedPercent: 2, seenConfigs: 9 } } }],
] as const)('%s is named with its number, and forbids nothing', (code, changes) => {
  const { grade, reasons } = judge(evidence(stretches(4, -5), changes as Partial<Evidence>), names)
  expect(grade).not.toBe('doNotUse')
  const found = reasons.find((reason) => reason.code === code)
  expect([found?.hard, /\d/.test(found?.sentence ?? '') || code === 'uncalibrated']).toEqual([false, true])
  expect(found?.command).toMatch(/^dcalab \w/)
})

it('starts and neighbours are not run where a hard reason decides', () => {
  const chance = () => {
    throw new Error('it was asked for')
  }
  expect(gradeOf(evidence(stretches(4, -5), { ...fills({ stressed: -1 }), chance }))).toBe('doNotUse')
  expect(() => gradeOf(evidence(stretches(4, -5), { chance }))).toThrow('asked for')
})

it('three reasons at most: hard ones, then the order of fills, then by size; the others are folded', () => {
  const { reasons, also } = judge(
    evidence(stretches(-2, 5), {
      ...fills({ service: 120, inDealPercent: 50 }),
      thirdsPercent: [0, 200, -100],
      tie: { value: { others: 3, isAtLeast: true, usesLeast: true, lead: 1, error: 4 } },
    }),
    names,
  )
  expect(reasons.map(({ code }) => code)).toEqual(['stopped', 'optimisticFills', 'plainAsGood'])
  expect(also.map(({ code }) => code).slice(0, 3)).toEqual(['onePart', 'belowHolding', 'tie'])
})

it.each([
  [
    { others: 10, isAtLeast: true, usesLeast: null },
    '10 or more others are within one error of it (lead +1.00 ± 4.00)',
  ],
  [
    { others: 1, isAtLeast: false, usesLeast: false },
    '1 other is within one error of it (lead +1.00 ± 4.00); it uses less capital',
  ],
  [
    { others: 2, isAtLeast: false, usesLeast: true },
    '2 others are within one error of it (lead +1.00 ± 4.00); this one uses least capital',
  ],
])('a tie says what is known of it: %j', (known, said) => {
  const tie = { value: { ...known, lead: 1, error: 4 } }
  const { reasons, also } = judge(evidence(stretches(4, -5), { tie }), names)
  expect([...reasons, ...also].find(({ code }) => code === 'tie')?.sentence).toBe(said)
})

it('what else was noted changes no grade, and stands with its number', () => {
  const plain = evidence(stretches(3, 5))
  const noted: Partial<Evidence> = {
    standing: {
      study: 'lab',
      rank: 4,
      outsideBounds: false,
      isSample: false,
      others: [],
      revised: { checked: 0, revised: 0 },
      agreementFailed: false,
    },
    beyond: { edges: 2, axes: 5, best: { field: 'dcaMaxSafetyOrders', value: 7, netProfit: 291.06 } },
    examined: { ambiguity: { worst: 12, best: 1, of: 105 }, deflated: 0.62, overfit: 0.71 },
  }
  const found = judge({ ...plain, ...noted }, names)
  expect(found.grade).toBe(judge(plain, names).grade)
  const said = new Map(found.also.map(({ code, sentence }) => [code, sentence]))
  expect(said.get('edge')).toBe('outside the tested range it earns more: safety orders 7 gives +291.1')
  expect(said.get('ambiguousRank')).toBe('place 12 or 1 of 105, by the order of prices inside candles')
  expect(said.get('notBest')).toBe('3 of lab rank above it')
  expect(said.get('luckOfLooks')).toBe(
    'when it was examined, the chance that it beats the luckiest of all tried was 0.62 (DSR)',
  )
  expect(said.get('likelyOverfit')).toContain('71.0 % of splits')
})

it('says what to expect by the direction of the market, and nothing of a direction that was met less than five times', () => {
  const { expect: expected } = judge(evidence(stretches(1)), names)
  expect(expected?.rows.map(({ market, stretches: count }) => [market, count])).toEqual([
    ['rose', 10],
    ['stood', 0],
    ['fell', 10],
  ])
  expect(expected?.rows[1]).toMatchObject({ middleHalf: null, worst: null })
  // Rising: 400·0.1 + 1 ± 5; falling: −400·0.1 + 1 ± 5.
  expect(expected?.rows[0]).toMatchObject({ middleHalf: [36, 46], worst: 36 })
  expect(expected?.drawdownBelowPercent).toBeCloseTo(3.3, 12)
  expect(judge(evidence(stretches(1, 0, 2)), names).expect).toBeNull()
})

it('what could not be known is said with its reason', () => {
  const { unknown, honest, stressed } = judge(
    evidence(stretches(1), { honest: { missing: 'its candles are not stored' } }),
    names,
  )
  expect(unknown).toEqual([{ what: 'fills', why: 'its candles are not stored' }])
  expect([honest, stressed]).toEqual([null, null])
})

it('several markets have one headline: that of the worst, which it names', () => {
  const on = (market: string, given: readonly HistoryStretch[]) => ({ market, verdict: judge(evidence(given), names) })
  const worst = worstOf([on('binance/SOL-USDT', stretches(4, -5)), on('binance/BTC-USDT', stretches(-3))])
  expect([worst.market, worst.verdict.headline]).toEqual(['binance/BTC-USDT', 'Holding did better on BTC-USDT'])
})

it('no headline is longer than 72 characters', () => {
  const all = [
    ...[stretches(-3), stretches(-1), stretches(1, 5), stretches(1.6, -5), stretches(4, -5), stretches(1, 0, 3)].map(
      (given) => evidence(given),
    ),
    inside(20),
    evidence(stretches(1), { agreementFailed: true }),
    evidence(stretches(1), fills({ worstCase: -1, bestCase: 3 })),
  ].map((of) => ({ market: 'binance_usdm/LONGNAME1234-USDT', verdict: judge(of, names) }))
  const lengths = all.map((one) => worstOf([one, one]).verdict.headline.length)
  expect(Math.max(...lengths)).toBeLessThanOrEqual(72)
  expect(new Set(all.map(({ verdict }) => verdict.grade)).size).toBe(GRADE_NAMES.length)
})

it('the guide names every grade, from the worst to the best, and every reason', () => {
  const guide = readFileSync(new URL('../../../src/guide/verdict.md', import.meta.url), 'utf8')
  const [, grades = ''] = /^## Grades\n([\s\S]*?)^## /m.exec(guide) ?? []
  const rows = [...grades.matchAll(/^\| ([A-Z][^|]*) \|/gm)].map(([, says]) => says)
  expect(rows).toEqual(Object.values(GRADES).map(({ says }) => says))
  expect(REASON_CODES.filter((code) => !guide.includes(`\`${code}\``))).toEqual([])
})

it('a share of a small profit is said as how many times it', () => {
  expect([61.24, 999.9, 1000, 124_634].map(ofProfit)).toEqual([
    '61.2 % of the profit',
    '999.9 % of the profit',
    '10 times the profit',
    '1,246 times the profit',
  ])
})

it('numbers for people', () => {
  const amounts = [9.994, 461.27, 1234.5, -12345.6, 0.1, -0.001, 0.000344, 1e-9, 0]
  expect(amounts.map(amountText)).toEqual([
    '9.99',
    '461.3',
    '1235',
    '−12,346',
    '0.10',
    '−0.0010',
    '0.00034',
    '0.00',
    '0.00',
  ])
  expect([gain(3), gain(-3), gain(0), share(0.123), share(44.93)]).toEqual([
    '+3.00',
    '−3.00',
    '0.00',
    '0.12 %',
    '44.9 %',
  ])
  expect(describeLadder({ ...evidence().trial.config, dcaPriceScalePercent: 3.70447491252 })).toContain('3.7 % apart')
})

it('amounts of a coin can be read', () => {
  const scale = 0.02 / 1000
  const small = stretches(-3).map((one) => ({
    ...one,
    netProfit: scale * one.netProfit,
    usedCapital: scale * one.usedCapital,
    plainNetProfit: scale * one.plainNetProfit,
    plainUsedCapital: scale * one.plainUsedCapital,
  }))
  const { sentence, reasons } = judge(evidence(small, { heldSameDays: { value: scale * 130 } }), names)
  expect(sentence).toContain('0.000060 ± 0.0000')
  expect(sentence).not.toMatch(/\b0\.00 /)
  expect(reasons.map((one) => one.sentence).join()).toContain('holding the same amount +0.0026')
})

it('a hold-out is to be tested next only while it was not', () => {
  const next = (missing: string) => judge(evidence(stretches(4, -5), { holdout: { missing } }), names).next?.command
  expect(next(NOT_OPENED)).toBe('dcalab holdout my-study')
  for (const missing of ['the hold-out was opened on another service', 'no candles of binance/ETH-USDT are stored'])
    expect(next(missing)).toBe('dcalab promote abcd1234')
})
