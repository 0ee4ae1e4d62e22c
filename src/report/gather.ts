/** Reads what a report is made of: the store's current definition and trials of each study, and local candles where there are any. */
import { loadCandles } from '../candles/folder.ts'
import { isInterval, marketName } from '../contract/market.ts'
import { Failure } from '../errors.ts'
import { findStudy, listStudies, listTrials } from '../store/readers.ts'
import type { StudyRecord, TrialRecord } from '../store/records.ts'
import { readSpending } from '../store/spending.ts'
import type { Store } from '../store/store.ts'
import { parseStudy } from '../study/parse.ts'
import type { Study } from '../study/study.ts'
import { planTrials } from '../study/trials.ts'
import { holdByDay } from './buy-and-hold.ts'
import type { HoldInput, StudyInput } from './input.ts'

/**
 * One study on the service it was last run on.
 * @throws Failure notFound when the store does not know it, studyInvalid when its stored text no longer reads as a study
 */
export function gatherStudy(store: Store, name: string, { candlesFolder }: { candlesFolder: string }): StudyInput {
  const record = findStudy(store, name) ?? unknownStudy(store, name)
  const study = parseStudy(record.source, { file: `${record.name}.yaml` })
  const identity = record.identities.at(0) ?? null
  const trials = identity === null ? [] : listTrials(store, { study: name, identity })
  const { grid, infeasible, duplicates } = planTrials(study)
  return {
    study,
    identity,
    otherIdentities: record.identities.slice(1),
    plan: { grid, infeasible, duplicates },
    trials,
    spending: identity === null ? null : readSpending(store, { study: name, identity }),
    hold: gatherHold(study, trials, candlesFolder),
  }
}

function unknownStudy(store: Store, name: string): StudyRecord {
  const known = listStudies(store).map((study) => study.name)
  const found = known.length === 0 ? 'it holds no study yet' : `it holds ${known.join(', ')}`
  throw new Failure('notFound', `The store ${store.path} has no study named ${JSON.stringify(name)}; ${found}`)
}

/** From the same interval and fee as the results where they state them. A report is made without local candles too. */
function gatherHold(study: Study, trials: readonly TrialRecord[], folder: string): HoldInput {
  const result = trials.find(({ state, candles }) => state === 'done' && candles !== null)
  const stated = result?.candles?.interval ?? study.interval
  const interval = stated !== null && isInterval(stated) ? stated : undefined
  try {
    const { candles, info } = loadCandles(folder, {
      market: marketName(study.market),
      from: study.period.from,
      to: study.period.to,
      ...(interval === undefined ? {} : { interval }),
    })
    const days = holdByDay(candles, result?.costs?.feePercent ?? study.costs.feePercent)
    return { kind: 'found', interval: info.interval, hash: info.hash, days }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { kind: 'absent', reason: error.message }
  }
}
