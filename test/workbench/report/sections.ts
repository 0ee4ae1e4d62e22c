/** Report inputs from made-up trials. */
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import type {
  BestInput,
  ReportInput,
  ShownVerdict,
  SpanInput,
  StudyInput,
} from '../../../src/workbench/report/input.ts'
import type { TrialRecord } from '../../../src/workbench/store/records.ts'
import type { Study } from '../../../src/workbench/study/study.ts'
import { FIXTURE_IDENTITY, fixturePrices, fixtureStudy, fixtureTrials } from '../../support/fixture-trials.ts'

const dayMs = 86_400_000

/** Six trials: enough for every chart, few enough to read. */
export const SMALL_AXES: Study['axes'] = [
  { field: 'dcaMaxSafetyOrders', values: [2, 8] },
  { field: 'takeProfit', values: [0.5, 1.5, 3] },
]

export function sectionOf(study: Study = fixtureStudy(), changes: Partial<StudyInput> = {}): StudyInput {
  const trials = changes.trials ?? fixtureTrials(study)
  return {
    study,
    market: study.markets[0],
    chosen: null,
    examinations: new Map(),
    best: bestOf({ spans: [spanOf(study)] }),
    revisions: [],
    holdout: null,
    calibration: null,
    agreement: undefined,
    promotions: [],
    drifts: [],
    identity: FIXTURE_IDENTITY,
    service: { name: 'embedded', done: trials.length, total: trials.length },
    otherServices: [],
    plan: { grid: trials.length, breaksLimit: 0, duplicates: 0 },
    warnings: [],
    trials,
    spending: {
      requests: 118,
      attempts: 97,
      refused: 1,
      firstSubmittedAt: '2026-02-03T09:00:00.000Z',
      lastFinishedAt: '2026-02-03T09:00:40.000Z',
    },
    tried: { shown: trials.length, scanned: 0 },
    candles: { kind: 'absent', reason: 'no local candles of this market cover the period' },
    embedded: 'auto',
    assumed: { conventions: study.conventions, costs: study.costs, symbol: NO_SYMBOL_RULES, from: 'study' },
    ...changes,
  }
}

export function bestOf(changes: Partial<BestInput> = {}): BestInput {
  return { deals: [], openDeal: null, engineVersion: null, verdict: null, plain: null, spans: [], ...changes }
}

/** The days of the study, on which the first of its trials is the bot. */
export function spanOf(study: Study = fixtureStudy(), changes: Partial<SpanInput> = {}): SpanInput {
  const [{ metrics }] = fixtureTrials(study)
  if (metrics === null) throw new Error('fixture trials have results')
  const days = fixturePrices((study.period.to - study.period.from) / dayMs).map((price, day) => ({
    date: new Date(study.period.from + day * dayMs).toISOString().slice(0, 10),
    returnPercent: 100 * (0.998 * price - 1),
  }))
  const times = (factor: number) =>
    days.map(({ date, returnPercent }) => ({ date, returnPercent: factor * returnPercent }))
  return {
    ...study.period,
    isUnseen: false,
    metrics,
    lines: { bot: times(-0.1), hold: times(0.3), plain: times(0.1) },
    perUsedPercent: { bot: 9.5, hold: -28.8, plain: -8.25 },
    ...changes,
  }
}

/** A verdict with everything in it. */
export function verdictOf(changes: Partial<ShownVerdict> = {}): ShownVerdict {
  const reason = (code: string, sentence: string) => ({
    code,
    hard: false,
    sentence,
    remedy: 'hold',
    command: 'dcalab show a',
  })
  return {
    grade: 'holdingDidBetter',
    headline: 'Holding did better',
    sentence: 'In 3 stretches of 30 days it earned −6.00 USDT each; holding earned +8.00: 14.0 ± 5.0 less.',
    reasons: [
      reason('belowHolding', 'same days: bot +33.0, holding the same amount −90.0'),
      reason('plainAsGood', 'a plain ladder was as good: 1.0 % a stretch over holding, this 0.90 %'),
      reason('tie', '6 others within one standard error (+1.44 ± 20.4)'),
    ],
    also: [{ code: 'openLoss', sentence: 'the open deal is down 16.1' }],
    tried: { shown: 96, scanned: 0 },
    excess: { mean: -14, error: 5, usualCapital: 100, days: 30 },
    next: { command: 'dcalab leaderboard btc-may-2021', why: 'see the others', jobs: 0 },
    expect: {
      days: 30,
      stretches: 3,
      from: '2018-01-01',
      to: '2021-04-21',
      rows: [
        { market: 'rose', stretches: 2, middleHalf: [11.2, 47.1], worst: -54.5 },
        { market: 'stood', stretches: 0, middleHalf: null, worst: null },
        { market: 'fell', stretches: 1, middleHalf: null, worst: null },
      ],
      low: -108.12,
      high: 75.8,
      drawdownBelowPercent: 14.2,
    },
    unknown: [{ what: 'hold-out', why: 'it has not been opened' }],
    stretches: [
      {
        from: '2018-01-01T00:00:00.000Z',
        to: '2018-01-31T00:00:00.000Z',
        netProfit: 10,
        holdPercent: 40,
        changePercent: 41,
      },
      {
        from: '2019-01-01T00:00:00.000Z',
        to: '2019-01-31T00:00:00.000Z',
        netProfit: 5,
        holdPercent: 2,
        changePercent: 3,
      },
      {
        from: '2020-01-01T00:00:00.000Z',
        to: '2020-01-31T00:00:00.000Z',
        netProfit: -33,
        holdPercent: -18,
        changePercent: -17,
      },
    ],
    judgedAt: '2026-02-03T10:05:00.000Z',
    isStale: false,
    ...changes,
  }
}

export function smallSection(changes: Partial<StudyInput> = {}): StudyInput {
  return sectionOf(fixtureStudy({ axes: SMALL_AXES }), changes)
}

export function inputOf(...sections: readonly StudyInput[]): ReportInput {
  return { madeAt: Date.parse('2026-02-03T10:12:00Z'), sections }
}

export function failedTrial(trial: TrialRecord, failure: string): TrialRecord {
  return { ...trial, state: 'failed', metrics: null, candles: null, conventions: null, costs: null, failure }
}

/** A script that stands for the real one where nothing is drawn. */
export const NO_RUNTIME = '/* page */'

/** Script elements of a page whose sections have trials with equity and no candles: document, the inspector's charts and the page's own; two blocks each. */
export function scriptsOf(sections: number): number {
  return 3 + 2 * sections
}
