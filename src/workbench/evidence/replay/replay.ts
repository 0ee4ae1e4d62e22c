/** Computes a stored trial again on the local candles, under what its result states, and says what differs. */
import { type LoadedCandles, loadCandles } from '../../../candles/folder/folder.ts'
import { isInterval, marketName } from '../../../contract/market.ts'
import { backtest } from '../../../engine/backtest.ts'
import { Failure } from '../../../errors.ts'
import type { WholeTrial } from '../../store/records.ts'
import { type Difference, findDifferences } from './find-differences.ts'
import { readTerms } from './read-terms.ts'

export interface Replay {
  /** Full fingerprint. */
  readonly trial: string
  /** Whether all that is stored is equal to the bit; null where it could not be computed again. */
  readonly equal: boolean | null
  readonly differences: readonly Difference[]
  /** What it could not be compared with or computed from, each with the reason. */
  readonly missing: readonly string[]
}

/** Loads candles once for all trials of one market, interval and period. */
export type CandleReader = (question: Parameters<typeof loadCandles>[1]) => LoadedCandles

/** @throws Failure notFound for a trial without a result, candlesInvalid when the local candles are damaged */
export function replayTrial(stored: WholeTrial, read: CandleReader): Replay {
  const trial = stored.fingerprint
  if (stored.state !== 'done' || stored.metrics === null) {
    throw new Failure('notFound', `trial ${trial.slice(0, 12)} has no result to compare`, {
      hint: `it is ${stored.state}; see \`dcalab show ${trial.slice(0, 12)}\``,
    })
  }
  const terms = readTerms(stored)
  const candles = findCandles(stored, read)
  if ('missing' in terms || 'missing' in candles) {
    const missing = [terms, candles].flatMap((part) => ('missing' in part ? part.missing : []))
    return { trial, equal: null, differences: [], missing }
  }
  const result = backtest({ candles: candles.candles, config: stored.config, ...terms })
  const { differences, missing } = findDifferences(stored, result)
  return { trial, equal: differences.length === 0, differences, missing }
}

/** A reader of a folder that keeps what it read last. */
export function candleReader(folder: string): CandleReader {
  let last: { readonly name: string; readonly loaded: LoadedCandles } | undefined
  return (question) => {
    const name = JSON.stringify(question)
    if (last?.name !== name) last = { name, loaded: loadCandles(folder, question) }
    return last.loaded
  }
}

function findCandles(
  { market, period, candles }: WholeTrial,
  read: CandleReader,
): LoadedCandles | { readonly missing: readonly string[] } {
  if (candles === null || !isInterval(candles.interval)) return { missing: ['interval: the result does not state it'] }
  const { interval, hash } = candles
  if (hash === null) return { missing: ['candles: the result does not state their hash'] }
  try {
    const loaded = read({ market: marketName(market), interval, ...period })
    const { info } = loaded
    if (info.hash === hash) return loaded
    const found = `the result used candles ${shortened(hash)}, stored are ${shortened(info.hash)}`
    return {
      missing: [`candles: ${found} (${info.count} of them; the result had ${candles.count ?? 'an unknown number'})`],
    }
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'candlesMissing') throw error
    return { missing: [`candles: ${error.message}`] }
  }
}

function shortened(hash: string): string {
  return hash.slice(0, 12)
}
