import { MOMENT } from './trial-tables.ts'

/** Layout 19: verdicts. */
export const verdictTable = `
create table verdict (
  -- What the evidence on a result came to. The latest of a trial, identity, settings and study holds, by judged_at.
  id integer primary key,
  fingerprint text not null references trial,
  identity text not null references service,
  settings text, -- first 12 digits of the settings of the result; null = it was asked for under none
  study text, -- that the trial is the choice of; null = it was judged by itself
  rules text not null, -- 'verdict-1'
  grade text not null check (grade in ('doNotUse', 'notJudged', 'holdingDidBetter', 'holdingAsGood', 'noBetterThanPlain', 'ahead', 'beat')),
  judged_at text not null check (judged_at glob ${MOMENT}),
  verdict_json text not null check (verdict_json is null or json_valid(verdict_json)),
  stretches_json text not null check (stretches_json is null or json_valid(stretches_json)) -- [{ from, to, netProfit, usedCapital, … }]; [] = none could be run
) strict;

create index verdict_of_trial on verdict (fingerprint, identity, judged_at);
create index verdict_of_study on verdict (study, judged_at);
`
