/** The search of a study, put together for a run: what it keeps in mind, and the local engine as its twin. */
import { availableParallelism } from 'node:os'
import type { SearchGround, Searching } from '../workbench/run/options.ts'
import { createSearch, SEARCHES } from '../workbench/search/searches.ts'
import { memoryOf } from '../workbench/store/kept-proposals.ts'
import type { Study } from '../workbench/study/study.ts'
import type { Context } from './context.ts'
import { createLocalTwin } from './local-twin.ts'

export interface SearchOptions {
  readonly candlesFolder: string
  /** Threads of the twin; default one per core. */
  readonly workers?: number
  /** Go on although the agreement test failed. */
  readonly anyway: boolean
}

/** undefined where a study searches nothing: then its plan is all there is to run. */
export function searchingOf(context: Context, study: Study, options: SearchOptions): Searching | undefined {
  if (SEARCHES[study.search.method] === null) return undefined
  return { period: study.period, roles: ['probe', 'sample', 'chosen', 'point'], start }

  function start(ground: SearchGround) {
    const { candlesFolder, anyway, workers = availableParallelism() } = options
    const twin = createLocalTwin(context, ground, { candlesFolder, workers })
    const search = createSearch({ study, memory: memoryOf(ground.store, ground.searcher), twin, anyway })
    if (search === null) throw new Error(`the method ${study.search.method} searches nothing`)
    return search
  }
}
