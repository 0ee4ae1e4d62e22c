/** Reads the candles that the embedded service will use, before anything is spent. */
import { findSymbolRules, type LoadedCandles, loadCandles } from '../candles/folder/folder.ts'
import type { MakeColumns } from '../candles/folder/stored-months.ts'
import type { CandlesBody } from '../contract/bodies.ts'
import { INTERVALS, isInterval, type Market, marketName } from '../contract/market.ts'
import { Failure } from '../errors.ts'
import { type StudyWarning, warn } from '../workbench/analysis/warnings/find-in-study.ts'
import { WARNINGS, warning } from '../workbench/analysis/warnings/warnings.ts'
import type { Settings } from '../workbench/study/settings.ts'
import type { Study } from '../workbench/study/study.ts'

const MINUTE_MS = 60_000

interface LocalCandles {
  readonly info: CandlesBody
  readonly warnings: readonly StudyWarning[]
}

/** The stored candles of a study's period on one of its markets. @throws Failure candlesMissing, candlesInvalid */
export function candlesOfMarket(
  folder: string,
  { period, interval }: Pick<Study, 'period' | 'interval'>,
  market: Market,
  makeColumns?: MakeColumns,
): LoadedCandles {
  const columns = makeColumns === undefined ? {} : { makeColumns }
  const at = interval === null ? {} : { interval }
  return loadCandles(folder, { market: marketName(market), ...period, ...at, ...columns })
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
