/** Reads what a report is made of: the store's current definition and trials of each study, and local candles if there are any. */

import * as z from 'zod'
import { findCandles, findSymbolRules, loadCandles } from '../../candles/folder/folder.ts'
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { isInterval, type Market, marketName } from '../../contract/market.ts'
import { type MetricsAsRead, metricValue } from '../../contract/metrics.ts'
import type { Candles } from '../../engine/candles.ts'
import type { Conventions, Costs } from '../../engine/conventions.ts'
import { createDailyEquity, datedEquity, observeDay } from '../../engine/daily-equity.ts'
import { runJump, runJumpOnce } from '../../engine/jump/jump.ts'
import { prepareForOneRun } from '../../engine/jump/prepared.ts'
import { Failure } from '../../errors.ts'
import { type StudySurvey, surveyDrawn, surveyStudy } from '../analysis/warnings/find-in-study.ts'
import { planPromotion } from '../bots/promote/plan.ts'
import { readResults, readStoredHoldout } from '../evidence/holdout/read-holdout.ts'
import { readTerms, type Terms } from '../evidence/replay/read-terms.ts'
import { findCalibration } from '../store/calibrations.ts'
import { chooseService, type ServiceQuestion } from '../store/choose-service.ts'
import { readCompetition } from '../store/competition.ts'
import { type KeptDriftCheck, listDriftChecks } from '../store/drift-checks.ts'
import { findOpening } from '../store/holdouts.ts'
import { readLastMemory } from '../store/kept-proposals.ts'
import { listPromotedTrials } from '../store/promotions.ts'
import { listTrials, readWhole } from '../store/readers.ts'
import type { StudyRecord, TrialRecord } from '../store/records.ts'
import { readRevisions } from '../store/revisions.ts'
import { serviceName } from '../store/services.ts'
import { readSpending } from '../store/spending.ts'
import type { Store } from '../store/store.ts'
import { storedStudy } from '../store/studies.ts'
import { countServices } from '../store/study-counts.ts'
import { findStudy, listStudies, unknownStudy } from '../store/study-records.ts'
import { countTriedOn } from '../store/tried-count.ts'
import { findExaminations, type KeptVerdict } from '../store/verdicts.ts'
import { configFingerprint } from '../study/fingerprint.ts'
import { AGREEMENT } from '../study/proposals.ts'
import { type Period, SEARCH_METHODS, type Study } from '../study/study.ts'
import { GRADE_NAMES } from '../verdict/judge.ts'
import { plainLadder } from '../verdict/plain-ladder.ts'
import type {
  BestInput,
  CandleChoice,
  CandlesInput,
  DriftInput,
  HoldoutInput,
  PricePoint,
  ShownVerdict,
  SpanInput,
  StudyInput,
} from './input.ts'

export interface GatherRequest {
  readonly candlesFolder: string
  readonly embedded: CandleChoice
  /** Whose results are shown. */
  readonly service?: ServiceQuestion
  /** By what a service is known to compute; undefined = it is not. */
  readonly findKnown: (identity: string) => KnownTerms | undefined
}

interface KnownTerms {
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
    throw unknownStudy(store, name, known.length === 0 ? '' : `; it has ${known.join(', ')}`)
  }
  const study = { ...storedStudy(record), name } // its name as it was asked for, revision and all
  const services = countServices(store, record)
  const chosen = chooseService(record.name, services, request.service ?? {})
  const identity = chosen?.identity ?? null
  const trials = identity === null ? [] : listTrials(store, { study: name, identity, isEquityLater: true })
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
    examinations: findExaminations(store, trials, record.name),
    spending: identity === null ? null : readSpending(store, { study: record.name, identity }),
    revisions: readRevisions(store, record.name),
    holdout: gatherHoldoutFacts(store, record, { study, identity }),
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
      tried: countTriedOn(store, { market: marketName(market), period: study.period }),
      ...gatherBots(store, {
        market: marketName(market),
        trials: ofMarket(trials, market),
        folder: candlesFolder,
        closed: of.holdout === null || isShown(of.holdout) ? null : of.holdout.span,
      }),
      candles,
      embedded,
      assumed,
    }
  })
}

/** Nothing of it is shown before all of it is in; of one that was tested on another service nothing is left to hide. */
function isShown({ opened, results }: HoldoutInput): boolean {
  return results !== null || opened?.elsewhere !== undefined
}

function ofMarket(trials: readonly TrialRecord[], market: Market): ReadonlySet<string> {
  const name = marketName(market)
  const here = trials.filter((trial) => marketName(trial.market) === name)
  return new Set(here.map(({ fingerprint }) => fingerprint))
}

/** Conventions, costs and symbol rules assumed for a result that does not state its own; `dcalab examine` assumes the same. */
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
    const interval = stated !== null && isInterval(stated) ? stated : null
    const same = findCandles(folder, { ...wanted, interval })
    const loaded = same instanceof Failure && interval !== null ? findCandles(folder, wanted) : same
    if (loaded instanceof Failure) return { kind: 'absent', reason: `no local candles of ${market} cover the period` }
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

// Reads what became of a study's trials: the bots that were made of them, and the last comparison of each with its backtest.

interface BotsOf {
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  /** Fingerprints of the study's trials on it. */
  readonly trials: ReadonlySet<string>
  /** Where the candles are. */
  readonly folder: string
  /** The time of a hold-out of which nothing is shown; null = there is none. */
  readonly closed: Period | null
}

const MOST_PRICES = 600

function gatherBots(
  store: Store,
  { market, trials, folder, closed }: BotsOf,
): Pick<StudyInput, 'promotions' | 'drifts'> {
  const checks = listDriftChecks(store).filter((check) => check.market === market && trials.has(check.trial ?? ''))
  return {
    promotions: listPromotedTrials(store).filter(({ fingerprint }) => trials.has(fingerprint)),
    drifts: checks.map((check): DriftInput => {
      const { from, to } = check.span
      const isHidden = closed !== null && from < closed.to && to > closed.from
      return { check, price: isHidden ? { reason: 'the hold-out is closed' } : priceOf(folder, check), isHidden }
    }),
  }
}

function priceOf(folder: string, { market, span, candles: { interval } }: KeptDriftCheck): DriftInput['price'] {
  const none = { reason: `no local ${interval} candles of ${market} cover the time of the bot` }
  if (!isInterval(interval)) return none
  try {
    return priceLine(loadCandles(folder, { market, interval, ...span }).candles, MOST_PRICES)
  } catch (error) {
    if (error instanceof Failure) return none
    throw error
  }
}

// Reads what is known of the best of a study: its verdict, its deals, and its days beside what else the money could have done.

type OfBest = Pick<StudyInput, 'study' | 'holdout' | 'candles' | 'assumed'> & {
  readonly market: Market
  readonly trials: readonly TrialRecord[]
  readonly candlesFolder: string
}

/** As `dcalab promote` would take it. */
function gatherBest(store: Store, study: string, of: OfBest): BestInput | null {
  const { market, trials } = of
  if (!trials.some(({ state, metrics }) => state === 'done' && metrics !== null)) return null
  const plan = planOfBest(store, study, { market, trials })
  const record = trials.find(({ fingerprint }) => fingerprint === plan?.trial)
  if (plan === undefined || record === undefined) return null
  const { deals, openDeal, engineVersion } = readWhole(store, record)
  const verdict = plan.verdict === null ? null : shownVerdict(plan.verdict)
  return { deals, openDeal, engineVersion, verdict, plain: plainOf(record, of), spans: spansOf(record, of) }
}

const number = z.number()
const text = z.string()
const reason = z.object({ code: text, hard: z.boolean(), sentence: text, remedy: text, command: text })

/** What the page shows of a verdict. A verdict merged from another store may have any form. */
const verdictSchema = z.object({
  grade: z.enum(GRADE_NAMES),
  headline: text,
  sentence: text,
  reasons: z.array(reason),
  also: z.array(z.object({ code: text, sentence: text })),
  excess: z.object({ mean: number, error: number, usualCapital: number, days: number }).nullable(),
  next: z.object({ command: text, why: text, jobs: number }).nullable(),
  expect: z
    .object({
      days: number,
      stretches: number,
      from: text,
      to: text,
      rows: z.array(
        z.object({
          market: z.enum(['rose', 'stood', 'fell']),
          stretches: number,
          middleHalf: z.tuple([number, number]).nullable(),
          worst: number.nullable(),
        }),
      ),
      low: number,
      high: number,
      drawdownBelowPercent: number,
    })
    .nullable(),
  unknown: z.array(z.object({ what: text, why: text })),
})
const stretchesSchema = z.array(
  z.object({ from: text, to: text, netProfit: number, holdPercent: number, changePercent: number }),
)

function shownVerdict(kept: KeptVerdict): ShownVerdict | null {
  const { data: verdict } = verdictSchema.safeParse(kept.verdict)
  const { data: stretches = [] } = stretchesSchema.safeParse(kept.stretches)
  return verdict === undefined
    ? null
    : { ...verdict, tried: kept.tried, stretches, judgedAt: kept.judgedAt, isStale: kept.isStale }
}

function plainOf(trial: TrialRecord, { candles: found, assumed }: OfBest): BestInput['plain'] {
  if (found.kind === 'absent') return null
  const { candles } = found
  const stated = readTerms(trial)
  const { config, terms } = plainLadder(trial.config.investment, 'missing' in stated ? assumed : stated)
  return { config, metrics: runJump({ candles, config, ...terms }, prepareForOneRun(candles)).metrics }
}

/** The study's days, and those that it held out once all of their results are in. */
function spansOf(trial: TrialRecord, of: OfBest): readonly SpanInput[] {
  const { study, market, holdout, candles, assumed, candlesFolder } = of
  const stated = readTerms(trial)
  const terms = 'missing' in stated ? assumed : stated
  const own =
    trial.metrics === null ? [] : [spanOf({ ...trial, metrics: trial.metrics }, { span: study.period, terms, candles })]
  const name = marketName(market)
  const configuration = configFingerprint(trial.config)
  const unseen = holdout?.results?.find((one) => one.market === name && configFingerprint(one.config) === configuration)
  if (unseen?.metrics == null || holdout === null) return own
  const { span } = holdout
  const found = findCandles(candlesFolder, { market: name, ...span })
  const there: CandlesInput =
    found instanceof Failure
      ? { kind: 'absent', reason: `no local candles of ${name} cover the unseen days` }
      : { kind: 'found', candles: found.candles, ...found.info }
  const { config, metrics } = unseen
  return [...own, { ...spanOf({ config, metrics }, { span, terms, candles: there }), isUnseen: true }]
}

function spanOf(
  { config, metrics }: { readonly config: DcaSpotConfig; readonly metrics: MetricsAsRead },
  { span, terms, candles: found }: { readonly span: Period; readonly terms: Terms; readonly candles: CandlesInput },
): SpanInput {
  const bot = returnsOf(metrics.dailyEquity, config.investment)
  const known = { ...span, isUnseen: false, metrics }
  const [used, netProfit] = [metricValue(metrics, 'usedCapital.average'), metricValue(metrics, 'netProfit')]
  const own =
    metricValue(metrics, 'netProfitPerUsedPercent') ??
    (used === null || netProfit === null || used === 0 ? null : (100 * netProfit) / used)
  if (found.kind === 'absent' || used === null) {
    return { ...known, lines: { bot, hold: [], plain: [] }, perUsedPercent: { bot: own, hold: null, plain: null } }
  }
  const { candles } = found
  const worst = { ...terms, conventions: { ...terms.conventions, intrabar: 'pessimistic' as const } }
  const ladder = plainLadder(config.investment, worst)
  const plain = runJumpOnce({ candles, config: ladder.config, ...ladder.terms }, prepareForOneRun(candles)).metrics
  const hold = holdByDay(candles, terms.costs.feePercent)
  return {
    ...known,
    lines: {
      bot,
      hold: hold.map(({ date, returnPercent }) => ({
        date,
        returnPercent: (used / config.investment) * returnPercent,
      })),
      plain: returnsOf(plain.dailyEquity, config.investment),
    },
    perUsedPercent: { bot: own, hold: hold.at(-1)?.returnPercent ?? null, plain: plain.netProfitPerUsedPercent },
  }
}

/** Stored series come from a service, so days without a finite equity are left out. */
function returnsOf(series: readonly Partial<{ readonly date: string; readonly equity: number }>[], investment: number) {
  return series.flatMap(({ date, equity }) =>
    typeof date === 'string' && isDay(date) && typeof equity === 'number' && Number.isFinite(equity)
      ? [{ date, returnPercent: 100 * (equity / investment - 1) }]
      : [],
  )
}

function isDay(date: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(date) && Number.isFinite(Date.parse(date))
}

/**
 * Return of held money since the start in percent at each UTC day end, as the metric `buyAndHoldPercent`: all is invested at the first open and
 * valued at a close, both less the fee. A day without candles repeats the one before. Empty without candles.
 */
export function holdByDay({ openTime, open, close }: Candles, feePercent: number) {
  if (close.length === 0) return []
  const fee = feePercent / 100
  const kept = (1 - fee) / (1 + fee)
  const daily = createDailyEquity()
  for (let i = 0; i < close.length; i++) observeDay(daily, openTime[i], (close[i] / open[0]) * kept)
  return datedEquity(daily).map(({ date, equity }) => ({ date, returnPercent: 100 * (equity - 1) }))
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

/** Results only when all of them are in: until then nobody may see one. */
function gatherHoldoutFacts(
  store: Store,
  record: StudyRecord,
  { study, identity }: { readonly study: Pick<Study, 'holdout'>; readonly identity: string | null },
): HoldoutInput | null {
  if (study.holdout === null && findOpening(store, record.name) === undefined) return null
  const holdout = readStoredHoldout(store, record.name)
  const { span, seenConfigs, opening } = holdout
  const isElsewhere = opening !== undefined && opening.identity !== identity
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
            ...(isElsewhere ? { elsewhere: serviceName(store, opening.identity) } : {}),
          },
    results: isElsewhere ? null : readResults(store, holdout),
  }
}

// The price of a period in few points: the lowest and the highest of each stretch, in the order in which they came. Pure.

/** @param most points; at least 4. First open and last close are among them. Empty without candles. */
function priceLine({ openTime, open, high, low, close }: Candles, most: number): PricePoint[] {
  const count = close.length
  if (count === 0) return []
  const stretches = Math.min(count, Math.floor((most - 2) / 2))
  const points: PricePoint[] = [{ time: openTime[0], price: open[0] }]
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * count) / stretches)
    const to = Math.floor(((stretch + 1) * count) / stretches)
    let [lowest, highest] = [from, from]
    for (let i = from + 1; i < to; i++) {
      if (low[i] < low[lowest]) lowest = i
      if (high[i] > high[highest]) highest = i
    }
    const ends = [
      { time: openTime[lowest], price: low[lowest] },
      { time: openTime[highest], price: high[highest] },
    ]
    points.push(...(lowest <= highest ? ends : ends.toReversed()))
  }
  points.push({ time: openTime[count - 1], price: close[count - 1] })
  return points
}
