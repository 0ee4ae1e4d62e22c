/** Reads what is known of the best of a study: its verdict, its deals, and its days beside what else the money could have done. */
import { z } from 'zod'
import { type LoadedCandles, loadCandles } from '../../candles/folder/folder.ts'
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { type Market, marketName } from '../../contract/market.ts'
import { metricValue } from '../../contract/metric-values.ts'
import type { MetricsAsRead } from '../../contract/metrics.ts'
import type { Candles } from '../../engine/candles.ts'
import { createDailyEquity, datedEquity, observeDay } from '../../engine/daily-equity.ts'
import { runJumpOnce } from '../../engine/jump/jump.ts'
import { prepareForOneRun } from '../../engine/jump/prepared.ts'
import { Failure } from '../../errors.ts'
import { planPromotion } from '../bots/promote/plan.ts'
import { readResults, readStoredHoldout } from '../evidence/holdout/read-holdout.ts'
import { readTerms, type Terms } from '../evidence/replay/read-terms.ts'
import { findOpening } from '../store/holdouts.ts'
import { readWhole } from '../store/readers.ts'
import type { StudyRecord, TrialRecord } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { findVerdict } from '../store/verdicts.ts'
import type { Period, Study } from '../study/study.ts'
import { plainLadder } from '../verdict/plain-ladder.ts'
import { GRADE_NAMES } from '../verdict/rules.ts'
import type { BestInput, CandlesInput, DayReturn, HoldoutInput, ShownVerdict, SpanInput, StudyInput } from './input.ts'

type OfBest = Pick<StudyInput, 'study' | 'holdout' | 'candles' | 'assumed'> & {
  readonly market: Market
  readonly trials: readonly TrialRecord[]
  readonly candlesFolder: string
}

/** As `dcalab promote` would take it. */
export function gatherBest(store: Store, study: string, of: OfBest): BestInput | null {
  const { market, trials } = of
  if (!trials.some(({ state, metrics }) => state === 'done' && metrics !== null)) return null
  const plan = planOfBest(store, study, { market, trials })
  const record = trials.find(({ fingerprint }) => fingerprint === plan?.trial)
  if (plan === undefined || record === undefined) return null
  const { deals, openDeal, engineVersion } = readWhole(store, record)
  const verdict = readVerdict(store, record)
  return { deals, openDeal, engineVersion, verdict, spans: spansOf(record, of) }
}

const number = z.number()
const text = z.string()
const reason = z.object({ code: text, hard: z.boolean(), sentence: text, remedy: text, command: text })

/** What the page shows of a verdict; it may be of another's store. */
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

function readVerdict(store: Store, trial: TrialRecord): ShownVerdict | null {
  const kept = findVerdict(store, { trial })
  if (kept === undefined) return null
  const { data: verdict } = verdictSchema.safeParse(kept.verdict)
  const { data: stretches = [] } = stretchesSchema.safeParse(kept.stretches)
  return verdict === undefined
    ? null
    : { ...verdict, tried: kept.tried, stretches, judgedAt: kept.judgedAt, isStale: kept.isStale }
}

/** The study's days, and those that it held out once all of their results are in. */
function spansOf(trial: TrialRecord, of: OfBest): readonly SpanInput[] {
  const { study, market, holdout, candles, assumed, candlesFolder } = of
  const stated = readTerms(trial)
  const terms = 'missing' in stated ? assumed : stated
  const own =
    trial.metrics === null ? [] : [spanOf({ ...trial, metrics: trial.metrics }, { span: study.period, terms, candles })]
  const name = marketName(market)
  const unseen = holdout?.results?.find((one) => one.role === 'winner' && one.market === name)
  if (unseen?.metrics == null || holdout === null) return own
  const { span } = holdout
  const found = findCandles(candlesFolder, { market: name, ...span })
  const there: CandlesInput =
    found === undefined
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
  const own = metricValue(metrics, 'netProfitPerUsedPercent')
  const known = { ...span, isUnseen: false, metrics }
  const used = metricValue(metrics, 'usedCapital.average')
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
function returnsOf(
  series: readonly Partial<{ readonly date: string; readonly equity: number }>[],
  investment: number,
): DayReturn[] {
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
export function holdByDay({ openTime, open, close }: Candles, feePercent: number): DayReturn[] {
  if (close.length === 0) return []
  const fee = feePercent / 100
  const kept = (1 - fee) / (1 + fee)
  const daily = createDailyEquity()
  for (let i = 0; i < close.length; i++) observeDay(daily, openTime[i], (close[i] / open[0]) * kept)
  return datedEquity(daily).map(({ date, equity }) => ({ date, returnPercent: 100 * (equity - 1) }))
}

/** The stored candles of a market and time, or undefined when there are none that cover it. */
export function findCandles(folder: string, wanted: Parameters<typeof loadCandles>[1]): LoadedCandles | undefined {
  try {
    return loadCandles(folder, wanted)
  } catch (error) {
    if (error instanceof Failure && error.code === 'candlesMissing') return undefined
    throw error
  }
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
