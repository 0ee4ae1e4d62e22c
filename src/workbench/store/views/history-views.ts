/** Views of who asked what when: revisions of studies and their runs. */
import type { View } from './column.ts'
import { isCurrent } from './current-study.ts'
import { serviceColumn, shared } from './shared-columns.ts'

export const revisionsView: View = {
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

export const studyRunsView: View = {
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
      meaning: 'backtests of it that may have been counted; 0 for runs of older programs',
      whenNull: null,
    },
    asked_by: {
      sql: 'q.asked_by',
      unit: 'text',
      meaning: 'agent, where an agent asked for it through `dcalab mcp`',
      whenNull: 'where a person did, and in runs of older programs',
    },
  },
  from: `from study_run q
  left join study d on d.name = q.study and d.fingerprint = q.study_fingerprint
  join service s on s.identity = q.identity`,
}
