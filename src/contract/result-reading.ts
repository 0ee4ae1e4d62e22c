/** What a service's result was understood to say: read by `workbench/api/`, kept by `workbench/store/`. Plain data, so that it can wait in a file. */
import type { DealBody, OpenDealBody } from './bodies.ts'
import type { MetricsAsRead } from './metrics.ts'

export interface ResultReading {
  /** Unreadable numbers inside are null, each with its reason in `flags`. */
  readonly metrics: MetricsAsRead
  /** Dotted path → why it could not be read; empty when all is well. */
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
  readonly conventions: Readonly<Record<string, unknown>> | null
  readonly costs: { readonly feePercent: number; readonly slippagePercent: number } | null
  readonly engineVersion: string | null
}
