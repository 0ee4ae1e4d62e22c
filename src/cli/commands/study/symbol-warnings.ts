/** Warns, before anything is spent, about orders that the rules of the study's market do not allow. */
import { findSymbolRules } from '../../../candles/folder/folder.ts'
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import { marketName } from '../../../contract/market.ts'
import { rungsBelowNotional } from '../../../engine/ladder.ts'
import { type StudyWarning, warn } from '../../../workbench/analysis/warnings/find-in-study.ts'
import { warning } from '../../../workbench/analysis/warnings/warnings.ts'
import type { Study, Trial } from '../../../workbench/study/study.ts'

/**
 * An exchange refuses an order below its smallest one: with such a base order a bot never trades, with such a rung its ladder ends
 * there. What a lot keeps from being placed depends on the price, and the result tells. @throws Failure candlesInvalid
 */
export function findSymbolWarnings(
  candlesFolder: string,
  study: Study,
  trials: readonly Pick<Trial, 'market' | 'config'>[],
): StudyWarning[] {
  return study.markets.flatMap((market) => {
    const name = marketName(market)
    return findMarketWarnings(candlesFolder, study, {
      market: name,
      trials: trials.filter((trial) => marketName(trial.market) === name),
    })
  })
}

function findMarketWarnings(
  candlesFolder: string,
  study: Study,
  { market, trials }: { readonly market: string; readonly trials: readonly { readonly config: DcaSpotConfig }[] },
): StudyWarning[] {
  const { minNotional, lot } = findSymbolRules(candlesFolder, market)
  if (minNotional === null) return []
  const { conventions, costs } = study
  // A quantity rounded up may lift a rung over the minimum.
  const canBeLifted = lot !== null && conventions.lotRounding === 'up'
  const share = (affected: number) => ({ affected, trials: trials.length, minNotional, market })
  const bases = trials.filter(({ config }) => config.dcaInitialOrderSize < minNotional).length
  const ladders = canBeLifted
    ? 0
    : trials.filter(({ config }) => rungsBelowNotional(config, { conventions, costs, minNotional }) > 0).length
  return [
    ...(bases === 0 ? [] : [warn(warning('baseOrderBelowMinimum', share(bases)), 'dcaInitialOrderSize')]),
    ...(ladders === 0 ? [] : [warn(warning('rungsBelowMinimum', share(ladders)), 'dcaMaxSafetyOrders')]),
  ]
}
