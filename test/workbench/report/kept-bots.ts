/** A bot as the store keeps it: promoted, and looked at beside its backtest, with one deal late and one missing. */
import type { DriftInput, StudyInput } from '../../../src/workbench/report/input.ts'
import type { DriftDealRow, KeptDriftCheck } from '../../../src/workbench/store/drift-checks.ts'
import type { PromotedTrial } from '../../../src/workbench/store/promotions.ts'

const FROM = Date.parse('2021-06-01T00:00:00Z')
const DAY_MS = 86_400_000
const iso = (days: number) => new Date(FROM + days * DAY_MS).toISOString()

/** `text` wherever a text may be another's. */
export function keptDrift(text = 'dcalab-btc', changes: Partial<KeptDriftCheck> = {}): KeptDriftCheck {
  const deal = (from: number, to: number, kind: string): DriftDealRow => ({
    openedAt: iso(from),
    closedAt: iso(to),
    exit: 'takeProfit',
    safetyOrders: 1,
    openPrice: 100 - from,
    closePrice: 102 - from,
    profit: 2,
    kind,
  })
  const equity = (values: readonly number[]) =>
    values.map((value, day) => ({ date: iso(day).slice(0, 10), equity: value }))
  return {
    identity: text,
    botId: text,
    botName: text,
    trial: 'ab'.repeat(32),
    market: text,
    checkedAt: FROM + 4 * DAY_MS,
    span: { from: FROM, to: FROM + 3 * DAY_MS },
    candles: { interval: '1m', hash: 'c1d2e3f4a5b60718' },
    engineVersion: text,
    terms: { source: 'given', conventions: {}, costs: { feePercent: 0.1, slippagePercent: 0 } },
    deals: { matched: 1, early: 0, late: 1, missing: 1, extra: 0 },
    orders: { matched: 7, early: 0, late: 3, missing: 1, extra: 0, different: 2 },
    profit: {
      ...{ bot: 4, backtest: 6.5, gap: -2.5 },
      causes: { price: -0.25, fee: 0, timing: -2, convention: 0, candles: null, unexplained: -0.25 },
    },
    verdict: { drift: 'large', causes: ['timing'], sentence: text },
    alternatives: [],
    unknown: [{ what: text, reason: text }],
    series: {
      bot: { deals: [deal(0, 0.5, 'matched'), deal(1.25, 1.5, 'late')], equity: equity([1002, 1004, 1004]) },
      backtest: {
        deals: [deal(0, 0.5, 'matched'), deal(1, 1.5, 'late'), deal(2, 2.5, 'missing')],
        equity: equity([1002, 1004.5, 1006.5]),
      },
    },
    ...changes,
  }
}

export function promotedTrial(text = 'dcalab-btc', changes: Partial<PromotedTrial> = {}): PromotedTrial {
  return {
    fingerprint: 'ab'.repeat(32),
    identity: text,
    botId: text,
    botName: text,
    state: 'verified',
    openedAt: iso(0),
    startedAt: iso(0),
    netProfit: 12.5,
    headline: 'Do not use: it stops trading',
    accepted: ['doNotUse'],
    validation: { valid: true, errors: [] },
    ...changes,
  }
}

export function driftInput(check = keptDrift(), changes: Partial<DriftInput> = {}): DriftInput {
  const price = [0, 1, 2, 3].map((day) => ({ time: FROM + day * DAY_MS, price: 100 - day }))
  return { check, price, isHidden: false, ...changes }
}

export function withBot(section: StudyInput, text?: string): StudyInput {
  return { ...section, promotions: [promotedTrial(text)], drifts: [driftInput(keptDrift(text))] }
}
