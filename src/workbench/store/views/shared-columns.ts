/** Columns that mean the same in several views, each once. */

import { sqlMatches } from '../settings-row.ts'
import type { Columns, ViewColumn } from './column.ts'
import { attemptOfPlace, isShown, settingsDigits } from './latest-attempt.ts'

const SHARED = {
  identity: { unit: 'text', meaning: 'the service, and whose key', whenNull: null },
  account: { unit: 'text', meaning: 'account on our embedded service; empty elsewhere', whenNull: null },
  simulated: { unit: 'yes/no', meaning: 'our embedded service, not a real one', whenNull: null },
  study: { unit: 'text', meaning: 'name of the study', whenNull: null },
  fingerprint: { unit: 'text', meaning: 'the trial: market, period and configuration, 64 hex digits', whenNull: null },
  config_fingerprint: {
    unit: 'text',
    meaning: 'the configuration alone, 64 hex digits: the same on every market and in every period',
    whenNull: null,
  },
  saved_at: { unit: 'time', meaning: 'when it was last saved', whenNull: null },
  definition_json: { unit: 'json', meaning: 'the study as it was understood', whenNull: null },
  source: { unit: 'text', meaning: 'the text of the study file', whenNull: null },
  market: { unit: 'text', meaning: 'exchange/BASE-QUOTE', whenNull: null },
  exchange: { unit: 'text', meaning: 'the exchange of the market', whenNull: null },
  base_asset: { unit: 'text', meaning: 'what is bought', whenNull: null },
  quote_asset: { unit: 'text', meaning: 'what it is paid in', whenNull: null },
  period_from: { unit: 'time', meaning: 'a candle belongs when period_from <= open time < period_to', whenNull: null },
  period_to: { unit: 'time', meaning: 'the end of the period, itself outside', whenNull: null },
  conventions_json: {
    unit: 'json',
    meaning: 'the conventions that it was computed by',
    whenNull: 'where the service did not report it',
  },
  fee_percent: {
    unit: 'percent',
    meaning: 'fee of every fill that it was computed with',
    whenNull: 'where the service did not report it',
  },
  slippage_percent: {
    unit: 'percent',
    meaning: 'slippage of market orders that it was computed with',
    whenNull: 'where the service did not report it',
  },
  candle_interval: {
    unit: 'text',
    meaning: 'length of the candles that were used',
    whenNull: 'where the service did not report it',
  },
  candle_count: {
    unit: 'count',
    meaning: 'candles that were used',
    whenNull: 'where the service did not report it',
  },
  candles_missing: {
    unit: 'count',
    meaning: 'candles that the period lacks',
    whenNull: 'where the service did not report it',
  },
  candles_hash: {
    unit: 'text',
    meaning: 'content hash of the candles',
    whenNull: 'where the service did not report it',
  },
  candles_synthetic: {
    unit: 'yes/no',
    meaning: 'the candles are generated, not recorded',
    whenNull: 'where the service did not report it',
  },
  engine_version: {
    unit: 'text',
    meaning: 'the engine that computed it',
    whenNull: 'where the service did not report it',
  },
  behaviour_hash: {
    unit: 'text',
    meaning: 'what it did, 64 hex digits: equal for results with the same deals and the same equity to the last bit',
    whenNull: 'where the reply holds not all deals or no equity',
  },
} as const satisfies Record<string, Omit<ViewColumn, 'sql'>>

type SharedColumn = keyof typeof SHARED

/** Columns of `table`, in this order. */
export function shared(table: string, ...names: readonly SharedColumn[]): Columns {
  return Object.fromEntries(names.map((name) => [name, { ...SHARED[name], sql: `${table}.${name}` }]))
}

export function trialDigits(fingerprint: string): Columns {
  return {
    trial: {
      sql: `substr(${fingerprint}, 1, 12)`,
      unit: 'text',
      meaning: 'the first 12 digits of the fingerprint',
      whenNull: null,
    },
  }
}

/** Of `service s`. */
export const serviceColumn: Columns = {
  service: {
    sql: 's.name',
    unit: 'text',
    meaning: 'the service, by its short name: bots.example',
    whenNull: null,
    since: 22,
  },
}

/** Of a definition `d` that is the current one. */
export const currentRevision: Columns = {
  revision: {
    sql: 'd.revision',
    unit: 'count',
    meaning: 'the current revision of the study',
    whenNull: null,
    since: 22,
  },
}

// What the views of results, deals and series have in common: the paid result that a row belongs to.

/** `result r` with the job, the attempt that paid for it, the trial and the service; a second job of the same request is left out.
 * `likely` lets SQLite begin with the result where its order is asked for. */
export const PAID_RESULT = `result r
  join job j on j.id = r.job_id and likely(j.duplicate = 0) and ${isShown('j.fingerprint')}
  join attempt a on a.id = j.attempt_id
  join trial t on t.fingerprint = j.fingerprint
  join service s on s.identity = j.identity`

/** SQL for the revision that a run was of. `run`: SQL for its number. */
export function revisionOfRun(run: string): string {
  return `(select d.number from study_run q join study d on d.name = q.study and d.fingerprint = q.study_fingerprint where q.id = ${run})`
}

/** The study of `attempt a`: attempts keep the name that they were sent with. */
export const PAYING_STUDY: Columns = {
  study: {
    sql: 'a.study',
    unit: 'text',
    meaning: 'the study that paid for it, by its name at that time; study_runs has its name of today',
    whenNull: null,
  },
}

const asked = `(select w.settings_id from study_settings w where s.simulated = 1
      and w.study = y.study and w.study_fingerprint = y.fingerprint and w.market = t.market)`

/** Whose, where, which version: of a result, and of every row of its series. For a view with the part `shown`. */
export const RESULT_KEY: Columns = {
  ...trialDigits('j.fingerprint'),
  ...PAYING_STUDY,
  revision: {
    sql: revisionOfRun('a.study_run_id'),
    unit: 'count',
    meaning: 'the revision of the study that paid for it, from 1',
    whenNull: 'where the run was not recorded, and once the study was removed',
  },
  ...serviceColumn,
  is_current: {
    sql: `exists (select 1 from shown y cross join study_trial m on m.study = y.study and m.study_fingerprint = y.fingerprint
      and m.fingerprint = j.fingerprint where y.study = coalesce((select q.study from study_run q where q.id = a.study_run_id), a.study)
      and y.identity = j.identity and a.id = ${attemptOfPlace({ identity: 'j.identity', agrees: (found) => sqlMatches(asked, found) })})`,
    unit: 'yes/no',
    meaning:
      'it is the result shown for a trial of the current revision of the study, on the service whose results are shown: that with most trials done, else the one it was run on last',
    whenNull: null,
    since: 22,
  },
  ...shared('t', 'market', 'period_from', 'period_to'),
  ...shared('j', 'identity', 'fingerprint'),
  ...settingsDigits('a'),
  job_id: { sql: 'j.remote_id', unit: 'text', meaning: 'the job’s id at the service; one result each', whenNull: null },
}
