/** The worse terms of `score: stressed`: of the settings that were tried, profit under these foretold later profit best. */
import type { Conventions, Costs } from '../../engine/conventions.ts'
import type { Study } from '../study/study.ts'

const LEAST_FEE_PERCENT = 0.2
const LEAST_SLIPPAGE_PERCENT = 0.05

/** Never milder than the study's own. */
export function stressedTerms({ conventions, costs }: Pick<Study, 'conventions' | 'costs'>): {
  readonly conventions: Conventions
  readonly costs: Costs
} {
  return {
    conventions: { ...conventions, intrabar: 'pessimistic' },
    costs: {
      ...costs,
      feePercent: Math.max(costs.feePercent, LEAST_FEE_PERCENT),
      slippagePercent: Math.max(costs.slippagePercent, LEAST_SLIPPAGE_PERCENT),
    },
  }
}
