/**
 * What was tried: configurations whose result on a span somebody has seen, paid or local, over all studies and revisions. A winner
 * is the best of so many, however often a study file was edited.
 */
import { runBuilt, statement } from '../../sqlite/statements.ts'
import type { Period } from '../study/study.ts'
import { type Store, write } from './store.ts'
import { isoTime, query } from './tables.ts'

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

/** Of what a study file says was tried elsewhere. */
export const triedKey = (study: string) => `tried of ${study}`

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

const seenAt = statement(({ market, from, to }: Readonly<Record<'market' | 'from' | 'to', string>>) =>
  query
    .selectFrom('tried')
    .select(({ fn }) => ['source', fn.sum<number>('configs').as('configs')])
    .where('market', '=', market)
    .where('period_from', '<', to)
    .where('period_to', '>', from)
    .groupBy('source'),
)

/** Tried on this market in any span that overlaps the period, by all studies and revisions. */
export function countTriedOn(store: Store, { market, period }: Pick<TriedLocally, 'market' | 'period'>): TriedCount {
  const rows = seenAt.all(store.db, { market, from: isoTime(period.from), to: isoTime(period.to) })
  const sum = (isPaid: boolean) =>
    rows.filter(({ source }) => (source === 'paid') === isPaid).reduce((all, { configs }) => all + configs, 0)
  return { shown: sum(true), scanned: sum(false) }
}
