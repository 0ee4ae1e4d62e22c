/** Computes a stored trial again on the local candles, under what its result states, and says what differs. */
import { type LoadedCandles, loadCandles } from '../../../candles/folder/folder.ts'
import { isInterval, marketName } from '../../../contract/market.ts'
import { METRIC_NAMES, METRICS, metricValue } from '../../../contract/metrics.ts'
import { backtest } from '../../../engine/backtest.ts'
import type { BacktestResult } from '../../../engine/deal.ts'
import { Failure } from '../../../errors.ts'
import type { WholeTrial } from '../../store/records.ts'
import { readTerms } from './read-terms.ts'

// A stored result against the same computed anew, to the bit: every metric, every deal, every day of equity.

interface Difference {
  /** A metric's name; of a series its first item that differs, as `deals[3]`. */
  readonly metric: string
  /** null = there is none. */
  readonly stored: unknown
  readonly now: unknown
}

interface Comparison {
  readonly differences: readonly Difference[]
  /** What is not stored, each with the reason. */
  readonly missing: readonly string[]
}

/** `stored` has a result. */
function findDifferences(stored: WholeTrial, result: BacktestResult): Comparison {
  const now = asStored(result)
  const found = [compareMetrics(stored, now), compareSeries(stored, now), compareDeals(stored, now)]
  return {
    differences: found.flatMap(({ differences }) => differences),
    missing: found.flatMap(({ missing }) => missing),
  }
}

/** Through JSON, as the service wrote it and the store read it: 0 has no sign there, and times are texts. */
function asStored({ metrics, deals, openDeal }: BacktestResult) {
  const iso = (ms: number) => new Date(ms).toISOString()
  return {
    metrics: JSON.parse(JSON.stringify(metrics)) as BacktestResult['metrics'], // every number in it is finite or null
    deals: deals.map((deal) => ({ ...deal, openedAt: iso(deal.openedAt), closedAt: iso(deal.closedAt) })),
    openDeal: openDeal === null ? null : { ...openDeal, openedAt: iso(openDeal.openedAt) },
  }
}

type Now = ReturnType<typeof asStored>

function compareMetrics({ metrics, metricFlags }: WholeTrial, now: Now): Comparison {
  const differences: Difference[] = []
  const missing: string[] = []
  for (const name of METRIC_NAMES) {
    const [stored, value] = [metrics === null ? null : metricValue(metrics, name), metricValue(now.metrics, name)]
    const { nullWhen, optional } = METRICS[name]
    // An older result lacks an optional metric: its null states nothing.
    const mayLack = nullWhen === null || (optional && value !== null)
    const isNotReported = stored === null && (Object.hasOwn(metricFlags, name) || mayLack)
    if (isNotReported) missing.push(`${name}: ${metricFlags[name] ?? 'not reported by the service'}`)
    else if (stored !== value) differences.push({ metric: name, stored, now: value })
  }
  const sampleSize = metrics?.sampleSize ?? null
  if (sampleSize === null) missing.push('sampleSize: not reported by the service')
  else if (sampleSize !== now.metrics.sampleSize) {
    differences.push({ metric: 'sampleSize', stored: sampleSize, now: now.metrics.sampleSize })
  }
  return { differences, missing }
}

function compareSeries({ metrics, prunedAt }: WholeTrial, now: Now): Comparison {
  const compared = [
    compareItems(
      'safetyOrdersFilled.histogram',
      metrics?.safetyOrdersFilled.histogram,
      now.metrics.safetyOrdersFilled.histogram,
    ),
    compareItems('monthlyReturns', metrics?.monthlyReturns, now.metrics.monthlyReturns),
    prunedAt === null
      ? compareItems('dailyEquity', metrics?.dailyEquity, now.metrics.dailyEquity)
      : pruned('dailyEquity', prunedAt),
  ]
  return {
    differences: compared.flatMap(({ differences }) => differences),
    missing: compared.flatMap(({ missing }) => missing),
  }
}

function compareDeals({ deals, openDeal, prunedAt }: WholeTrial, now: Now): Comparison {
  if (prunedAt !== null) return pruned('deals', prunedAt)
  if (deals === null) return { differences: [], missing: ['deals: not reported by the service'] }
  const closed = findFirst('deals', deals, now.deals)
  const open = isSame(openDeal, now.openDeal) ? [] : [{ metric: 'openDeal', stored: openDeal, now: now.openDeal }]
  return { differences: [...closed, ...open], missing: [] }
}

/** A series that was not stated is stored as an empty one. */
function compareItems(name: string, stored: readonly unknown[] | undefined, now: readonly unknown[]): Comparison {
  if (now.length > 0 && (stored === undefined || stored.length === 0)) {
    return { differences: [], missing: [`${name}: not reported by the service`] }
  }
  return { differences: findFirst(name, stored ?? [], now), missing: [] }
}

function findFirst(name: string, stored: readonly unknown[], now: readonly unknown[]): readonly Difference[] {
  for (let index = 0; index < Math.max(stored.length, now.length); index++) {
    const [before, after] = [stored.at(index) ?? null, now.at(index) ?? null]
    if (!isSame(before, after)) return [{ metric: `${name}[${index}]`, stored: before, now: after }]
  }
  return []
}

/** Members in any order; numbers to the bit, because JSON writes every double so that it reads back the same. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(ordered(a)) === JSON.stringify(ordered(b))
}

function ordered(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
}

function pruned(what: string, prunedAt: string): Comparison {
  return { differences: [], missing: [`${what}: deleted on ${prunedAt.slice(0, 10)}`] }
}

export interface Replay {
  /** Full fingerprint. */
  readonly trial: string
  /** Whether all that is stored is equal to the bit; null where it could not be computed again. */
  readonly equal: boolean | null
  readonly differences: readonly Difference[]
  /** What it could not be compared with or computed from, each with the reason. */
  readonly missing: readonly string[]
}

/** Loads candles once for all trials of one market, interval and period. */
type CandleReader = (question: Parameters<typeof loadCandles>[1]) => LoadedCandles

/** @throws Failure notFound for a trial without a result, candlesInvalid when the local candles are damaged */
export function replayTrial(stored: WholeTrial, read: CandleReader): Replay {
  const trial = stored.fingerprint
  if (stored.state !== 'done' || stored.metrics === null) {
    throw new Failure('notFound', `trial ${trial.slice(0, 12)} has no result to compare`, {
      hint: `it is ${stored.state}; see \`dcalab show ${trial.slice(0, 12)}\``,
    })
  }
  const terms = readTerms(stored)
  const candles = findCandles(stored, read)
  if ('missing' in terms || 'missing' in candles) {
    const missing = [terms, candles].flatMap((part) => ('missing' in part ? part.missing : []))
    return { trial, equal: null, differences: [], missing }
  }
  const result = backtest({ candles: candles.candles, config: stored.config, ...terms })
  const { differences, missing } = findDifferences(stored, result)
  return { trial, equal: differences.length === 0, differences, missing }
}

/** A reader of a folder that keeps what it read last. */
export function candleReader(folder: string): CandleReader {
  let last: { readonly name: string; readonly loaded: LoadedCandles } | undefined
  return (question) => {
    const name = JSON.stringify(question)
    if (last?.name !== name) last = { name, loaded: loadCandles(folder, question) }
    return last.loaded
  }
}

function findCandles(
  { market, period, candles }: WholeTrial,
  read: CandleReader,
): LoadedCandles | { readonly missing: readonly string[] } {
  if (candles === null || !isInterval(candles.interval)) return { missing: ['interval: the result does not state it'] }
  const { interval, hash } = candles
  if (hash === null) return { missing: ['candles: the result does not state their hash'] }
  try {
    const loaded = read({ market: marketName(market), interval, ...period })
    const { info } = loaded
    if (info.hash === hash) return loaded
    const found = `the result used candles ${shortened(hash)}, stored: ${shortened(info.hash)}`
    return {
      missing: [`candles: ${found} (${info.count} of them; the result had ${candles.count ?? 'an unknown number'})`],
    }
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'candlesMissing') throw error
    return { missing: [`candles: ${error.message}`] }
  }
}

function shortened(hash: string): string {
  return hash.slice(0, 12)
}
