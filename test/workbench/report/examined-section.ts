/** An examination as the store keeps it, with an answer of every check and of every part that may be null. */
import type { Checks } from '../../../src/workbench/analysis/certainty/checks.ts'
import { readFacts } from '../../../src/workbench/report/facts.ts'
import type { HoldoutInput, StudyInput } from '../../../src/workbench/report/input.ts'
import type { KeptExamination } from '../../../src/workbench/store/verdicts.ts'
import { smallSection } from './sections.ts'

const DAY_MS = 86_400_000

/** `text` wherever a text is kept that this program would not have to have written. */
export function keptChecks(text = 'a reason'): Checks {
  const spread = { low5: -3, q1: 16, median: 20, q3: 31, high95: 36 }
  const span = (from: string, to: string) => ({ from: `${from}T00:00:00.000Z`, to: `${to}T00:00:00.000Z` })
  const fold = {
    train: span('2021-04-21', '2021-05-01'),
    test: span('2021-05-01', '2021-05-06'),
    chosen: 'abcdef0123456789',
    why: null,
    trainValue: 40,
    testValue: -12,
    netProfit: -12,
    percentile: 61.5,
    trainMarketPercent: 4,
    testMarketPercent: -7,
  }
  return {
    localRun: { difference: -1.25, differencePercent: -0.125, deals: 2, termsFrom: 'study', sameCandles: null },
    ambiguity: {
      pessimistic: -4,
      optimistic: 31,
      ambiguousCandles: 12,
      rankPessimistic: null,
      rankOptimistic: null,
      rankReason: text,
      of: 6,
      signFlips: true,
      leavesTopTenth: true,
    },
    starts: {
      ...spread,
      of: 1440,
      reported: 33,
      percentile: 80,
      otherSignPercent: 12,
      botsAfterTenDays: 2,
      excess: spread,
      drawdown: spread,
    },
    takeProfitCurve: {
      from: 0.5,
      to: 5,
      pieces: 3160,
      certified: { percent: 97, reason: text },
      best: { from: 4.8573, to: 4.8575, netProfit: 43 },
      basin: { from: 4.783, to: 4.8575 },
      band: { within: 5, percentile: 98, q1: 16, median: 20, q3: 31 },
      envelope: [[0.6, 10, 12]],
    },
    thirds: {
      thirds: [40, 5, -12],
      months: [{ month: text, profit: 45 }],
      largestThird: { index: 0, profit: 40, sharePercent: 121 },
      largestMonth: { month: text, profit: 45, sharePercent: 136 },
      largestDeal: { openedAt: text, profit: 3, sharePercent: 9 },
    },
    nextSpan: { rho: -0.2, n: 6, splitAt: '2021-05-05T00:00:00.000Z' },
    walkForward: {
      folds: [
        fold,
        {
          ...fold,
          test: span('2021-05-06', '2021-05-11'),
          chosen: null,
          why: text,
          trainValue: null,
          testValue: null,
          netProfit: null,
          percentile: null,
          trainMarketPercent: null,
          testMarketPercent: null,
        },
      ],
      configs: 6,
      meanPercentile: 61.5,
      worstFold: 1,
      profit: -12,
      value: null,
      valueReason: text,
    },
    fall: [
      { dropPercent: 20, tied: 600, loss: 103, breakEvenRisePercent: 21, rungsFilled: 8, stopped: false },
      { dropPercent: 40, tied: 0, loss: 103, breakEvenRisePercent: null, rungsFilled: 8, stopped: true },
    ],
    benchmark: {
      hold: { profit: -288, maxDrawdownPercent: 40 },
      exposedHold: { profit: -90, maxDrawdownPercent: 13 },
      periodic: { daily: { profit: -150, maxDrawdownPercent: 20 }, weekly: { profit: -140, maxDrawdownPercent: 19 } },
    },
    capital: {
      average: 310,
      max: 600,
      averagePercent: 31,
      netProfit: 33,
      netProfitPerUsedPercent: 10.6,
      timeInDealPercent: 97,
      profitFollowsCapital: null,
      reason: text,
    },
    noise: { standardError: 50, netProfit: 33, lead: 4, leadStandardError: 11, leadReason: null },
    sharpe: { value: 1.5, standardError: 3.6, days: 28 },
    tried: { shown: 6, scanned: 100, total: 106 },
    overfitting: {
      dailyReturns: 250,
      psr: 0.7,
      psrReason: null,
      dsr: null,
      dsrReason: text,
      dsrOf: null,
      pbo: 0.4,
      pboReason: null,
    },
    direction: { changePercent: -28.8, rangePercent: 44, shareOfRange: -0.6 },
  }
}

/** `changes`: of checks, as JSON may hold them; undefined = not computed. */
export function keptExamination(
  checks: Readonly<Record<string, unknown>> = { ...keptChecks() },
  changes: Partial<KeptExamination> = {},
): KeptExamination {
  return {
    finishedAt: '2026-02-03T10:00:00.000Z',
    study: 'btc-may-2021',
    candlesHash: 'c1d2e3f4a5b60718',
    candleInterval: '1m',
    engineVersion: 'jump-2',
    checks: new Map(
      Object.entries(checks).flatMap(([name, value]) => (value === undefined ? [] : [[name, { value }] as const])),
    ),
    ...changes,
  }
}

/** The section with this examination of its best. */
export function examinedSection(
  section: StudyInput = smallSection(),
  examination: KeptExamination = keptExamination(),
): StudyInput {
  const { best } = readFacts(section)
  if (best === undefined) throw new Error('the section has a best')
  return { ...section, examinations: new Map([[best.fingerprint, examination]]) }
}

/** A hold-out that is closed unless changed, of the four weeks after the fixture study. */
export function holdoutOf(section: StudyInput, changes: Partial<HoldoutInput> = {}): HoldoutInput {
  const { to } = section.study.period
  return { span: { from: to, to: to + 28 * DAY_MS }, seenConfigs: 0, opened: null, results: null, ...changes }
}
