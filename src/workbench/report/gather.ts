/** Reads what a report is made of: the store's current definition and trials of each study, and local candles if there are any. */
import { findSymbolRules } from '../../candles/folder/folder.ts'
import { isInterval, type Market, marketName } from '../../contract/market.ts'
import type { Conventions, Costs } from '../../engine/conventions.ts'
import { Failure } from '../../errors.ts'
import { type StudySurvey, surveyDrawn, surveyStudy } from '../analysis/warnings/find-in-study.ts'
import { findCalibration } from '../store/calibrations.ts'
import { chooseService, type ServiceQuestion } from '../store/choose-service.ts'
import { readCompetition } from '../store/competition.ts'
import { findExaminations } from '../store/examinations.ts'
import { readLastMemory } from '../store/kept-proposals.ts'
import { countLooks } from '../store/look-count.ts'
import { listTrials } from '../store/readers.ts'
import type { TrialRecord } from '../store/records.ts'
import { readRevisions } from '../store/revisions.ts'
import { readSpending } from '../store/spending.ts'
import type { Store } from '../store/store.ts'
import { storedStudy } from '../store/stored-study.ts'
import { countServices } from '../store/study-counts.ts'
import { findStudy, listStudies, unknownStudy } from '../store/study-records.ts'
import { configFingerprint } from '../study/fingerprint.ts'
import { AGREEMENT } from '../study/proposals.ts'
import { SEARCH_METHODS, type Study } from '../study/study.ts'
import { gatherBots } from './gather-bots.ts'
import { findCandles, gatherBest, gatherHoldoutFacts } from './gather-certainty.ts'
import type { CandleChoice, CandlesInput, StudyInput } from './input.ts'

export interface GatherRequest {
  readonly candlesFolder: string
  readonly embedded: CandleChoice
  /** Whose results are shown. */
  readonly service?: ServiceQuestion
  /** By what a service is known to compute; undefined = it is not. */
  readonly findKnown: (identity: string) => KnownTerms | undefined
}

export interface KnownTerms {
  readonly conventions: Conventions
  readonly costs: Costs
  /** It reproduces the service badly. */
  readonly isPoor: boolean
}

/**
 * One study on the service that `chooseService` says, market by market; `name` may be that of a revision, `my-ladder@2`.
 * @throws Failure as `chooseService`; notFound when it is not in the store, studyInvalid when its stored text can no longer be read as a study
 */
export function gatherStudy(store: Store, name: string, request: GatherRequest): StudyInput[] {
  const { candlesFolder, embedded } = request
  const record = findStudy(store, name)
  if (record === undefined) {
    const known = listStudies(store).map((study) => study.name)
    throw unknownStudy(store, name, known.length === 0 ? '' : `; it holds ${known.join(', ')}`)
  }
  const study = { ...storedStudy(record, { file: `${record.name}.yaml` }), name } // its name as it was asked for, revision and all
  const services = countServices(store, record)
  const chosen = chooseService(record.name, services, request.service ?? {})
  const identity = chosen?.identity ?? null
  const trials = identity === null ? [] : listTrials(store, { study: name, identity })
  const survey = surveyOf(study, trials)
  const of = {
    study,
    identity,
    service: chosen ?? null,
    otherServices: services.filter((one) => one !== chosen),
    plan: study.search.method === 'grid' ? survey : null,
    warnings: survey.warnings.map(({ message }) => message),
    chosen:
      identity === null
        ? null
        : readCompetition(store, { study: record.name, fingerprint: record.fingerprint, identity }).chosen,
    trials,
    examinations: findExaminations(store, trials),
    spending: identity === null ? null : readSpending(store, { study: record.name, identity }),
    revisions: readRevisions(store, record.name),
    holdout: gatherHoldoutFacts(store, record, study),
    calibration: identity === null ? null : (findCalibration(store, identity) ?? null),
    agreement: readLastMemory(store, { study: record.name, fingerprint: record.fingerprint, about: AGREEMENT }),
  }
  return study.markets.map((market) => {
    const candles = gatherCandles(study, market, { trials, folder: candlesFolder })
    const assumed = assumedOf(study, market, { identity, request })
    return {
      ...of,
      market,
      best: gatherBest(store, name, { ...of, market, candles, assumed, candlesFolder }),
      looks: countLooks(store, { market: marketName(market), period: study.period }),
      ...gatherBots(store, {
        market: marketName(market),
        trials: ofMarket(trials, market),
        folder: candlesFolder,
        closed: of.holdout === null || of.holdout.opened !== null ? null : of.holdout.span,
      }),
      candles,
      embedded,
      assumed,
    }
  })
}

function ofMarket(trials: readonly TrialRecord[], market: Market): ReadonlySet<string> {
  const name = marketName(market)
  const here = trials.filter((trial) => marketName(trial.market) === name)
  return new Set(here.map(({ fingerprint }) => fingerprint))
}

/** Under what a result that does not say it is taken to be computed, as `dcalab examine` takes it. */
function assumedOf(
  study: Study,
  market: Market,
  { identity, request }: { readonly identity: string | null; readonly request: GatherRequest },
): StudyInput['assumed'] {
  const symbol = findSymbolRules(request.candlesFolder, marketName(market))
  const known = identity === null ? undefined : request.findKnown(identity)
  if (known === undefined) return { conventions: study.conventions, costs: study.costs, symbol, from: 'study' }
  const { conventions, costs, isPoor } = known
  return { conventions, costs, symbol, from: isPoor ? 'poorCalibration' : 'calibration' }
}

/** As `study check` counts it; of a search that draws, the configurations that it drew. */
function surveyOf(study: Study, trials: readonly TrialRecord[]): StudySurvey {
  if (!SEARCH_METHODS[study.search.method].draws) return surveyStudy(study)
  return surveyDrawn(study, [...new Map(trials.map(({ config }) => [configFingerprint(config), config])).values()])
}

type WithTrials = { readonly trials: readonly TrialRecord[]; readonly folder: string }

/**
 * Uses the interval of the results if they state it, else the finest candles that cover the period. Without local candles the report says why; it
 * names no folder, because reports are given to others.
 */
function gatherCandles(study: Study, of: Market, { trials, folder }: WithTrials): CandlesInput {
  const market = marketName(of)
  const stated = firstResult(trials, market)?.candles?.interval ?? study.interval
  const wanted = { market, ...study.period }
  try {
    const same =
      stated !== null && isInterval(stated) ? findCandles(folder, { ...wanted, interval: stated }) : undefined
    const loaded = same ?? findCandles(folder, wanted)
    if (loaded === undefined) return { kind: 'absent', reason: `no local candles of ${market} cover the period` }
    const { candles, info } = loaded
    return { kind: 'found', candles, interval: info.interval, hash: info.hash, missing: info.missing }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { kind: 'absent', reason: `the local candles of ${market} cannot be read` }
  }
}

function firstResult(trials: readonly TrialRecord[], market: string): TrialRecord | undefined {
  return trials.find((trial) => marketName(trial.market) === market && trial.state === 'done' && trial.candles !== null)
}
