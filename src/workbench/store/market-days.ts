/** What the markets of results did, day by day, for questions by SQL. */
import type { Candles } from '../../engine/candles.ts'
import { DAY_MS } from '../../engine/daily-equity.ts'
import { prepared, runEach } from '../../sqlite/statements.ts'
import type { Store } from './store.ts'
import { query, type RowOf } from './tables.ts'

/** A period of a market that results of a study rest on. */
export interface ResultPeriod {
  /** exchange/BASE-QUOTE. */
  readonly market: string
  /** ISO 8601 UTC. */
  readonly period_from: string
  readonly period_to: string
  readonly candle_interval: string | null
}

/** Those whose first or last day is not kept; of our own service also those whose candles are others than any that were read. */
export function listPeriodsWithoutDays({ db }: Store, study: string): readonly ResultPeriod[] {
  return prepared<[string], ResultPeriod>(
    db,
    `with span as (
       select distinct t.market, t.period_from, t.period_to, r.candle_interval, case s.simulated when 1 then r.candles_hash end as hash
       from study_trial m join trial t on t.fingerprint = m.fingerprint join job j on j.fingerprint = m.fingerprint
       join result r on r.job_id = j.id join service s on s.identity = j.identity where m.study = ?),
     kept as (select p.*, (select count(*) from market_day d where d.market = p.market
         and d.date in (date(p.period_from), date(p.period_to, '-1 second'))) as ends,
       hash is null or exists (select 1 from market_day d where d.market = p.market and d.candles_hash = p.hash) as is_same
       from span p)
     select distinct market, period_from, period_to, candle_interval from kept
     where not is_same or ends < 1 + (date(period_from) < date(period_to, '-1 second'))`,
  ).all(study)
}

/** Replaces the days that the candles cover, the first and the last as far as they do. Call inside a transaction. */
export function keepMarketDays(
  { db }: Store,
  about: Pick<RowOf<'market_day'>, 'market' | 'candle_interval' | 'candles_hash'>,
  { openTime, open, high, low, close }: Candles,
): void {
  const days = new Map<number, Pick<RowOf<'market_day'>, 'open' | 'high' | 'low' | 'close'>>()
  for (let i = 0; i < openTime.length; i++) {
    const at = Math.floor(openTime[i] / DAY_MS)
    const day = days.get(at)
    days.set(at, {
      open: day?.open ?? open[i],
      high: Math.max(day?.high ?? high[i], high[i]),
      low: Math.min(day?.low ?? low[i], low[i]),
      close: close[i],
    })
  }
  const rows = Array.from(days, ([at, prices]) => {
    return { ...about, date: new Date(at * DAY_MS).toISOString().slice(0, 10), ...prices }
  })
  runEach(db, rows, (row) => query.replaceInto('market_day').values(row))
}
