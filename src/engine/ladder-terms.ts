import type { DcaSpotConfig } from '../contract/bot.ts'
import type { Conventions, Costs } from './conventions.ts'

/** The numbers of config, conventions and costs that decide levels. Rates as fractions (1 % = 0.01), steps and depths in percent. */
export interface LadderTerms {
  readonly baseSize: number
  /** Quote size of the first safety order. */
  readonly firstSize: number
  readonly maxSafetyOrders: number
  readonly volumeScale: number
  readonly firstStepPercent: number
  readonly stepMultiplier: number
  readonly spacing: Conventions['spacing']
  readonly feeRate: number
  /** Price from which ladder and stop are measured, over P0. */
  readonly anchorRatio: number
  /** Take profit over the gross average price. */
  readonly takeProfitRatio: number
  /** 0 = no stop. */
  readonly stopLossRate: number
  readonly stopLossBasis: Conventions['stopLossBasis']
}

/** Takes a valid config; throws where `explicit` sizing lacks its size (`resolveConventions` refuses that). */
export function ladderTerms(config: DcaSpotConfig, conventions: Conventions, costs: Costs): LadderTerms {
  const feeRate = costs.feePercent / 100
  return {
    baseSize: config.dcaInitialOrderSize,
    firstSize: firstSafetyOrderSize(config, conventions),
    maxSafetyOrders: config.dcaMaxSafetyOrders,
    volumeScale: config.dcaVolumeScale,
    firstStepPercent: config.dcaPriceScalePercent,
    stepMultiplier: config.dcaPriceStepMultiplier,
    spacing: conventions.spacing,
    feeRate,
    anchorRatio: conventions.basePrice === 'fill-with-fee' ? 1 + feeRate : 1,
    takeProfitRatio: takeProfitRatio(config.takeProfit, conventions, costs),
    stopLossRate: config.stopLoss / 100,
    stopLossBasis: conventions.stopLossBasis,
  }
}

/** Take profit over the gross average price, from its percentage. */
export function takeProfitRatio(
  percent: number,
  { takeProfitBasis }: Pick<Conventions, 'takeProfitBasis'>,
  { feePercent }: Costs,
): number {
  const feeRate = feePercent / 100
  const takeProfit = 1 + percent / 100
  return takeProfitBasis === 'net' ? ((1 + feeRate) * takeProfit) / (1 - feeRate) : takeProfit
}

function firstSafetyOrderSize(config: DcaSpotConfig, conventions: Conventions): number {
  switch (conventions.safetyOrderSizing) {
    case 'scaled-from-base':
      return config.dcaInitialOrderSize * config.dcaVolumeScale
    case 'first-equals-base':
      return config.dcaInitialOrderSize
    case 'explicit':
      if (conventions.safetyOrderSize === null) throw new Error('explicit safety order sizing without safetyOrderSize')
      return conventions.safetyOrderSize
  }
}

/** Depth of the next rung in percent below the anchor, from the depth of the rung above it and the step between them. */
export function nextDepthPercent(terms: LadderTerms, depthPercent: number, stepPercent: number): number {
  return terms.spacing === 'from-base'
    ? depthPercent + stepPercent
    : depthPercent + ((100 - depthPercent) * stepPercent) / 100
}
