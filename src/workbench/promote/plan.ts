/** The plan of a promotion: which trial, under which name, and the doubts about it. It only reads the store. */
import { createHash } from 'node:crypto'
import { CONFIG_FIELDS, type DcaSpotConfig } from '../../contract/bot.ts'
import { marketName } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import type { Doubt } from '../analysis/doubts/doubts.ts'
import { findDoubts, type Standing } from '../analysis/doubts/find-in-trial.ts'
import { findResult, isTrialPrefix, type ResultChoice } from '../store/find-trial.ts'
import { countLooks, type LookCount } from '../store/look-count.ts'
import { listTrials, readTried, readWhole } from '../store/readers.ts'
import type { StudyRecord, TrialRecord, WholeTrial } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { storedStudy } from '../store/stored-study.ts'
import { findStudy, listStudies, revisionName } from '../store/study-records.ts'
import type { StudyFor } from '../study/fields.ts'
import { rankByObjective } from '../study/objective.ts'
import { type AskedSettings, askedSettings } from '../study/settings.ts'

export interface PromotionPlan {
  /** The trial's full fingerprint. */
  readonly trial: string
  /** Service identity of the result that is used. */
  readonly identity: string
  /** First 12 digits of the settings of that result; null = it was asked for under none. */
  readonly settings: string | null
  readonly study: string | null
  /** The owner of the bot; while it is empty nothing is promoted. */
  readonly userEmail: string
  /** `dcalab-<study>-<8 digits>`, at most 64 characters. */
  readonly botName: string
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  readonly config: DcaSpotConfig
  /** null when the result does not say it. */
  readonly netProfit: number | null
  readonly doubts: readonly Doubt[]
  /** Configurations that were looked at on its market and time. */
  readonly looks: LookCount
  /** ISO 8601 UTC; a plan is valid for an hour. */
  readonly madeAt: string
  /** SHA-256 hex over everything above except the time: a new plan from changed results has another hash. */
  readonly hash: string
}

/**
 * `target`: a study (its best trial by its objective) or the first 4 or more digits of a trial's fingerprint; `choice` where that trial has
 * several results.
 * @throws Failure notFound, usage, promotionRefused
 */
export function planPromotion(
  store: Store,
  {
    target,
    userEmail,
    choice = {},
  }: { readonly target: string; readonly userEmail: string; readonly choice?: ResultChoice },
): PromotionPlan {
  const study = findStudy(store, target)
  const chosen = study === undefined ? chooseTrial(store, target, choice) : chooseBest(store, study)
  const { trial, standing } = chosen
  if (trial.metrics === null) {
    throw new Failure('promotionRefused', `Trial ${trial.fingerprint.slice(0, 12)} has no result yet`, {
      hint: 'run its study to the end first',
    })
  }
  const content = {
    trial: trial.fingerprint,
    identity: trial.identity,
    settings: trial.settings,
    study: standing?.study ?? null,
    userEmail,
    botName: botName(standing?.study ?? 'trial', trial.fingerprint),
    market: marketName(trial.market),
    config: trial.config,
    netProfit: trial.metrics.netProfit,
    doubts: findDoubts(trial, standing),
    looks: countLooks(store, { market: marketName(trial.market), period: trial.period }),
  }
  return {
    ...content,
    madeAt: new Date(store.clock.wall()).toISOString(),
    hash: hashOf(content),
  }
}

/**
 * Checks that the plan is still the one that was shown (H52). @throws Failure promotionRefused when plan or results changed, or
 * the plan is too old
 */
export function checkPlan(store: Store, plan: PromotionPlan): void {
  const { madeAt, hash, ...content } = plan
  const age = store.clock.wall() - Date.parse(madeAt)
  const trial = readTried(store, plan.trial).find(
    ({ identity, settings }) => identity === plan.identity && settings === plan.settings,
  )
  const unchanged =
    hash === hashOf(content) &&
    trial?.metrics?.netProfit === plan.netProfit &&
    CONFIG_FIELDS.every((field) => trial.config[field] === plan.config[field])
  if (unchanged && age >= 0 && age <= planValidMs) return
  throw new Failure(
    'promotionRefused',
    'The plan is older than an hour, or it or its results changed since it was made',
    {
      hint: 'run the same command again; nothing was created',
    },
  )
}

function hashOf(content: Omit<PromotionPlan, 'madeAt' | 'hash'>): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}

interface Choice {
  readonly trial: WholeTrial
  readonly standing: Standing | null
}

const longestStudyPart = 48
const planValidMs = 3_600_000

function botName(study: string, fingerprint: string): string {
  return `dcalab-${study.slice(0, longestStudyPart)}-${fingerprint.slice(0, 8)}`
}

function chooseBest(store: Store, study: StudyRecord): Choice {
  const ranking = rankStudy(store, study)
  const best = ranking.ranked.at(0)
  if (best !== undefined) {
    return { trial: readWhole(store, best), standing: standingOf(store, best, study, ranking) }
  }
  const outside = ranking.outside.length
  throw new Failure(
    outside > 0 ? 'promotionRefused' : 'notFound',
    outside > 0
      ? `None of the ${outside} finished trials of ${study.name} lies inside the bounds of its objective`
      : `${study.name} has no finished trial yet`,
    {
      hint: outside > 0 ? 'name a trial, or loosen the bounds' : `run it first: dcalab run <the file of ${study.name}>`,
    },
  )
}

function chooseTrial(store: Store, target: string, choice: ResultChoice): Choice {
  const [digits] = target.split(':', 1)
  if (!isTrialPrefix(digits)) {
    throw new Failure('notFound', `"${target}" is neither a study of this store nor the start of a trial’s fingerprint`)
  }
  const trial = findResult(store, target, choice)
  if (!isDone(trial)) throw new Failure('notFound', `No finished trial begins with ${target}`)
  return { trial, standing: findStanding(store, trial) }
}

/** The trial's rank in the latest study that contains it. */
function findStanding(store: Store, trial: TrialRecord): Standing | null {
  for (const study of listStudies(store)) {
    const ranking = rankStudy(store, study, trial.identity)
    const tried = [...ranking.ranked, ...ranking.outside, ...ranking.unranked]
    const isThis = ({ fingerprint, settings }: TrialRecord) =>
      fingerprint === trial.fingerprint && settings === trial.settings
    if (tried.some(isThis)) return standingOf(store, trial, study, ranking)
  }
  return null
}

interface Ranking extends ReturnType<typeof rankByObjective<TrialRecord>> {
  readonly asked: AskedSettings
}

function rankStudy(store: Store, study: StudyRecord, identity?: string): Ranking {
  const parsed: StudyFor<'promote'> = storedStudy(study, { file: study.name })
  const trials = listTrials(store, { study: revisionName(study), ...(identity === undefined ? {} : { identity }) })
  return { asked: askedSettings(parsed), ...rankByObjective(trials.filter(isDone), parsed.objective) }
}

function standingOf(store: Store, { fingerprint }: TrialRecord, study: StudyRecord, ranking: Ranking): Standing {
  const isThis = (other: TrialRecord) => other.fingerprint === fingerprint
  const place = ranking.ranked.findIndex(isThis)
  const rival = ranking.ranked.find((other) => !isThis(other))
  return {
    study: study.name,
    tried: ranking.ranked.length + ranking.outside.length + ranking.unranked.length,
    rank: place === -1 ? null : place + 1,
    outsideBounds: ranking.outside.some(isThis),
    asked: ranking.asked,
    rival: rival === undefined ? null : readWhole(store, rival),
  }
}

function isDone({ state, metrics }: TrialRecord): boolean {
  return state === 'done' && metrics !== null
}
