/** The markets of a study with their candles in memory, ready to be screened. */
import { findSymbolRules, type LoadedCandles } from '../candles/folder/folder.ts'
import { type Market, marketName } from '../contract/market.ts'
import { Failure } from '../errors.ts'
import { type MarketOnCandles, prepareMarket } from '../workbench/screen/screen-markets.ts'
import type { Study } from '../workbench/study/study.ts'
import { candlesOfMarket } from './local-candles.ts'

interface ScreenedMarkets {
  /** At least one, in the order of the study. */
  readonly markets: readonly MarketOnCandles[]
  /** Those whose candles are missing or damaged, and why. */
  readonly leftOut: readonly { readonly market: string; readonly failure: Failure }[]
}

/**
 * Loads one market after the other. Of a study of several those without candles are left out, as long as one is left.
 * @throws Failure candlesMissing, candlesInvalid: the only market cannot be loaded, or none of several
 */
export function loadMarkets(folder: string, study: Study): ScreenedMarkets {
  const markets: MarketOnCandles[] = []
  const leftOut: { readonly market: string; readonly failure: Failure }[] = []
  for (const market of study.markets) {
    const found = findCandles(folder, study, market)
    if (!(found instanceof Failure)) {
      markets.push(onCandles(folder, market, found))
    } else if (study.markets.length === 1) throw found
    else leftOut.push({ market: marketName(market), failure: found })
  }
  if (markets.length > 0) return { markets, leftOut }
  throw new Failure('candlesMissing', `none of the ${study.markets.length} markets of ${study.name} can be screened`, {
    problems: leftOut.map(({ market, failure }) => ({ place: market, message: describeFailure(failure) })),
    hint: 'import or fetch candles that cover the period for one of them at least',
  })
}

/** @throws Failure candlesMissing, candlesInvalid */
export function loadMarket(folder: string, study: Study, market: Market): MarketOnCandles {
  return onCandles(folder, market, candlesOfMarket(folder, study, market))
}

function onCandles(folder: string, market: Market, loaded: LoadedCandles): MarketOnCandles {
  return prepareMarket(market, loaded, findSymbolRules(folder, marketName(market)))
}

/** All of them: what is to be confirmed on a market has to be screened on it. @throws Failure candlesMissing, candlesInvalid */
export function loadAllMarkets(folder: string, study: Study): readonly MarketOnCandles[] {
  const { markets, leftOut } = loadMarkets(folder, study)
  if (leftOut.length === 0) return markets
  throw new Failure(
    'candlesMissing',
    `${study.name} cannot be screened on all of its ${study.markets.length} markets`,
    {
      problems: leftOut.map(({ market, failure }) => ({ place: market, message: describeFailure(failure) })),
      hint: 'import or fetch candles that cover the period for each of them, or leave them out of the study',
    },
  )
}

function findCandles(folder: string, study: Study, market: Market): LoadedCandles | Failure {
  try {
    return candlesOfMarket(folder, study, market)
  } catch (error) {
    if (error instanceof Failure && (error.code === 'candlesMissing' || error.code === 'candlesInvalid')) return error
    throw error
  }
}

/** A failure with its problems as one sentence. */
export function describeFailure({ message, problems }: Failure): string {
  return [message, ...problems.map((problem) => `${problem.place}: ${problem.message}`)].join('; ')
}
