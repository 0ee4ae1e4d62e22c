/** Views of studies and of what became of their trials. */
import { sqlMatches } from '../settings-row.ts'
import { isShown } from './closed-results.ts'
import type { Columns, View } from './column.ts'
import { CURRENT_STUDIES, isCurrent } from './current-study.ts'
import { attemptOfPlace, FATE_COLUMNS, JOB_AND_RESULT, settingsDigits } from './latest-attempt.ts'
import { configColumns, metricColumns } from './number-columns.ts'
import { PAYING_STUDY } from './paid-result.ts'
import { questionColumns, shared, trialDigits } from './shared-columns.ts'

const SETTINGS_OF_MARKET = 'w.study = d.study and w.study_fingerprint = d.fingerprint and w.market = t.market'

/** Columns of a definition `c`: what it asks for, which is nearly always the same on all its markets. */
export const ASKED_SETTINGS = `${settingsOfStudy('min(w.settings_id)')} as one_settings,
          ${settingsOfStudy('min(w.settings_id) < max(w.settings_id)')} as settings_differ`

function settingsOfStudy(sql: string): string {
  return `(select ${sql} from study_settings w where w.study = c.study and w.study_fingerprint = c.fingerprint)`
}

const KNOWN_SETTINGS = `case when s.simulated = 1 then case when d.settings_differ
      then (select w.settings_id from trial t join study_settings w on ${SETTINGS_OF_MARKET} where t.fingerprint = m.fingerprint)
      else d.one_settings end end`

const noResult = 'without a result, or where the reply did not tell'

function resultColumns(table: string): Columns {
  return {
    ...metricColumns(table, noResult),
    ...shared(table, 'confidence'),
    metric_flags_json: {
      sql: `${table}.metric_flags_json`,
      unit: 'json',
      meaning: 'metrics that could not be read, each with the reason',
      whenNull: 'without a result',
    },
    ...shared(table, 'safety_orders_histogram_json', 'monthly_returns_json', 'daily_equity_json'),
    deals_json: {
      sql: dealsJson(table),
      unit: 'json',
      meaning: 'the closed deals; the view deals has them as rows, which is faster',
      whenNull: `${noResult}, and once it was pruned`,
    },
    open_deal_json: {
      sql: `${table}.open_deal_json`,
      unit: 'json',
      meaning: 'the deal that is open at the end',
      whenNull: 'without a result, or without an open deal',
    },
    ...shared(table, 'conventions_json', 'fee_percent', 'slippage_percent', 'candle_interval', 'candle_count'),
    ...shared(table, 'candles_missing', 'candles_hash', 'candles_synthetic', 'engine_version', 'behaviour_hash'),
    symbol_json: {
      sql: `${table}.symbol_json`,
      unit: 'json',
      meaning: 'tick, lot and smallest order that were enforced',
      whenNull: noResult,
      since: 8,
    },
    ...settingsDigits('a'),
    pruned_at: {
      sql: `${table}.pruned_at`,
      unit: 'time',
      meaning: 'when `dcalab store clean` dropped its deals and daily equity',
      whenNull: 'while they are kept as far as the reply told them',
      since: 8,
    },
    config_fingerprint: {
      sql: 't.config_fingerprint',
      unit: 'text',
      meaning: 'the configuration alone, 64 hex digits: the same on every market and in every period',
      whenNull: null,
      since: 8,
    },
  }
}

/** As the service wrote them, numbers to 15 digits; the table has them whole. */
function dealsJson(table: string): string {
  const time = (column: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', listed.${column} / 1000.0, 'unixepoch')`
  return `case when ${table}.deals_told = 1 and ${table}.pruned_at is null then (select json_group_array(json_object('openedAt', ${time('opened_ms')},
      'closedAt', ${time('closed_ms')}, 'exit', listed.exit, 'safetyOrders', listed.safety_orders, 'quantity', listed.quantity, 'cost', listed.cost,
      'proceeds', listed.proceeds, 'profit', listed.profit, 'price', listed.price)) from (select * from deal where job_id = ${table}.job_id order by n) listed) end`
}

/** How many trials a study has, where its kept counts say that some service has finished all of them; else null, and they are to be counted. */
const ALL_DONE = `(select max(c.trials) from study_count c
      where c.study = s.name and c.study_fingerprint = s.fingerprint and c.state = 'done' and not exists (
        select 1 from study_count o where o.study = c.study and o.study_fingerprint = c.study_fingerprint
          and o.identity = c.identity and o.state <> 'done'))`

export const studiesView: View = {
  rows: 'One row per study name, in its current definition.',
  columns: {
    study: { ...shared('s', 'study').study, sql: 's.name' },
    fingerprint: { sql: 's.fingerprint', unit: 'text', meaning: 'the definition, 64 hex digits', whenNull: null },
    ...shared('s', 'saved_at'),
    trial_count: {
      sql: '(select count(*) from study_trial m where m.study = s.name and m.study_fingerprint = s.fingerprint)',
      unit: 'count',
      meaning: 'trials it consists of',
      whenNull: null,
    },
    known_trials: {
      sql: `coalesce(${ALL_DONE}, (select count(*) from study_trial m
      where m.study = s.name and m.study_fingerprint = s.fingerprint
        and exists (select 1 from job j where j.fingerprint = m.fingerprint and j.state = 'done')))`,
      unit: 'count',
      meaning: 'trials of it that some service has finished',
      whenNull: null,
    },
    ...shared('s', 'definition_json', 'source'),
  },
  from: `from study s
  where ${isCurrent('s')}`,
}

export const runsView: View = {
  rows: 'One row per backtest job of a service: what was asked, its state and every metric.',
  columns: {
    ...shared('j', 'identity'),
    ...shared('s', 'simulated'),
    ...PAYING_STUDY,
    ...shared('j', 'fingerprint'),
    ...trialDigits('j.fingerprint'),
    job_id: { sql: 'j.remote_id', unit: 'text', meaning: 'the job’s id at the service', whenNull: null },
    job_name: {
      sql: 'coalesce(j.name, a.name)',
      unit: 'text',
      meaning: 'its name, as the service echoes it, else as it was sent',
      whenNull: null,
    },
    state: { sql: 'j.state', unit: 'text', meaning: 'running, done, failed, stalled or gone', whenNull: null },
    remote_state: {
      sql: 'j.remote_state',
      unit: 'text',
      meaning: 'its state in the service’s words',
      whenNull: 'where the service did not say',
    },
    failure: {
      sql: 'j.failure',
      unit: 'text',
      meaning: 'why it failed, in the service’s words',
      whenNull: 'unless it failed',
    },
    duplicate: {
      sql: 'j.duplicate',
      unit: 'yes/no',
      meaning: 'a second job of the same request, to be left out of counts',
      whenNull: null,
    },
    submitted_at: { sql: 'j.submitted_at', unit: 'time', meaning: 'when it was submitted', whenNull: null },
    finished_at: { sql: 'j.finished_at', unit: 'time', meaning: 'when it ended', whenNull: 'before it has ended' },
    ...questionColumns('t'),
    ...configColumns('t'),
    ...resultColumns('r'),
    run: {
      sql: 'a.study_run_id',
      unit: 'count',
      meaning: 'number of the run that paid for it',
      whenNull: 'for what older programs left',
      since: 14,
    },
  },
  from: `from job j
  join attempt a on a.id = j.attempt_id
  join trial t on t.fingerprint = j.fingerprint
  join service s on s.identity = j.identity
  left join result r on r.job_id = j.id and ${isShown('j.fingerprint')}`,
}

export const trialsView: View = {
  rows: "One row per trial of a study's current definition and service identity the study was run on.",
  columns: {
    ...shared('d', 'study'),
    position: { sql: 'm.position', unit: 'count', meaning: 'place in the order of the grid, from 0', whenNull: null },
    ...shared('s', 'identity', 'simulated'),
    ...shared('t', 'fingerprint'),
    ...trialDigits('t.fingerprint'),
    ...FATE_COLUMNS,
    ...questionColumns('t'),
    ...configColumns('t'),
    ...resultColumns('r'),
  },
  from: trialsOf(),
}

/**
 * Every trial with what became of it. `definitions`: rows of `study` and `fingerprint`; default: the current ones. With `ASKED_SETTINGS`
 * among their columns, `knowSettings`: then no `trial t` is looked up to know by its market what it asks for, and the definitions come first:
 * the trials of one that a condition on it leaves out are never read.
 */
export function trialsOf({ definitions = CURRENT_STUDIES, knowSettings = false } = {}): string {
  const trial = knowSettings ? '' : '\n  join trial t on t.fingerprint = m.fingerprint'
  const each = knowSettings ? 'cross join' : 'join'
  const settings = knowSettings ? '' : `\n  left join study_settings w on ${SETTINGS_OF_MARKET} and s.simulated = 1`
  const asked = knowSettings ? KNOWN_SETTINGS : 'w.settings_id'
  return `from ${definitions} d
  ${each} study_trial m on m.study = d.study and m.study_fingerprint = d.fingerprint${trial}
  join (select distinct study, identity from study_run) i on i.study = d.study
  join service s on s.identity = i.identity${settings}
  left join attempt a on ${attemptOfPlace({ identity: 'i.identity', agrees: (found) => sqlMatches(asked, found) })} = a.id
  ${JOB_AND_RESULT}`
}

/** Every definition that a study has had. */
export const ANY_REVISION = '(select name as study, fingerprint from study)'

/** Of one revision on one service. */
export const trialsOfRevision = `${trialsOf({ definitions: ANY_REVISION })}
  where d.study = ? and d.fingerprint = ? and i.identity = ?`
