/** Adds to stored results what a service does not report and local candles say: the stress test, how long the bot was in a deal, what the market did. */
import { findCandles } from '../../../candles/folder/folder.ts'
import { type Interval, isInterval, marketName } from '../../../contract/market.ts'
import { stressed } from '../../../engine/ambiguity-pair.ts'
import type { Candles } from '../../../engine/candles.ts'
import { DAY_MS } from '../../../engine/daily-equity.ts'
import { runJumpOnce } from '../../../engine/jump/jump.ts'
import { prepareForOneRun } from '../../../engine/jump/prepared.ts'
import { Failure } from '../../../errors.ts'
import { addLocalMetrics, keepMarketDays } from '../../store/observe-job.ts'
import { listPeriodsWithoutDays, listUnstressed } from '../../store/readers.ts'
import { type Store, write } from '../../store/store.ts'
import type { Study } from '../../study/study.ts'
import { type EvaluationRequest, findTerms, intervalOf } from './make-evaluation.ts'

interface ToComplete extends Pick<EvaluationRequest, 'candlesFolder'> {
  readonly study: Study
  /** By which terms a service computes, as far as it is known. */
  readonly knownOf: (identity: string) => EvaluationRequest['known']
}

/** @returns why some stay incomplete (the candles that they were computed on are not stored here); null = none does. @throws Failure candlesInvalid */
export async function completeResults(
  store: Store,
  { study, knownOf, candlesFolder }: ToComplete,
): Promise<string | null> {
  const prepared = new Map<string, ReturnType<typeof read>>()
  let missing: string | null = null
  for (const { jobId, trial } of listUnstressed(store, study.name)) {
    const interval = intervalOf(trial, study)
    const span = { market: marketName(trial.market), ...trial.period }
    const key = JSON.stringify([span, interval])
    const ready = prepared.get(key) ?? readNearest(candlesFolder, span, interval)
    prepared.set(key, ready)
    if (typeof ready === 'string') {
      missing = ready
      continue
    }
    if ((trial.candles?.hash ?? ready.hash) !== ready.hash) {
      missing = `the stored candles of ${span.market} are not those that results were computed on`
      continue
    }
    const { terms } = findTerms(trial, { study, known: knownOf(trial.identity), candlesFolder })
    const run = (of: typeof terms) =>
      runJumpOnce({ candles: ready.candles, config: trial.config, ...of }, ready.prepared)
    const { netProfitPerUsedPercent } = run(stressed(terms)).metrics
    const { timeInDealPercent } =
      trial.metrics?.timeInDealPercent === null ? run(terms).metrics : { timeInDealPercent: null }
    const found = { jobId, stressedPerUsed: netProfitPerUsedPercent, timeInDealPercent }
    await write(store, () => addLocalMetrics(store.db, found))
  }
  await keepMarket(store, { study, candlesFolder })
  return missing
}

/** Of the interval that was asked for, else the finest that is stored. */
function readNearest(folder: string, span: Asked, interval: Interval | null) {
  const found = read(folder, { ...span, interval })
  return typeof found === 'string' && interval !== null ? read(folder, span) : found
}

/** Markets without stored candles get no days, and no note. */
async function keepMarket(store: Store, { study, candlesFolder }: Pick<ToComplete, 'study' | 'candlesFolder'>) {
  for (const { market, period_from, period_to, candle_interval } of listPeriodsWithoutDays(store, study.name)) {
    const interval = candle_interval !== null && isInterval(candle_interval) ? candle_interval : study.interval
    const period = { from: Date.parse(period_from), to: Date.parse(period_to) }
    const found = findCandles(candlesFolder, { market, ...period, interval })
    if (found instanceof Failure) continue
    const about = { market, candle_interval: found.info.interval, candles_hash: found.info.hash }
    const days = daysOf(found.candles)
    await write(store, () =>
      keepMarketDays(
        store.db,
        days.map((day) => ({ ...about, ...day })),
        ({ date }) => Date.parse(date) >= period.from && Date.parse(date) + DAY_MS <= period.to,
      ),
    )
  }
}

/** UTC days, the first and the last as far as the candles go. */
function daysOf({ openTime, open, high, low, close }: Candles) {
  const days = new Map<string, { date: string; open: number; high: number; low: number; close: number }>()
  let date = ''
  for (let i = 0, end = Number.NEGATIVE_INFINITY; i < openTime.length; i++) {
    if (openTime[i] >= end) {
      end = (Math.floor(openTime[i] / DAY_MS) + 1) * DAY_MS
      date = new Date(openTime[i]).toISOString().slice(0, 10)
    }
    const day = days.get(date) ?? { date, open: open[i], high: high[i], low: low[i], close: close[i] }
    day.high = Math.max(day.high, high[i])
    day.low = Math.min(day.low, low[i])
    day.close = close[i]
    days.set(date, day)
  }
  return [...days.values()]
}

type Asked = Parameters<typeof findCandles>[1]

/** A text = why they are not here. */
function read(folder: string, asked: Asked) {
  const found = findCandles(folder, asked)
  if (found instanceof Failure) return found.message
  const { candles, info } = found
  return { candles, hash: info.hash, prepared: prepareForOneRun(candles) }
}
