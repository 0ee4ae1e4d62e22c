/**
 * What a run says: at its start whether its results rest on the costs, conventions and candles that the study asks about, then how far it is,
 * and at its end what `run --json` prints. Counted from the store, not from memory.
 */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { type Market, marketName } from '../../contract/market.ts'
import type { MetricName, MetricsAsRead } from '../../contract/metrics.ts'
import { compareSettings, type SettingsWarning } from '../analysis/warnings/find-in-settings.ts'
import type { JobReading } from '../api/reading/readings.ts'
import { idOfTrial } from '../store/find-trial.ts'
import type { OpenJob } from '../store/jobs.ts'
import type { TrialStage } from '../store/readers.ts'
import type { TrialRecord } from '../store/records.ts'
import { REQUEST_LIMITS } from '../store/request-log.ts'
import { readStatedSettings } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import { rankStored } from '../store/stored-ranking.ts'
import { findRevision, findStudy, revisionName } from '../store/study-records.ts'
import type { SearchState } from '../study/proposals.ts'
import type { AskedSettings, Settings, StatedByResult } from '../study/settings.ts'
import type { Trial } from '../study/study.ts'
import { countUsed, foreseeAllowance, type ReopeningSource, reopeningOrNull, waitsForAllowance } from './allowance.ts'
import { stateOfSearch } from './ask-search.ts'
import type { Snapshot, StoppedBy } from './next-step.ts'
import { askedOn, type Beginning, type OpenRun, watch } from './open-run.ts'
import { countRunning, type Progress, type SlowJob, stallsAfter, type Watched } from './progress.ts'
import type { RunMessages, WorkQueue } from './run-state.ts'

export interface Speed {
  readonly todo: number
  readonly running: number
  /** Since when speed is measured: the start, or the end of a long wait. All times ms of one clock. */
  readonly since: number
  readonly now: number
  /** Trials that ended since then, as the last poll showed. */
  readonly ended: number
  readonly polledAt: number | null
  readonly spentAt: readonly number[]
  readonly ratePerMinute: number
}

const minuteMs = 60_000

/** A job is slow, and that is said, once it has run for this many times the longest, or for a few minutes where none has ended yet. */
const slowTimesTheLongest = 5

const slowAfterMs = 5 * 60_000

// Whether the results rest on the settings that the study asks about: said before a run, and while its results come in.

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

// How far the run is, and what it came to.

/** The best configuration on one of several markets. */
interface MarketResult {
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  readonly trial: string
  readonly metrics: MetricsAsRead | null
}

export interface RunSummary {
  readonly study: string
  /** By which it is asked for where it is not the current definition of its name: `my-ladder@3`; null = it is, or nothing of it is stored. */
  readonly revision: string | null
  readonly trials: {
    readonly total: number
    /** Outcomes in the store, reused ones included; they and what follows are null where the service did not even say who it is. */
    readonly done: number | null
    readonly failed: number | null
    /** Done without a submission of this run. */
    readonly reused: number | null
    readonly pending: number | null
  }
  /** null where the service did not say who it is. */
  readonly allowance: {
    readonly limit: number
    readonly used: number
    readonly available: number
    /** When the next submission fits; null when one fits now (or, with nothing allowed, never). ISO 8601 UTC. */
    readonly nextAt: string | null
    /** Where `nextAt` comes from; null where it is. */
    readonly source: ReopeningSource | null
  } | null
  readonly requests: number
  readonly best: {
    /** Of its configuration, as it is typed. */
    readonly id: string
    readonly trial: string
    readonly config: DcaSpotConfig
    readonly metrics: MetricsAsRead
    /** Of the candles it was tested on; null where the service does not state them. */
    readonly interval: string | null
    /** The metric that the study ranks by, and its value: of all markets of the study, while what is above is of the first. */
    readonly metric: MetricName
    readonly objective: number
    readonly markets?: readonly MarketResult[]
  } | null
  /** What the search proposed so far, in its order, with its reasons; empty where every trial is run. */
  readonly proposals: readonly { readonly trial: string; readonly reason: string }[]
  /** What the search's test of agreement came to; null where none was made. */
  readonly agreement: SearchState['agreement']
  readonly stoppedBy: StoppedBy | null
}

const FAILED: readonly string[] = ['failed', 'gone']
const RUNNING: readonly string[] = ['submitting', 'unknown', 'running']

function countTrials(run: Beginning, stages: ReadonlyMap<string, TrialStage>) {
  const states = [...stages.values()].map(({ state }) => state)
  return {
    total: run.workQueue.trials.length,
    done: states.filter((state) => state === 'done').length,
    failed: states.filter((state) => FAILED.includes(state)).length,
    running: states.filter((state) => RUNNING.includes(state)).length,
  }
}

export function summarize(run: OpenRun, stoppedBy: StoppedBy | null): RunSummary {
  const stages = run.recall.stages()
  const { total, done, failed } = countTrials(run, stages)
  const reused = [...stages].filter(
    ([fingerprint, { state }]) => state === 'done' && !run.tally.hasSubmitted(fingerprint),
  )
  const revision = findRevision(run.store, run.study)
  return {
    study: run.study.name,
    revision:
      revision === undefined || findStudy(run.store, run.study.name)?.revision === revision.revision
        ? null
        : revisionName(revision),
    trials: { total, done, failed, reused: reused.length, pending: total - done - failed },
    allowance: describeAllowance(run),
    requests: run.tally.requests,
    best: revision === undefined ? null : findBest(run, revisionName(revision)),
    proposals: listProposed(run.workQueue),
    agreement: stateOfSearch(run)?.agreement ?? null,
    stoppedBy,
  }
}

/** For `--json`: each proposed trial with its reason, in the order in which they were proposed. */
function listProposed({ proposals }: WorkQueue): readonly { readonly trial: string; readonly reason: string }[] {
  return proposals.flatMap(({ trials, reason }) => trials.map(({ fingerprint }) => ({ trial: fingerprint, reason })))
}

function describeAllowance(run: OpenRun): NonNullable<RunSummary['allowance']> {
  const now = run.clock.now()
  const { serviceAllowance } = run
  const spentAt = run.recall.spentAt(now)
  const used = countUsed(spentAt, run.allowance, now)
  const reopening = serviceAllowance.reopening({ spentAt, now })
  return {
    limit: run.limit,
    used,
    available: reopening === null ? serviceAllowance.countAvailable({ spentAt, now }) : 0,
    ...reopeningOrNull(reopening),
  }
}

function findBest({ store, serviceAccount, study: { objective } }: OpenRun, study: string): RunSummary['best'] {
  const { markets, top } = rankStored(store, { study, identity: serviceAccount.identity, objective, top: 1 })
  const [winner] = top
  const first = winner?.trials.at(0)
  if (first === undefined || first.metrics === null) return null
  const { fingerprint: trial, config, metrics, candles } = first
  const id = idOfTrial(store, trial)
  const { metric } = objective
  const best = { id, trial, config, metrics, metric, objective: winner.value, interval: candles?.interval ?? null }
  return markets === 1 ? best : { ...best, markets: winner.trials.map(toMarketResult) }
}

function toMarketResult({ market, fingerprint: trial, metrics }: TrialRecord): MarketResult {
  return { market: marketName(market), trial, metrics }
}

/** The service did not even say who it is, so that it is not known whose results and whose allowance count. */
export function summarizeNothing(run: Beginning, stoppedBy: StoppedBy | null): RunSummary {
  const total = run.workQueue.trials.length
  return {
    study: run.study.name,
    revision: null,
    trials: { total, done: null, failed: null, reused: null, pending: null },
    allowance: null,
    requests: run.tally.requests,
    best: null,
    proposals: [],
    agreement: null,
    stoppedBy,
  }
}

/** Reports how far a run is, from what it has just read. */
export function reportProgress(run: OpenRun, stages: ReadonlyMap<string, TrialStage>, seen: Snapshot): void {
  const { now } = seen
  const counts = countTrials(run, stages)
  const ended = counts.done + counts.failed
  const from = run.throughput.measureFrom({ at: now, ended }, { isStarted: run.polls.surveyed })
  const spentAt = run.recall.spentAt(now)
  const todo = seen.halt === null ? Math.max(0, Math.min(seen.todo, seen.limitLeft, seen.budgetLeft)) : 0
  const { perSecond, leftMs } = measure({
    todo,
    running: counts.running,
    since: from.at,
    now,
    ended: ended - from.ended,
    polledAt: run.polls.polledAt,
    spentAt,
    ratePerMinute: run.options.ratePerMinute ?? REQUEST_LIMITS.count,
  })
  const { submittedInMs, ...outlook } = foreseeAllowance(spentAt, run.allowance, {
    now,
    todo,
    available: run.serviceAllowance.countAvailable({ spentAt, now }),
    reopening: seen.reopening,
  })
  const waitMs = submittedInMs === null ? null : Math.max(submittedInMs, leftMs ?? 0)
  const slowest = findSlowJob(
    run.recall.openJobs(),
    () => run.recall.longestJobMs(),
    (job) => watch(run, job),
  )
  run.messages.emit({
    kind: 'progress',
    ...counts,
    perSecond,
    ...outlook,
    leftMs: waitsForAllowance(outlook) ? waitMs : leftMs,
    ...(slowest === undefined ? {} : { slowest }),
  })
}

/** Submissions are measured over a minute, because pauses between them come and go; results since the start, because they come in heaps. */
export function measure(speed: Speed): Pick<Progress, 'perSecond' | 'leftMs'> {
  const { todo, running, since, now, ended, polledAt, spentAt, ratePerMinute } = speed
  const from = Math.max(since, now - minuteMs)
  const sent = spentAt.filter((at) => at > from).length
  const sentPerMs = sent > 0 && now > from ? sent / (now - from) : null
  const endedPerMs = ended > 0 && polledAt !== null && polledAt > since ? ended / (polledAt - since) : null
  // A burst is over when the minute is full.
  const steadyPerMs = sent + todo > ratePerMinute ? ratePerMinute / minuteMs : Number.POSITIVE_INFINITY
  const submitMs = todo === 0 || sentPerMs === null ? null : todo / Math.min(sentPerMs, steadyPerMs)
  const collectMs = todo + running === 0 || endedPerMs === null ? null : (todo + running) / endedPerMs
  const perMs = endedPerMs ?? sentPerMs
  const isUnknown = todo > 0 ? submitMs === null : collectMs === null
  return {
    perSecond: perMs === null ? null : perMs * 1000,
    leftMs: isUnknown ? null : Math.max(submitMs ?? 0, collectMs ?? 0),
  }
}

/** `open`: oldest first. `watch` tells what is known of one. Undefined while nothing takes unusually long. */
export function findSlowJob(
  open: readonly OpenJob[],
  longestMs: () => number | null,
  watch: (job: OpenJob) => Watched,
): SlowJob | undefined {
  const oldest = open.find(({ state }) => state === 'running')
  if (oldest === undefined) return undefined
  const watched = watch(oldest)
  if (watched.now >= oldest.submittedAt && watched.now < oldest.submittedAt + slowAfterMs) return undefined
  const longest = longestMs()
  const stallsAfterMs = stallsAfter(longest)
  const runsForMs = countRunning(oldest, watched, stallsAfterMs)
  if (runsForMs < Math.max(slowAfterMs, slowTimesTheLongest * (longest ?? 0))) return undefined
  return { runsForMs, longestMs: longest, stallsAt: watched.now + stallsAfterMs - runsForMs }
}
