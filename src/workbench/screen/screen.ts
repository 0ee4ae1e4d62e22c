/** Runs a study on the local engine over local candles, with the given number of threads. Nothing is sent or spent. */

import type { LoadedCandles } from '../../candles/folder/folder.ts'
import type { SymbolRules } from '../../engine/conventions.ts'
import { prepareCandles } from '../../engine/jump/prepared.ts'
import type { Clock } from '../../system.ts'
import { createCrew } from '../../workers/crew.ts'
import type { ParameterSummary, ScreenReport } from '../store/screen-record.ts'
import type { Study } from '../study/study.ts'
import type { ScreenReply, ScreenRequest, ScreenSetting } from './messages.ts'
import { createPointColumns } from './point-columns.ts'
import { planPortions } from './portions.ts'
import { type ScreenProgress, screenGrid } from './screen-grid.ts'

export interface ScreenOptions {
  readonly clock: Clock
  /** The built `screen-worker.js`. */
  readonly workerFile: URL
  readonly study: Study
  readonly loaded: LoadedCandles
  readonly symbol: SymbolRules
  readonly workers: number
  readonly top: number
  /** Monotonic time at which the work began; default now. */
  readonly startedAt?: number
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: ScreenProgress) => void
}

const YEAR_MS = 365 * 86_400_000
const MINUTE_MS = 60_000

/** Screens a study. Aborted, it resolves with the best so far and `complete: false`. */
export async function screenStudy(
  options: ScreenOptions,
): Promise<{ readonly report: ScreenReport; readonly parameters: readonly ParameterSummary[] }> {
  const { clock, study, loaded, symbol, top, signal, onProgress } = options
  const startedAt = options.startedAt ?? clock.monotonic()
  const prepared = prepareCandles(loaded.candles)
  const portions = planPortions(study, prepared.count)
  const crew = createCrew<ScreenSetting, ScreenRequest, ScreenReply>({
    workerFile: options.workerFile,
    size: options.workers,
    setting: { study, portions, prepared, symbol, points: createPointColumns(study) },
  })
  try {
    const screening = await screenGrid({
      crew,
      study,
      portions,
      top,
      ...(signal === undefined ? {} : { signal }),
      ...(onProgress === undefined ? {} : { onProgress }),
    })
    const elapsedMs = Math.max(1, clock.monotonic() - startedAt)
    const years = (prepared.count * prepared.intervalMs) / YEAR_MS
    const report: ScreenReport = {
      study: study.name,
      configs: screening.points,
      distinct: screening.simulated,
      candles: loaded.info,
      workers: crew.size,
      elapsedMs: Math.round(elapsedMs),
      complete: screening.complete,
      configYearsPerMinute: Math.round((screening.feasible * years * MINUTE_MS) / elapsedMs),
      top: screening.top.map(({ fingerprint, config, metrics, behaviourHash, score }, at) => ({
        rank: at + 1,
        fingerprint,
        config,
        metrics,
        behaviourHash,
        score,
      })),
      folded: screening.folded,
      comparedOnly: screening.comparedOnly,
      score: study.search.score,
    }
    return { report, parameters: screening.parameters }
  } finally {
    await crew.close()
  }
}
