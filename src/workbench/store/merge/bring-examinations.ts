/** Examinations that were finished elsewhere, and verdicts. One that was interrupted is taken up by the store that began it. */
import type Database from 'better-sqlite3'
import { copyRows } from './copy-rows.ts'

/** A store may be a copy of one in which it was not finished yet. */
const isSame = ['fingerprint', 'identity', 'basis', 'begun_at', 'finished_at']
  .map((column) => `m.${column} = o.${column}`)
  .join(' and ')

/** Call inside a transaction, when services and trials are there. */
export function bringExaminations(db: Database.Database): number {
  const before = db.prepare<[], number>('select coalesce(max(id), 0) from main.examination').pluck().get() ?? 0
  const examinations = copyRows(db, 'examination', {
    without: ['id'],
    rest: `where o.finished_at is not null and not exists (select 1 from main.examination m where ${isSame} and m.settings is o.settings)
      order by o.id`,
  })
  copyRows(db, 'examination_check', {
    set: { examination: 'n.id' },
    rest: `join other.examination p on p.id = o.examination
      join main.examination n on n.id > ${before} and n.fingerprint = p.fingerprint and n.identity = p.identity
        and n.settings is p.settings and n.basis = p.basis and n.begun_at = p.begun_at and n.finished_at = p.finished_at
      where true on conflict do nothing`,
  })
  copyRows(db, 'verdict', {
    without: ['id'],
    rest: `where not exists (select 1 from main.verdict m where m.fingerprint = o.fingerprint and m.identity = o.identity
      and m.settings is o.settings and m.study is o.study and m.judged_at = o.judged_at) order by o.id`,
  })
  return examinations
}
