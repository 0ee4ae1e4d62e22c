/** Reads the candles that the embedded service will use, before anything is spent. */
import { findSymbolRules, loadCandles } from '../candles/folder/folder.ts'
import type { CandlesBody } from '../contract/bodies.ts'
import { INTERVALS, isInterval, marketName } from '../contract/market.ts'
import { Failure } from '../errors.ts'
import { DOUBTS, doubt } from '../workbench/analysis/doubts/doubts.ts'
import { type StudyWarning, warn } from '../workbench/analysis/doubts/find-in-study.ts'
import type { Settings } from '../workbench/study/settings.ts'
import type { Study } from '../workbench/study/study.ts'

const MINUTE_MS = 60_000

interface LocalCandles {
  readonly info: CandlesBody
  readonly warnings: readonly StudyWarning[]
}

/** The candles on which a study's jobs will run. @throws Failure candlesMissing, candlesInvalid */
export function loadStudyCandles(folder: string, study: Study): LocalCandles {
  const { info } = loadCandles(folder, {
    market: marketName(study.market),
    ...study.period,
    ...(study.interval === null ? {} : { interval: study.interval }),
  })
  const { interval, count, missing } = info
  const warnings: StudyWarning[] = []
  if (missing > 0) warnings.push(warn(doubt('candlesGap', { missing, count }), 'period'))
  if (isInterval(interval) && INTERVALS[interval] > DOUBTS.coarseCandles.threshold * MINUTE_MS) {
    warnings.push(warn(doubt('coarseCandles', { interval }), 'interval'))
  }
  return { info, warnings }
}

/** What the embedded service computes a study under: what the study means, on these candles and by the symbol rules beside them. */
export function settingsOnCandles(folder: string, study: Study, info: Pick<CandlesBody, 'interval'>): Settings {
  const symbol = { ...findSymbolRules(folder, marketName(study.market)) }
  return { interval: info.interval, conventions: { ...study.conventions }, costs: study.costs, symbol }
}

/** The same for a check, which reports what is missing instead of failing; `info` is then null. @throws Failure candlesInvalid */
export function surveyStudyCandles(
  folder: string,
  study: Study,
): LocalCandles | { readonly info: null; readonly warnings: readonly StudyWarning[] } {
  try {
    return loadStudyCandles(folder, study)
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'candlesMissing') throw error
    const stored = error.problems.map(({ place, message }) => `; ${place}: ${message}`).join('')
    const found = `${error.message}${stored}; ${error.hint}`
    return { info: null, warnings: [warn(doubt('candlesMissing', { found }), 'period')] }
  }
}
