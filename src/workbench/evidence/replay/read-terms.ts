/** What a stored result says it was computed under, as the engine takes it; and what it does not say. */
import type { Conventions, Costs, SymbolRules } from '../../../engine/conventions.ts'
import { readStatedConventions } from '../../../engine/read-conventions.ts'
import { isCostPercent, isSymbolRule } from '../../../engine/read-settings.ts'
import type { TrialRecord } from '../../store/records.ts'

export interface Terms {
  readonly conventions: Conventions
  readonly costs: Costs
  readonly symbol: SymbolRules
}

export function readTerms({
  conventions,
  costs,
  symbol,
}: Pick<TrialRecord, 'conventions' | 'costs' | 'symbol'>): Terms | { readonly missing: readonly string[] } {
  const stated = conventions === null ? undefined : readStatedConventions((name) => conventions[name])
  const rules = symbol === null ? null : readRules(symbol)
  const areCosts = costs !== null && isCostPercent(costs.feePercent) && isCostPercent(costs.slippagePercent)
  if (stated !== undefined && 'conventions' in stated && rules !== null && areCosts) {
    return { conventions: stated.conventions, costs, symbol: rules }
  }
  const missing: string[] = []
  if (stated === undefined) missing.push('conventions: the result does not state them')
  else if ('problems' in stated) {
    missing.push(...stated.problems.map(({ path, message }) => `conventions.${path}: ${message}`))
  }
  if (costs === null) missing.push('costs: the result does not state them')
  else if (!areCosts) missing.push(`costs: ${JSON.stringify(costs)} are none`)
  if (symbol === null) missing.push('symbol rules: the result does not state them')
  else if (rules === null) missing.push(`symbol rules: ${JSON.stringify(symbol)} are none`)
  return { missing }
}

function readRules(symbol: Readonly<Record<string, unknown>>): SymbolRules | null {
  const { tick, lot, minNotional } = symbol
  const areRules = isSymbolRule('tick', tick) && isSymbolRule('lot', lot) && isSymbolRule('minNotional', minNotional)
  return areRules ? { tick, lot, minNotional } : null
}
