/** Comparisons of demo bots with their backtests, as they are kept. */

import { sql } from 'kysely'
import { allRows, runBuilt } from '../../sqlite/statements.ts'
import { type Store, write } from './store.ts'
import { isoTime, msOf, query, type RowOf } from './tables.ts'

interface KeptCounts {
  readonly matched: number
  readonly early: number
  readonly late: number
  readonly missing: number
  readonly extra: number
}

/** A deal as a chart shows it; times in ISO 8601 UTC, amounts in quote. */
export interface DriftDealRow {
  readonly openedAt: string
  /** Null while it is open. */
  readonly closedAt: string | null
  readonly exit: string | null
  readonly safetyOrders: number
  readonly openPrice: number
  readonly closePrice: number | null
  readonly profit: number
  /** Matched, early, late, missing or extra. */
  readonly kind: string
}

/** Equity at the ends of UTC days, quote. */
export type DriftEquityRows = readonly { readonly date: string; readonly equity: number }[]

export interface DriftSeries {
  readonly bot: { readonly deals: readonly DriftDealRow[]; readonly equity: DriftEquityRows }
  readonly backtest: { readonly deals: readonly DriftDealRow[]; readonly equity: DriftEquityRows }
}

export interface DriftCheck {
  readonly identity: string
  readonly botId: string
  readonly botName: string | null
  /** Full fingerprint of the promoted trial; null = the bot was made otherwise. */
  readonly trial: string | null
  readonly market: string
  /** ms UTC. */
  readonly span: { readonly from: number; readonly to: number }
  readonly candles: { readonly interval: string; readonly hash: string }
  readonly engineVersion: string
  readonly terms: {
    readonly source: RowOf<'drift_check'>['terms_source']
    readonly conventions: Readonly<Record<string, unknown>>
    readonly costs: { readonly feePercent: number; readonly slippagePercent: number }
  }
  /** Null where the service does not report executions. */
  readonly deals: KeptCounts | null
  readonly orders: (KeptCounts & { readonly different: number | null }) | null
  /** Quote. */
  readonly profit: {
    readonly bot: number | null
    readonly backtest: number
    readonly gap: number | null
    readonly causes: Readonly<
      Record<'price' | 'fee' | 'timing' | 'convention' | 'candles' | 'unexplained', number | null>
    >
  }
  readonly verdict: {
    readonly drift: RowOf<'drift_check'>['drift']
    readonly causes: readonly string[]
    readonly sentence: string
  }
  readonly alternatives: readonly unknown[]
  /** What the service does not report. */
  readonly unknown: readonly { readonly what: string; readonly reason: string }[]
  readonly series: DriftSeries | null
}

export type KeptDriftCheck = DriftCheck & { /** ms UTC. */ readonly checkedAt: number }

/** Keeps a comparison; earlier ones of the same bot keep their numbers and lose their series. */
export function recordDriftCheck(store: Store, check: DriftCheck): Promise<void> {
  const row = rowOf(check, store.clock.wall())
  const ofBot = query.updateTable('drift_check').where('identity', '=', row.identity).where('bot_id', '=', row.bot_id)
  return write(store, () => {
    runBuilt(store.db, ofBot.set({ series_json: null }).where('series_json', 'is not', null))
    runBuilt(store.db, query.insertInto('drift_check').values(row))
  })
}

type DriftRow = Omit<RowOf<'drift_check'>, 'id'>

function rowOf(check: DriftCheck, now: number): DriftRow {
  const { terms, deals, orders, profit, verdict } = check
  return {
    identity: check.identity,
    bot_id: check.botId,
    bot_name: check.botName,
    fingerprint: check.trial,
    market: check.market,
    checked_at: isoTime(now),
    span_from: isoTime(check.span.from),
    span_to: isoTime(check.span.to),
    candle_interval: check.candles.interval,
    candles_hash: check.candles.hash,
    engine_version: check.engineVersion,
    terms_source: terms.source,
    conventions_json: JSON.stringify(terms.conventions),
    fee_percent: terms.costs.feePercent,
    slippage_percent: terms.costs.slippagePercent,
    deals_matched: deals?.matched ?? null,
    deals_early: deals?.early ?? null,
    deals_late: deals?.late ?? null,
    deals_missing: deals?.missing ?? null,
    deals_extra: deals?.extra ?? null,
    orders_matched: orders?.matched ?? null,
    orders_early: orders?.early ?? null,
    orders_late: orders?.late ?? null,
    orders_missing: orders?.missing ?? null,
    orders_extra: orders?.extra ?? null,
    orders_different: orders?.different ?? null,
    profit_bot: profit.bot,
    profit_backtest: profit.backtest,
    gap: profit.gap,
    gap_price: profit.causes.price,
    gap_fee: profit.causes.fee,
    gap_timing: profit.causes.timing,
    gap_convention: profit.causes.convention,
    gap_candles: profit.causes.candles,
    gap_unexplained: profit.causes.unexplained,
    drift: verdict.drift,
    causes_json: JSON.stringify(verdict.causes),
    sentence: verdict.sentence,
    alternatives_json: JSON.stringify(check.alternatives),
    unknown_json: JSON.stringify(check.unknown),
    series_json: check.series === null ? null : JSON.stringify(check.series),
  }
}

/** The latest comparison of each bot, the latest first. */
export function listDriftChecks(store: Store): readonly KeptDriftCheck[] {
  const latest = query
    .selectFrom('drift_check as c')
    .selectAll('c')
    .where(({ exists, not, selectFrom }) => {
      const ofBot = selectFrom('drift_check as l').select('l.id').whereRef('l.identity', '=', 'c.identity')
      const later = sql<boolean>`(l.checked_at, l.id) > (c.checked_at, c.id)`
      return not(exists(ofBot.whereRef('l.bot_id', '=', 'c.bot_id').where(later)))
    })
    .orderBy('c.checked_at', 'desc')
    .orderBy('c.id', 'desc')
  return allRows(store.db, latest).map(checkOf)
}

function checkOf(row: DriftRow): KeptDriftCheck {
  const counts = (matched: number | null, rest: Record<'early' | 'late' | 'missing' | 'extra', number | null>) =>
    matched === null
      ? null
      : { matched, early: rest.early ?? 0, late: rest.late ?? 0, missing: rest.missing ?? 0, extra: rest.extra ?? 0 }
  const { deals_early, deals_late, deals_missing, deals_extra } = row
  const { orders_early, orders_late, orders_missing, orders_extra } = row
  const orders = counts(row.orders_matched, {
    ...{ early: orders_early, late: orders_late },
    ...{ missing: orders_missing, extra: orders_extra },
  })
  return {
    identity: row.identity,
    botId: row.bot_id,
    botName: row.bot_name,
    trial: row.fingerprint,
    market: row.market,
    checkedAt: msOf(row.checked_at),
    span: { from: msOf(row.span_from), to: msOf(row.span_to) },
    candles: { interval: row.candle_interval, hash: row.candles_hash },
    engineVersion: row.engine_version,
    terms: {
      source: row.terms_source,
      conventions: JSON.parse(row.conventions_json), // written from checked values, as are the others here
      costs: { feePercent: row.fee_percent, slippagePercent: row.slippage_percent },
    },
    deals: counts(row.deals_matched, {
      ...{ early: deals_early, late: deals_late },
      ...{ missing: deals_missing, extra: deals_extra },
    }),
    orders: orders === null ? null : { ...orders, different: row.orders_different },
    profit: {
      ...{ bot: row.profit_bot, backtest: row.profit_backtest, gap: row.gap },
      causes: {
        ...{ price: row.gap_price, fee: row.gap_fee, timing: row.gap_timing },
        ...{ convention: row.gap_convention, candles: row.gap_candles, unexplained: row.gap_unexplained },
      },
    },
    verdict: { drift: row.drift, causes: JSON.parse(row.causes_json), sentence: row.sentence },
    alternatives: JSON.parse(row.alternatives_json),
    unknown: JSON.parse(row.unknown_json),
    series: row.series_json === null ? null : JSON.parse(row.series_json),
  }
}
