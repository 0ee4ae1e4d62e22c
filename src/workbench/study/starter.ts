import type { Market } from '../../contract/market.ts'
import { LEAST_IN_DEAL_PERCENT } from '../../contract/metrics.ts'

/** The market and the period that a study asks about. */
export interface StarterData {
  readonly market: Market
  /** Dates or instants, as a study file writes them. */
  readonly period?: { readonly from: string; readonly to: string }
}

const USUAL_DATA: Required<StarterData> = {
  market: { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-02-01' },
}

/**
 * A commented study file to start from, valid as it is.
 * @param name a study's name (`isStudyName`)
 */
export function starterStudy(name: string, data: StarterData = USUAL_DATA): string {
  const { exchange, baseAsset, quoteAsset } = data.market
  const { from, to } = data.period ?? USUAL_DATA.period
  return `# yaml-language-server: $schema=./study.schema.json
#
# A study asks which configuration of a DCA bot would have done best on one market and period.
# Check it with: dcalab study check studies/${name}.yaml   (spends nothing)
name: ${name}

market: { exchange: ${exchange}, baseAsset: ${baseAsset}, quoteAsset: ${quoteAsset} }
period: { from: ${from}, to: ${to} }   # dates (00:00 UTC) or instants; from ≤ open time of a candle < to
# interval: 1m                                 # default: the finest stored one that covers the period

# What is kept aside of the period to test the winner on, once; and how choices are tested before it, locally and free.
# validate: { holdout: 25%, walkForward: { train: 14d, test: 3d } }

# What trading costs, in percent: on the local engine and on a service of ours.
costs: { feePercent: 0.1, slippagePercent: 0 }

# Held constant in every trial. Amounts are in the quote currency.
base:
  investment: 1000             # the bot's capital; ROI is measured against it
  dcaTotalBudget: 1000         # the most one deal may spend, fees included
  dcaInitialOrderSize: 25      # the base order
  dcaPriceStepMultiplier: 1.2  # each step of the ladder is this many times the step before
  stopLoss: 0                  # percent below the base order; 0 = none

# Varied: every combination is one point of the grid, here 2 × 3 × 2 × 3 = 36.
grid:
  dcaMaxSafetyOrders: [4, 6]                               # a list,
  dcaPriceScalePercent: { from: 0.5, to: 1.5, step: 0.5 }  # a range by step (it must reach \`to\` exactly),
  dcaVolumeScale: { from: 1, to: 1.4, count: 2 }           # a range by count,
  takeProfit: { from: 0.5, to: 2, count: 3, scale: log }   # or a range of equal ratios: 0.5, 1, 2

# Points that nobody would run. Also: safetyOrders, lastToFirstSize, stopLossToDepth.
where:
  ladderCost: { max: 1000 }          # quote for the base order and all safety orders, fees included
  ladderDepthPercent: { max: 30 }    # how far below the base order the last one lies

# What makes a trial better: profit per capital used under worst-case fills and higher costs, of bots that still trade.
# Trials outside the bounds are shown, but not ranked.
objective:
  maximize: stressedPerUsed
  where:
    timeInDealPercent: { min: ${LEAST_IN_DEAL_PERCENT} }
    maxDrawdownPercent: { max: 30 }
    closedDeals: { min: 30 }

# How the local engine and a service of ours read what platforms disagree on: default, or { preset, …overrides }, of which three-commas needs safetyOrderSize.
conventions: default
`
}
