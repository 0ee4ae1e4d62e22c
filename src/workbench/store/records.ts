/** The types that the store's readers return. */

import type { DcaSpotConfig } from '../../contract/bot.ts'
import type { Market } from '../../contract/market.ts'
import type { MetricsAsRead } from '../../contract/metrics.ts'
import type { ResultReading } from '../../contract/result-reading.ts'
import type { Period } from '../study/study.ts'
import type { RowOf } from './tables.ts'

export interface StudyRecord {
  readonly name: string
  /** Number of this definition among those of its name, from 1. */
  readonly revision: number
  readonly fingerprint: string
  /** The study file's text; of a rerun, with the parts that it replaced. */
  readonly source: string
  readonly isRerun: boolean
  /** ISO 8601 UTC. */
  readonly savedAt: string
  /** Since when lists leave it out; null = they do not. */
  readonly archivedAt: string | null
  /** Service identities that this study was run on, latest first. */
  readonly identities: readonly string[]
}

/** As the view `trials` says. */
export type TrialState = RowOf<'study_count'>['state']

/** One trial on one service identity, with its outcome if that is known. */
export interface TrialRecord extends Pick<ResultReading, 'candles' | 'conventions' | 'costs' | 'symbol'> {
  readonly fingerprint: string
  readonly identity: string
  /** The result comes from a simulated service (our embedded one). */
  readonly simulated: boolean
  /** First 12 digits of the settings that were asked for; null = none were. */
  readonly settings: string | null
  readonly market: Market
  readonly period: Period
  readonly config: DcaSpotConfig
  readonly state: TrialState
  readonly jobId: string | null
  readonly submittedAt: string | null
  readonly finishedAt: string | null
  /** Why it failed, in the service's words. */
  readonly failure: string | null
  /** null until done, or when the result could not be read. An unreadable number in it is null. */
  readonly metrics: MetricsAsRead | null
  /** What could not be read, metric by metric; empty when everything could be read. */
  readonly metricFlags: Readonly<Record<string, string>>
}

/** Metric: as the result had it, and as it is stated now. */
export type ResultChanges = Readonly<Record<string, readonly [number, number]>>

export interface RevisedResult {
  /** ISO 8601 UTC. */
  readonly noticedAt: string
  readonly changes: ResultChanges
  /** When it became the result, ISO 8601 UTC; null = it did not. */
  readonly takenAt: string | null
  /** Column of `result`: what stood there before; null while it is not taken. */
  readonly replaced: Readonly<Record<string, unknown>> | null
  /** The last time it was asked the service stated this, and the result is another. */
  readonly isPending: boolean
}

/** With its deals, of which one trial may have thousands. */
export interface WholeTrial extends TrialRecord, Pick<ResultReading, 'deals' | 'openDeal' | 'engineVersion'> {
  /** When its deals and daily equity were dropped, ISO 8601 UTC; null = they are here as far as the service stated them. */
  readonly prunedAt: string | null
  /** What the service said of its result later, oldest first. */
  readonly revised: readonly RevisedResult[]
}
