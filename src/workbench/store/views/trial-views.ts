/** Views of studies and of what became of their trials. */
import { sqlMatches } from '../settings-row.ts'
import {
  attemptOfPlace,
  CURRENT_STUDIES,
  FATE_COLUMNS,
  isCurrent,
  JOB_AND_RESULT,
  SHOWN,
  settingsDigits,
} from './latest-attempt.ts'
import {
  type Columns,
  configColumns,
  currentRevision,
  serviceColumn,
  shared,
  trialDigits,
  type View,
} from './shared-columns.ts'

const SETTINGS_OF_MARKET = 'w.study = d.study and w.study_fingerprint = d.fingerprint and w.market = t.market'

/** What trial `m` of `d`, a definition with `ASKED_SETTINGS`, asks `service s` for. */
export const KNOWN_SETTINGS = `case when s.simulated = 1 then case when d.settings_differ
      then (select w.settings_id from trial t join study_settings w on ${SETTINGS_OF_MARKET} where t.fingerprint = m.fingerprint)
      else d.one_settings end end`

/** How many trials a study has, where its kept counts say that some service has finished all of them; else null, and they are to be counted. */
const ALL_DONE = `(select max(n.trials) from study_count n
      where n.study = c.name and n.study_fingerprint = c.fingerprint and n.state = 'done' and not exists (
        select 1 from study_count o where o.study = n.study and o.study_fingerprint = n.study_fingerprint
          and o.identity = n.identity and o.state <> 'done'))`

const unopened = 'where nothing is held out, and while its hold-out is not opened'

export const studiesView: View = {
  rows: 'One row per study name, in its current definition.',
  columns: {
    study: { ...shared('c', 'study').study, sql: 'c.name' },
    revision: { sql: 'c.number', unit: 'count', meaning: 'its current revision, from 1', whenNull: null, since: 22 },
    service: {
      ...serviceColumn.service,
      sql: `(select s.name from shown y join service s on s.identity = y.identity where y.study = c.name)`,
      meaning: 'the service whose results of it are shown: that with most trials done, else the one it was run on last',
      whenNull: 'where it was run on none',
    },
    fingerprint: { sql: 'c.fingerprint', unit: 'text', meaning: 'the definition, 64 hex digits', whenNull: null },
    ...shared('c', 'saved_at'),
    trial_count: {
      sql: '(select count(*) from study_trial m where m.study = c.name and m.study_fingerprint = c.fingerprint)',
      unit: 'count',
      meaning: 'trials it consists of',
      whenNull: null,
    },
    known_trials: {
      sql: `coalesce(${ALL_DONE}, (select count(*) from study_trial m
      where m.study = c.name and m.study_fingerprint = c.fingerprint
        and exists (select 1 from job j where j.fingerprint = m.fingerprint and j.state = 'done')))`,
      unit: 'count',
      meaning: 'trials of this study that a service has finished',
      whenNull: null,
    },
    holdout_from: {
      sql: 'h.span_from',
      unit: 'time',
      meaning: 'of its hold-out: a candle belongs when holdout_from <= open time < holdout_to',
      whenNull: unopened,
    },
    holdout_to: {
      sql: 'h.span_to',
      unit: 'time',
      meaning: 'the end of its hold-out, itself outside',
      whenNull: unopened,
    },
    holdout_opened_at: {
      sql: 'h.opened_at',
      unit: 'time',
      meaning: 'when its hold-out was opened',
      whenNull: unopened,
    },
    holdout_completed_at: {
      sql: 'h.completed_at',
      unit: 'time',
      meaning: 'when all results on its hold-out were in: until then none of them is shown',
      whenNull: 'before that',
    },
    holdout_reason: {
      sql: 'h.reason',
      unit: 'text',
      meaning: 'why it was opened, in somebody’s words',
      whenNull: unopened,
    },
    holdout_seen_configs: {
      sql: 'h.seen_configs',
      unit: 'count',
      meaning: 'most configurations that were tried before on time that overlaps it, on any one market',
      whenNull: unopened,
    },
    ...shared('c', 'definition_json', 'source'),
  },
  parts: SHOWN,
  from: `from study c
  left join holdout_opening h on h.study = c.name
  where ${isCurrent('c')}`,
}

export const trialsView: View = {
  rows: 'One row per trial of the current revision of each study and service it was run on: what became of it. Its metrics are in `answers` and `results`.',
  columns: {
    ...trialDigits('t.fingerprint'),
    ...shared('d', 'study'),
    ...currentRevision,
    ...serviceColumn,
    ...isShownService({ study: 'd.study', identity: 's.identity' }),
    position: { sql: 'm.position', unit: 'count', meaning: 'place in the order of the grid, from 0', whenNull: null },
    ...FATE_COLUMNS,
    roles: {
      sql: `(select group_concat(p.role) from proposal p where p.fingerprint = m.fingerprint and p.study = d.study
      and p.study_fingerprint = d.fingerprint and p.identity = s.identity)`,
      unit: 'text',
      meaning:
        'why a search asked for it: test, sample, chosen or point; on a hold-out winner or finalist; separated by commas',
      whenNull: 'where no search did',
      since: 22,
    },
    ...questionColumns('t'),
    ...configColumns('t'),
    ...shared('t', 'config_fingerprint'),
    ...shared('s', 'identity', 'simulated'),
    ...shared('t', 'fingerprint'),
    ...settingsDigits('a'),
  },
  parts: SHOWN,
  from: trialsOf(),
}

/** What was asked: market and period of a trial. */
function questionColumns(table: string): Columns {
  return shared(table, 'market', 'exchange', 'base_asset', 'quote_asset', 'period_from', 'period_to')
}

/** For a view with the part `shown`. */
function isShownService(of: { readonly study: string; readonly identity: string }): Columns {
  return {
    is_current: {
      sql: `coalesce((select y.identity from shown y where y.study = ${of.study}) = ${of.identity}, 0)`,
      unit: 'yes/no',
      meaning:
        'the service whose results of the study are shown: that with most trials done, else the one it was run on last',
      whenNull: null,
      since: 22,
    },
  }
}

/** Every trial with what became of it. `definitions`: rows of `study`, `fingerprint` and `revision`; default: the current ones. */
export function trialsOf(definitions = CURRENT_STUDIES): string {
  return `from ${definitions} d
  join study_trial m on m.study = d.study and m.study_fingerprint = d.fingerprint
  join trial t on t.fingerprint = m.fingerprint
  join (select distinct study, identity from study_run) i on i.study = d.study
  join service s on s.identity = i.identity
  left join study_settings w on ${SETTINGS_OF_MARKET} and s.simulated = 1
  left join attempt a on ${attemptOfPlace({ identity: 'i.identity', agrees: (found) => sqlMatches('w.settings_id', found) })} = a.id
  ${JOB_AND_RESULT}`
}

/** Every definition that a study has had. */
export const ANY_REVISION = '(select name as study, fingerprint, number as revision from study)'
