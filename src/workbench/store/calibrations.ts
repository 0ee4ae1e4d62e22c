/** By which conventions and costs a service computes, as far as its answers to probes tell. */
import type { CostsBody } from '../../contract/bodies.ts'
import { prepared } from '../../statements.ts'
import type { Period } from '../study/study.ts'
import { type Store, write } from './store.ts'
import { isoTime, msOf } from './times.ts'

export interface StoredCalibration {
  readonly identity: string
  /** The study whose probes they were. */
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
  /** Sets of conventions and costs that were told apart. */
  readonly candidates: number
  readonly conventions: Readonly<Record<string, unknown>>
  readonly costs: CostsBody
  /** Per convention, and for the fee and the slippage, the values that the answers do not tell apart. */
  readonly ties: unknown
  /** Per job: what the service said, and what was predicted. */
  readonly evidence: unknown
  /** The largest difference left, in percent of the investment; null = the service told no profit. */
  readonly residualPercent: number | null
  /** No set explains the answers well. */
  readonly isPoor: boolean
}

/** The same answers and the same finding as the latest of this service are no news: a run that was killed after it had found them finds them again. */
export function recordCalibration(store: Store, found: Omit<StoredCalibration, 'madeAt'>): Promise<void> {
  const { identity, study, market, period, candles, engineVersion, jobs, candidates, conventions, costs } = found
  return write(store, () => {
    prepared<[object], unknown>(
      store.db,
      `insert into calibration (identity, study, market, period_from, period_to, made_at, candle_interval, candles_hash, engine_version,
         jobs, candidates, conventions_json, fee_percent, slippage_percent, ties_json, evidence_json, residual_percent, is_poor)
       select :identity, :study, :market, :from, :to, :madeAt, :interval, :hash, :engineVersion,
         :jobs, :candidates, :conventions, :fee, :slippage, :ties, :evidence, :residual, :isPoor
       where (:study, :market, :from, :to, :hash, :engineVersion, :conventions, :fee, :slippage, :evidence) is not (
         select study, market, period_from, period_to, candles_hash, engine_version, conventions_json, fee_percent, slippage_percent, evidence_json
         from calibration where identity = :identity order by made_at desc, id desc limit 1)`,
    ).run({
      identity,
      study,
      market,
      from: isoTime(period.from),
      to: isoTime(period.to),
      madeAt: isoTime(store.clock.wall()),
      interval: candles.interval,
      hash: candles.hash,
      engineVersion,
      jobs,
      candidates,
      conventions: JSON.stringify(conventions),
      fee: costs.feePercent,
      slippage: costs.slippagePercent,
      ties: JSON.stringify(found.ties),
      evidence: JSON.stringify(found.evidence),
      residual: found.residualPercent,
      isPoor: found.isPoor ? 1 : 0,
    })
  })
}

interface CalibrationRow {
  readonly identity: string
  readonly study: string
  readonly market: string
  readonly period_from: string
  readonly period_to: string
  readonly made_at: string
  readonly candle_interval: string
  readonly candles_hash: string
  readonly engine_version: string
  readonly jobs: number
  readonly candidates: number
  readonly conventions_json: string
  readonly fee_percent: number
  readonly slippage_percent: number
  readonly ties_json: string
  readonly evidence_json: string
  readonly residual_percent: number | null
  readonly is_poor: number
}

/** The latest of a service; undefined before there was one. */
export function findCalibration(store: Store, identity: string): StoredCalibration | undefined {
  const row = prepared<[string], CalibrationRow>(
    store.db,
    'select * from calibration where identity = ? order by made_at desc, id desc limit 1',
  ).get(identity)
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
