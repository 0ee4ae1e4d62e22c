/** The plan of a promotion: which trial, under which name, and what it was judged. It only reads the store. */
import { createHash } from 'node:crypto'
import { CONFIG_FIELDS, type DcaSpotConfig } from '../../../contract/bot.ts'
import { marketName } from '../../../contract/market.ts'
import { Failure } from '../../../errors.ts'
import type { ServiceQuestion } from '../../store/choose-service.ts'
import { idOfTrial, type ResultChoice, refuseChoice } from '../../store/find-trial.ts'
import { readTried } from '../../store/readers.ts'
import type { TrialRecord, WholeTrial } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { findStudy } from '../../store/study-records.ts'
import { countTriedOn, type TriedCount } from '../../store/tried-count.ts'
import { findVerdict, type KeptVerdict } from '../../store/verdicts.ts'
import { type Choice, chooseBest, chooseTrial } from './choose-trial.ts'

export interface PromotionPlan {
  /** The trial's full fingerprint. */
  readonly trial: string
  /** Of its configuration, as it is typed. */
  readonly id: string
  /** Service identity of the result that is used. */
  readonly identity: string
  /** First 12 digits of the settings of that result; null = it was asked for under none. */
  readonly settings: string | null
  readonly study: string | null
  /** The owner of the bot; while it is empty nothing is promoted. */
  readonly userEmail: string
  /** `dcalab-<study>-<id>`, of several markets with the market before the id; at most 64 characters but for long assets. */
  readonly botName: string
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  readonly config: DcaSpotConfig
  /** null when the result does not say it. */
  readonly netProfit: number | null
  /** The latest; null = it was never judged. */
  readonly verdict: KeptVerdict | null
  /** Configurations that were tried on its market and time. */
  readonly tried: TriedCount
  /** ISO 8601 UTC; a plan is valid for an hour. */
  readonly madeAt: string
  /** SHA-256 hex over everything above except the time: a new plan from changed results has another hash. */
  readonly hash: string
}

export interface PromotionTarget {
  /** A study (its best configuration by its objective) or the first 4 or more digits of a trial's fingerprint. */
  readonly target: string
  readonly userEmail: string
  /** Where the trial has several results. */
  readonly choice?: ResultChoice
  /** `exchange/BASE-QUOTE`, where the study has several: a bot trades on one. */
  readonly market?: string | undefined
  /** Of a study, whose results count; of a trial `choice` says it. */
  readonly service?: ServiceQuestion
  /** Of a study, all of its trials on that service, where they are read already. */
  readonly trials?: readonly TrialRecord[]
}

/** @throws Failure notFound, usage, promotionRefused */
export function choosePromoted(
  store: Store,
  { target, choice = {}, market, trials, service }: Omit<PromotionTarget, 'userEmail'>,
): Choice {
  const study = findStudy(store, target)
  if (study === undefined) return chooseTrial(store, target, { choice, market })
  refuseChoice(target, choice)
  return chooseBest(store, study, { market, trials, service })
}

/** @throws Failure notFound, usage, promotionRefused */
export function planPromotion(store: Store, { userEmail, ...target }: PromotionTarget): PromotionPlan {
  return planOf(store, choosePromoted(store, target), userEmail)
}

/** @throws Failure promotionRefused without a result */
export function planOf(store: Store, { trial, standing }: Choice, userEmail: string): PromotionPlan {
  if (trial.metrics === null) {
    throw new Failure('promotionRefused', `${idOfTrial(store, trial.fingerprint)} has no result yet`, {
      hint: 'run its study to the end first',
    })
  }
  const id = idOfTrial(store, trial.fingerprint)
  const content = {
    trial: trial.fingerprint,
    id,
    identity: trial.identity,
    settings: trial.settings,
    study: standing?.study ?? null,
    userEmail,
    botName: botName(standing, trial, id),
    market: marketName(trial.market),
    config: trial.config,
    netProfit: trial.metrics.netProfit,
    verdict: findVerdict(store, { trial, study: standing?.study ?? null }) ?? null,
    tried: countTriedOn(store, { market: marketName(trial.market), period: trial.period }),
  }
  return {
    ...content,
    madeAt: new Date(store.clock.wall()).toISOString(),
    hash: hashOf(content),
  }
}

const planValidMs = 3_600_000

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
    { hint: 'run the same command again; nothing was created' },
  )
}

function hashOf(content: Omit<PromotionPlan, 'madeAt' | 'hash'>): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}

const longestStudyPart = 48

/** A configuration that a study tries on several markets can become a bot on each. */
function botName(standing: Choice['standing'], { market }: WholeTrial, id: string): string {
  const study = (standing?.study ?? 'trial').slice(0, longestStudyPart)
  const isOneOfSeveral = standing !== null && standing.markets > 1
  return ['dcalab', study, ...(isOneOfSeveral ? [`${market.baseAsset}-${market.quoteAsset}`] : []), id].join('-')
}
