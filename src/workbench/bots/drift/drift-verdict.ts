/** What a verdict on the drift of a bot from its backtest is made of. */

export const GAP_CAUSES = ['price', 'fee', 'timing', 'convention', 'candles', 'unexplained'] as const
export type GapCause = (typeof GAP_CAUSES)[number]

/** Beyond one of them a drift is large. */
export const DRIFT_THRESHOLDS = {
  /** Of the profit, in percent of the investment: the same beyond which a local engine differs from a service. */
  gapPercent: 0.2,
  /** Fewer of the deals, of both together, match. */
  matchedPercent: 95,
} as const

export interface DriftVerdict {
  /** `none`: every fill, order and amount agrees, as finely as the service reports it. */
  readonly drift: 'none' | 'small' | 'large' | 'unknown'
  /** What it is put down to; `unexplained` where nothing that was tried explains all of it. Empty without a drift. */
  readonly causes: readonly GapCause[]
  readonly thresholds: typeof DRIFT_THRESHOLDS
  readonly sentence: string
}
