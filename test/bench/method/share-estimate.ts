/** How many of so many, with the interval that chance leaves open. */
import { normalQuantile } from '../../../src/workbench/analysis/certainty/normal.ts'
import type { Estimate } from './estimate.ts'

/** `value`: count / of, 0 to 1; to four significant digits, as all figures are. */
export interface ShareEstimate extends Pick<Estimate, 'value' | 'interval'> {
  readonly count: number
  readonly of: number
}

const Z = normalQuantile(0.95)

/** 90 % by Wilson (1927): (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n). null and no interval of none. */
export function shareOf(count: number, of: number): ShareEstimate {
  if (of === 0) return { value: null, interval: null, count, of }
  const p = count / of
  const middle = p + (Z * Z) / (2 * of)
  const half = Z * Math.sqrt((p * (1 - p)) / of + (Z * Z) / (4 * of * of))
  const whole = 1 + (Z * Z) / of
  const end = (value: number) => Number(Math.min(1, Math.max(0, value / whole)).toPrecision(4))
  return { value: Number(p.toPrecision(4)), interval: [end(middle - half), end(middle + half)], count, of }
}
