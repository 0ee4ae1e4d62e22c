/**
 * The local engine standing in for a service. It screens a study's grid under the conventions and costs that the service computes
 * with, as far as they are known, and measures samples beside the best. What it gives is made of values that JSON can hold, so that a search
 * can keep it and need not screen again.
 */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { metricValue } from '../../contract/metrics.ts'
import type { MeasuredConfig } from '../screen/messages.ts'
import { type MarketsToScreen, screenMarkets } from '../screen/screen-markets.ts'
import { configFingerprint } from '../study/fingerprint.ts'
import { isInsideBounds } from '../study/objective.ts'
import type { Objective, Study } from '../study/study.ts'

/** A study whose axes all have levels, on its markets that have candles. */
export interface LocalScreenRequest extends Omit<MarketsToScreen, 'top'> {
  /** Found by calibration, or the study's own. */
  readonly conventions: Study['conventions']
  readonly costs: Study['costs']
  /** How many of the best are returned; fewer where fewer behave differently. */
  readonly wanted: number
  /** Measured besides, points of the grid or not. */
  readonly samples: readonly DcaSpotConfig[]
}

/** A configuration as the local engine sees it. */
export interface ScreenedConfig {
  readonly config: DcaSpotConfig
  readonly configFingerprint: string
  /** The objective, reduced over the markets; null = undefined on one of them. */
  readonly value: number | null
  /** Inside the objective's bounds on every market. */
  readonly isInside: boolean
  /** In the order of the markets given. */
  readonly markets: readonly LocalTrial[]
}

/** A configuration on one market. */
interface LocalTrial {
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  /** The fingerprint. */
  readonly trial: string
  /** In quote. */
  readonly netProfit: number
  /** Of the objective; null = undefined. */
  readonly value: number | null
  readonly isInside: boolean
}

interface LocalScreening {
  /** No two of them do the same on every market; best first by the objective. */
  readonly best: readonly ScreenedConfig[]
  /** In the order asked. */
  readonly samples: readonly ScreenedConfig[]
  /** Different configurations that were simulated on each market, in the study's order: of the grid, less what its limits exclude. */
  readonly simulated: readonly number[]
  /** It was interrupted, or a market of the study was not among those given: nothing to base a search on. */
  readonly partial: boolean
}

/** Aborted, it resolves with the best so far and `partial: true`. */
export async function screenLocally({
  study: asked,
  conventions,
  costs,
  wanted,
  samples,
  ...rest
}: LocalScreenRequest): Promise<LocalScreening> {
  const study = { ...asked, conventions, costs }
  const screening = await screenMarkets({ ...rest, study, top: wanted }, samples)
  const seen = (measured: MeasuredConfig) => toScreenedConfig(measured, study.objective)
  return {
    best: screening.top.map(seen),
    samples: screening.asked.map(seen),
    simulated: screening.markets.map(({ simulated }) => simulated),
    partial: !screening.complete || rest.markets.length < study.markets.length,
  }
}

function toScreenedConfig({ config, value, markets }: MeasuredConfig, objective: Objective): ScreenedConfig {
  const trials = markets.map(
    ({ market, fingerprint, metrics }): LocalTrial => ({
      market,
      trial: fingerprint,
      netProfit: metrics.netProfit,
      value: metricValue(metrics, objective.metric),
      isInside: isInsideBounds(metrics, objective),
    }),
  )
  return {
    config,
    configFingerprint: configFingerprint(config),
    value,
    isInside: trials.every(({ isInside }) => isInside),
    markets: trials,
  }
}
