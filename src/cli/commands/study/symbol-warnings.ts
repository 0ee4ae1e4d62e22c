/** What the rules of a study's market say about its orders, before anything is spent. */
import { findSymbolRules } from '../../../candles/folder/folder.ts'

interface SymbolWarning {
  readonly code: 'baseOrderBelowMinimum'
  readonly message: string
  readonly path: string
}

/** An exchange refuses a base order below its smallest order, so that such a bot never trades. @throws Failure candlesInvalid */
export function findSymbolWarnings(
  candlesFolder: string,
  market: string,
  trials: readonly { readonly config: { readonly dcaInitialOrderSize: number } }[],
): SymbolWarning[] {
  const { minNotional } = findSymbolRules(candlesFolder, market)
  if (minNotional === null) return []
  const below = trials.filter(({ config }) => config.dcaInitialOrderSize < minNotional).length
  if (below === 0) return []
  const message = `${below} of ${trials.length} trials begin with less than ${minNotional}, the smallest order of ${market}, and never trade`
  return [{ code: 'baseOrderBelowMinimum', message, path: 'dcaInitialOrderSize' }]
}
