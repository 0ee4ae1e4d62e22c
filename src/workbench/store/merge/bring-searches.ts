/** What searches proposed and keep in mind, what services were found to compute by, and which hold-outs were opened. */
import type Database from 'better-sqlite3'
import { copyRows } from './copy-rows.ts'
import type { Added, OpenedTwice } from './report.ts'

const sameSearch = ['study', 'study_fingerprint', 'identity', 'account']
  .map((column) => `m.${column} = o.${column}`)
  .join(' and ')

/** Call inside a transaction, when services, trials and studies are there. */
export function bringSearches(db: Database.Database): Pick<Added, 'proposals' | 'calibrations'> {
  const proposals = bringProposals(db)
  // Of one thing that both keep, what was written last: it is what the proposals that were made last rest on.
  copyRows(db, 'search_memory', {
    rest: `where true on conflict do update set value_json = excluded.value_json, written_at = excluded.written_at
      where excluded.written_at > written_at`,
  })
  const calibrations = copyRows(db, 'calibration', {
    without: ['id'],
    rest: `where not exists (select 1 from main.calibration m
        where m.identity = o.identity and m.made_at = o.made_at and m.study = o.study and m.market = o.market)
      order by o.id`,
  })
  return { proposals, calibrations }
}

/** A trial that both proposed in one role is proposed once. Theirs come after ours, in their order and in batches of their own. */
function bringProposals(db: Database.Database): number {
  const ofOurs = (column: string) => `(select coalesce(max(m.${column}), 0) from main.proposal m where ${sameSearch})`
  const search = 'partition by o.study, o.study_fingerprint, o.identity, o.account'
  db.exec(`
    create temp table new_proposal as
      select o.study, o.study_fingerprint, o.identity, o.account, o.position as their_position,
        ${ofOurs('position')} + row_number() over (${search} order by o.position) as position,
        ${ofOurs('batch')} + dense_rank() over (${search} order by o.batch) as batch
      from other.proposal o where not exists (
        select 1 from main.proposal m where ${sameSearch} and m.role = o.role and m.fingerprint = o.fingerprint);
    create index temp.new_proposal_of on new_proposal (study, study_fingerprint, identity, account, their_position)`)
  const proposals = copyRows(db, 'proposal', {
    set: { position: 'm.position', batch: 'm.batch' },
    rest: `join temp.new_proposal m on ${sameSearch} and m.their_position = o.position`,
  })
  db.exec('drop table temp.new_proposal')
  return proposals
}

interface OpeningPair {
  readonly study: string
  readonly ourAt: string
  readonly ourBy: string
  readonly theirAt: string
  readonly theirBy: string
}

/** A hold-out is opened once: where both stores did, the earlier opening is the one. Call inside a transaction. */
export function bringOpenings(db: Database.Database): {
  readonly openings: number
  readonly openedTwice: readonly OpenedTwice[]
} {
  const pairs = db.prepare<[], OpeningPair>(
    `select m.study, m.opened_at as ourAt, m.opened_by as ourBy, o.opened_at as theirAt, o.opened_by as theirBy
     from main.holdout_opening m join other.holdout_opening o on o.study = m.study
     where (o.opened_at, o.opened_by, o.identity) <> (m.opened_at, m.opened_by, m.identity) order by m.study`,
  )
  const openedTwice = pairs.all().map(({ study, ourAt, ourBy, theirAt, theirBy }): OpenedTwice => {
    const [ours, theirs] = [
      { at: ourAt, by: ourBy },
      { at: theirAt, by: theirBy },
    ]
    return theirAt < ourAt ? { study, kept: theirs, dropped: ours } : { study, kept: ours, dropped: theirs }
  })
  db.exec(`
    delete from main.holdout_opening where exists (
      select 1 from other.holdout_opening o where o.study = main.holdout_opening.study and o.opened_at < main.holdout_opening.opened_at);
    update main.holdout_opening set completed_at = o.completed_at from other.holdout_opening o
      where o.study = main.holdout_opening.study and o.opened_at = main.holdout_opening.opened_at
        and main.holdout_opening.completed_at is null and o.completed_at is not null`)
  const openings = copyRows(db, 'holdout_opening', { rest: 'where true on conflict do nothing' })
  return { openings, openedTwice }
}
