/** The twin of a search: the local engine, under what the service computes with as far as it is known or its answers to probes tell. */
import { marketName } from '../contract/market.ts'
import type { SearchGround } from '../workbench/run/options.ts'
import type { MarketOnCandles } from '../workbench/screen/screen-markets.ts'
import type { Twin, TwinTerms } from '../workbench/search/screen-search.ts'
import type { TwinConfig } from '../workbench/search/screened.ts'
import { type ScreenedConfig, screenOnTwin } from '../workbench/search/twin.ts'
import { recordLocalLook } from '../workbench/store/look-count.ts'
import { gridFingerprint } from '../workbench/study/fingerprint.ts'
import { calibrateByProbes } from './calibrating.ts'
import type { Context } from './context.ts'
import { findKnownTerms } from './known-terms.ts'
import { showScreenProgress } from './screen-progress.ts'
import { loadAllMarkets } from './screened-markets.ts'

export interface TwinOptions {
  readonly candlesFolder: string
  readonly workers: number
}

export function createLocalTwin(context: Context, ground: SearchGround, { candlesFolder, workers }: TwinOptions): Twin {
  const { study, store, identity, isOwn } = ground
  const own: TwinTerms = { conventions: study.conventions, costs: study.costs }
  let loaded: readonly MarketOnCandles[] | undefined
  const byProbes = calibrateByProbes(context, ground, () => markets()[0])
  return { calibrate, screen }

  async function calibrate(...[probes, left]: Parameters<Twin['calibrate']>): ReturnType<Twin['calibrate']> {
    if (study.search.method !== 'screen' || study.search.calibrate === 'off') return { kind: 'own', terms: own }
    if (isOwn) return { kind: 'known', terms: own, isPoorMatch: false } // it computes under what it is asked
    const known = probes.length === 0 ? findKnownTerms(store, identity) : undefined
    return known ?? byProbes(probes, left)
  }

  function markets(): readonly MarketOnCandles[] {
    loaded ??= loadAllMarkets(candlesFolder, study)
    return loaded
  }

  async function screen({ terms, samples, wanted }: Parameters<Twin['screen']>[0]) {
    const progress = showScreenProgress(context)
    const screening = await screenOnTwin({
      workerFile: new URL('screen-worker.js', context.workerFile), // it is built beside the engine worker
      study,
      ...terms,
      markets: markets(),
      workers,
      wanted,
      samples,
      signal: context.signal,
      onProgress: progress.show,
    }).finally(progress.clear)
    context.signal.throwIfAborted()
    const look = { period: study.period, source: 'screen', key: gridFingerprint(study) } as const
    for (const market of study.markets) {
      await recordLocalLook(store, { ...look, market: marketName(market), configs: screening.points })
    }
    return { best: screening.best.map(toKept), samples: screening.samples.map(toKept) }
  }
}

/** What a search keeps of a configuration. */
function toKept({ config, configFingerprint: fingerprint, markets }: ScreenedConfig): TwinConfig {
  const values = markets.map(({ market, netProfit, value, isInside }) => ({ market, netProfit, value, isInside }))
  return { config, fingerprint, values }
}
