/** The views of verdicts: one row each with its numbers as columns, and the stretches that each was judged on. */
import { type Columns, sinceLayout, type Unit, type View } from './column.ts'
import { shared, trialDigits } from './shared-columns.ts'

const verdictsSince = 19

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

const subject: Columns = {
  ...shared('v', 'identity', 'fingerprint'),
  ...trialDigits('v.fingerprint'),
  settings: {
    sql: 'v.settings',
    unit: 'text',
    meaning: 'first 12 digits of the settings of the result',
    whenNull: 'where none were asked for',
  },
  study: {
    sql: 'v.study',
    unit: 'text',
    meaning: 'the study that it was judged as the choice of',
    whenNull: 'where it was judged by itself',
  },
  ...shared('t', 'market', 'period_from', 'period_to'),
  judged_at: { sql: 'v.judged_at', unit: 'time', meaning: 'when it was judged', whenNull: null },
}

export const verdictsView: View = {
  rows: 'One row per verdict on a result; the latest of a result holds.',
  columns: sinceLayout(verdictsSince, {
    ...subject,
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
    verdict_json: { sql: 'v.verdict_json', unit: 'json', meaning: 'all of it', whenNull: null },
  }),
  from: `from verdict v
  join trial t on t.fingerprint = v.fingerprint`,
}

function ofStretch(path: string, unit: Unit, meaning: string): Columns[string] {
  return { sql: `json_extract(s.value, '$.${path}')`, unit, meaning, whenNull: null }
}

export const verdictStretchesView: View = {
  rows: 'One row per stretch of history that a verdict was judged on, each entered flat with worst-case fills.',
  columns: sinceLayout(verdictsSince, {
    ...subject,
    stretch: { sql: 's.key + 1', unit: 'count', meaning: 'its number, from 1', whenNull: null },
    from_at: ofStretch('from', 'time', 'its first candle'),
    to_at: ofStretch('to', 'time', 'its end, itself outside'),
    net_profit: ofStretch('netProfit', 'quote', 'net profit of the configuration'),
    used_capital: ofStretch('usedCapital', 'quote', 'its average used capital'),
    max_drawdown_percent: ofStretch('maxDrawdownPercent', 'percent', 'largest fall of its equity, over closes'),
    change_percent: ofStretch('changePercent', 'percent', 'change of the price'),
    hold_percent: ofStretch('holdPercent', 'percent', 'what holding earned, with the fee paid twice'),
    plain_net_profit: ofStretch('plainNetProfit', 'quote', 'net profit of the plain ladder'),
    plain_used_capital: ofStretch('plainUsedCapital', 'quote', 'its average used capital'),
  }),
  from: `from verdict v
  join trial t on t.fingerprint = v.fingerprint
  join json_each(v.stretches_json) s`,
}
