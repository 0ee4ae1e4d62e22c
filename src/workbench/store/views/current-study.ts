/** The current definition of a study, and the service whose results of it are shown; straight from the tables: an analyst may keep something else under the name of a view. */
import { sqlMatches } from '../settings-row.ts'
import { attemptOfPlace } from './latest-attempt.ts'

// SQL for who competes in the ranking of a study, for the view and for readers.

/** Columns `markets` and `is_screen` of a definition; one that an older program kept says neither, and had one market and no search. */
export const COMPETITION_TERMS = `coalesce(json_array_length(definition_json, '$.markets'), 1) as markets,
  coalesce(json_extract(definition_json, '$.search.method') = 'screen', 0) as is_screen`

/** SQL for whether a trial was chosen by a screen. Each argument is SQL for a value. */
export function isChosen(of: { study: string; definition: string; identity: string; trial: string }): string {
  return `exists (select 1 from proposal p where p.fingerprint = ${of.trial} and p.study = ${of.study}
    and p.study_fingerprint = ${of.definition} and p.identity = ${of.identity} and p.role = 'chosen')`
}

/** SQL for whether a row of `study` is the current definition of its name: the last of a file, never a rerun. */
export function isCurrent(table: string): string {
  return `${table}.fingerprint = (
    select l.fingerprint from study l where l.name = ${table}.name and l.rerun_json is null order by l.saved_at desc, l.fingerprint limit 1)`
}

/** One row per study: study, fingerprint, revision, definition_json. */
export const CURRENT_STUDIES = `(select c.name as study, c.fingerprint, c.number as revision, c.definition_json from study c where ${isCurrent('c')})`

/** Trials `m` of `study c` that are done on the service of a run `i`: as they were counted last, else counted. */
const DONE = `coalesce((select total(k.trials * (k.state = 'done')) from study_count k
      where k.study = c.name and k.study_fingerprint = c.fingerprint and k.identity = i.identity having count(*) > 0),
    (select count(*) from study_trial m join trial t on t.fingerprint = m.fingerprint left join study_settings w on w.study = m.study
        and w.study_fingerprint = m.study_fingerprint and w.market = t.market and i.identity in (select identity from service where simulated = 1)
      join job j on j.attempt_id = ${attemptOfPlace({ identity: 'i.identity', agrees: (found) => sqlMatches('w.settings_id', found) })} and +j.duplicate = 0
      where m.study = c.name and m.study_fingerprint = c.fingerprint and j.state = 'done'))`

/**
 * Parts of a view, made once for a statement. `shown`, one row per study: study, fingerprint, revision, and the identity of the service whose results
 * of it are shown, as `chooseService` says where none is asked for or configured: most trials done, else run on last.
 */
export const SHOWN = {
  'progress as materialized': `select c.name as study, i.identity, max(i.id) as latest,
        case when (select min(q.identity) < max(q.identity) from study_run q where q.study = c.name) then ${DONE} end as done
      from study c join study_run i on i.study = c.name where ${isCurrent('c')} group by c.name, i.identity`,
  'shown as materialized': `select c.name as study, c.fingerprint, c.number as revision,
        (select y.identity from progress y where y.study = c.name order by y.done desc, y.latest desc limit 1) as identity
      from study c where ${isCurrent('c')}`,
}
