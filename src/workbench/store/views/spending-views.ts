/** The views of revisions of studies, of their runs, and of what was sent, what became of it and what it used up. */
import { isCurrent, JOB_OF_ATTEMPT, settingsDigits } from './latest-attempt.ts'
import { revisionOfRun, serviceColumn, shared, trialDigits, type View } from './shared-columns.ts'

const revisionsView: View = {
  rows: 'One row per definition that a study has had; one that comes back keeps its number.',
  columns: {
    study: { ...shared('d', 'study').study, sql: 'd.name' },
    revision: { sql: 'd.number', unit: 'count', meaning: 'its number, from 1', whenNull: null },
    is_current: {
      sql: isCurrent('d'),
      unit: 'yes/no',
      meaning: 'the definition of the file that was run last',
      whenNull: null,
    },
    fingerprint: { sql: 'd.fingerprint', unit: 'text', meaning: 'the definition, 64 hex digits', whenNull: null },
    first_saved_at: { sql: 'd.first_saved_at', unit: 'time', meaning: 'when it was first run', whenNull: null },
    ...shared('d', 'saved_at'),
    trial_count: {
      sql: '(select count(*) from study_trial m where m.study = d.name and m.study_fingerprint = d.fingerprint)',
      unit: 'count',
      meaning: 'trials it consists of',
      whenNull: null,
    },
    rerun_json: {
      sql: 'd.rerun_json',
      unit: 'json',
      meaning: 'what a rerun replaced of the file’s definition: period, markets',
      whenNull: 'where the definition is a file’s own',
    },
    ...shared('d', 'definition_json', 'source'),
  },
  from: 'from study d',
}

const studyRunsView: View = {
  rows: 'One row per run of a study on a service.',
  columns: {
    run: { sql: 'q.id', unit: 'count', meaning: 'its number', whenNull: null },
    ...shared('q', 'study'),
    revision: {
      sql: 'd.number',
      unit: 'count',
      meaning: 'the revision that was run, from 1',
      whenNull: 'once the study was removed',
    },
    ...serviceColumn,
    ...shared('q', 'identity'),
    ...shared('s', 'simulated'),
    started_at: { sql: 'q.started_at', unit: 'time', meaning: 'when it began', whenNull: null },
    ended_at: {
      sql: 'q.ended_at',
      unit: 'time',
      meaning: 'when it ended',
      whenNull: 'while it runs, or when it was killed',
    },
    stopped_by: {
      sql: 'q.stopped_by',
      unit: 'text',
      meaning: 'why it stopped before its end',
      whenNull: 'when it came to its end, while it runs, or when it was killed',
    },
    requests: { sql: 'q.requests', unit: 'count', meaning: 'HTTP requests of it', whenNull: null },
    units: {
      sql: "(select count(*) from attempt a where a.study_run_id = q.id and a.state <> 'released')",
      unit: 'count',
      meaning: 'backtests of it that may have been counted; 0 for runs by an earlier version',
      whenNull: null,
    },
    asked_by: {
      sql: 'q.asked_by',
      unit: 'text',
      meaning: 'agent, where an agent asked for it through `dcalab mcp`',
      whenNull: 'where a person did, and in runs by an earlier version',
    },
  },
  from: `from study_run q
  left join study d on d.name = q.study and d.fingerprint = q.study_fingerprint
  join service s on s.identity = q.identity`,
}

/** The daily limit counts 24 hours back, and a minute more to be safe. */
const windowBegin = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-86460 seconds')"

const ofOthers = 'for one of another client'
const notOurs = 'for what was not sent by this store itself'

export const attemptsView: View = {
  rows: 'One row per backtest that was sent or tried, with the second jobs of a request and those of other clients, as far as they were seen: what the daily limit counts.',
  columns: {
    kind: {
      sql: 'b.kind',
      unit: 'text',
      meaning: 'ours; second: a second job of one request; other: of another client of this account',
      whenNull: null,
      since: 22,
    },
    ...serviceColumn,
    ...shared('b', 'identity', 'account'),
    ...shared('s', 'simulated'),
    study: {
      sql: 'b.study',
      unit: 'text',
      meaning: 'the study that it was sent for, by its name at that time; study_runs has its name of today',
      whenNull: ofOthers,
    },
    trial: { ...trialDigits('b.fingerprint').trial, whenNull: ofOthers },
    fingerprint: { ...shared('b', 'fingerprint').fingerprint, whenNull: ofOthers },
    number: { sql: 'b.number', unit: 'count', meaning: 'which try of this trial, from 1', whenNull: notOurs },
    name: {
      sql: 'b.name',
      unit: 'text',
      meaning: 'the name that was sent, or that the service echoes',
      whenNull: 'where it has none',
    },
    state: {
      sql: 'b.state',
      unit: 'text',
      meaning: 'intent, acked, rejected, released, ambiguous, adopted, absent or undecided',
      whenNull: notOurs,
    },
    job_id: {
      sql: 'b.remote_id',
      unit: 'text',
      meaning: 'the id of its job at the service',
      whenNull: 'while there is no job',
    },
    job_state: {
      sql: 'b.job_state',
      unit: 'text',
      meaning: 'running, done, failed, stalled or gone',
      whenNull: 'while there is no job, and for one of another client',
    },
    failure: {
      sql: 'coalesce(b.failure, b.reason)',
      unit: 'text',
      meaning: 'why the job failed, or why the submission was refused, rejected or is unsure',
      whenNull: 'where all is well',
    },
    counted: {
      sql: "b.state is not 'released'",
      unit: 'yes/no',
      meaning: 'it may have used up one backtest of the daily limit',
      whenNull: null,
    },
    is_in_window: {
      sql: `coalesce(b.counted_at > ${windowBegin}, b.state = 'intent', 0)`,
      unit: 'yes/no',
      meaning: 'it may count now: it was counted in the last 24 hours and a minute by this machine’s clock',
      whenNull: null,
      since: 22,
    },
    opened_at: { sql: 'b.opened_at', unit: 'time', meaning: 'when its intent was written', whenNull: notOurs },
    unsure_since: {
      sql: 'b.unsure_since',
      unit: 'time',
      meaning: 'when we gave up waiting for an answer',
      whenNull: 'where an answer came',
    },
    counted_at: {
      sql: 'b.counted_at',
      unit: 'time',
      meaning: 'the latest time at which the service may have counted it',
      whenNull: 'while it is open, and where it was free',
    },
    settled_at: {
      sql: 'b.settled_at',
      unit: 'time',
      meaning: 'when it was known what became of it',
      whenNull: 'while it is open',
    },
    reply_status: {
      sql: 'b.reply_status',
      unit: 'count',
      meaning: 'HTTP status of the reply',
      whenNull: 'without a reply',
    },
    reply_code: {
      sql: 'b.reply_code',
      unit: 'text',
      meaning: 'the service’s code in the reply',
      whenNull: 'without a code',
    },
    ...settingsDigits('b'),
    run: {
      sql: 'b.study_run_id',
      unit: 'count',
      meaning: 'number of the run that paid for it',
      whenNull: 'for rows of an earlier version',
    },
    revision: {
      sql: revisionOfRun('b.study_run_id'),
      unit: 'count',
      meaning: 'the revision of the study that paid for it, from 1',
      whenNull: 'for rows of an earlier version, and once the study was removed',
    },
  },
  from: `from (
    select 'ours' as kind, a.identity, a.account, a.study, a.fingerprint, a.number, coalesce(j.name, a.name) as name, a.state, j.remote_id,
      j.state as job_state, j.failure, a.opened_at, a.unsure_since, a.counted_at, a.settled_at, a.reply_status, a.reply_code, a.reason,
      a.settings_id, a.study_run_id from attempt a ${JOB_OF_ATTEMPT}
    union all
    select 'second', a.identity, a.account, a.study, a.fingerprint, null, j.name, null, j.remote_id,
      j.state, j.failure, null, null, j.submitted_at, null, null, null, null,
      a.settings_id, a.study_run_id from attempt a join job j on j.attempt_id = a.id and j.duplicate = 1
    union all
    select 'other', identity, account, null, null, null, name, null, remote_id,
      null, null, null, null, counted_at, null, null, null, null, null, null from foreign_job
  ) b
  join service s on s.identity = b.identity`,
}

/** What was asked and what it took. */
export const SPENDING_VIEWS = { revisions: revisionsView, studyRuns: studyRunsView }
