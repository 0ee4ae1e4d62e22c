/** What a service computes with, as far as it is known without asking it anything. */
import { readStatedConventions } from '../engine/read-conventions.ts'
import type { LocalTerms } from '../workbench/search/screen-search.ts'
import { findCalibration } from '../workbench/store/calibrations.ts'
import { readStatedSettings } from '../workbench/store/settings.ts'
import type { Store } from '../workbench/store/store.ts'

interface KnownTerms extends LocalTerms {
  /** No rule set explains its results. */
  readonly isPoor: boolean
}

/** By an earlier calibration, or by what its latest result states; undefined where neither states all of it. */
export function findKnownTerms(store: Store, identity: string): KnownTerms | undefined {
  const calibrated = findCalibration(store, identity)
  const { latest } = readStatedSettings(store, { identity, fingerprints: [], settings: null })
  const stated = latest === null ? undefined : { ...latest, isPoor: false }
  for (const terms of [calibrated, stated]) {
    if (terms === undefined || terms.conventions === null || terms.costs === null) continue
    const { conventions, costs, isPoor } = terms
    const read = readStatedConventions((name) => conventions[name])
    if ('conventions' in read) return { ...read, costs, isPoor }
  }
  return undefined
}
