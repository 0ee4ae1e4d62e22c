/** Whether a study's results rest on the costs, conventions and candles that it asks about: said before a run, and while its results come in. */
import { type Market, marketName } from '../../contract/market.ts'
import { compareSettings, type SettingsWarning } from '../analysis/warnings/find-in-settings.ts'
import type { JobReading } from '../api/reading/readings.ts'
import { readStatedSettings } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import type { AskedSettings, Settings, StatedByResult } from '../study/settings.ts'
import type { Trial } from '../study/study.ts'
import { askedOn, type Beginning, type OpenRun } from './open-run.ts'
import type { RunMessages } from './run-state.ts'

interface SettingsQuestion {
  readonly asked: AskedSettings
  /** Undefined: this service has not been met. */
  readonly identity: string | undefined
  readonly trials: readonly Trial[]
  /** What a service of ours is asked to compute under on a market; null = it is not ours: its latest result says, whatever trial that was of. */
  readonly settingsOn: (market: Market) => Settings | null
}

const nothingStated = { costs: null, conventions: null }

/** Of the results there are, reused ones included, and of those to come. `store` undefined = there is none yet. */
export function findSettingsWarnings(store: Store | undefined, question: SettingsQuestion): readonly SettingsWarning[] {
  const { asked, identity, trials, settingsOn } = question
  const isMet = store !== undefined && identity !== undefined
  const found = [...Map.groupBy(trials, ({ market }) => marketName(market)).values()].map((ofMarket) => {
    const settings = settingsOn(ofMarket[0].market)
    const fingerprints = ofMarket.map(({ fingerprint }) => fingerprint)
    const { results, latest } = isMet
      ? readStatedSettings(store, { identity, fingerprints, settings })
      : { results: [], latest: null }
    const isComplete = results.length === ofMarket.length
    const service = settings ?? { ...(latest ?? nothingStated), interval: lastInterval(results) }
    return { results, service: isComplete ? undefined : service }
  })
  // Costs and conventions are the same on all markets: one of those to come speaks for the others.
  const service = found.find((ofMarket) => ofMarket.service !== undefined)?.service
  return compareSettings(asked, { results: found.flatMap(({ results }) => results), service })
}

/** A service that is not ours may take a study's interval as a wish: only results of the same trials show which it takes. */
function lastInterval(results: readonly StatedByResult[]): string | null {
  return results.at(-1)?.candles?.interval ?? null
}

/** At the start of a run, of everything that is known then. */
export function reportSettingsWarnings(run: OpenRun): void {
  const { store, settings, workQueue, serviceAccount } = run
  const question = {
    asked: settings,
    identity: serviceAccount.identity,
    trials: workQueue.trials,
    settingsOn: (market: Market) => (run.isOwn ? askedOn(run, market).settings : null),
  }
  for (const warning of findSettingsWarnings(store, question)) warnOnce(run.messages, warning)
}

/** Of a result that has just come in. */
export function warnOfSettings(run: Beginning, { result }: JobReading): void {
  if (result === null) return
  for (const warning of compareSettings(run.settings, { results: [result] })) warnOnce(run.messages, warning)
}

/** Once a run each; that they differ is said also after they were unknown. */
function warnOnce(messages: RunMessages, { code, path, message, isUnknown }: SettingsWarning): void {
  messages.warnOnce(`${code} ${path}${isUnknown ? ' unknown' : ''}`, { code, message })
}
