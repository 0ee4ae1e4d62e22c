import { withCommas } from '../../contract/metrics.ts'
import type { TriedCount } from './tried-count.ts'

/**
 * "best of at most 1,234 configurations tried on this market and time: 40 on the service, 1,194 locally". Empty when nothing
 * was counted. `one`: of a result that need not be the best.
 */
export function triedInWords(place: 'best' | 'one', { shown, scanned }: TriedCount): string {
  const total = shown + scanned
  if (total === 0) return ''
  const number = (count: number) => withCommas(String(count))
  return `${place} of at most ${number(total)} configuration${total === 1 ? '' : 's'} tried on this market and time: ${number(shown)} on the service, ${number(scanned)} locally`
}
