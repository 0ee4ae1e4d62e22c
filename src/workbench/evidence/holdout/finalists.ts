/** Which configurations of a study are run on its hold-out: the best on train, decided before anything of the hold-out is known. */
import { type Market, marketName } from '../../../contract/market.ts'
import { type Confirmed, confirm, rankConfirmed } from '../../search/confirmed.ts'
import type { TrialRecord } from '../../store/records.ts'
import { configFingerprint } from '../../study/fingerprint.ts'
import type { Proposal, Told } from '../../study/proposals.ts'
import type { Objective } from '../../study/study.ts'

const FINALISTS = 4

export interface Contest {
  readonly markets: readonly Market[]
  readonly objective: Objective
  /** Config fingerprints of those that compete; null = all do. */
  readonly among: ReadonlySet<string> | null
}

/**
 * The winner and the next four, best first: each done on every market, inside the objective's bounds, with a value on all of them; ties by
 * lower config fingerprint. `trials`: of the study, on train.
 */
export function proposeFinalists(trials: readonly TrialRecord[], contest: Contest): readonly Proposal[] {
  const { markets, objective, among } = contest
  const byConfig = Map.groupBy(trials, ({ config }) => configFingerprint(config))
  const confirmed = [...byConfig].flatMap(([fingerprint, ofConfig]): Confirmed[] => {
    if (among !== null && !among.has(fingerprint)) return []
    return [confirm(toldOf(ofConfig, markets), undefined, objective)]
  })
  return rankConfirmed(confirmed, objective)
    .slice(0, 1 + FINALISTS)
    .map(({ config }, at) =>
      at === 0
        ? { config, role: 'winner', reason: 'best in sample', markets }
        : { config, role: 'finalist', reason: `place ${at + 1} in sample`, markets },
    )
}

/** A market without a trial counts as one that failed. */
function toldOf(ofConfig: readonly TrialRecord[], markets: readonly Market[]): Told {
  const results = markets.map((market): Told['results'][number] => {
    const record = ofConfig.find((trial) => marketName(trial.market) === marketName(market))
    const done = record?.state === 'done' ? record : undefined
    return {
      market,
      trial: record?.fingerprint ?? '',
      state: done === undefined ? 'failed' : 'done',
      metrics: done?.metrics ?? null,
      stated: null,
    }
  })
  return { config: ofConfig[0].config, role: 'point', reason: 'train', markets, batch: 1, results }
}
