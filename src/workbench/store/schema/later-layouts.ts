import { attemptRules, attemptTable } from './attempt-tables.ts'
import { MOMENT, proposalTable } from './trial-tables.ts'

/** Layout 17: what a service says of a result that it had said otherwise when it was paid for. */
const revisedResultTables = `
create table revised_result (
  -- A result as the service stated it later: beside the first one, and never over it before somebody takes it.
  job_id integer not null references job,
  noticed_at text not null check (noticed_at glob ${MOMENT}),
  reply_id integer not null references reply, -- what it said then
  changes_json text not null check (changes_json is null or json_valid(changes_json)), -- metric: [as the result has it, as it is stated]
  taken_at text check (taken_at glob ${MOMENT}), -- when it became the result; null = it did not
  replaced_json text check (replaced_json is null or json_valid(replaced_json)), -- column of result: what stood there before
  primary key (job_id, noticed_at),
  check ((taken_at is null) = (replaced_json is null))
) strict, without rowid;

create table result_check (
  -- When the service was last asked once more for a result that was paid for.
  job_id integer primary key references job,
  checked_at text not null check (checked_at glob ${MOMENT}),
  reply_id integer references reply -- what it said then; null = the same, or nothing that can be compared
) strict, without rowid;
`

const DECIDED = "'acked', 'adopted', 'rejected', 'released', 'absent'"

/**
 * Layout 16: only a submission that has its outcome has a second job. Where a job was stored as the second one of a submission without an
 * outcome, neither answer of a person was taken any more: that job, the earliest of several, is what became of it.
 */
const secondJobs = `
update attempt set state = 'adopted',
  settled_at = max(settled_at, (select max(coalesce(j.last_seen_at, j.submitted_at)) from job j where j.attempt_id = attempt.id))
where state not in ('intent', ${DECIDED}) and exists (select 1 from job j where j.attempt_id = attempt.id);

update job set duplicate = 0
where id = (select f.id from job f where f.attempt_id = job.attempt_id order by f.duplicate, f.submitted_at, f.id limit 1)
  and duplicate = 1 and (select a.state from attempt a where a.id = job.attempt_id) = 'adopted';

create trigger job_is_second before insert on job
when new.duplicate = 1 and (select state from attempt where id = new.attempt_id) not in (${DECIDED})
begin select raise(abort, 'a submission without an outcome has no second job'); end;

create trigger job_becomes_second before update of duplicate on job
when new.duplicate = 1 and old.duplicate = 0
begin select raise(abort, 'the first job of a submission stays the first'); end;
`

/** Layout 15: the letters by which jobs of this store are known from those that other stores sent with the same key. */
const storeLetters = `
create table store_letters (
  -- The last part of the names of the jobs that this store sends. No row = none was sent since names have letters.
  one integer primary key check (one = 1),
  letters text not null check (length(letters) = 6),
  file text not null, -- host and file number of the store that drew them: a copy of it draws its own
  drawn_at text not null check (drawn_at glob ${MOMENT})
) strict, without rowid;
`

/** Layout 19: verdicts. */
const verdictTable = `
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

// Layout 22: what people call a service, and what the markets of results did.

/** An identity taken apart, as `partsOf` of `choose-service.ts` does it: base, joint, digits. */
const PARTS = `(
    select identity, base, case when base = 'embedded' then ':' when base = identity then '' else '#' end as joint,
      case base when 'embedded' then substr(identity, 10) when identity then '' else substr(rest, length(base) + 2) end as digits
    from (select identity, rest, case when identity glob 'embedded:?*' then 'embedded'
        when rest glob '?*#?*' and instr(rest, '/') not between 1 and instr(rest, '#') - 1 then substr(rest, 1, instr(rest, '#') - 1)
        else identity end as base
      from (select identity, case when identity glob 'http://*' then substr(identity, 8)
        when identity glob 'https://*' then substr(identity, 9) end as rest from service)))`

const LENGTHS = `(values ${Array.from({ length: 60 }, (_, n) => `(${n + 4})`).join(', ')})`

/** As `shortNames` of `choose-service.ts` has it; a test holds the two against each other. */
const NAME = `(
    select case when (select count(*) from ${PARTS} o where o.base = p.base) = 1 then p.base else coalesce((
      select p.base || p.joint || substr(p.digits, 1, n.column1) from ${LENGTHS} n
      where n.column1 < length(p.digits) and not exists (select 1 from ${PARTS} o where o.base = p.base
        and o.identity <> p.identity and substr(o.digits, 1, n.column1) = substr(p.digits, 1, n.column1))
      order by n.column1 limit 1), p.identity) end
    from ${PARTS} p where p.identity = service.identity)`

const namesAndDays = `
alter table service add column name text not null default ''; -- what people read and type, different for each: a trigger writes it
update service set name = ${NAME};

create trigger service_is_named after insert on service
begin update service set name = ${NAME}; end;

create table market_day (
  -- A UTC day of a market by the local candles of a period that a result rests on; the set that was read last holds.
  market text not null, -- exchange/BASE-QUOTE
  date text not null check (date glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
  candle_interval text not null,
  candles_hash text not null, -- of the period's candles
  open real not null,
  high real not null,
  low real not null,
  close real not null,
  primary key (market, date)
) strict, without rowid;
`

/** Layout 23: how many deals a result rests on, in the words that are shown. */
const sampleSizes = ['result', 'screen_result']
  .map(
    (table) => `
alter table ${table} rename column confidence to sample_size;
update ${table} set sample_size = case sample_size when 'F' then 'under 107' when 'E' then '107 to 132' when 'D' then '133 to 163'
  when 'C' then '164 to 207' when 'B' then '208 to 272' when 'A' then '273 to 384' when 'A+' then '385+' end where sample_size is not null;
`,
  )
  .join('')

/** Layout 24: results under other costs, folders of Parquet files that runs keep up to date; a table that nothing wrote any more goes. */
const costsAndFolders = `
drop table file_check;

alter table result add column cost_sensitivity_json text check (cost_sensitivity_json is null or json_valid(cost_sensitivity_json)); -- [{ feePercent, slippagePercent, netProfit, … }]

create table export_folder (
  -- A folder that \`export store\` made of this store: a run writes the files of its study there anew.
  path text not null primary key, -- absolute
  identity text, -- the service whose results it has; null = of each study the one that is shown
  every_service integer not null check (every_service in (0, 1)) -- 1 = results of all services and revisions
) strict, without rowid;
`

const ofJob = (row: string) => `where (study, study_fingerprint, identity) in (
    select m.study, m.study_fingerprint, j.identity from job j join study_trial m on m.fingerprint = j.fingerprint where j.id = ${row}.job_id)`

/** SQL of a trigger that drops the counts of studies whose ranking a change may alter. */
const dropsCounts = (name: string, change: string, which: string) => `
create trigger ${name} after ${change}
begin delete from study_count ${which}; end;
`

const proposalCounts = [
  dropsCounts(
    'count_after_proposal',
    'insert on proposal',
    'where study = new.study and study_fingerprint = new.study_fingerprint',
  ),
  dropsCounts(
    'count_after_loss_of_proposal',
    'delete on proposal',
    'where study = old.study and study_fingerprint = old.study_fingerprint',
  ),
].join('')

/** Layout 25: with the counts of a study its ranking is kept, so that questions about all results need not rank them. */
const keptRankings = `
drop trigger place_after_count;
drop table study_place;

create table study_place (
  -- The latest attempt that counts of each trial of a revision on a service, and the place of its result in the ranking, as the view answers computes it.
  -- Kept and dropped with the counts in study_count: a row that is there is true.
  study text not null,
  study_fingerprint text not null,
  identity text not null,
  position integer not null, -- of the trial in study_trial
  attempt_id integer not null references attempt,
  result_id integer references result, -- null = not done, or not to be shown
  net_profit real, -- of the result
  objective real,
  value real, -- the objective of its configuration over all markets
  rank integer check (rank >= 1), -- null = not ranked
  primary key (study, study_fingerprint, identity, position)
) strict, without rowid;

create table study_ranking (
  -- What a ranking comes to as a whole. Kept and dropped with the counts in study_count.
  study text not null,
  study_fingerprint text not null,
  identity text not null,
  summary_json text not null check (summary_json is null or json_valid(summary_json)),
  primary key (study, study_fingerprint, identity)
) strict, without rowid;

create trigger place_after_count after delete on study_count
begin
  delete from study_place where study = old.study and study_fingerprint = old.study_fingerprint and identity = old.identity;
  delete from study_ranking where study = old.study and study_fingerprint = old.study_fingerprint and identity = old.identity;
end;
${[
  dropsCounts('count_after_result', 'insert on result', ofJob('new')),
  dropsCounts('count_after_reading', 'update on result', ofJob('new')),
  dropsCounts('count_after_loss_of_result', 'delete on result', ofJob('old')),
  proposalCounts,
  dropsCounts('count_after_definition', 'update of definition_json on study', 'where study = new.name'),
  dropsCounts('count_after_opening', 'insert on holdout_opening', ''),
  dropsCounts('count_after_completion', 'update on holdout_opening', ''),
  dropsCounts('count_after_loss_of_opening', 'delete on holdout_opening', ''),
].join('')}`

/** Layout 26: tables, columns and kept answers in the field's words. */
const plainNames = `
alter table look rename to tried;
alter table result rename column deals_told to deals_reported;

drop trigger count_after_settlement;
create trigger count_after_outcome after update of state on attempt
begin delete from study_count where identity = new.identity and (study, study_fingerprint) in (
    select study, study_fingerprint from study_trial where fingerprint = new.fingerprint); end;

update examination_check set value_json = replace(value_json, '"looks":', '"tried":') where name = 'veto';
update examination_check set name = case name when 'twin' then 'localRun' when 'looks' then 'tried' when 'veto' then 'overfitting' end
where name in ('twin', 'looks', 'veto');
`

/** SQL that fills a table that was made anew: column by column, because an analyst may have added some. */
function refill(table: string, made: string): string {
  const columns = Array.from(made.matchAll(/^ {2}(\w+) (?:integer|real|text)\b/gm), ([, name]) => name).join(', ')
  return `insert into ${table} (${columns}) select ${columns} from ${table}_before`
}

/** Layout 27: states, roles and bounds in the field's words. Two tables are made anew, because their checks list what is renamed. */
const plainStates = `
create table attempt_before as select * from attempt;
update attempt_before set state = 'undecided' where state = 'parked';
drop table attempt;
${attemptTable.replaceAll("'parked'", "'undecided'")}
${refill('attempt', attemptTable)};
drop table attempt_before;
${attemptRules.replaceAll("'parked'", "'undecided'").replace('count_after_settlement', 'count_after_outcome')}

create table proposal_before as select * from proposal;
update proposal_before set role = 'test', reason = replace(reason, 'probe', 'test') where role = 'probe';
drop table proposal;
${proposalTable.replace("'probe'", "'test'")}
${refill('proposal', proposalTable)};
drop table proposal_before;
${proposalCounts}

update study set definition_json = replace(definition_json, '"rungs"', '"safetyOrders"') where definition_json like '%"rungs"%';
update screen set definition_json = replace(definition_json, '"rungs"', '"safetyOrders"') where definition_json like '%"rungs"%';
`

/**
 * From layout 15 on: each brings a store of the one before to it. One that only adds a column, as a new metric does to `result` and
 * `screen_result`, may stand here as it is.
 */
export const LATER_LAYOUTS: readonly string[] = [
  storeLetters, // 15
  secondJobs, // 16
  revisedResultTables, // 17
  'alter table screen drop column score;\nalter table screen_result drop column score;', // 18
  verdictTable, // 19
  'alter table result add column stressed_per_used_percent real;\nalter table screen_result add column stressed_per_used_percent real;', // 20
  'alter table examination drop column doubts_json;', // 21
  namesAndDays, // 22
  sampleSizes, // 23
  costsAndFolders, // 24
  keptRankings, // 25
  plainNames, // 26
  plainStates, // 27
]
