import type { Objective } from '../study/study.ts'
import { type Confirmed, rankConfirmed } from './confirmed.ts'

/**
 * True when the rest is not worth its units: two batches of chosen configurations are confirmed, and the best of them is in the first. The twin put
 * the first before the second, and the service says the same. Asked once, after the second batch.
 */
export function isEnough(batches: readonly (readonly Confirmed[])[], objective: Pick<Objective, 'direction'>): boolean {
  if (batches.length !== 2) return false
  const [best] = rankConfirmed(batches.flat(), objective)
  return best !== undefined && batches[0].some(({ fingerprint }) => fingerprint === best.fingerprint)
}
