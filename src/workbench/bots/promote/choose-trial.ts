/** Which trial is promoted, and where it stands in its study. */

import { marketName } from '../../../contract/market.ts'
import { METRICS } from '../../../contract/metrics.ts'
import { Failure } from '../../../errors.ts'
import type { ServiceQuestion } from '../../store/choose-service.ts'
import { readCompetition } from '../../store/competition.ts'
import { findResult, idsIn, isTrialPrefix, type ResultChoice } from '../../store/find-trial.ts'
import { readLastMemory } from '../../store/kept-proposals.ts'
import { listTrials, readWhole } from '../../store/readers.ts'
import type { StudyRecord, TrialRecord, WholeTrial } from '../../store/records.ts'
import { countRevised } from '../../store/revised-results.ts'
import type { Store } from '../../store/store.ts'
import { storedStudy } from '../../store/studies.ts'
import { chosenIdentity, countServices } from '../../store/study-counts.ts'
import { findStudy, listStudies, revisionName, shortName, suggestStudy } from '../../store/study-records.ts'
import type { StudyFor } from '../../study/fields.ts'
import { configFingerprint } from '../../study/fingerprint.ts'
import { type ConfigRanking, rankConfigs } from '../../study/objective.ts'
import { AGREEMENT, readAgreement } from '../../study/proposals.ts'

export interface Choice {
  readonly trial: WholeTrial
  /** null for a trial that belongs to no study. */
  readonly standing: StandingInStudy | null
}

interface StandingInStudy {
  readonly study: string
  /** Of its configuration, 1 = best; null when that lies outside the objective's bounds, has no value on some market, or does not compete. */
  readonly rank: number | null
  /** On some market. */
  readonly outsideBounds: boolean
  /** A screen took it for comparison and did not choose it. */
  readonly isSample: boolean
  /** On how many markets the study tries every configuration. */
  readonly markets: number
  /** Its other results. */
  readonly others: readonly Pick<TrialRecord, 'config' | 'metrics'>[]
  /** Of its results on the service: how many were read again, and how many the service now states otherwise. */
  readonly revised: { readonly checked: number; readonly revised: number }
  /** The search of the study found that the service and the local engine, which chose what to try, disagree. */
  readonly agreementFailed: boolean
}

interface BestRequest extends Pick<RankingRequest, 'trials'> {
  readonly market: string | undefined
  /** Whose results count. */
  readonly service?: ServiceQuestion | undefined
}

/**
 * The best configuration's trial on the service that `chooseService` says; of several markets the one on `market`.
 * @throws Failure as `chooseService`; usage where it is not said which of several markets, or the study is not tried on it; promotionRefused, notFound without a best
 */
export function chooseBest(
  store: Store,
  study: StudyRecord,
  { market, trials, service: question = {} }: BestRequest,
): Choice {
  const identity = trials?.at(0)?.identity ?? chosenIdentity(store, study, question)
  const ranking = rankStudy(store, study, { trials, identity })
  const best = ranking.ranked.at(0)
  if (best === undefined) throw noBest(store, study, { ranking, identity })
  const known = best.trials.map((trial) => `--market ${marketName(trial.market)}`).join(', ')
  if (market === undefined && best.trials.length > 1) {
    throw new Failure('usage', `${study.name} covers ${best.trials.length} markets, and a bot trades on one`, {
      problems: best.trials.map((trial) => ({
        place: `--market ${marketName(trial.market)}`,
        message: `its best is ${idsIn(store)(configFingerprint(trial.config))}, net profit ${trial.metrics?.netProfit ?? 'unknown'}`,
      })),
      hint: 'add --market',
    })
  }
  const trial = best.trials.find((one) => market === undefined || marketName(one.market) === market)
  if (trial === undefined) {
    throw new Failure('usage', `${study.name} is not tried on "${market}"`, { hint: `expected ${known}` })
  }
  return { trial: readWhole(store, trial), standing: standingOf(store, trial, study, ranking) }
}

function noBest(
  store: Store,
  study: StudyRecord,
  { ranking, identity }: { readonly ranking: Ranking; readonly identity: string | undefined },
): Failure {
  const { outside, noValue, compared, markets } = ranking
  const name = shortName(store, study)
  if (outside.length > 0) {
    const what = markets === 1 ? 'trials' : 'configurations'
    const message = `None of the ${outside.length} finished ${what} of ${name} is within the limits of its objective`
    return new Failure('promotionRefused', message, { hint: 'name a trial, or widen the limits' })
  }
  if (noValue.length > 0 && markets === 1) {
    const { metric } = storedStudy(study).objective
    const message = `${noValue.length} finished trial${noValue.length === 1 ? '' : 's'} of ${name}, but ${METRICS[metric].title} is undefined for ${noValue.length === 1 ? 'it' : 'each of them'}`
    return new Failure('notFound', message, { hint: 'name a trial, or maximize another metric in the study file' })
  }
  const services = countServices(store, study)
  const own = services.find((one) => one.identity === identity)
  const elsewhere = services.filter((one) => one !== own && one.done > 0)
  const [other] = elsewhere
  const where = elsewhere.length === 0 ? '' : ` on ${own?.name ?? 'the configured service'}`
  const message =
    markets > 1 && noValue.length > 0
      ? `${name} has no configuration yet that is done with a value on every market${where}`
      : compared.length > 0
        ? `${name} has no finished trial yet chosen by its screen${where}; control configurations do not count`
        : `${name} has no finished trial yet${where}`
  const run = `run it first: dcalab run ${name}`
  if (other === undefined) return new Failure('notFound', message, { hint: run })
  return new Failure('notFound', message, {
    problems: elsewhere.map(({ done, total, ...on }) => ({
      place: `--service ${on.name}`,
      message: `${done} of ${total} done`,
    })),
    hint: `use results of another service: --service ${other.name}, or ${run}`,
  })
}

/** @throws Failure notFound, usage */
export function chooseTrial(
  store: Store,
  target: string,
  { choice, market }: { readonly choice: ResultChoice; readonly market: string | undefined },
): Choice {
  if (!isTrialPrefix(target)) {
    throw new Failure(
      'notFound',
      `"${target}" is neither a study of this store nor the id of a configuration${suggestStudy(store, target)}`,
    )
  }
  const trial = findResult(store, target, { ...choice, market })
  if (!isDone(trial)) throw new Failure('notFound', `${target} has no finished result`)
  return { trial, standing: findStanding(store, trial, choice) }
}

/** Its rank in the study that was asked for, else in the latest that contains it. */
function findStanding(
  store: Store,
  trial: TrialRecord,
  { study: name, revision }: ResultChoice,
): StandingInStudy | null {
  const asked = name === undefined ? undefined : findStudy(store, revision === undefined ? name : `${name}@${revision}`)
  for (const study of asked === undefined ? listStudies(store) : [asked]) {
    const ranking = rankStudy(store, study, { identity: trial.identity })
    const isThis = ({ fingerprint, settings }: TrialRecord) =>
      fingerprint === trial.fingerprint && settings === trial.settings
    if (ranking.done.some(isThis)) return standingOf(store, trial, study, ranking)
  }
  return null
}

interface Ranking extends ConfigRanking<TrialRecord> {
  readonly markets: number
  /** Every trial with a result. */
  readonly done: readonly TrialRecord[]
}

interface RankingRequest {
  /** Of the service; undefined = it was run on none that counts. */
  readonly identity: string | undefined
  /** All trials of the study on that service, where they are read already: of thousands that takes a second. */
  readonly trials?: readonly TrialRecord[] | undefined
}

const NOT_RUN = { markets: 1, done: [], ranked: [], outside: [], noValue: [], compared: [] }

function rankStudy(store: Store, study: StudyRecord, { trials, identity }: RankingRequest): Ranking {
  const parsed: StudyFor<'promote'> = storedStudy(study)
  if (identity === undefined) return NOT_RUN
  const competition = readCompetition(store, { study: study.name, fingerprint: study.fingerprint, identity })
  const done = (trials ?? listTrials(store, { study: revisionName(study), identity })).filter(isDone)
  const ranking = rankConfigs(done, { ...competition, objective: parsed.objective })
  return { done, markets: competition.markets, ...ranking }
}

function standingOf(
  store: Store,
  { fingerprint, identity }: TrialRecord,
  study: StudyRecord,
  { markets, done, ranked, outside, compared }: Ranking,
): StandingInStudy {
  const isThis = ({ trials }: { readonly trials: readonly TrialRecord[] }) =>
    trials.some((trial) => trial.fingerprint === fingerprint)
  const place = ranked.findIndex(isThis)
  return {
    study: study.name,
    rank: place === -1 ? null : place + 1,
    outsideBounds: outside.some(isThis),
    isSample: compared.some(isThis),
    markets,
    others: done.filter((trial) => trial.fingerprint !== fingerprint),
    revised: countRevised(store, { identity, fingerprints: done.map((trial) => trial.fingerprint) }),
    agreementFailed:
      readAgreement(readLastMemory(store, { study: study.name, fingerprint: study.fingerprint, about: AGREEMENT }))
        ?.isContradicted === true,
  }
}

function isDone({ state, metrics }: TrialRecord): boolean {
  return state === 'done' && metrics !== null
}
