/**
 * What was tried: configurations whose result on a span somebody has seen, paid or local, over all studies and revisions. A winner
 * is the best of so many, however often a study file was edited.
 */
import type Database from 'better-sqlite3'
import { runBuilt, statement } from '../../sqlite/statements.ts'
import type { Period } from '../study/study.ts'
import { type Store, write } from './store.ts'
import { isoTime, query } from './tables.ts'

/** Counts a trial's first result on any service. Call inside a transaction, before the result is inserted. `at`: ms UTC. */
export function countPaid(db: Database.Database, fingerprint: string, at: number): void {
  if (resultOfTrial.first(db, { fingerprint }) === undefined) countTrial.run(db, { fingerprint, at: isoTime(at) })
}

const resultOfTrial = statement(({ fingerprint }: { readonly fingerprint: string }) =>
  query
    .selectFrom('job as j')
    .innerJoin('result as r', 'r.job_id', 'j.id')
    .select('j.id')
    .where('j.fingerprint', '=', fingerprint)
    .where('j.state', '=', 'done')
    .limit(1),
)

const countTrial = statement(({ fingerprint, at }: { readonly fingerprint: string; readonly at: string }) =>
  query
    .insertInto('tried')
    .columns(['market', 'period_from', 'period_to', 'source', 'key', 'configs', 'first_at', 'last_at'])
    .expression(({ selectFrom, lit, val }) =>
      selectFrom('trial')
        .select(['market', 'period_from', 'period_to'])
        .select([val('paid').as('source'), val('').as('key'), lit(1).as('configs')])
        .select([val(at).as('first_at'), val(at).as('last_at')])
        .where('fingerprint', '=', fingerprint),
    )
    .onConflict((known) =>
      known.doUpdateSet(({ fn, ref, eb }) => ({
        configs: eb('configs', '+', 1),
        first_at: fn<string>('min', [ref('first_at'), ref('excluded.first_at')]),
        last_at: fn<string>('max', [ref('last_at'), ref('excluded.last_at')]),
      })),
    ),
)

/** What was tried locally: a screen of a grid, or a backtest of one configuration. */
export interface TriedLocally {
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  readonly period: Period
  readonly source: 'screen' | 'backtest'
  /** Hash of the grid, fingerprint of the configuration, or name of the study: what was tried before counts once. */
  readonly key: string
  readonly configs: number
}

export function recordTriedLocally(store: Store, tried: TriedLocally): Promise<void> {
  return write(store, () => countTried(store, tried))
}

/** The same inside a transaction. */
export function countTried({ db, clock }: Store, { market, period, source, key, configs }: TriedLocally): void {
  const at = isoTime(clock.wall())
  const span = { period_from: isoTime(period.from), period_to: isoTime(period.to) }
  const seen = { market, ...span, source, key, configs, first_at: at, last_at: at }
  runBuilt(
    db,
    query
      .insertInto('tried')
      .values(seen)
      .onConflict((known) =>
        known.doUpdateSet(({ fn, ref }) => ({
          configs: fn<number>('max', [ref('configs'), ref('excluded.configs')]),
          last_at: ref('excluded.last_at'),
        })),
      ),
  )
}

/** How many configurations were tried: the one count that every command, view and report shows. */
export interface TriedCount {
  /** Different configurations whose result on a service was shown, span by span. */
  readonly shown: number
  /** Those that local screens and backtests scanned, summed: at most so many. */
  readonly scanned: number
}

/** Tried on this market in any span that overlaps the period, by all studies and revisions. */
export function countTriedOn(store: Store, { market, period }: Pick<TriedLocally, 'market' | 'period'>): TriedCount {
  const rows = seenAt.all(store.db, { market, from: isoTime(period.from), to: isoTime(period.to) })
  const sum = (isPaid: boolean) =>
    rows.filter(({ source }) => (source === 'paid') === isPaid).reduce((all, { configs }) => all + configs, 0)
  return { shown: sum(true), scanned: sum(false) }
}

const seenAt = statement(({ market, from, to }: Readonly<Record<'market' | 'from' | 'to', string>>) =>
  query
    .selectFrom('tried')
    .select(({ fn }) => ['source', fn.sum<number>('configs').as('configs')])
    .where('market', '=', market)
    .where('period_from', '<', to)
    .where('period_to', '>', from)
    .groupBy('source'),
)
