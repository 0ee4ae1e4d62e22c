/** Which candles a report carries: all of them as long as they are few enough, else those that the deals of its best trials need. */
import type { StudyInput } from './input.ts'
import { packCandles } from './model/candle-block.ts'
import type { PageCandles } from './model/document.ts'
import type { TrialRequest } from './model/run-trial.ts'
import { findConfigProblems } from './model/what-if.ts'
import { thinCandles } from './thin-candles.ts'

export interface EmbeddedCandles {
  readonly stated: PageCandles
  readonly bytes: Uint8Array | null
}

/** 150 days of minutes: about a megabyte. */
export const MOST_CANDLES = 216_000

/** Trials whose deals a longer period shows. */
const MOST_TRACED = 50

type Trial = Pick<TrialRequest, 'config' | 'terms'>

/** @param trials as the page has them, the best first */
export function embedCandles(
  { candles: found, embedded }: StudyInput,
  { block, trials }: { readonly block: string; readonly trials: Iterable<Trial> },
): EmbeddedCandles {
  if (found.kind === 'absent') return absent(found.reason)
  if (embedded === 'none')
    return absent('the report was made without them: `dcalab report --candles full` includes them')
  const { candles, interval, hash, missing } = found
  const count = candles.openTime.length
  if (embedded === 'full' || count <= MOST_CANDLES) {
    return { stated: { kind: 'full', block, interval, hash, missing }, bytes: packCandles(candles) }
  }
  const { candles: kept, mergedMs, traced } = thinCandles(candles, { trials: firstOf(trials), most: MOST_CANDLES })
  const hours = `${mergedMs / HOUR_MS}-hour candles`
  const content =
    traced === 0 ? hours : `${hours}, and all where something happens to a deal of the best ${traced} trials`
  const reason = `all ${count.toLocaleString('en-US')} candles would make this file too large; it has ${content}: \`dcalab report --candles full\` includes all`
  return {
    stated: { kind: 'thinned', block, interval, hash, missing, mergedMs, traced, reason },
    bytes: packCandles(kept),
  }
}

const HOUR_MS = 3_600_000

/** Up to the first that no engine runs. */
function firstOf(trials: Iterable<Trial>): Trial[] {
  const first: Trial[] = []
  for (const trial of trials) {
    if (first.length === MOST_TRACED || findConfigProblems(trial.config, trial.terms).refused.size > 0) break
    first.push(trial)
  }
  return first
}

function absent(reason: string): EmbeddedCandles {
  return { stated: { kind: 'absent', reason }, bytes: null }
}
