/** Saved screens: the best of a grid and a summary per parameter, never the grid itself. */
import type { Insertable } from 'kysely'
import { METRICS } from '../../contract/metrics.ts'
import { runBuilt, runEach } from '../../sqlite/statements.ts'
import type { Study } from '../study/study.ts'
import { resultColumns } from './results.ts'
import type { MarketScreen, ScreenReport } from './screen-record.ts'
import { type Store, write } from './store.ts'
import type { Tables } from './table-types.ts'
import { configToColumns, isoTime, query } from './tables.ts'

/** What is saved of a screen; plain data. */
export interface ScreenToSave {
  readonly study: Study
  readonly engineVersion: string
  /** Each is a screen of its own in the store, saved at the same time: results and candles are those of one market. */
  readonly markets: readonly MarketScreen[]
}

/** Saves a screen, all or nothing. Returns an id for each market, which is the column `screen` of the views. */
export function saveScreen(store: Store, screen: ScreenToSave): Promise<readonly number[]> {
  const savedAt = isoTime(store.clock.wall())
  return write(store, () =>
    screen.markets.map((market) => insertMarket(store, market, screenColumns(screen, market, savedAt))),
  )
}

function insertMarket(
  { db }: Store,
  { report, parameters }: MarketScreen,
  columns: Insertable<Tables['screen']>,
): number {
  const id = Number(runBuilt(db, query.insertInto('screen').values(columns)).lastInsertRowid)
  const top = report.top.map((shown) => ({ screen_id: id, ...topColumns(shown) }))
  runEach(db, top, (row) => query.insertInto('screen_result').values(row))
  const values = parameters.map(({ field, value, trials, profitable, netProfit, objective }) => ({
    ...{ screen_id: id, field, value, trials, profitable },
    net_profit_average: netProfit?.average ?? null,
    net_profit_best: netProfit?.best ?? null,
    objective_average: objective?.average ?? null,
    objective_best: objective?.best ?? null,
  }))
  runEach(db, values, (row) => query.insertInto('screen_parameter').values(row))
  return id
}

function screenColumns(
  { study, engineVersion }: Pick<ScreenToSave, 'study' | 'engineVersion'>,
  { report, symbol }: MarketScreen,
  savedAt: string,
): Insertable<Tables['screen']> {
  const { source, ...definition } = study
  const { candles } = report
  return {
    study: study.name,
    study_fingerprint: study.fingerprint,
    source,
    definition_json: JSON.stringify(definition),
    market: candles.market,
    period_from: isoTime(study.period.from),
    period_to: isoTime(study.period.to),
    saved_at: savedAt,
    complete: report.complete ? 1 : 0,
    configs: report.configs,
    distinct_configs: report.distinct,
    workers: report.workers,
    elapsed_ms: report.elapsedMs,
    config_years_per_minute: report.configYearsPerMinute,
    candle_interval: candles.interval,
    candle_count: candles.count,
    candles_missing: candles.missing,
    candles_hash: candles.hash,
    candles_synthetic: candles.synthetic ? 1 : 0,
    conventions_json: JSON.stringify(study.conventions),
    symbol_json: JSON.stringify(symbol),
    fee_percent: study.costs.feePercent,
    slippage_percent: study.costs.slippagePercent,
    engine_version: engineVersion,
    folded_configs: report.folded,
  }
}

const METRIC_COLUMNS = Object.values(METRICS).map(({ column }) => column)
const OTHER_COLUMNS = [
  'sample_size',
  'safety_orders_histogram_json',
  'monthly_returns_json',
  'daily_equity_json',
] as const

function topColumns(shown: ScreenReport['top'][number]) {
  const { rank, fingerprint, config, metrics, behaviourHash } = shown
  const derived = resultColumns({
    metrics,
    flags: {},
    deals: null,
    openDeal: null,
    candles: null,
    conventions: null,
    costs: null,
    symbol: null,
    engineVersion: null,
  })
  const kept = Object.fromEntries([...METRIC_COLUMNS, ...OTHER_COLUMNS].map((name) => [name, derived[name]]))
  const metricColumns = kept as Pick<typeof derived, (typeof METRIC_COLUMNS | typeof OTHER_COLUMNS)[number]>
  return { rank, fingerprint, ...configToColumns(config), ...metricColumns, behaviour_hash: behaviourHash }
}
