/** The markets of a study with their candles in memory, ready to be screened. */
import { findSymbolRules } from '../candles/folder/folder.ts'
import { type Market, marketName } from '../contract/market.ts'
import { type CandleRoom, createCandleRoom } from '../engine/jump/prepared.ts'
import { Failure } from '../errors.ts'
import type { MarketOnCandles } from '../workbench/screen/screen-markets.ts'
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
      markets.push(withRules(folder, found))
    } else if (study.markets.length === 1) throw found
    else leftOut.push({ market: marketName(market), failure: found })
  }
  if (markets.length > 0) return { markets, leftOut }
  throw new Failure('candlesMissing', `none of the ${study.markets.length} markets of ${study.name} can be screened`, {
    problems: leftOut.map(({ market, failure }) => ({ place: market, message: describeFailure(failure) })),
    hint: 'import or fetch candles of the period for at least one of them',
  })
}

/** @throws Failure candlesMissing, candlesInvalid */
export function loadMarket(folder: string, study: Study, market: Market): MarketOnCandles {
  return withRules(folder, prepareStored(folder, study, market))
}

type PreparedMarket = Omit<MarketOnCandles, 'symbol'>

function withRules(folder: string, on: PreparedMarket): MarketOnCandles {
  return { ...on, symbol: findSymbolRules(folder, marketName(on.market)) }
}

/** Reads candles into the memory where they are screened, so that there is no second copy of them. */
function prepareStored(folder: string, study: Study, market: Market): PreparedMarket {
  const rooms: CandleRoom[] = []
  const { candles, info } = candlesOfMarket(folder, study, market, (intervalMs, most) => {
    const room = createCandleRoom({ intervalMs, most })
    rooms.push(room)
    return room.columns
  })
  const room = rooms.at(-1) // of several intervals the last one that was tried covers the period
  if (room === undefined) throw new Error('candles were read without room for them')
  return { market, info, prepared: room.prepare(candles.openTime.length) }
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
      hint: 'import or fetch candles of the period for each, or remove them from the study',
    },
  )
}

function findCandles(folder: string, study: Study, market: Market): PreparedMarket | Failure {
  try {
    return prepareStored(folder, study, market)
  } catch (error) {
    if (error instanceof Failure && (error.code === 'candlesMissing' || error.code === 'candlesInvalid')) return error
    throw error
  }
}

/** A failure with its problems as one sentence. */
export function describeFailure({ message, problems }: Failure): string {
  return [message, ...problems.map((problem) => `${problem.place}: ${problem.message}`)].join('; ')
}
