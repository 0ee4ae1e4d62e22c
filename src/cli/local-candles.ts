/** Reads the candles that the embedded service will use, before anything is spent. */
import { findSymbolRules, type LoadedCandles, loadCandles } from '../candles/folder/folder.ts'
import type { MakeColumns } from '../candles/folder/stored-months.ts'
import type { CandlesBody } from '../contract/bodies.ts'
import { INTERVALS, isInterval, type Market, marketName } from '../contract/market.ts'
import { type CandleRoom, createCandleRoom } from '../engine/jump/prepared.ts'
import { Failure } from '../errors.ts'
import { type StudyWarning, warn } from '../workbench/analysis/warnings/find-in-study.ts'
import { WARNINGS, warning } from '../workbench/analysis/warnings/warnings.ts'
import type { MarketOnCandles } from '../workbench/screen/screen-markets.ts'
import type { Settings } from '../workbench/study/settings.ts'
import type { Study } from '../workbench/study/study.ts'

const MINUTE_MS = 60_000

interface LocalCandles {
  readonly info: CandlesBody
  readonly warnings: readonly StudyWarning[]
}

/** The stored candles of a study's period on one of its markets. @throws Failure candlesMissing, candlesInvalid */
function candlesOfMarket(
  folder: string,
  { period, interval }: Pick<Study, 'period' | 'interval'>,
  market: Market,
  makeColumns?: MakeColumns,
): LoadedCandles {
  const columns = makeColumns === undefined ? {} : { makeColumns }
  return loadCandles(folder, { market: marketName(market), ...period, interval, ...columns })
}

/** The candles on which a study's jobs on a market will run. @throws Failure candlesMissing, candlesInvalid */
export function loadStudyCandles(folder: string, study: Study, market: Market): LocalCandles {
  const { info } = candlesOfMarket(folder, study, market)
  const { interval, count, missing } = info
  const warnings: StudyWarning[] = []
  if (missing > 0) warnings.push(warn(warning('candlesGap', { missing, count }), 'period'))
  if (isInterval(interval) && INTERVALS[interval] > WARNINGS.coarseCandles.threshold * MINUTE_MS) {
    warnings.push(warn(warning('coarseCandles', { interval }), 'interval'))
  }
  return { info, warnings }
}

/** What the embedded service computes a study under: what the study means, on these candles and by the symbol rules beside them. */
export function settingsOnCandles(
  folder: string,
  study: Study,
  { market, interval }: { readonly market: Market; readonly interval: string },
): Settings {
  const symbol = { ...findSymbolRules(folder, marketName(market)) }
  return { interval, conventions: { ...study.conventions }, costs: study.costs, symbol }
}

/** The same for a check, of every market: it reports what is missing instead of failing; `info` is then null. @throws Failure candlesInvalid */
export function surveyStudyCandles(folder: string, study: Study): CandleSurvey {
  const found = study.markets.map((market) => surveyMarket(folder, study, market))
  return {
    infos: new Map(study.markets.map((market, at) => [marketName(market), found[at].info])),
    warnings: found.flatMap(({ warnings }) => warnings),
  }
}

export interface CandleSurvey {
  /** By the name of the market; null where candles are missing. */
  readonly infos: ReadonlyMap<string, CandlesBody | null>
  readonly warnings: readonly StudyWarning[]
}

function surveyMarket(
  folder: string,
  study: Study,
  market: Market,
): { readonly info: CandlesBody | null; readonly warnings: readonly StudyWarning[] } {
  try {
    return loadStudyCandles(folder, study, market)
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'candlesMissing') throw error
    const stored = error.problems.map(({ place, message }) => `; ${place}: ${message}`).join('')
    const said = `${error.message}${stored}`
    const found = `${said}${said.endsWith('?') ? '' : ';'} ${error.hint}`
    return { info: null, warnings: [warn(warning('candlesMissing', { found }), 'period')] }
  }
}

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
