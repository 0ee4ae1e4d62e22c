/** Reads what became of a study's trials: the bots that were made of them, and the last look at each beside its backtest. */
import { loadCandles } from '../../candles/folder/folder.ts'
import { isInterval } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import { type KeptDriftCheck, listDriftChecks } from '../store/drift-checks.ts'
import { listPromotedTrials } from '../store/promotions.ts'
import type { Store } from '../store/store.ts'
import type { Period } from '../study/study.ts'
import type { DriftInput, StudyInput } from './input.ts'
import { priceLine } from './price-line.ts'

interface BotsOf {
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  /** Fingerprints of the study's trials on it. */
  readonly trials: ReadonlySet<string>
  /** Of the candles. */
  readonly folder: string
  /** The time of a hold-out that nobody has opened; null = there is none. */
  readonly closed: Period | null
}

const MOST_PRICES = 600

export function gatherBots(
  store: Store,
  { market, trials, folder, closed }: BotsOf,
): Pick<StudyInput, 'promotions' | 'drifts'> {
  const checks = listDriftChecks(store).filter((check) => check.market === market && trials.has(check.trial ?? ''))
  return {
    promotions: listPromotedTrials(store).filter(({ fingerprint }) => trials.has(fingerprint)),
    drifts: checks.map((check): DriftInput => {
      const { from, to } = check.span
      const isHidden = closed !== null && from < closed.to && to > closed.from
      return { check, price: isHidden ? { reason: 'the hold-out is closed' } : priceOf(folder, check), isHidden }
    }),
  }
}

function priceOf(folder: string, { market, span, candles: { interval } }: KeptDriftCheck): DriftInput['price'] {
  const none = { reason: `no local ${interval} candles of ${market} cover the time of the bot` }
  if (!isInterval(interval)) return none
  try {
    return priceLine(loadCandles(folder, { market, interval, ...span }).candles, MOST_PRICES)
  } catch (error) {
    if (error instanceof Failure) return none
    throw error
  }
}
