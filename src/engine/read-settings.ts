/** What a cost and a rule of a symbol may be, wherever it is stated: in a file, a flag or a body. */
import type { SymbolRules } from './conventions.ts'

/** Percent. Half of the amount and more is no cost but a mistake of units, and from 100 on the formulas have no answer. */
export const COST_BELOW = 50

export function isCostPercent(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < COST_BELOW
}

/** A null is not enforced; nor is a `minNotional` of 0, which exchanges without a smallest order write. */
export function isSymbolRule(name: keyof SymbolRules, value: unknown): value is number | null {
  if (value === null) return true
  if (typeof value !== 'number' || !Number.isFinite(value)) return false
  return value > 0 || (value === 0 && name === 'minNotional')
}
