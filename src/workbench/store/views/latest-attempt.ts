/**
 * What became of a trial on a service: the latest attempt that counts, its job and its result; and which definition of a study, on which
 * service, is shown. For views and readers alike.
 */

import { sqlMatches } from '../settings-row.ts'
import type { Columns } from './shared-columns.ts'

// Results on a hold-out that is being opened: closed to every view and reader until all of them are in, so that nobody chooses, or stops,
// by the first of them.

/** SQL for the roles of what is run on a hold-out. */
const HOLDOUT_ROLES = "('winner', 'finalist')"

/** Trials of openings that are not complete: a list that is made once for each statement, from the few openings there are. */
const CLOSED_TRIALS = `(
    select u.fingerprint from holdout_opening w cross join proposal u on u.study = w.study and u.role in ${HOLDOUT_ROLES}
    where w.completed_at is null)`

/** SQL for whether the results of a trial may be shown. `fingerprint`: of the trial. */
export function isShown(fingerprint: string): string {
  return `${fingerprint} not in ${CLOSED_TRIALS}`
}

/** Attempts that leave a trial as if it had never been tried. */
const UNDONE = "('released', 'absent')"

/**
 * A trial's latest attempt. What is asked of its settings comes first, because it is nested deepest: the parser of SQLite 3.40 takes no more
 * than a hundred parts that are not closed yet. `agrees`: SQL for whether the settings it was made for, an id or null, are among those that are asked about.
 */
export function latestAttempt(of: {
  readonly identity: string
  readonly fingerprint: string
  readonly agrees: (found: string) => string
}): string {
  return `(
    select l.id from attempt l
    where ${of.agrees('l.settings_id')}
      and l.identity = ${of.identity} and l.fingerprint = ${of.fingerprint} and l.state not in ${UNDONE}
    order by l.id desc limit 1)`
}

/** The same for trial `m` of a study: kept in the order of the study, or else looked up. */
export function attemptOfPlace({
  identity,
  agrees,
}: {
  readonly identity: string
  readonly agrees: (found: string) => string
}): string {
  return `coalesce((select p.attempt_id from study_place p where p.study = m.study and p.study_fingerprint = m.study_fingerprint
      and p.identity = ${identity} and p.position = m.position), ${latestAttempt({ identity, fingerprint: 'm.fingerprint', agrees })})`
}

/** The ids of a trial's latest attempts, one for each settings that were asked for. */
export function latestAttempts({
  identity,
  fingerprint,
}: {
  readonly identity: string
  readonly fingerprint: string
}): string {
  return `(select max(l.id) from attempt l where l.identity = ${identity} and l.fingerprint = ${fingerprint}
    and l.state not in ${UNDONE} group by l.settings_id)`
}

/** The job of `attempt a`. The plus keeps SQLite from making an index of its own, of all jobs there are, for one of them. */
export const JOB_OF_ATTEMPT = 'left join job j on j.attempt_id = a.id and +j.duplicate = 0'

/** The same with its result, where that may be shown. */
export const JOB_AND_RESULT = `${JOB_OF_ATTEMPT}
  left join result r on r.job_id = j.id and ${isShown('j.fingerprint')}`

/** Settings as the program shows them. `attempt`: the alias of the table. */
export function settingsDigits(attempt: string): Columns {
  return {
    settings: {
      sql: `(select substr(x.hash, 1, 12) from settings x where x.id = ${attempt}.settings_id)`,
      unit: 'text',
      meaning: 'first 12 digits of the settings that were asked for: interval, conventions, costs and symbol rules',
      whenNull: 'where none were asked for, as on a service that is not ours, and for rows of an earlier version',
    },
  }
}

/** Of `attempt a left join job j`. `untried`: the state of a trial without an attempt. */
export const FATE_COLUMNS = {
  state: {
    sql: `case a.state when 'intent' then 'submitting' when 'ambiguous' then 'unknown' when 'undecided' then 'undecided'
      when 'rejected' then 'failed' else coalesce(j.state, case when a.id is null then 'planned' else 'unknown' end) end`,
    unit: 'text',
    meaning: 'planned, submitting, unknown, running, done, failed, stalled, gone or undecided',
    whenNull: null,
  },
  job_id: {
    sql: 'j.remote_id',
    unit: 'text',
    meaning: 'the id of its job at the service',
    whenNull: 'while there is no job',
  },
  submitted_at: {
    sql: 'coalesce(j.submitted_at, a.opened_at)',
    unit: 'time',
    meaning: 'when it was submitted',
    whenNull: 'while it is planned',
  },
  finished_at: {
    sql: "coalesce(j.finished_at, case when a.state = 'rejected' then a.settled_at end)",
    unit: 'time',
    meaning: 'when it ended',
    whenNull: 'before it has ended',
  },
  failure: {
    sql: "case when a.state = 'rejected' then a.reason else j.failure end",
    unit: 'text',
    meaning: 'why it failed',
    whenNull: 'unless it failed',
  },
} as const satisfies Columns

// The current definition of a study, and the service whose results of it are shown; straight from the tables: an analyst may keep something else under the name of a view.

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
