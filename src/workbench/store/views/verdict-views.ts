/** The view of verdicts: one row each with its numbers as columns, and what the examination of the same result found. */
import type { Columns, Unit, View } from './column.ts'
import { SHOWN } from './current-study.ts'
import { EXAMINATION, examinationColumns } from './examination-views.ts'
import { serviceColumn, shared, trialDigits } from './shared-columns.ts'

const notKnown = 'where it could not be known'

/** A part of the verdict. */
function part(path: string, unit: Unit, meaning: string, whenNull: string | null = notKnown): Columns[string] {
  return { sql: `json_extract(v.verdict_json, '$.${path}')`, unit, meaning, whenNull }
}

/** SQL: results of its study, a hold-out or a calibration came in later. */
export const verdictIsStale = `(exists (select 1 from holdout_opening h where h.study = v.study and h.completed_at > v.judged_at)
      or exists (select 1 from calibration c where c.identity = v.identity and c.made_at > v.judged_at)
      or exists (select 1 from study_trial s join job j on j.fingerprint = s.fingerprint and j.identity = v.identity
        where s.study = v.study and j.finished_at > v.judged_at))`

export const verdictsView: View = {
  rows: 'One row per verdict on a result; the latest of a result holds.',
  columns: {
    ...trialDigits('v.fingerprint'),
    study: {
      sql: 'v.study',
      unit: 'text',
      meaning: 'the study that it was judged as the choice of',
      whenNull: 'where it was judged by itself',
    },
    ...serviceColumn,
    is_current: {
      sql: `v.id = (select l.id from verdict l where l.fingerprint = v.fingerprint and l.identity = v.identity and l.settings is v.settings
      order by l.judged_at desc, l.id desc limit 1) and (v.study is null or exists (select 1 from shown y cross join study_trial m
        on m.study = y.study and m.study_fingerprint = y.fingerprint and m.fingerprint = v.fingerprint
        where y.study = v.study and y.identity = v.identity))`,
      unit: 'yes/no',
      meaning:
        'the last verdict on its result, and where that is the choice of a study, on a trial of its current revision on the service whose results are shown',
      whenNull: null,
      since: 22,
    },
    ...shared('t', 'market', 'period_from', 'period_to'),
    judged_at: { sql: 'v.judged_at', unit: 'time', meaning: 'when it was judged', whenNull: null },
    rules: { sql: 'v.rules', unit: 'text', meaning: 'the rules that it was judged by', whenNull: null },
    grade: {
      sql: 'v.grade',
      unit: 'text',
      meaning: 'doNotUse, notJudged, holdingDidBetter, holdingAsGood, noBetterThanPlain, ahead or beat',
      whenNull: null,
    },
    headline: part('headline', 'text', 'the verdict in a few words', null),
    sentence: part('sentence', 'text', 'the verdict with its numbers', null),
    reasons: {
      sql: `(select group_concat(json_extract(r.value, '$.code'), ',') from json_each(v.verdict_json, '$.reasons') r)`,
      unit: 'text',
      meaning: 'codes of its first three reasons, separated by commas',
      whenNull: 'where there is none',
    },
    is_stale: {
      sql: verdictIsStale,
      unit: 'yes/no',
      meaning: 'results, a hold-out or a calibration are newer',
      whenNull: null,
    },
    excess_quote: part('excess.mean', 'quote', 'net profit a stretch less what holding its usual capital earned'),
    excess_error: part('excess.error', 'quote', 'one standard error of it'),
    excess_percent: {
      sql: `100 * json_extract(v.verdict_json, '$.excess.mean') / json_extract(v.verdict_json, '$.excess.usualCapital')`,
      unit: 'percent',
      meaning: 'the same of its usual capital',
      whenNull: notKnown,
    },
    over_plain_percent: part('plain.differencePercent', 'percent', 'the same less the plain ladder’s'),
    over_plain_error: part('plain.error', 'percent', 'one standard error of it'),
    beta: part('onMarket.beta', 'ratio', 'change of its daily equity with the price, over the days of the study'),
    beta_error: part('onMarket.betaError', 'ratio', 'one standard error of it, for independent days'),
    alpha_percent_per_day: part('onMarket.alphaPercentPerDay', 'percent', 'what its daily equity gained without that'),
    alpha_error: part('onMarket.alphaError', 'percent', 'one standard error of it, for independent days'),
    worst_case: part('honest.worstCase', 'quote', 'net profit with worst-case fills on the finest candles'),
    best_case: part('honest.bestCase', 'quote', 'net profit with best-case fills'),
    stressed: part('stressed', 'quote', 'worst case with fee + 0.1 and slippage + 0.05 percentage points'),
    tried_shown: part('tried.shown', 'count', 'configurations whose backtests were paid for', null),
    tried_scanned: part('tried.scanned', 'count', 'configurations that were computed here, at most', null),
    ...examinationColumns,
    verdict_json: { sql: 'v.verdict_json', unit: 'json', meaning: 'all of it', whenNull: null },
    stretches_json: {
      sql: 'v.stretches_json',
      unit: 'json',
      meaning:
        'every stretch of history that it was judged on, each entered flat with worst-case fills; the question stretches-of-a-verdict lists them',
      whenNull: null,
    },
    ...shared('v', 'identity', 'fingerprint'),
    settings: {
      sql: 'v.settings',
      unit: 'text',
      meaning: 'first 12 digits of the settings of the result',
      whenNull: 'where none were asked for',
    },
  },
  parts: SHOWN,
  from: `from verdict v
  join trial t on t.fingerprint = v.fingerprint
  join service s on s.identity = v.identity
  ${EXAMINATION}`,
}
