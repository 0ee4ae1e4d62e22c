/** A hold-out as the store has it: what is held out, who opened it, and, once all of them are in, its results. */
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import { marketName } from '../../../contract/market.ts'
import { metricValue } from '../../../contract/metric-values.ts'
import type { MetricsAsRead } from '../../../contract/metrics.ts'
import { Failure } from '../../../errors.ts'
import { countSeen, findOpening, type HoldoutOpening } from '../../store/holdouts.ts'
import { readProposals } from '../../store/kept-proposals.ts'
import { readOfAttempts, readStagesByMarket } from '../../store/readers.ts'
import { readRevisions } from '../../store/revisions.ts'
import { findStudySettings } from '../../store/settings.ts'
import type { Store } from '../../store/store.ts'
import { storedStudy } from '../../store/stored-study.ts'
import { findStudy, unknownStudy } from '../../store/study-records.ts'
import type { Period, Study } from '../../study/study.ts'
import type { TwinField } from './twin-rank.ts'

export interface Holdout {
  readonly study: Study
  readonly span: Period
  /** undefined = it is closed. */
  readonly opening: HoldoutOpening | undefined
  /** Configurations that others have looked at in this time; of an opened one, before it was opened. */
  readonly seenConfigs: number
}

/** Of a study in the definition that was opened, else in the current one. @throws Failure notFound, holdoutRefused where it holds nothing out */
export function readStoredHoldout(store: Store, name: string): Holdout {
  const opening = findOpening(store, name)
  const opened =
    opening && readRevisions(store, name).find(({ fingerprint }) => fingerprint === opening.studyFingerprint)
  const record = findStudy(store, opened === undefined ? name : `${name}@${opened.number}`)
  if (record === undefined) {
    const when = opening === undefined ? '' : `; its hold-out was tested at ${opening.openedAt} by ${opening.openedBy}`
    throw unknownStudy(store, name, when)
  }
  const study = storedStudy(record)
  const span = opening?.span ?? study.holdout
  if (span === null) {
    throw new Failure('holdoutRefused', `${name} holds nothing out`, {
      hint: 'write `validate: { holdout: 25% }` into the study file and run it',
    })
  }
  const seenConfigs = opening?.seenConfigs ?? countSeen(store, { markets: study.markets, span })
  return { study, span, opening, seenConfigs }
}

export interface HoldoutResult {
  /** The fingerprint. */
  readonly trial: string
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  readonly role: 'winner' | 'finalist'
  /** `best in sample`, `place 2 in sample`. */
  readonly place: string
  readonly config: DcaSpotConfig
  /** null where it failed; then `failure` says why. */
  readonly metrics: MetricsAsRead | null
  readonly failure: string | null
}

/** By place on train, then in the order of the markets; null before all are in. */
export function readResults(store: Store, { study, opening }: Holdout): readonly HoldoutResult[] | null {
  if (opening === undefined || opening.completedAt === null) return null
  const { identity, account } = opening
  const proposals = readProposals(store, { study, identity, account })
  const ofHoldout = proposals.flatMap(({ role, reason, trials }) =>
    role === 'winner' || role === 'finalist' ? trials.map((trial) => ({ role, reason, trial })) : [],
  )
  const stages = readStagesByMarket(store, {
    identity,
    trials: ofHoldout.map(({ trial }) => trial),
    settingsOn: (market) => findStudySettings(store, study, market)?.settings ?? null,
  })
  const records = readOfAttempts(
    store,
    [...stages.values()].map(({ attemptId }) => attemptId),
  )
  return ofHoldout.map(({ role, reason, trial }): HoldoutResult => {
    const record = records.get(trial.fingerprint)
    return {
      trial: trial.fingerprint,
      market: marketName(trial.market),
      role,
      place: reason,
      config: trial.config,
      metrics: record?.metrics ?? null,
      failure: record?.metrics ? null : (record?.failure ?? `it is ${record?.state ?? 'planned'}`),
    }
  })
}

/** A result beside the twin's; numbers that are undefined are null with the reason beside them. */
export interface ComparedResult extends HoldoutResult {
  readonly percentileOnTwin: number | null
  readonly percentileOnTwinReason: string | null
  /** Net profit of the service less that of the twin, in percent of the investment. */
  readonly twinDifference: number | null
  readonly twinDifferenceReason: string | null
}

/** `field`: the twin's on the market of the result. */
export function compareWithTwin(
  result: HoldoutResult,
  field: TwinField | { readonly missing: string } | undefined,
  { objective }: Pick<Study, 'objective'>,
): ComparedResult {
  const without = (reason: string): ComparedResult => ({
    ...result,
    percentileOnTwin: null,
    percentileOnTwinReason: reason,
    twinDifference: null,
    twinDifferenceReason: reason,
  })
  if (field === undefined) return without('no local percentile was computed')
  if ('missing' in field) return without(field.missing)
  const { metrics, failure, config } = result
  if (metrics === null) return without(failure ?? 'it has no result')
  const value = metricValue(metrics, objective.metric)
  const percentile = value === null ? null : field.percentileOf(value)
  const netProfit = metricValue(metrics, 'netProfit')
  const onTwin = field.netProfitOf(config)
  const difference = netProfit === null || onTwin === null ? null : (100 * (netProfit - onTwin)) / config.investment
  const noValue = value === null ? `the result has no ${objective.metric}` : `no local result has a ${objective.metric}`
  return {
    ...result,
    percentileOnTwin: percentile,
    percentileOnTwinReason: percentile === null ? noValue : null,
    twinDifference: difference,
    twinDifferenceReason: difference === null ? 'the result does not state its net profit' : null,
  }
}
