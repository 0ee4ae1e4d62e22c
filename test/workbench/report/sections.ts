/** Report inputs from made-up trials. */
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import type { ReportInput, StudyInput } from '../../../src/workbench/report/input.ts'
import type { TrialRecord } from '../../../src/workbench/store/records.ts'
import type { Study } from '../../../src/workbench/study/study.ts'
import {
  FIXTURE_HASH,
  FIXTURE_IDENTITY,
  fixturePrices,
  fixtureStudy,
  fixtureTrials,
} from '../../support/fixture-trials.ts'

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
    best: { verdict: null, deals: [], openDeal: null, engineVersion: null },
    revisions: [],
    holdout: null,
    calibration: null,
    agreement: undefined,
    promotions: [],
    drifts: [],
    identity: FIXTURE_IDENTITY,
    service: { name: 'embedded', done: trials.length, total: trials.length },
    otherServices: [],
    plan: { grid: trials.length, infeasible: 0, duplicates: 0 },
    trials,
    spending: {
      requests: 118,
      attempts: 97,
      refused: 1,
      firstSubmittedAt: '2026-02-03T09:00:00.000Z',
      lastFinishedAt: '2026-02-03T09:00:40.000Z',
    },
    looks: { shown: trials.length, scanned: 0 },
    hold: {
      kind: 'found',
      interval: '1m',
      hash: FIXTURE_HASH,
      days: fixturePrices((study.period.to - study.period.from) / dayMs).map((price, day) => ({
        date: new Date(study.period.from + day * dayMs).toISOString().slice(0, 10),
        returnPercent: 100 * (0.998 * price - 1),
      })),
    },
    candles: { kind: 'absent', reason: 'no local candles of this market cover the period' },
    embedded: 'auto',
    assumed: { conventions: study.conventions, costs: study.costs, symbol: NO_SYMBOL_RULES, from: 'study' },
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

/** Scripts that stand for the real ones where nothing is drawn. */
export const NO_RUNTIME = { vega: '/* vega */', page: '/* page */' }

/** Script elements of a page whose sections have trials with equity and no candles: charts, document, Vega and the page's own; two blocks each. */
export function scriptsOf(sections: number): number {
  return 4 + 2 * sections
}
