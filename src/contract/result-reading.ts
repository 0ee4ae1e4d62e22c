/**
 * A service's result as the workbench understood it: read by `workbench/api/`, stored by `workbench/store/`. Plain data, so that
 * it can be written to a file.
 */
import type { CostsBody, DealBody, OpenDealBody } from './bodies.ts'
import type { MetricsAsRead } from './metrics.ts'

/** What a service says it computed with, or is going to; a part that it does not state is null. */
export interface SettingsReading {
  readonly conventions: Readonly<Record<string, unknown>> | null
  readonly costs: CostsBody | null
  /** Exchange rules of the symbol. */
  readonly symbol: Readonly<Record<string, unknown>> | null
}

export interface ResultReading extends SettingsReading {
  /** An unreadable number in it is null, with the reason in `flags`. */
  readonly metrics: MetricsAsRead
  /** Dotted path → why it could not be read; empty when everything could be read. */
  readonly flags: Readonly<Record<string, string>>
  readonly deals: readonly DealBody[] | null
  readonly openDeal: OpenDealBody | null
  readonly candles: {
    readonly interval: string
    readonly count: number | null
    readonly missing: number | null
    readonly hash: string | null
    readonly synthetic: boolean | null
  } | null
  readonly engineVersion: string | null
}
