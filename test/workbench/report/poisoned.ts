import type { BestInput, HoldoutInput, StudyInput } from '../../../src/workbench/report/input.ts'
import { examinedSection, holdoutOf, keptChecks, keptExamination } from './examined-section.ts'
import { driftInput, keptDrift, promotedTrial } from './kept-bots.ts'
import { failedTrial, smallSection, spanOf, verdictOf } from './sections.ts'

/** `text` in every field that someone else may have written. */
export function poisoned(text: string): StudyInput {
  const section = smallSection()
  const market = { exchange: text, baseAsset: text, quoteAsset: text }
  const trials = section.trials.map((trial, index) => {
    if (index === 0) return { ...failedTrial(trial, text), market, identity: text, jobId: text }
    return {
      ...trial,
      market,
      identity: text,
      jobId: text,
      metricFlags: { sharpe: text, [text]: text },
      candles: { interval: text, count: 1, missing: index, hash: text, synthetic: true },
      conventions: { [text]: text, nested: { [text]: [text] } },
    }
  })
  const poisonedSection = {
    ...section,
    study: { ...section.study, name: text, fingerprint: text, markets: [market], source: text },
    market,
    identity: text,
    service: { name: text, done: 1, total: 1 },
    otherServices: [{ name: text, done: 1, total: 1 }],
    spending: { requests: 1, attempts: 1, refused: 1, firstSubmittedAt: text, lastFinishedAt: text },
    candles: { kind: 'absent' as const, reason: text },
    trials,
    best: bestOf(text),
    holdout: openedHoldout(section, text),
    calibration: calibrationOf(section, text),
    agreement: { passed: false, failed: [text] },
    revisions: [revisionOf(text)],
    promotions: [
      promotedTrial(text, {
        fingerprint: text,
        state: text,
        openedAt: text,
        startedAt: text,
        headline: text,
        accepted: [text],
      }),
    ],
    drifts: [driftInput(keptDrift(text), { price: { reason: text } })],
  }
  return examinedSection(
    poisonedSection,
    keptExamination(
      { ...keptChecks(text), tried: text },
      {
        finishedAt: text,
        study: text,
        candlesHash: text,
        candleInterval: text,
        engineVersion: text,
      },
    ),
  )
}

function bestOf(text: string): BestInput {
  const deal = {
    openedAt: text,
    closedAt: text,
    exit: 'takeProfit' as const,
    safetyOrders: 1,
    quantity: 1,
    cost: 1,
    proceeds: 1,
    profit: 1,
    price: 1,
    lowestValue: null,
  }
  const openDeal = { openedAt: text, safetyOrders: 1, quantity: 1, cost: 1, value: 1, profit: 0, lowestValue: null }
  return {
    deals: [deal],
    openDeal,
    engineVersion: text,
    verdict: verdictIn(text),
    plain: null,
    spans: [spanOf()],
  }
}

function verdictIn(text: string): BestInput['verdict'] {
  const reason = { code: text, hard: true, sentence: text, remedy: text, command: text }
  const found = verdictOf({
    headline: text,
    sentence: text,
    reasons: [reason],
    also: [{ code: text, sentence: text }],
    judgedAt: text,
    isStale: true,
  })
  const { expect } = found
  return {
    ...found,
    next: { command: text, why: text, jobs: 1 },
    expect: expect && { ...expect, from: text, to: text },
    unknown: [{ what: text, why: text }],
    stretches: found.stretches.map((one) => ({ ...one, from: text, to: text })),
  }
}

function openedHoldout(section: StudyInput, text: string): HoldoutInput {
  const [{ config }, { metrics }] = section.trials
  const result = { trial: text, market: `${text}/${text}-${text}`, place: text, config }
  return holdoutOf(section, {
    opened: { at: text, by: text, reason: text, isOfOther: true },
    results: [
      { ...result, role: 'winner', metrics, failure: null },
      { ...result, role: 'finalist', metrics: null, failure: text },
    ],
  })
}

function calibrationOf({ study }: StudyInput, text: string): StudyInput['calibration'] {
  return {
    identity: text,
    study: text,
    market: text,
    period: study.period,
    madeAt: 0,
    candles: { interval: text, hash: text },
    engineVersion: text,
    jobs: 3,
    candidates: 9,
    conventions: { [text]: text },
    costs: study.costs,
    ties: text,
    evidence: text,
    residualPercent: 0.01,
    isPoor: true,
  }
}

function revisionOf(text: string): StudyInput['revisions'][number] {
  const counts = { trials: 6, results: 5, isCurrent: true, number: 1, rerun: null }
  const times = { firstSavedAt: text, savedAt: text }
  return { ...counts, ...times, fingerprint: text, changed: [{ key: text, old: text, new: text }] }
}
