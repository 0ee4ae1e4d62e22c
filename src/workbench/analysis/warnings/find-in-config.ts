/** What a configuration by itself probably does not mean: its ladder, its money and its fees. Needs no candles. */
import type { ConfigField, DcaSpotConfig } from '../../../contract/bot.ts'
import type { Conventions, Costs } from '../../../engine/conventions.ts'
import { type LadderShape, ladderShape } from '../../../engine/ladder.ts'
import { type Warning, warning } from './warnings.ts'

/** What a ladder is computed under; a study is one. */
interface LadderConventions {
  readonly conventions: Conventions
  readonly costs: Costs
}

export interface ConfigLadder {
  readonly config: DcaSpotConfig
  readonly shape: LadderShape
}

interface ConfigCheck {
  readonly code: Warning['code']
  readonly field: ConfigField
  readonly applies: (ladder: ConfigLadder, terms: LadderConventions) => boolean
}

export const CONFIG_CHECKS = [
  { code: 'depthOver100', field: 'dcaPriceScalePercent', applies: ({ shape }) => shape.depthOver100 },
  { code: 'cutByStop', field: 'stopLoss', applies: ({ shape }) => shape.cutByStop > 0 },
  { code: 'neverTrades', field: 'dcaInitialOrderSize', applies: ({ shape }) => !shape.baseOrderFits },
  {
    code: 'overBudget',
    field: 'dcaTotalBudget',
    applies: ({ shape }) => shape.baseOrderFits && shape.cutByBudget > 0,
  },
  {
    code: 'overInvestment',
    field: 'dcaTotalBudget',
    applies: ({ config }) => config.dcaTotalBudget > config.investment,
  },
  {
    code: 'takeProfitBelowFees',
    field: 'takeProfit',
    applies: ({ config }, terms) => isBelowFees(config.takeProfit, terms),
  },
] as const satisfies readonly ConfigCheck[]

/** Of one configuration, which is valid. */
export function findConfigWarnings(config: DcaSpotConfig, terms: LadderConventions): readonly Warning[] {
  const ladder = { config, shape: ladderShape(config, terms.conventions, terms.costs) }
  return CONFIG_CHECKS.filter(({ applies }) => applies(ladder, terms)).map(({ code }) =>
    warning(code, { affected: 1, trials: 1 }),
  )
}

/** A gross take profit sells at A·(1+tp) what cost A·(1+f), and pays the fee again; a net one already includes both fees. */
export function isBelowFees(takeProfit: number, { conventions, costs }: LadderConventions): boolean {
  if (conventions.takeProfitBasis === 'net') return false
  const fee = costs.feePercent / 100
  return (1 + takeProfit / 100) * (1 - fee) <= 1 + fee
}
