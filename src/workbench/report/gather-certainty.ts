/** Reads what the store knows of how sure the best of a study is: its verdict, its deals, the study's hold-out. */
import { type Market, marketName } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import { planPromotion } from '../bots/promote/plan.ts'
import { readResults, readStoredHoldout } from '../evidence/holdout/read-holdout.ts'
import { findOpening } from '../store/holdouts.ts'
import { readWhole } from '../store/readers.ts'
import type { StudyRecord, TrialRecord } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import type { Study } from '../study/study.ts'
import type { BestInput, HoldoutInput } from './input.ts'

/** As `dcalab promote` would take it, with its verdict. */
export function gatherBest(
  store: Store,
  study: string,
  { market, trials }: { readonly market: Market; readonly trials: readonly TrialRecord[] },
): BestInput | null {
  if (!trials.some(({ state, metrics }) => state === 'done' && metrics !== null)) return null
  const plan = planOfBest(store, study, { market, trials })
  const record = trials.find(({ fingerprint }) => fingerprint === plan?.trial)
  if (plan === undefined || record === undefined) return null
  const { deals, openDeal, engineVersion } = readWhole(store, record)
  return { verdict: plan.verdict, deals, openDeal, engineVersion }
}

/** undefined where no configuration has a place: none is inside the bounds, or none has a value. */
function planOfBest(
  store: Store,
  study: string,
  { market, trials }: { readonly market: Market; readonly trials: readonly TrialRecord[] },
) {
  try {
    return planPromotion(store, { target: study, userEmail: '', market: marketName(market), trials })
  } catch (error) {
    if (error instanceof Failure && (error.code === 'promotionRefused' || error.code === 'notFound')) return undefined
    throw error
  }
}

/** Its results only when all of them are in: until then nobody is to see one. */
export function gatherHoldoutFacts(
  store: Store,
  record: StudyRecord,
  study: Pick<Study, 'holdout'>,
): HoldoutInput | null {
  if (study.holdout === null && findOpening(store, record.name) === undefined) return null
  const holdout = readStoredHoldout(store, record.name)
  const { span, seenConfigs, opening } = holdout
  return {
    span,
    seenConfigs,
    opened:
      opening === undefined
        ? null
        : {
            at: opening.openedAt,
            by: opening.openedBy,
            reason: opening.reason,
            isOfOther: opening.studyFingerprint !== record.fingerprint,
          },
    results: readResults(store, holdout),
  }
}
