/** Views of what searches proposed, what services were found to compute by, and which hold-outs were opened. */
import { HOLDOUT_ROLES } from './closed-results.ts'
import { sinceLayout, type View } from './column.ts'
import { questionColumns, shared, trialDigits } from './shared-columns.ts'

const SEARCHES_SINCE = 9

export const proposalsView: View = {
  rows: 'One row per trial and role that a search, or the opening of a hold-out, asked for.',
  columns: sinceLayout(SEARCHES_SINCE, {
    ...shared('p', 'study'),
    revision: {
      sql: '(select d.number from study d where d.name = p.study and d.fingerprint = p.study_fingerprint)',
      unit: 'count',
      meaning: 'the revision of the study whose search it was, from 1',
      whenNull: 'once the study was removed',
    },
    ...shared('p', 'identity', 'account'),
    position: { sql: 'p.position', unit: 'count', meaning: 'in the order in which they were proposed', whenNull: null },
    batch: { sql: 'p.batch', unit: 'count', meaning: 'those proposed at once, from 1', whenNull: null },
    role: {
      sql: 'p.role',
      unit: 'text',
      meaning: 'probe, sample, chosen or point of a search; winner or finalist of a hold-out',
      whenNull: null,
    },
    reason: { sql: 'p.reason', unit: 'text', meaning: 'why: top 3', whenNull: null },
    ...shared('p', 'fingerprint'),
    ...trialDigits('p.fingerprint'),
    config_fingerprint: {
      sql: 't.config_fingerprint',
      unit: 'text',
      meaning: 'the configuration alone, 64 hex digits',
      whenNull: null,
    },
    ...questionColumns('t'),
    proposed_at: {
      sql: 'p.proposed_at',
      unit: 'time',
      meaning: 'when it was written, before it was sent',
      whenNull: null,
    },
  }),
  from: `from proposal p
  join trial t on t.fingerprint = p.fingerprint`,
}

export const calibrationsView: View = {
  rows: 'One row per finding of which conventions and costs a service computes by; the latest of a service holds.',
  columns: sinceLayout(SEARCHES_SINCE, {
    ...shared('c', 'identity'),
    study: { sql: 'c.study', unit: 'text', meaning: 'the study whose probes they were', whenNull: null },
    ...shared('c', 'market', 'period_from', 'period_to'),
    made_at: { sql: 'c.made_at', unit: 'time', meaning: 'when it was found', whenNull: null },
    candle_interval: {
      sql: 'c.candle_interval',
      unit: 'text',
      meaning: 'length of the local candles that the answers were held against',
      whenNull: null,
    },
    candles_hash: { sql: 'c.candles_hash', unit: 'text', meaning: 'content hash of these candles', whenNull: null },
    engine_version: { sql: 'c.engine_version', unit: 'text', meaning: 'the engine that predicted', whenNull: null },
    jobs: { sql: 'c.jobs', unit: 'count', meaning: 'jobs that it was found from', whenNull: null },
    candidates: {
      sql: 'c.candidates',
      unit: 'count',
      meaning: 'sets of conventions that were compared, each with the fee and slippage that fit it best',
      whenNull: null,
    },
    conventions_json: {
      sql: 'c.conventions_json',
      unit: 'json',
      meaning: 'the conventions of the best set',
      whenNull: null,
    },
    fee_percent: { sql: 'c.fee_percent', unit: 'percent', meaning: 'the fee of the best set', whenNull: null },
    slippage_percent: {
      sql: 'c.slippage_percent',
      unit: 'percent',
      meaning: 'the slippage of the best set',
      whenNull: null,
    },
    ties_json: {
      sql: 'c.ties_json',
      unit: 'json',
      meaning: 'per convention the values that the answers do not tell apart',
      whenNull: null,
    },
    residual_percent: {
      sql: 'c.residual_percent',
      unit: 'percent',
      meaning: 'the largest difference left, of the investment',
      whenNull: 'where the service told no profit',
    },
    is_poor: { sql: 'c.is_poor', unit: 'yes/no', meaning: 'no set explains the answers well', whenNull: null },
  }),
  from: 'from calibration c',
}

export const holdoutsView: View = {
  rows: 'One row per study name whose hold-out was opened. Its results are in `results` once all of them are in.',
  columns: sinceLayout(SEARCHES_SINCE, {
    ...shared('h', 'study', 'identity', 'account'),
    study_fingerprint: {
      sql: 'h.study_fingerprint',
      unit: 'text',
      meaning: 'the definition whose winner was tested, 64 hex digits',
      whenNull: null,
    },
    span_from: {
      sql: 'h.span_from',
      unit: 'time',
      meaning: 'a candle belongs when span_from <= open time < span_to',
      whenNull: null,
    },
    span_to: { sql: 'h.span_to', unit: 'time', meaning: 'the end of the span, itself outside', whenNull: null },
    opened_at: { sql: 'h.opened_at', unit: 'time', meaning: 'when it was opened', whenNull: null },
    opened_by: { sql: 'h.opened_by', unit: 'text', meaning: 'who opened it', whenNull: null },
    reason: { sql: 'h.reason', unit: 'text', meaning: 'why, in their words', whenNull: null },
    seen_configs: {
      sql: 'h.seen_configs',
      unit: 'count',
      meaning:
        'configurations that others had looked at in overlapping time before, at most; on the market where these are most',
      whenNull: null,
    },
    trials: {
      sql: `(select count(distinct p.fingerprint) from proposal p where p.study = h.study and p.role in ${HOLDOUT_ROLES})`,
      unit: 'count',
      meaning: 'trials that were run on it',
      whenNull: null,
    },
    completed_at: {
      sql: 'h.completed_at',
      unit: 'time',
      meaning: 'when all results were in',
      whenNull: 'while some are missing; until then none of them is shown',
    },
  }),
  from: 'from holdout_opening h',
}
