/** Whether a study's results rest on the costs, conventions and candles that it asks about: said before a run, and while its results come in. */
import { compareSettings, type SettingsDoubt } from '../analysis/doubts/find-in-settings.ts'
import type { JobReading } from '../api/reading/readings.ts'
import { readStatedSettings } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import type { AskedSettings, Settings, StatedByResult } from '../study/settings.ts'
import type { Trial } from '../study/study.ts'
import type { Beginning, OpenRun } from './open-run.ts'
import type { Talk } from './talk.ts'

export interface SettingsQuestion {
  readonly asked: AskedSettings
  /** Undefined: this service has not been met. */
  readonly identity: string | undefined
  readonly trials: readonly Trial[]
  /** What a service of ours is asked to compute under; null = it is not ours: its latest result tells, whatever trial that was of. */
  readonly settings: Settings | null
}

const nothingStated = { costs: null, conventions: null }

/** Of the results there are, reused ones included, and of those to come. `store` undefined = there is none yet. */
export function findSettingsDoubts(store: Store | undefined, question: SettingsQuestion): readonly SettingsDoubt[] {
  const { asked, identity, trials, settings } = question
  const fingerprints = trials.map(({ fingerprint }) => fingerprint)
  const isMet = store !== undefined && identity !== undefined
  const { results, latest } = isMet
    ? readStatedSettings(store, { identity, fingerprints, settings })
    : { results: [], latest: null }
  const isComplete = results.length === trials.length
  return compareSettings(asked, {
    results,
    ...(isComplete ? {} : { service: settings ?? { ...(latest ?? nothingStated), interval: lastInterval(results) } }),
  })
}

/** A service that is not ours may take a study's interval as a wish: only results of the same trials tell which it takes. */
function lastInterval(results: readonly StatedByResult[]): string | null {
  return results.at(-1)?.candles?.interval ?? null
}

/** At the start of a run, of everything that is known then. */
export function tellSettingsDoubts(run: OpenRun): void {
  const { store, settings, trials, spender } = run
  const question = {
    asked: settings,
    identity: spender.identity,
    trials,
    settings: run.isOwn ? run.asked.settings : null,
  }
  for (const doubt of findSettingsDoubts(store, question)) warnOnce(run.talk, doubt)
}

/** Of a result that has just come in. */
export function warnOfSettings(run: Beginning, { result }: JobReading): void {
  if (result === null) return
  for (const doubt of compareSettings(run.settings, { results: [result] })) warnOnce(run.talk, doubt)
}

/** Once a run each; that they differ is said also after they were unknown. */
function warnOnce(talk: Talk, { code, message, isUnknown }: SettingsDoubt): void {
  talk.warnOnce(isUnknown ? `${code}: unknown` : code, { code, message })
}
