/** Views of paid results, whichever revision of a study paid for them, and of the candles they rest on. */
import { SAMPLE_CLASSES } from '../../../contract/sample-size.ts'
import { isShown } from './closed-results.ts'
import { sinceLayout, type View } from './column.ts'
import { configColumns, metricColumns } from './number-columns.ts'
import { PAID_RESULT, RESULT_KEY, RESULTS_SINCE, REVISION_OF_ATTEMPT } from './paid-result.ts'
import { questionColumns, shared } from './shared-columns.ts'

const untold = 'where the reply did not tell'

export const resultsView: View = {
  rows: 'One row per paid result, whichever revision of a study paid for it; a second job of the same request is left out.',
  columns: sinceLayout(RESULTS_SINCE, {
    ...RESULT_KEY,
    ...shared('s', 'simulated'),
    run: {
      sql: 'a.study_run_id',
      unit: 'count',
      meaning: 'number of the run that paid for it',
      whenNull: 'for what older programs left',
    },
    revision: {
      sql: REVISION_OF_ATTEMPT,
      unit: 'count',
      meaning: 'the revision of the study that paid for it, from 1',
      whenNull: 'for what older programs left, and once the study was removed',
    },
    config_fingerprint: {
      sql: 't.config_fingerprint',
      unit: 'text',
      meaning: 'the configuration alone, 64 hex digits: the same on every market and in every period',
      whenNull: null,
    },
    submitted_at: { sql: 'j.submitted_at', unit: 'time', meaning: 'when it was submitted', whenNull: null },
    finished_at: { sql: 'j.finished_at', unit: 'time', meaning: 'when it ended', whenNull: 'while it runs' },
    ...questionColumns('t'),
    ...configColumns('t'),
    ...metricColumns('r', untold),
    sample_size: {
      sql: sampleSize('r.confidence'),
      unit: 'text',
      meaning: 'closed deals that did not close on the candle they opened on, in the usual classes: under 107 … 385+',
      whenNull: untold,
    },
    ...shared('r', 'fee_percent', 'slippage_percent', 'candle_interval', 'candle_count', 'candles_missing'),
    ...shared('r', 'candles_hash', 'candles_synthetic', 'engine_version'),
    behaviour_hash: {
      sql: 'r.behaviour_hash',
      unit: 'text',
      meaning: 'equal for results with the same deals and the same equity',
      whenNull: 'where the reply did not tell both',
    },
    looks: {
      sql: `(select coalesce(sum(l.configs), 0) from look l
      where l.market = t.market and l.period_from < t.period_to and l.period_to > t.period_from)`,
      unit: 'count',
      meaning:
        'configurations whose result on this market in any overlapping period somebody has seen, paid and local ones, over all studies: at most so many',
      whenNull: null,
    },
  }),
  from: `from ${PAID_RESULT}
  join trial t on t.fingerprint = j.fingerprint
  join service s on s.identity = j.identity`,
}

/** The stored grade of a result in words. */
function sampleSize(stored: string): string {
  return `case ${stored} ${SAMPLE_CLASSES.map(({ grade, words }) => `when '${grade}' then '${words}'`).join(' ')} end`
}

/** The hashes there are, one look-up in the index each, and not one per result. */
const candlesOfResults = `(
    with recursive known(hash) as (
      select min(candles_hash) from result
      union all select (select min(n.candles_hash) from result n where n.candles_hash > known.hash) from known where known.hash is not null)
    select hash, (select min(f.job_id) from result f where f.candles_hash = known.hash) as first_id,
      (select max(l.job_id) from result l where l.candles_hash = known.hash) as last_id
    from known where hash is not null)`

export const dataSetsView: View = {
  rows: 'One row per set of candles that a result rests on, as the first of these results states it.',
  columns: sinceLayout(RESULTS_SINCE, {
    ...shared('t', 'market'),
    ...shared('r', 'candle_interval'),
    candles_hash: { sql: 'c.hash', unit: 'text', meaning: 'content hash of the candles', whenNull: null },
    ...shared('t', 'period_from', 'period_to'),
    ...shared('r', 'candle_count', 'candles_missing', 'candles_synthetic'),
    results: {
      sql: '(select count(*) from result o where o.candles_hash = c.hash)',
      unit: 'count',
      meaning: 'results that rest on them, those of second jobs included',
      whenNull: null,
    },
    first_seen_at: {
      sql: 'coalesce(j.finished_at, j.submitted_at)',
      unit: 'time',
      meaning: 'when the first of these results was there',
      whenNull: null,
    },
    last_seen_at: {
      sql: '(select coalesce(o.finished_at, o.submitted_at) from job o where o.id = c.last_id)',
      unit: 'time',
      meaning: 'when the last of these results was there',
      whenNull: null,
    },
  }),
  from: `from ${candlesOfResults} c
  join result r on r.job_id = c.first_id
  join job j on j.id = r.job_id and ${isShown('j.fingerprint')}
  join trial t on t.fingerprint = j.fingerprint`,
}
