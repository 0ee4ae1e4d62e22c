/** (c): the confirmed come in tens; after two batches it stops when the first of them holds the best. */
import { ascending, quantile } from '../../../src/workbench/analysis/quantiles.ts'

const BATCH = 10

export interface EarlyStop {
  readonly stops: boolean
  /** Of those that the whole list would cost, as a share; 0 where it does not stop. */
  readonly kept: number
  /** (best of all − best at the stop) / (p95 − p5 of the confirmed); null where it does not stop, or all that is confirmed is alike. */
  readonly regret: number | null
}

/**
 * @param confirmed what the service says of the chosen, best of the screen first
 * @param samples the same of configurations spread over the whole space, paid for as well
 */
export function stopEarly(confirmed: readonly number[], samples: readonly number[]): EarlyStop {
  const first = Math.max(...confirmed.slice(0, BATCH))
  const second = Math.max(...confirmed.slice(BATCH, 2 * BATCH))
  const stops = confirmed.length >= 2 * BATCH && first >= second
  if (!stops) return { stops, kept: 0, regret: null }
  const kept = (confirmed.length - 2 * BATCH) / confirmed.length
  const sorted = ascending([...confirmed, ...samples])
  const spread = (quantile(sorted, 0.95) ?? 0) - (quantile(sorted, 0.05) ?? 0)
  return { stops, kept, regret: spread === 0 ? null : (Math.max(...confirmed) - first) / spread }
}
