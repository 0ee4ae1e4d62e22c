/**
 * What was looked at: configurations whose result on a span somebody has seen, paid or local, over all studies and revisions. A winner
 * is the best of so many, however often a study file was edited.
 */
import type Database from 'better-sqlite3'
import type { Period } from '../study/study.ts'
import { type Store, write } from './store.ts'
import { prepared } from './tables.ts'
import { isoTime } from './times.ts'

/** Counts a trial's first result on any service. Call inside a transaction, before the result is inserted. `at`: ms UTC. */
export function countPaidLook(db: Database.Database, fingerprint: string, at: number): void {
  const isKnown = prepared<[string], unknown>(
    db,
    "select 1 from job j join result r on r.job_id = j.id where j.fingerprint = ? and j.state = 'done' limit 1",
  )
  if (isKnown.get(fingerprint) !== undefined) return
  prepared<[{ fingerprint: string; at: string }], unknown>(
    db,
    `insert into look (market, period_from, period_to, source, key, configs, first_at, last_at)
     select market, period_from, period_to, 'paid', '', 1, :at, :at from trial where fingerprint = :fingerprint
     on conflict do update set configs = configs + 1, first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)`,
  ).run({ fingerprint, at: isoTime(at) })
}

/** A local look: a screen of a grid, or a backtest of one configuration. */
export interface LocalLook {
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  readonly period: Period
  readonly source: 'screen' | 'backtest'
  /** Hash of the grid, or fingerprint of the configuration: what was looked at before counts once. */
  readonly key: string
  readonly configs: number
}

export function recordLocalLook(store: Store, look: LocalLook): Promise<void> {
  const { market, period, source, key, configs } = look
  const at = isoTime(store.clock.wall())
  return write(store, () => {
    store.db
      .prepare(
        `insert into look (market, period_from, period_to, source, key, configs, first_at, last_at)
         values (:market, :from, :to, :source, :key, :configs, :at, :at)
         on conflict do update set configs = max(configs, excluded.configs), last_at = excluded.last_at`,
      )
      .run({ market, from: isoTime(period.from), to: isoTime(period.to), source, key, configs, at })
  })
}

export interface LookCount {
  /** Different configurations with a paid result, span by span. */
  readonly paid: number
  /** Those of local screens and backtests, summed: at most so many. */
  readonly localAtMost: number
}

/** Looks at this market in any span that overlaps the period. */
export function countLooks(store: Store, { market, period }: Pick<LocalLook, 'market' | 'period'>): LookCount {
  const row = prepared<[{ market: string; from: string; to: string }], LookCount>(
    store.db,
    `select coalesce(sum(case when source = 'paid' then configs end), 0) as paid,
       coalesce(sum(case when source <> 'paid' then configs end), 0) as localAtMost
     from look where market = :market and period_from < :to and period_to > :from`,
  ).get({ market, from: isoTime(period.from), to: isoTime(period.to) })
  return row ?? { paid: 0, localAtMost: 0 }
}
