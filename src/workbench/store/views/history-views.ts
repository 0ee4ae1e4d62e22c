/** Views of who asked what when: revisions of studies, their runs, units by day, promotions. */
import { sinceLayout, type View } from './column.ts'
import { isCurrent } from './current-study.ts'
import { shared, trialDigits } from './shared-columns.ts'

const HISTORY_SINCE = 8

export const studyRevisionsView: View = {
  rows: 'One row per definition that a study has had; one that comes back keeps its number.',
  columns: sinceLayout(HISTORY_SINCE, {
    study: { ...shared('d', 'study').study, sql: 'd.name' },
    revision: { sql: 'd.number', unit: 'count', meaning: 'its number, from 1', whenNull: null },
    is_current: {
      sql: `${isCurrent('d')}`,
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
      since: 9,
    },
    ...shared('d', 'definition_json', 'source'),
  }),
  from: 'from study d',
}

export const studyRunsView: View = {
  rows: 'One row per run of a study on a service.',
  columns: sinceLayout(HISTORY_SINCE, {
    run: { sql: 'q.id', unit: 'count', meaning: 'its number', whenNull: null },
    ...shared('q', 'study'),
    revision: {
      sql: 'd.number',
      unit: 'count',
      meaning: 'the revision that was run, from 1',
      whenNull: 'once the study was removed',
    },
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
      since: 14,
    },
  }),
  from: `from study_run q
  left join study d on d.name = q.study and d.fingerprint = q.study_fingerprint
  join service s on s.identity = q.identity`,
}

export const allowanceDailyView: View = {
  rows: 'One row per day (UTC), service identity and account on which a backtest may have been counted.',
  columns: sinceLayout(HISTORY_SINCE, {
    date: { sql: 'c.date', unit: 'text', meaning: 'the day, as 2021-05-19', whenNull: null },
    ...shared('c', 'identity', 'account'),
    ...shared('s', 'simulated'),
    units: { sql: 'count(*)', unit: 'count', meaning: 'backtests, those of other clients included', whenNull: null },
    foreign_units: {
      sql: 'sum(c.is_foreign)',
      unit: 'count',
      meaning: 'those of other clients, as far as they were seen',
      whenNull: null,
    },
  }),
  from: `from (
    select identity, account, substr(counted_at, 1, 10) as date, 0 as is_foreign from attempt where counted_at is not null
    union all
    select identity, account, substr(counted_at, 1, 10), 1 from foreign_job
    union all
    select a.identity, a.account, substr(j.submitted_at, 1, 10), 0 from job j join attempt a on a.id = j.attempt_id where j.duplicate = 1
  ) c
  join service s on s.identity = c.identity
  group by c.identity, c.account, c.date`,
}

export const promotionsView: View = {
  rows: 'One row per trial and account that a demo bot was made of, or was to be.',
  columns: sinceLayout(HISTORY_SINCE, {
    ...shared('p', 'identity', 'account'),
    ...shared('s', 'simulated'),
    ...shared('p', 'fingerprint'),
    ...trialDigits('p.fingerprint'),
    settings: {
      sql: '(select substr(x.hash, 1, 12) from settings x where x.id = p.settings_id)',
      unit: 'text',
      meaning: 'first 12 digits of the settings of the result that was promoted',
      whenNull: 'where that result states none',
    },
    bot_name: { sql: 'p.name', unit: 'text', meaning: 'name of the bot', whenNull: null },
    bot_id: { sql: 'p.bot_id', unit: 'text', meaning: 'its id at the service', whenNull: 'before it is made' },
    plan_hash: { sql: 'p.plan_hash', unit: 'text', meaning: 'hash of what was asked for', whenNull: null },
    state: {
      sql: 'p.state',
      unit: 'text',
      meaning: 'intent, created, verified (read back as a demo bot), released (not made), ambiguous or alarmed',
      whenNull: null,
    },
    opened_at: { sql: 'p.opened_at', unit: 'time', meaning: 'when its intent was written', whenNull: null },
    settled_at: {
      sql: 'p.settled_at',
      unit: 'time',
      meaning: 'when its state changed last',
      whenNull: 'while it is an intent',
    },
    started_at: { sql: 'p.started_at', unit: 'time', meaning: 'when we started the bot', whenNull: 'unless we did' },
    reason: {
      sql: 'p.reason',
      unit: 'text',
      meaning: 'why it was not made or is unsure',
      whenNull: 'where all is well',
    },
    net_profit: {
      sql: "json_extract(p.plan_json, '$.netProfit')",
      unit: 'quote',
      meaning: 'net profit of the result that was promoted, as it was shown then',
      whenNull: 'in promotions of older programs, and where the result does not tell it',
      since: 12,
    },
    grade: {
      sql: "json_extract(p.plan_json, '$.verdict.grade')",
      unit: 'text',
      meaning: 'the grade that was shown',
      whenNull: 'where it was not judged',
      since: 12,
    },
    accepted_json: {
      sql: 'p.accepted_json',
      unit: 'json',
      meaning: 'the grade that was accepted by name',
      whenNull: 'in promotions of older programs',
      since: 12,
    },
    body_json: {
      sql: 'p.body_json',
      unit: 'json',
      meaning: 'the body that was sent to create the bot, or would have been',
      whenNull: 'in promotions of older programs',
      since: 12,
    },
    validation_json: {
      sql: 'p.validation_json',
      unit: 'json',
      meaning: 'what the service answered when the body was validated: { valid, errors }',
      whenNull: 'where it was not asked, as for a bot that was found',
      since: 12,
    },
    bot_json: {
      sql: 'p.bot_json',
      unit: 'json',
      meaning: 'the bot as it was read back',
      whenNull: 'until it was, and in promotions of older programs',
      since: 12,
    },
  }),
  from: `from promotion p
  join service s on s.identity = p.identity`,
}
