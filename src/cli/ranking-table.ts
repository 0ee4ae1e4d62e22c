/** The rows of `dcalab leaderboard`: a configuration each, with what it came to on every market of its study. */
import { marketName } from '../contract/market.ts'
import { metricValue } from '../contract/metric-values.ts'
import { describeLooks } from '../workbench/store/describe-looks.ts'
import type { LookCount } from '../workbench/store/look-count.ts'
import type { TrialRecord } from '../workbench/store/records.ts'
import type { Store } from '../workbench/store/store.ts'
import type { RankedConfig, StoredRanking } from '../workbench/store/stored-ranking.ts'
import type { StoredDefinition } from '../workbench/study/definition.ts'
import { configFingerprint } from '../workbench/study/fingerprint.ts'
import { reduceAcross } from '../workbench/study/objective.ts'
import { metricColumns, metricTitle, rankingColumns, scalarMetrics, withError } from './metrics-table.ts'
import type { Column } from './table.ts'

export interface RankedRow {
  /** From 1; null = it is not ranked. */
  readonly rank: number | null
  readonly value: number | null
  /** Its trial on the first market. */
  readonly record: TrialRecord
  /** On every market, in their order. */
  readonly records: readonly TrialRecord[]
  /** In place of its id. */
  readonly label?: string
}

/** For `--json`: what is not ranked has no ids, and was computed here. */
export function plainAsJson({ value, record, records }: RankedRow) {
  const markets = records.map(({ market, metrics }) => ({
    market: marketName(market),
    metrics: scalarMetrics(metrics),
  }))
  return { objective: value, config: record.config, metrics: scalarMetrics(record.metrics), markets }
}

/** The plain ladder beside the best, on all of its markets; undefined where one of them has no candles here. Computed here, and free. */
export async function plainRow(
  store: Store,
  best: RankedRow,
  { study, candlesFolder }: { readonly study: Omit<StoredDefinition, 'axes'>; readonly candlesFolder: string },
): Promise<RankedRow | undefined> {
  const [{ plainBeside }, { findKnownTerms }] = await Promise.all([
    import('../workbench/verdict/plain-ladder.ts'),
    import('./known-terms.ts'),
  ])
  const found = findKnownTerms(store, best.record.identity)
  const known = found === undefined ? undefined : { ...found.terms, isPoor: found.isPoorMatch }
  const records = best.records.flatMap((record) => {
    const plain = plainBeside(record, { study, known, candlesFolder })
    return plain === null ? [] : [{ ...record, ...plain, metricFlags: {} }]
  })
  const [record] = records
  if (record === undefined || records.length < best.records.length) return undefined
  const { metric } = study.objective
  const value = reduceAcross(
    records.map(({ metrics }) => metricValue(metrics, metric)),
    study.objective,
  )
  return { rank: null, value, record, records, label: 'plain ladder' }
}

export type RankedStudy = Pick<StoredDefinition, 'axes' | 'objective'>

export function rowsOf(top: readonly RankedConfig[]): readonly RankedRow[] {
  return top.flatMap(({ value, trials }, index) => {
    const [record] = trials
    return record === undefined ? [] : [{ rank: index + 1, value, record, records: trials }]
  })
}

/** Configurations tried on the market and time of a ranking, of all studies and revisions, local ones included; by market. */
export type LooksByMarket = ReadonlyMap<string, LookCount>

/** For `--json`. What is not of all markets is of the first, and stands under `markets` for each. */
export function jsonOfRow({ rank, value, record, records }: RankedRow, tried: LooksByMarket) {
  const triedOn = (trial: TrialRecord) => tried.get(marketName(trial.market)) ?? null
  return {
    rank,
    fingerprint: record.fingerprint,
    configFingerprint: configFingerprint(record.config),
    objective: value,
    config: record.config,
    metrics: scalarMetrics(record.metrics),
    tried: triedOn(record),
    markets: records.map((trial) => ({
      market: marketName(trial.market),
      trial: trial.fingerprint,
      metrics: scalarMetrics(trial.metrics),
      tried: triedOn(trial),
    })),
  }
}

/** On one market its trials with their metrics; on several the reduced objective and what it is on each. */
export function columnsOf(study: RankedStudy, rows: readonly RankedRow[], markets: number): Column<RankedRow>[] {
  const { metric } = study.objective
  const varied = study.axes.map(({ field }) => ({
    title: field.replace(/^dca/, ''),
    value: ({ record }: RankedRow) => String(record.config[field]),
    spare: true,
  }))
  const rank = { title: 'rank', value: (row: RankedRow) => row.rank }
  if (markets === 1) {
    const trial = { title: 'trial', value: ({ record, label }: RankedRow) => label ?? shortOf(record.fingerprint) }
    return [rank, trial, ...varied, ...rankingColumns<RankedRow>(metric, ({ record }) => record)]
  }
  const config = {
    title: 'config',
    value: ({ record, label }: RankedRow) => label ?? shortOf(configFingerprint(record.config)),
  }
  const reduced = {
    title: `${metricTitle(metric)} ${acrossOf(study)}`,
    value: ({ value, record }: RankedRow) => withError(metric, value, record),
  }
  const names = [...new Set(rows.flatMap(({ records }) => records.map(({ market }) => marketName(market))))]
  const onMarkets = names.flatMap((name) => {
    const there = ({ records }: RankedRow) => records.find(({ market }) => marketName(market) === name) ?? null
    return metricColumns(metric, there, name)
  })
  return [rank, config, ...varied, reduced, ...onMarkets]
}

function acrossOf({ objective }: RankedStudy): string {
  return objective.across ?? 'median'
}

function shortOf(fingerprint: string): string {
  return fingerprint.slice(0, 12)
}

/** Below the table: the trials of the best by market, where the table names configurations, and how many were tried. */
export function describeBest(best: RankedRow | undefined, tried: LooksByMarket, markets: number): string[] {
  if (best === undefined) return []
  const words = best.records.map(({ market, fingerprint }) => {
    const name = marketName(market)
    const count = tried.get(name)
    const counted = count === undefined ? '' : describeLooks('best', count)
    if (markets === 1) return counted
    return `${name}: the best is trial ${shortOf(fingerprint)}${counted === '' ? '' : `, ${counted}`}`
  })
  return words.filter((text) => text !== '')
}

/** What is not in the table. */
export function describeRest(ranking: StoredRanking, shown: number): string[] {
  const { markets, ranked, outside, unranked, partial, compared } = ranking
  const missing = markets === 1 ? 'without a result' : 'without a value on every market'
  const rest = [
    ranked > shown ? `${ranked - shown} more ranked` : '',
    outside > 0 ? `${outside} outside the objective’s bounds` : '',
    unranked > 0 ? `${unranked} ${missing}` : '',
    compared > 0 ? `${compared} to compare with` : '',
  ].filter((text) => text !== '')
  const total = ranked + outside + unranked
  return [
    ...(rest.length > 0 ? [`and ${rest.join(', ')}`] : []),
    ...(markets > 1 && partial > 0 ? [`${partial} of ${total} configs are not done on every market`] : []),
  ]
}
