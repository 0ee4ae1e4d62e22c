/** Makes of a section's facts what its page works with: a document, and the blocks of bytes that it names. */
import { deflateRawSync } from 'node:zlib'
import { CONFIG_FIELDS, type ConfigField, type DcaSpotConfig } from '../../contract/bot.ts'
import { METRIC_NAMES, type MetricName, SAMPLE_CLASSES } from '../../contract/metrics.ts'
import { type Candles, lowerBound } from '../../engine/candles.ts'
import { runReferenceOnce } from '../../engine/reference.ts'
import { readTerms } from '../evidence/replay/read-terms.ts'
import { besideOf, blanksOf, type Facts, type FinishedTrial, pairedFields } from './facts.ts'
import { formatNumber } from './format.ts'
import type { StudyInput } from './input.ts'
import {
  type ColumnName,
  type EquitySeries,
  FINGERPRINT_DIGITS,
  packCandles,
  packEquity,
  packTrials,
  STANDINGS,
  type StoredColumn,
} from './model/blocks.ts'
import type { PageCandles, PageSection, PageTerms } from './model/document.ts'
import type { TrialNumbers } from './model/heat.ts'
import type { TrialRequest } from './model/run-trial.ts'
import { findConfigProblems } from './model/what-if.ts'

export interface Block {
  readonly id: string
  /** Deflated. */
  readonly bytes: Buffer
}

interface EmbeddedSection {
  readonly section: PageSection
  readonly blocks: readonly Block[]
}

/** Up to so many trials every number is kept to the bit; beyond, metrics other than net profit to seven digits. */
const MOST_EXACT_TRIALS = 2000

/** Of the first trials so many values of daily equity are kept: those of others the page computes again, where it has the candles. */
const MOST_EQUITY_VALUES = 250_000

/** zlib's `Z_RLE`. Prices repeat in nothing but runs; to look for more spoils the code of the rest by a tenth. */
const ONLY_RUNS = 3

/** Its charts are added by who draws them. */
export function embedSection(facts: Facts, prefix: string): EmbeddedSection {
  const { input, study, market, quote, varied, ordered } = facts
  const finished = ordered.trials
  const { base, columns, numbers } = columnsOf(ordered.numbers)
  const terms = termsOf(finished, facts)
  const packed = packTrials(
    {
      count: finished.length,
      fingerprints: finished.map((trial) => facts.fingerprintOf(trial).slice(0, FINGERPRINT_DIGITS)),
      standings: Uint8Array.from(ordered.standings, (standing) => STANDINGS.indexOf(standing)),
      terms: terms.of,
      samples: Uint8Array.from(finished, ({ metrics: { sampleSize } }) =>
        sampleSize === null ? SAMPLE_CLASSES.length : SAMPLE_CLASSES.findIndex(({ words }) => words === sampleSize),
      ),
      numbers,
    },
    columns,
  )
  const equity = equityOf(finished)
  const candles: EmbeddedCandles = embedCandles(input, {
    block: `${prefix}candles`,
    trials: finished.map(({ config }, trial) => ({ config, terms: terms.all[terms.of[trial]] })),
  })
  return {
    section: {
      prefix,
      study: study.name,
      market,
      quote,
      period: study.period,
      objective: study.objective,
      varied,
      paired: pairedFields(facts),
      blanks: blanksOf(facts),
      base,
      beside: besideOf(facts),
      trials: { block: `${prefix}trials`, count: finished.length, columns },
      equity: typeof equity === 'string' ? { reason: equity } : { block: `${prefix}equity` },
      terms: terms.all,
      candles: candles.stated,
      gaps: gapsOf(finished),
      charts: {},
      inspector: '',
    },
    blocks: [
      blockOf(`${prefix}trials`, packed),
      ...(typeof equity === 'string' ? [] : [blockOf(`${prefix}equity`, equity)]),
      ...(candles.bytes === null ? [] : [blockOf(`${prefix}candles`, candles.bytes, ONLY_RUNS)]),
    ],
  }
}

/** To look longer makes the columns of 10,000 trials a hundredth smaller, and takes three times as long. */
const LEVEL = 6

/** @param strategy of zlib; 0 = it looks for every repetition */
export function blockOf(id: string, bytes: Uint8Array | string, strategy = 0): Block {
  return { id, bytes: deflateRawSync(bytes, { level: LEVEL, strategy }) }
}

/** A field that all trials share needs no column; a metric that none has neither. */
function columnsOf(trials: TrialNumbers): {
  readonly base: Partial<DcaSpotConfig>
  readonly columns: readonly StoredColumn[]
  readonly numbers: ReadonlyMap<ColumnName, Float64Array>
} {
  const numbers = new Map<ColumnName, Float64Array>()
  const base: Partial<Record<ConfigField, number>> = {}
  for (const field of CONFIG_FIELDS) {
    const values = trials.values(field)
    if (values === undefined) continue
    if (values.every((value) => value === values[0])) base[field] = values[0]
    else numbers.set(field, values)
  }
  for (const name of METRIC_NAMES) {
    const values = trials.values(name)
    if (values?.every(Number.isNaN) === false) numbers.set(name, values)
  }
  const isExact = trials.count <= MOST_EXACT_TRIALS
  const bits = (name: ColumnName) => (isExact || name === 'netProfit' || name in base || isField(name) ? 64 : 32)
  return { base, columns: [...numbers.keys()].map((name) => ({ name, bits: bits(name) })), numbers }
}

function isField(name: ColumnName): name is ConfigField {
  return CONFIG_FIELDS.some((field) => field === name)
}

/** Different terms once each. */
function termsOf(
  trials: readonly FinishedTrial[],
  { input: { assumed } }: Facts,
): { readonly all: readonly PageTerms[]; readonly of: Uint16Array } {
  const all: PageTerms[] = []
  const places = new Map<string, number>()
  const of = Uint16Array.from(trials, (trial) => {
    const stated = readTerms(trial)
    const candlesHash = trial.candles?.hash ?? null
    const terms: PageTerms =
      'missing' in stated ? { ...assumed, candlesHash } : { ...stated, from: 'result', candlesHash }
    const key = JSON.stringify(terms)
    const place = places.get(key) ?? all.length
    if (place === all.length) {
      all.push(terms)
      places.set(key, place)
    }
    return place
  })
  return { all, of }
}

/** What a service said of numbers that it did not give; of the first trials where it is much. */
function gapsOf(trials: readonly FinishedTrial[]): PageSection['gaps'] {
  const reasons: string[] = []
  const of: Record<string, number> = {}
  const most = 5000
  const flags = trials.flatMap(({ metricFlags }, trial) =>
    Object.entries(metricFlags).map(([name, why]) => ({ trial, name, why })),
  )
  for (const { trial, name, why } of flags.slice(0, most)) {
    if (!METRIC_NAMES.some((metric: MetricName) => metric === name)) continue
    const known = reasons.indexOf(why)
    of[`${trial} ${name}`] = known < 0 ? reasons.push(why) - 1 : known
  }
  return { reasons, of }
}

/** Packed, or why it is left out. */
function equityOf(trials: readonly FinishedTrial[]): Uint8Array | string {
  const seriesOf = createSeriesReader()
  let values = 0
  const series = trials.map(({ metrics }) => {
    const found = seriesOf(values < MOST_EQUITY_VALUES ? metrics.dailyEquity : [])
    values += found.values.length
    return found
  })
  if (values === 0) return 'no result keeps its daily equity'
  return packEquity(
    series,
    trials.map(({ config }) => config.investment),
  )
}

const DAY_MS = 86_400_000

type DailyEquity = FinishedTrial['metrics']['dailyEquity']

/**
 * Stored series come from a service: one with a gap or without a number is left out. Every trial of a study has the same days, so they are
 * compared with those of the last series that was whole, and worked out only where they are others.
 */
function createSeriesReader(): (days: DailyEquity) => EquitySeries {
  const none = { firstDay: 0, values: [] }
  let known: { readonly firstDay: number; readonly dates: readonly string[] } = { firstDay: 0, dates: [] }
  return (days) => {
    if (days.length === 0 || !days.every(({ equity }) => Number.isFinite(equity))) return none
    if (!days.every(({ date }, index) => date === known.dates[index])) {
      const dates = days.map(({ date }) => date)
      const firstDay = dayOf(dates[0])
      if (!dates.every((date, index) => dayOf(date) === firstDay + index)) return none
      known = { firstDay, dates }
    }
    return { firstDay: known.firstDay, values: days.map(({ equity }) => equity) }
  }
}

/** Days since 1970-01-01; NaN for what is no date. */
function dayOf(date: string): number {
  return Date.parse(date) / DAY_MS
}

// Which candles a report carries: all of them as long as they are few enough, else those that the deals of its best trials need.

interface EmbeddedCandles {
  readonly stated: PageCandles
  readonly bytes: Uint8Array | null
}

/** 150 days of minutes: about a megabyte. */
const MOST_CANDLES = 216_000

/** Trials whose deals a longer period shows. */
const MOST_TRACED = 50

type Trial = Pick<TrialRequest, 'config' | 'terms'>

const HOUR_MS = 3_600_000

/** @param trials as the page has them, the best first */
function embedCandles(
  { candles: found, embedded }: StudyInput,
  { block, trials }: { readonly block: string; readonly trials: Iterable<Trial> },
): EmbeddedCandles {
  if (found.kind === 'absent') return absent(found.reason)
  if (embedded === 'none')
    return absent('the report was made without them: `dcalab report --candles full` includes them')
  const { candles, interval, hash, missing } = found
  const count = candles.openTime.length
  if (embedded === 'full' || count <= MOST_CANDLES) {
    return { stated: { kind: 'full', block, interval, hash, missing }, bytes: packCandles(candles) }
  }
  const { candles: kept, mergedMs, traced } = thinCandles(candles, { trials: firstOf(trials), most: MOST_CANDLES })
  const hours = `${mergedMs / HOUR_MS}-hour candles`
  const content =
    traced === 0 ? hours : `${hours}, and all where something happens to a deal of the best ${traced} trials`
  const reason = `all ${formatNumber(count, 0)} candles would make this file too large; it has ${content}: \`dcalab report --candles full\` includes all`
  return {
    stated: { kind: 'thinned', block, interval, hash, missing, mergedMs, traced, reason },
    bytes: packCandles(kept),
  }
}

/** Up to the first that no engine runs. */
function firstOf(trials: Iterable<Trial>): Trial[] {
  const first: Trial[] = []
  for (const trial of trials) {
    if (first.length === MOST_TRACED || findConfigProblems(trial.config, trial.terms).refused.size > 0) break
    first.push(trial)
  }
  return first
}

function absent(reason: string): EmbeddedCandles {
  return { stated: { kind: 'absent', reason }, bytes: null }
}

// The candles of a long period, thinned: all of them around what happens to the deals of the best trials, merged ones in between. Pure.
// minutes  ······▲·······●····················▼▲········     ▲ opened, ● added to, ▼ closed
// kept     [  1h  ]▲[1h]●[   1h   ][   1h   ]▼▲[   1h   ]
// Exact for these trials: between two of its events no level of a deal is touched, so none is touched by the lowest low and the highest high of the
// candles in between; the engine makes the same deals of them, to the bit. Not so for any other configuration, nor for what is counted by the candle.

type ComputedTrial = Pick<TrialRequest, 'config' | 'terms'>

interface ThinRequest {
  /** Best first; configurations that can be run. */
  readonly trials: readonly ComputedTrial[]
  /** Candles that may be left. */
  readonly most: number
}

interface ThinnedCandles {
  readonly candles: Candles
  /** How long a merged one is at most, ms. */
  readonly mergedMs: number
  /** So many of the first trials are exact. */
  readonly traced: number
}

/** Candles kept before and behind each event, as far as there is room: they are the picture of it. */
const MARGINS = [30, 10, 3, 0]

export function thinCandles(candles: Candles, { trials, most }: ThinRequest): ThinnedCandles {
  const mergedMs = mergedLength(candles)
  const events = trials.map((trial) => eventsOf(candles, trial))
  const attempts = [...MARGINS.map((margin) => ({ margin, traced: trials.length })), ...fewer(trials.length)]
  for (const { margin, traced } of attempts) {
    const kept = placesAround(events.slice(0, traced), { margin, count: candles.openTime.length })
    const starts = startsOf(candles, { kept, mergedMs })
    if (starts.length <= most || traced === 0) return { candles: mergeFrom(candles, starts), mergedMs, traced }
  }
  throw new Error('the last attempt keeps nothing')
}

/** Half as many, and so on to none, without room around their events. */
function fewer(trials: number): { readonly margin: number; readonly traced: number }[] {
  const counts: number[] = []
  for (let traced = Math.floor(trials / 2); traced > 0; traced = Math.floor(traced / 2)) counts.push(traced)
  return [...counts, 0].map((traced) => ({ margin: 0, traced }))
}

const LENGTHS = [HOUR_MS, 4 * HOUR_MS, 24 * HOUR_MS]
/** A year of hours. */
const MOST_MERGED = 9000

function mergedLength({ openTime, intervalMs }: Candles): number {
  const period = (openTime.at(-1) ?? 0) - (openTime.at(0) ?? 0) + intervalMs
  return LENGTHS.find((length) => period / length <= MOST_MERGED) ?? 7 * 24 * HOUR_MS
}

/** Places of the candles in which a deal was opened, added to or closed. */
function eventsOf(candles: Candles, { config, terms }: ComputedTrial): number[] {
  const filled: number[] = []
  const watch = {
    opened: () => undefined,
    filled: (_: number, candle: number) => filled.push(candle),
    passed: () => undefined,
  }
  const { conventions, costs, symbol } = terms
  const { deals, openDeal } = runReferenceOnce({ candles, config, conventions, costs, symbol }, watch)
  const times = [...deals.flatMap(({ openedAt, closedAt }) => [openedAt, closedAt]), openDeal?.openedAt ?? []].flat()
  return [...filled, ...times.map((time) => lowerBound(candles.openTime, time))]
}

function placesAround(
  events: readonly (readonly number[])[],
  { margin, count }: { readonly margin: number; readonly count: number },
): Uint8Array {
  const kept = new Uint8Array(count)
  kept.fill(1, count - 1) // where the last one ends, the period does, and what is open lasts until then
  for (const places of events) {
    for (const place of places) kept.fill(1, Math.max(0, place - margin), place + margin + 1)
  }
  return kept
}

/** Where each candle of the result begins: every kept one, and the first of every run of others within one length of time. */
function startsOf(
  { openTime }: Candles,
  { kept, mergedMs }: { readonly kept: Uint8Array; readonly mergedMs: number },
): number[] {
  const starts: number[] = []
  let slot = -1
  for (let i = 0; i < openTime.length; i++) {
    const own = Math.floor(openTime[i] / mergedMs)
    if (kept[i] === 1) {
      starts.push(i)
      slot = -1
    } else if (own !== slot) {
      starts.push(i)
      slot = own
    }
  }
  return starts
}

function mergeFrom({ intervalMs, openTime, open, high, low, close }: Candles, starts: readonly number[]): Candles {
  const column = (value: (from: number, to: number) => number) =>
    Float64Array.from(starts, (from, i) => value(from, starts.at(i + 1) ?? openTime.length))
  return {
    intervalMs, // times are multiples of it still
    openTime: column((from) => openTime[from]),
    open: column((from) => open[from]),
    high: column((from, to) => high.subarray(from, to).reduce((most, each) => Math.max(most, each))),
    low: column((from, to) => low.subarray(from, to).reduce((least, each) => Math.min(least, each))),
    close: column((_, to) => close[to - 1]),
    volume: new Float64Array(starts.length),
  }
}
