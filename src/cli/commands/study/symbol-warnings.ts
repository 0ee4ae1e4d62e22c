/** Warns, before anything is spent, about orders that the rules of the study's market do not allow. */
import { findSymbolRules } from '../../../candles/folder/folder.ts'
import { doubt } from '../../../workbench/analysis/doubts/doubts.ts'
import { type StudyWarning, warn } from '../../../workbench/analysis/doubts/find-in-study.ts'

/** An exchange refuses a base order below its smallest order, so such a bot never trades. @throws Failure candlesInvalid */
export function findSymbolWarnings(
  candlesFolder: string,
  market: string,
  trials: readonly { readonly config: { readonly dcaInitialOrderSize: number } }[],
): StudyWarning[] {
  const { minNotional } = findSymbolRules(candlesFolder, market)
  if (minNotional === null) return []
  const affected = trials.filter(({ config }) => config.dcaInitialOrderSize < minNotional).length
  if (affected === 0) return []
  const found = doubt('baseOrderBelowMinimum', { affected, trials: trials.length, minNotional, market })
  return [warn(found, 'dcaInitialOrderSize')]
}
