/** The rows of `dcalab leaderboard`: a configuration each, with what it came to on every market of its study. */
import type { ConfigField, DcaSpotConfig } from '../contract/bot.ts'
import { marketName } from '../contract/market.ts'
import { metricValue } from '../contract/metric-values.ts'
import { parameterImportance } from '../workbench/analysis/importance.ts'
import { describeLooks } from '../workbench/store/describe-looks.ts'
import type { LookCount } from '../workbench/store/look-count.ts'
import type { TrialRecord } from '../workbench/store/records.ts'
import type { Store } from '../workbench/store/store.ts'
import type { RankedConfig, StoredRanking } from '../workbench/store/stored-ranking.ts'
import type { StoredDefinition } from '../workbench/study/definition.ts'
import { configFingerprint } from '../workbench/study/fingerprint.ts'
import { reduceAcross } from '../workbench/study/objective.ts'
import type { Axis, Objective } from '../workbench/study/study.ts'
import {
  columnTitle,
  describeSame,
  type Measured,
  metricColumns,
  rankingColumns,
  scalarMetrics,
  variedColumns,
  withError,
} from './metrics-table.ts'
import type { Line } from './output.ts'
import { type Column, fittingTable } from './table.ts'

export interface RankedRow {
  /** From 1; null = it is not ranked. */
  readonly rank: number | null
  /** Of its configuration, as it is typed; of the plain ladder its name. */
  readonly id: string
  readonly value: number | null
  /** Its trial on the first market. */
  readonly record: TrialRecord
  /** On every market, in their order. */
  readonly records: readonly TrialRecord[]
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
  return { rank: null, id: 'plain ladder', value, record, records }
}

/** @param idOf the id of a configuration by its fingerprint */
export function rowsOf(top: readonly RankedConfig[], idOf: (fingerprint: string) => string): readonly RankedRow[] {
  return top.flatMap(({ value, trials }, index) => {
    const [record] = trials
    if (record === undefined) return []
    return [{ rank: index + 1, id: idOf(configFingerprint(record.config)), value, record, records: trials }]
  })
}

/** What a study varies, in the order in which it decides the objective, where that follows from these rows. */
export function byImportance(rows: readonly RankedRow[], varied: readonly ConfigField[]): readonly ConfigField[] {
  if (rows.length === 0 || varied.length > MOST_WEIGHED) return varied
  const scored = rows.flatMap(({ record, value }) =>
    value === null ? [] : [{ values: { ...record.config }, score: value }],
  )
  const reading = parameterImportance(scored, varied)
  if (reading.kind !== 'found') return varied
  const share = new Map<string, number>(reading.parameters.map((one) => [one.field, one.share]))
  return varied.toSorted((a, b) => (share.get(b) ?? 0) - (share.get(a) ?? 0))
}

/** The time doubles with each. */
const MOST_WEIGHED = 6

/** Configurations tried on the market and time of a ranking, of all studies and revisions, local ones included; by market. */
export type LooksByMarket = ReadonlyMap<string, LookCount>

/** For `--json`. What is not of all markets is of the first, and stands under `markets` for each. */
export function jsonOfRow({ rank, id, value, record, records }: RankedRow, tried: LooksByMarket) {
  const triedOn = (trial: TrialRecord) => tried.get(marketName(trial.market)) ?? null
  return {
    rank,
    id,
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

/** A configuration in a ranking, wherever it was computed. */
interface Placed {
  /** From 1; null = it is not ranked. */
  readonly rank: number | null
  readonly id: string
  readonly config: DcaSpotConfig
  /** The objective, made of its values on the markets. */
  readonly value: number | null
  /** By market, in the order of the study; null where there is none. */
  readonly results: readonly (Measured | null)[]
  /** What it was judged last. */
  readonly verdict?: string | null
}

/** Fields with more than one value. */
export function variedFields(axes: readonly Axis[]): readonly ConfigField[] {
  return axes.filter(({ values }) => new Set(values).size > 1).map(({ field }) => field)
}

interface RankingHead {
  readonly objective: Objective
  /** What the study varies, most important first. */
  readonly varied: readonly ConfigField[]
  /** `exchange/BASE-QUOTE`. */
  readonly markets: readonly string[]
}

/** On one market the metrics, on several the reduced objective and what it is on each; below it what no row differs in. */
export function rankingTable(rows: readonly Placed[], { objective, varied, markets }: RankingHead): Line[] {
  const { metric } = objective
  const columns: Column<Placed>[] = [
    { title: '#', role: 'id', value: ({ rank }) => rank ?? '–' },
    { title: 'id', role: 'id', value: ({ id }) => id },
    { title: 'verdict', role: 'alarm', value: ({ verdict }) => verdict ?? '' },
    ...variedColumns(rows, varied, ({ config }) => config),
  ]
  const [first, ...others] = markets
  if (others.length === 0) return [fittingTable(rows, [...columns, ...rankingColumns(metric, ofMarket(0))]), ...same()]
  const exchange = `${first.split('/')[0]}/`
  const isOneExchange = markets.every((market) => market.startsWith(exchange))
  const reduced: Column<Placed> = {
    title: `${columnTitle(metric)} ${objective.across ?? 'median'}`,
    role: 'objective',
    value: ({ value, results }) => withError(metric, value, results[0]),
  }
  const onMarkets = markets.flatMap((market, at) =>
    metricColumns(metric, ofMarket(at), { prefix: isOneExchange ? market.slice(exchange.length) : market }),
  )
  return [fittingTable(rows, [...columns, reduced, ...onMarkets]), ...same()]

  function same(): string[] {
    return describeSame(rows.at(0)?.config, varied)
  }

  function ofMarket(at: number) {
    return ({ results }: Placed) => results[at] ?? null
  }
}

/** Below the table: how many configurations were tried, by market. */
export function describeTried(best: RankedRow | undefined, tried: LooksByMarket): string[] {
  const markets = (best?.records ?? []).map(({ market }) => marketName(market))
  return markets.flatMap((market) => {
    const count = tried.get(market)
    const counted = count === undefined ? '' : describeLooks('best', count)
    return counted === '' ? [] : [markets.length === 1 ? counted : `${market}: ${counted}`]
  })
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
