/**
 * Opening a hold-out as a search: it proposes the winner and the finalists once, all together, and ends when they are in. The run sends
 * them, so that a kill or a limit is continued from the rows, with the same winner and no trial paid for twice.
 */
import { type Market, marketName } from '../../../contract/market.ts'
import { Failure } from '../../../errors.ts'
import { type Confirmed, confirm, rankConfirmed } from '../../search/confirmed.ts'
import { findOpening, recordComplete } from '../../store/holdouts.ts'
import { readProposals, recordOpening, type SearchInput, type Searching } from '../../store/kept-proposals.ts'
import { listTrials, readStagesByMarket } from '../../store/readers.ts'
import type { TrialRecord, TrialState } from '../../store/records.ts'
import { serviceName } from '../../store/services.ts'
import type { Store } from '../../store/store.ts'
import { configFingerprint } from '../../study/fingerprint.ts'
import type { Proposal, TestedProposal } from '../../study/proposals.ts'
import type { Objective, Period, Study } from '../../study/study.ts'

// Which configurations of a study are run on its hold-out: the best on train, decided before anything of the hold-out is known.

const FINALISTS = 4

interface Contest {
  readonly markets: readonly Market[]
  readonly objective: Objective
  /** Config fingerprints of those that compete; null = all do. */
  readonly among: ReadonlySet<string> | null
}

/**
 * The winner and the next four, best first: each done on every market, inside the objective's bounds, with a value on all of them; ties by
 * lower config fingerprint. `trials`: of the study, on train.
 */
function proposeFinalists(trials: readonly TrialRecord[], contest: Contest): readonly Proposal[] {
  const { markets, objective, among } = contest
  const byConfig = Map.groupBy(trials, ({ config }) => configFingerprint(config))
  const confirmed = [...byConfig].flatMap(([fingerprint, ofConfig]): Confirmed[] => {
    if (among !== null && !among.has(fingerprint)) return []
    return [confirm(testedOf(ofConfig, markets), undefined, objective)]
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
function testedOf(ofConfig: readonly TrialRecord[], markets: readonly Market[]): TestedProposal {
  const results = markets.map((market): TestedProposal['results'][number] => {
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

interface OpeningRequest {
  readonly store: Store
  readonly study: Study
  readonly span: Period
  readonly by: string
  /** 1 to 1,000 characters. */
  readonly reason: string
}

/** What `runStudy` follows. @throws Failure holdoutRefused, from the run, where there is nothing to choose from yet */
export function openingSearch({ store, study, span, by, reason }: OpeningRequest): Searching {
  return {
    period: span,
    roles: ['winner', 'finalist'],
    start: (input) => ({
      propose: async (history) => {
        if (history.length === 0) return { kind: 'propose', proposals: chooseOn(input) }
        if (areIn(input, history)) await recordComplete(store, study.name)
        return { kind: 'end', stoppedBy: null }
      },
      describe: () => ({ agreement: null, lines: [] }),
    }),
    recordTogether: (searcher, proposals) =>
      recordOpening(store, searcher, { proposals, period: span, by, reason, markets: study.markets }),
  }
}

const ON_THEIR_WAY: readonly TrialState[] = ['submitting', 'unknown', 'running']

/** By the results of the service that the run met. */
function chooseOn({ store, study, searcher, identity }: SearchInput): readonly Proposal[] {
  refuseElsewhere(store, study, identity)
  const trials = listTrials(store, { study: study.name, identity })
  refuseUnfinished(study, trials)
  const { markets, objective, search } = study
  const kept = search.method === 'screen' ? readProposals(store, searcher) : null
  const chosen = kept?.filter(({ role }) => role === 'chosen').map(({ config }) => configFingerprint(config)) ?? null
  const among = chosen === null ? null : new Set(chosen)
  const proposals = proposeFinalists(trials, { markets, objective, among })
  if (proposals.length > 0) return proposals
  throw new Failure(
    'holdoutRefused',
    `no configuration of ${study.name} is done on all of its markets and within its limits`,
    { hint: 'run the study first: dcalab run <file>; nothing was tested' },
  )
}

/** @throws Failure holdoutRefused where it was begun with another definition or on another service */
function refuseElsewhere(store: Store, study: Study, identity: string): void {
  const opening = findOpening(store, study.name)
  if (opening === undefined) return
  const elsewhere =
    opening.identity === identity ? 'under another definition' : `on ${serviceName(store, opening.identity)}`
  throw new Failure('holdoutRefused', `the hold-out of ${study.name} is being tested ${elsewhere}`, {
    hint: 'continue with the same service and definition; a hold-out is tested once',
  })
}

/** What is on its way could still become the winner. @throws Failure holdoutRefused */
function refuseUnfinished(study: Study, trials: readonly TrialRecord[]): void {
  const running = trials.filter(({ state }) => ON_THEIR_WAY.includes(state)).length
  if (running === 0) return
  const [count, are] = running === 1 ? ['1 trial', 'is'] : [`${running} trials`, 'are']
  throw new Failure('holdoutRefused', `${count} of ${study.name} ${are} still running and may win`, {
    hint: 'collect them first: dcalab run <file>; nothing was tested',
  })
}

const IN: readonly (TrialState | undefined)[] = ['done', 'failed', 'gone']

function areIn({ store, identity, asked }: SearchInput, history: readonly TestedProposal[]): boolean {
  const trials = history.flatMap(({ results }) => results.map(({ market, trial }) => ({ market, fingerprint: trial })))
  const settingsOn = (market: Market) => asked.get(marketName(market))?.settings ?? null
  const stages = readStagesByMarket(store, { identity, trials, settingsOn })
  return trials.every(({ fingerprint }) => IN.includes(stages.get(fingerprint)?.state))
}
