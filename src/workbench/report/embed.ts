/** Makes of a section's facts what its page works with: a document, and the blocks of bytes that it names. */
import { deflateRawSync } from 'node:zlib'
import { CONFIG_FIELDS, type ConfigField, type DcaSpotConfig } from '../../contract/bot.ts'
import { METRIC_NAMES, type MetricName } from '../../contract/metrics.ts'
import { SAMPLE_CLASSES } from '../../contract/sample-size.ts'
import { readTerms } from '../evidence/replay/read-terms.ts'
import { type EmbeddedCandles, embedCandles } from './embed-candles.ts'
import type { Facts, FinishedTrial } from './facts.ts'
import type { PageSection, PageTerms } from './model/document.ts'
import { type EquitySeries, packEquity } from './model/equity-block.ts'
import type { TrialNumbers } from './model/level-column.ts'
import { type ColumnName, packTrials, STANDINGS, type StoredColumn } from './model/trial-block.ts'
import { blanksOf, pairedFields } from './paired-fields.ts'

export interface Block {
  readonly id: string
  /** Base64 of deflated bytes. */
  readonly text: string
}

export interface EmbeddedSection {
  readonly section: PageSection
  readonly blocks: readonly Block[]
}

/** Up to so many trials every number is kept to the bit; beyond, metrics other than net profit to seven digits. */
export const MOST_EXACT_TRIALS = 2000

/** More values of daily equity than this are left out. */
const MOST_EQUITY_VALUES = 1_200_000

/** Its charts are added by who draws them. */
export function embedSection(facts: Facts, prefix: string): EmbeddedSection {
  const { input, study, market, quote, varied, ordered } = facts
  const finished = ordered.trials
  const { base, columns, numbers } = columnsOf(ordered.numbers)
  const terms = termsOf(finished, facts)
  const packed = packTrials(
    {
      count: finished.length,
      fingerprints: finished.map(({ fingerprint }) => fingerprint.slice(0, 12)),
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
      trials: { block: `${prefix}trials`, count: finished.length, columns },
      equity: typeof equity === 'string' ? { reason: equity } : { block: `${prefix}equity` },
      terms: terms.all,
      candles: candles.stated,
      gaps: gapsOf(finished),
      charts: {},
    },
    blocks: [
      blockOf(`${prefix}trials`, packed),
      ...(typeof equity === 'string' ? [] : [blockOf(`${prefix}equity`, equity)]),
      ...(candles.bytes === null ? [] : [blockOf(`${prefix}candles`, candles.bytes, ONLY_RUNS)]),
    ],
  }
}

/** zlib's `Z_RLE`. Prices repeat in nothing but runs; to look for more spoils the code of the rest by a tenth. */
const ONLY_RUNS = 3

/** To look longer makes the columns of 10,000 trials a hundredth smaller, and takes three times as long. */
const LEVEL = 6

/** @param strategy of zlib; 0 = it looks for every repetition */
export function blockOf(id: string, bytes: Uint8Array | string, strategy = 0): Block {
  return { id, text: deflateRawSync(bytes, { level: LEVEL, strategy }).toString('base64') }
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
  const series = trials.map(({ metrics }) => seriesOf(metrics.dailyEquity))
  const values = series.reduce((sum, { values: days }) => sum + days.length, 0)
  if (values === 0) return 'no result keeps its daily equity'
  if (values > MOST_EQUITY_VALUES) return 'the daily equity of so many trials would make this file too large'
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
