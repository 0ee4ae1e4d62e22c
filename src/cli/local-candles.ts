/** The candle folder as the embedded service will meet it: looked at before anything is spent. */
import { loadCandles } from '../candles/folder/folder.ts'
import type { CandlesBody } from '../contract/bodies.ts'
import { INTERVALS, isInterval, marketName } from '../contract/market.ts'
import { Failure } from '../errors.ts'
import type { Study } from '../workbench/study/study.ts'

interface CandleWarning {
  readonly code: 'candlesMissing' | 'candlesGap' | 'coarseCandles'
  readonly message: string
  readonly path: 'period' | 'interval'
}

interface LocalCandles {
  readonly info: CandlesBody
  readonly warnings: readonly CandleWarning[]
}

/** The candles that a study's jobs will be given. @throws Failure candlesMissing, candlesInvalid */
export function loadStudyCandles(folder: string, study: Study): LocalCandles {
  const { info } = loadCandles(folder, {
    market: marketName(study.market),
    ...study.period,
    ...(study.interval === null ? {} : { interval: study.interval }),
  })
  const { interval, count, missing } = info
  const warnings: CandleWarning[] = []
  if (missing > 0) {
    const message = `${missing} of ${count + missing} candles are missing inside the period`
    warnings.push({ code: 'candlesGap', message, path: 'period' })
  }
  if (isInterval(interval) && INTERVALS[interval] > INTERVALS['15m']) {
    const message = `${interval} candles: fills inside a candle are guesses: import minutes`
    warnings.push({ code: 'coarseCandles', message, path: 'interval' })
  }
  return { info, warnings }
}

/** The same for a check, which says what is missing instead of failing; `info` is then null. @throws Failure candlesInvalid */
export function surveyStudyCandles(
  folder: string,
  study: Study,
): LocalCandles | { readonly info: null; readonly warnings: readonly CandleWarning[] } {
  try {
    return loadStudyCandles(folder, study)
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'candlesMissing') throw error
    const stored = error.problems.map(({ place, message }) => `; ${place}: ${message}`).join('')
    const message = `${error.message}${stored}; ${error.hint}`
    return { info: null, warnings: [{ code: 'candlesMissing', message, path: 'period' }] }
  }
}
