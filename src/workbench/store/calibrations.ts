/** By which conventions and costs a service computes, as far as its answers to test backtests show. */
import type { CostsBody } from '../../contract/bodies.ts'
import { runBuilt, statement } from '../../sqlite/statements.ts'
import type { Period } from '../study/study.ts'
import { type Store, write } from './store.ts'
import { isoTime, msOf, query } from './tables.ts'

export interface StoredCalibration {
  readonly identity: string
  /** The study whose test backtests they were. */
  readonly study: string
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  readonly period: Period
  /** ms UTC. */
  readonly madeAt: number
  /** The local candles that the answers were held against. */
  readonly candles: { readonly interval: string; readonly hash: string }
  readonly engineVersion: string
  readonly jobs: number
  /** Sets of conventions and costs among which the answers decided. */
  readonly candidates: number
  readonly conventions: Readonly<Record<string, unknown>>
  readonly costs: CostsBody
  /** Per convention, and for the fee and the slippage, the values between which the answers do not decide. */
  readonly ties: unknown
  /** Per job: what the service said, and what was predicted. */
  readonly evidence: unknown
  /** The largest difference left, in percent of the investment; null = the service stated no profit. */
  readonly residualPercent: number | null
  /** No set explains the answers well. */
  readonly isPoor: boolean
}

/** A finding that equals the latest one in all of these is not stored. */
const NEWS = [
  ...(['study', 'market', 'period_from', 'period_to', 'candles_hash', 'engine_version'] as const),
  ...(['conventions_json', 'fee_percent', 'slippage_percent', 'evidence_json'] as const),
]

const latestOfService = statement(({ identity }: { readonly identity: string }) =>
  query
    .selectFrom('calibration')
    .selectAll()
    .where('identity', '=', identity)
    .orderBy('made_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
)

/** Stores a finding unless it equals the latest of this service: a run that was killed after it had stored one finds it again. */
export function recordCalibration(store: Store, found: Omit<StoredCalibration, 'madeAt'>): Promise<void> {
  const { identity, period, candles, costs } = found
  const row = {
    identity,
    study: found.study,
    market: found.market,
    period_from: isoTime(period.from),
    period_to: isoTime(period.to),
    made_at: isoTime(store.clock.wall()),
    candle_interval: candles.interval,
    candles_hash: candles.hash,
    engine_version: found.engineVersion,
    jobs: found.jobs,
    candidates: found.candidates,
    conventions_json: JSON.stringify(found.conventions),
    fee_percent: costs.feePercent,
    slippage_percent: costs.slippagePercent,
    ties_json: JSON.stringify(found.ties),
    evidence_json: JSON.stringify(found.evidence),
    residual_percent: found.residualPercent,
    is_poor: found.isPoor ? 1 : 0,
  }
  return write(store, () => {
    const latest = latestOfService.first(store.db, { identity })
    const isNews = latest === undefined || NEWS.some((column) => row[column] !== latest[column])
    if (isNews) runBuilt(store.db, query.insertInto('calibration').values(row))
  })
}

/** The latest of a service; undefined before there was one. */
export function findCalibration(store: Store, identity: string): StoredCalibration | undefined {
  const row = latestOfService.first(store.db, { identity })
  if (row === undefined) return undefined
  return {
    identity: row.identity,
    study: row.study,
    market: row.market,
    period: { from: msOf(row.period_from), to: msOf(row.period_to) },
    madeAt: msOf(row.made_at),
    candles: { interval: row.candle_interval, hash: row.candles_hash },
    engineVersion: row.engine_version,
    jobs: row.jobs,
    candidates: row.candidates,
    conventions: JSON.parse(row.conventions_json),
    costs: { feePercent: row.fee_percent, slippagePercent: row.slippage_percent },
    ties: JSON.parse(row.ties_json),
    evidence: JSON.parse(row.evidence_json),
    residualPercent: row.residual_percent,
    isPoor: row.is_poor === 1,
  }
}
