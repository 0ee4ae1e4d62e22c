/** Hold-outs that were opened: once for each name of a study, and what is run on them is shown when all of it is in. */

import { sql } from 'kysely'
import { type Market, marketName } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import { allRows, firstRow, runBuilt, statement } from '../../sqlite/statements.ts'
import type { Period } from '../study/study.ts'
import { type Store, write } from './store.ts'
import { isoTime, msOf, query, type RowOf } from './tables.ts'
import { countTriedOn } from './tried-count.ts'
import { isCurrent } from './views/latest-attempt.ts'

/** All results are in: they are shown from now on. */
export function recordComplete(store: Store, study: string): Promise<void> {
  const at = isoTime(store.clock.wall())
  return write(store, () => {
    const open = query.updateTable('holdout_opening').where('study', '=', study).where('completed_at', 'is', null)
    runBuilt(store.db, open.set({ completed_at: at }))
  })
}

export interface HoldoutOpening {
  readonly study: string
  /** The definition whose winner was run on it. */
  readonly studyFingerprint: string
  readonly identity: string
  readonly account: string
  readonly span: Period
  /** ISO 8601 UTC. */
  readonly openedAt: string
  readonly openedBy: string
  readonly reason: string
  /** Configurations that others had tried before, on the market where these are most. */
  readonly seenConfigs: number
  /** When all results were in, ISO 8601 UTC; null = some are missing, and none is shown. */
  readonly completedAt: string | null
}

/** The opening of this name, whatever the revision and the service; undefined while the hold-out is closed. */
export function findOpening(store: Store, study: string): HoldoutOpening | undefined {
  const row = firstRow(store.db, query.selectFrom('holdout_opening').selectAll().where('study', '=', study))
  return row === undefined ? undefined : toOpening(row)
}

function toOpening(row: RowOf<'holdout_opening'>): HoldoutOpening {
  return {
    study: row.study,
    studyFingerprint: row.study_fingerprint,
    identity: row.identity,
    account: row.account,
    span: { from: msOf(row.span_from), to: msOf(row.span_to) },
    openedAt: row.opened_at,
    openedBy: row.opened_by,
    reason: row.reason,
    seenConfigs: row.seen_configs,
    completedAt: row.completed_at,
  }
}

/** @throws Failure holdoutOpened after the hold-out of this name was opened: nothing more is proposed for it */
export function refuseOpened(store: Store, study: string): void {
  const opening = findOpening(store, study)
  if (opening === undefined) return
  throw new Failure(
    'holdoutOpened',
    `the hold-out of ${study} was opened at ${opening.openedAt} by ${opening.openedBy}: ${opening.reason}`,
  )
}

/** A verdict on stored history that overlaps a span has shown what its configuration made of it. */
const judgedOver = statement(({ market, from, to }: Readonly<Record<'market' | 'from' | 'to', string>>) =>
  query
    .selectFrom('verdict as v')
    .innerJoin('trial as t', 't.fingerprint', 'v.fingerprint')
    .select(sql<number>`count(distinct t.config_fingerprint)`.as('configs'))
    .where('t.market', '=', market)
    .where(sql<boolean>`exists (select 1 from json_each(v.stretches_json) s
      where json_extract(v.stretches_json, s.fullkey || '.from') < ${to}
        and json_extract(v.stretches_json, s.fullkey || '.to') > ${from})`),
)

/**
 * Configurations whose result in any time that overlaps the span somebody has seen, at most: tried on it, or judged on history of it. On the market
 * where these are most.
 */
export function countSeen(
  store: Store,
  { markets, span }: { readonly markets: readonly Market[]; readonly span: Period },
): number {
  const counts = markets.map((market) => {
    const name = marketName(market)
    const { shown, scanned } = countTriedOn(store, { market: name, period: span })
    const judged = judgedOver.first(store.db, { market: name, from: isoTime(span.from), to: isoTime(span.to) })
    return shown + scanned + (judged?.configs ?? 0)
  })
  return Math.max(0, ...counts)
}

const holdoutOver = statement(({ market, from, to }: Period & { readonly market: string }) =>
  query
    .selectFrom('study as s')
    .select('s.name')
    .select(sql<number>`json_extract(s.definition_json, '$.holdout.from')`.as('from'))
    .select(sql<number>`json_extract(s.definition_json, '$.holdout.to')`.as('to'))
    .where(sql.raw<boolean>(isCurrent('s')))
    .where(sql`json_extract(s.definition_json, '$.holdout.from')`, '<', to)
    .where(sql`json_extract(s.definition_json, '$.holdout.to')`, '>', from)
    .where(({ selectFrom, exists, not }) =>
      not(
        exists(
          selectFrom('holdout_opening as o')
            .select('o.study')
            .whereRef('o.study', '=', 's.name')
            .where('o.completed_at', 'is not', null),
        ),
      ),
    )
    .where(sql<boolean>`exists (select 1 from json_each(s.definition_json, '$.markets') m where ${market} =
      json_extract(m.value, '$.exchange') || '/' || json_extract(m.value, '$.baseAsset') || '-' || json_extract(m.value, '$.quoteAsset'))`)
    .orderBy('s.name'),
)

/**
 * A study whose current definition holds out time that overlaps the period on this market, and whose hold-out was not opened; the first by name.
 * `market`: `exchange/BASE-QUOTE`.
 */
export function findHoldoutOver(
  store: Store,
  { market, period }: { readonly market: string; readonly period: Period },
): string | undefined {
  return holdoutOver.first(store.db, { market, ...period })?.name
}

/** All that studies hold out of a market (`exchange/BASE-QUOTE`) and have not opened. */
export function listHoldoutsOn(store: Store, market: string): readonly Period[] {
  return holdoutOver.all(store.db, { market, from: 0, to: Number.MAX_SAFE_INTEGER })
}

const onHoldout = query.selectFrom('proposal as p').where('p.role', 'in', ['winner', 'finalist'])

/** What is run on hold-outs of which results are missing. */
const closed = onHoldout.innerJoin('holdout_opening as o', 'o.study', 'p.study').where('o.completed_at', 'is', null)

/** The study whose hold-out a trial is run on; undefined where its results may be shown. */
export function findClosedStudy(store: Store, fingerprint: string): string | undefined {
  return firstRow(store.db, closed.select('p.study').where('p.fingerprint', '=', fingerprint))?.study
}

export interface ClosedJobs {
  /** Of the service. */
  readonly ids: ReadonlySet<string>
  /** Under which they were sent: a job that was not met yet has no more. */
  readonly names: ReadonlySet<string>
}

/** Jobs whose results are not to be shown yet, as a service lists them. */
export function listClosedJobs(store: Store): ClosedJobs {
  const attempts = closed.innerJoin('attempt as a', 'a.fingerprint', 'p.fingerprint')
  const jobs = allRows(store.db, attempts.innerJoin('job as j', 'j.attempt_id', 'a.id').select('j.remote_id'))
  return {
    ids: new Set(jobs.map(({ remote_id }) => remote_id)),
    names: new Set(allRows(store.db, attempts.select('a.name')).map(({ name }) => name)),
  }
}
