/** What was asked: services, settings, trials, studies with their revisions and runs, and what people said of trials. */
import type Database from 'better-sqlite3'
import { copyRows } from './copy-rows.ts'
import { oursOf, pairSettings } from './pair-rows.ts'
import type { Added } from './report.ts'

/** Call inside a transaction, when rows are paired. `whole`: ours is empty (`isFirstMerge`). */
export function bringStudies(db: Database.Database, whole: boolean): Partial<Added> {
  const services = copyRows(db, 'service', { rest: 'where true on conflict do nothing' })
  const settings = copyRows(db, 'settings', {
    without: ['id'],
    rest: 'where true order by o.id on conflict do nothing',
    whole,
  })
  pairSettings(db)
  const trials = copyRows(db, 'trial', { rest: 'where true on conflict do nothing', asChecked: true, whole })
  const revisions = bringRevisions(db, whole)
  const runs = copyRows(db, 'study_run', {
    set: { id: 'p.our_id' },
    rest: 'join temp.paired_study_run p on p.other_id = o.id where p.is_new = 1 order by o.id',
  })
  // One that ran while the other store was copied has ended since.
  db.exec(`update main.study_run set ended_at = o.ended_at, requests = o.requests, stopped_by = o.stopped_by
    from other.study_run o join temp.paired_study_run p on p.other_id = o.id
    where p.is_new = 0 and main.study_run.id = p.our_id and main.study_run.ended_at is null and o.ended_at is not null`)
  const tags = copyRows(db, 'tag', { rest: 'where true on conflict do nothing' })
  const notes = copyRows(db, 'note', {
    without: ['id'],
    rest: `where not exists (select 1 from main.note n where n.fingerprint = o.fingerprint and n.note = o.note and n.added_at = o.added_at)
      order by o.id`,
  })
  return { services, settings, trials, revisions, runs, tags, notes }
}

/**
 * A name with another definition there becomes a further revision here, in their order behind ours; the one that was run last is the
 * current one, reruns apart: what is a file's own in one of the stores is that. What a revision first resolved, ours or theirs, it keeps.
 */
function bringRevisions(db: Database.Database, whole: boolean): number {
  const isNew = 'not exists (select 1 from main.study s where s.name = o.name and s.fingerprint = o.fingerprint)'
  db.exec(`
    create temp table new_revision as
      select o.name, o.fingerprint, coalesce((select max(number) from main.study s where s.name = o.name), 0)
        + row_number() over (partition by o.name order by o.number) as number,
        not exists (select 1 from main.study s where s.name = o.name) as new_name
      from other.study o where ${isNew};
    create index temp.new_revision_of on new_revision (name, fingerprint);
    update main.study set first_saved_at = min(main.study.first_saved_at, o.first_saved_at)
      from other.study o where o.name = main.study.name and o.fingerprint = main.study.fingerprint and o.first_saved_at <> main.study.first_saved_at;
    update main.study set saved_at = o.saved_at, source = o.source, rerun_json = o.rerun_json
      from other.study o where o.name = main.study.name and o.fingerprint = main.study.fingerprint
        and case when (o.rerun_json is null) = (main.study.rerun_json is null) then o.saved_at > main.study.saved_at else o.rerun_json is null end`)
  const ofNew = (study: string, fingerprint: string) =>
    `join temp.new_revision n on n.name = o.${study} and n.fingerprint = o.${fingerprint}`
  const revisions = copyRows(db, 'study', { set: { number: 'n.number' }, rest: ofNew('name', 'fingerprint') })
  copyRows(db, 'study_trial', { rest: ofNew('study', 'study_fingerprint'), asChecked: true, whole })
  copyRows(db, 'study_settings', {
    set: { settings_id: oursOf('settings', 'o.settings_id') },
    rest: 'where true on conflict do nothing',
  })
  copyRows(db, 'study_archive', {
    rest: 'where o.name in (select name from temp.new_revision where new_name = 1) on conflict do nothing',
  })
  db.exec('drop table temp.new_revision')
  return revisions
}
