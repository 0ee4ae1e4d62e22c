import { time, timeOrNull } from './0001-times.ts'

const configuration = [
  'investment',
  'leverage',
  'dca_total_budget',
  'dca_initial_order_size',
  'dca_max_safety_orders',
  'dca_price_scale_percent',
  'dca_volume_scale',
  'dca_price_step_multiplier',
  'take_profit_percent',
  'stop_loss_percent',
].join(', ')

const statedOf = (column: string) =>
  `dcalab_settings('${column}', r.candle_interval, r.conventions_json, r.fee_percent, r.slippage_percent, null)`

/** Part of the eighth layout: settings, trials, revisions, and which run and settings an attempt was made for. */
export const trialsAndRevisions = `
create table settings (
  -- What a result is computed under, as it was asked or stated. A part that is null is not known, and matches any.
  id integer primary key,
  hash text not null unique check (length(hash) = 64), -- SHA-256 over the parts
  candle_interval text,
  conventions_json text check (conventions_json is null or json_valid(conventions_json)), -- names in order; those newer than the first result only where they are not the default
  fee_percent real,
  slippage_percent real,
  symbol_json text check (symbol_json is null or json_valid(symbol_json)) -- tick, lot and smallest order
) strict;

create table trial_anew (
  -- One configuration on one market and period.
  fingerprint text not null primary key check (length(fingerprint) = 64 and fingerprint not glob '*[^0-9a-f]*'),
  config_fingerprint text not null check (length(config_fingerprint) = 64), -- the configuration alone
  market text not null, -- exchange/BASE-QUOTE
  exchange text not null,
  base_asset text not null,
  quote_asset text not null,
  ${time('period_from')}, -- a candle belongs when period_from <= open time < period_to
  ${time('period_to')},
  investment real not null, -- quote
  leverage real not null,
  dca_total_budget real not null, -- quote
  dca_initial_order_size real not null, -- quote
  dca_max_safety_orders integer not null,
  dca_price_scale_percent real not null,
  dca_volume_scale real not null,
  dca_price_step_multiplier real not null,
  take_profit_percent real not null,
  stop_loss_percent real not null -- 0 = none
) strict, without rowid;

insert into trial_anew (fingerprint, config_fingerprint, market, exchange, base_asset, quote_asset, period_from, period_to, ${configuration})
  select fingerprint, dcalab_config_fingerprint(${configuration}),
    market, exchange, base_asset, quote_asset, period_from, period_to, ${configuration} from trial;
drop table trial;
alter table trial_anew rename to trial;

create index trial_of_config on trial (config_fingerprint);
-- A trial by its question and its configuration: neighbours are found by it.
create index trial_of_span on trial (market, period_from, period_to, ${configuration});

create table study_anew (
  -- A revision of a study: one row per name and definition.
  name text not null check (length(name) between 1 and 64),
  fingerprint text not null check (length(fingerprint) = 64),
  number integer not null check (number >= 1), -- my-ladder@2; a definition that comes back keeps its number
  source text not null, -- the file's text
  definition_json text not null check (definition_json is null or json_valid(definition_json)), -- the study as it was understood
  ${time('first_saved_at')},
  ${time('saved_at')}, -- latest time this definition was run; the latest of a name is the current one
  primary key (name, fingerprint),
  unique (name, number)
) strict, without rowid;

insert into study_anew (name, fingerprint, number, source, definition_json, first_saved_at, saved_at)
  select s.name, s.fingerprint, row_number() over (partition by s.name order by s.saved_at, s.fingerprint), s.source, s.definition_json,
    min(s.saved_at, coalesce((select min(started_at) from study_run r where r.study = s.name and r.study_fingerprint = s.fingerprint), s.saved_at)),
    s.saved_at
  from study s;
drop table study;
alter table study_anew rename to study;

create table study_run_anew (
  -- One row per run. It stays when the definition is removed: attempts say which run paid for them.
  id integer primary key,
  study text not null,
  study_fingerprint text not null,
  identity text not null references service,
  ${time('started_at')},
  ${timeOrNull('ended_at')}, -- null while it runs, or when it was killed
  requests integer not null default 0 check (requests >= 0),
  stopped_by text
) strict;

insert into study_run_anew (id, study, study_fingerprint, identity, started_at, ended_at, requests, stopped_by)
  select id, study, study_fingerprint, identity, started_at, ended_at, requests, stopped_by from study_run;
drop table study_run;
alter table study_run_anew rename to study_run;

create index study_run_of on study_run (study, identity);

create table study_archive (
  -- Studies that lists leave out unless they are asked for. Nothing else changes with them.
  name text not null primary key check (length(name) between 1 and 64),
  ${time('archived_at')}
) strict, without rowid;

create table study_settings (
  -- What a revision's trials are computed under on our own service, as it was resolved when they were first run.
  study text not null,
  study_fingerprint text not null,
  market text not null,
  settings_id integer not null references settings,
  primary key (study, study_fingerprint, market),
  foreign key (study, study_fingerprint) references study (name, fingerprint)
) strict, without rowid;

create table tag (
  -- A person's word on a trial.
  fingerprint text not null references trial,
  tag text not null check (length(tag) between 1 and 64),
  ${time('added_at')},
  primary key (fingerprint, tag)
) strict, without rowid;

create table note (
  -- A person's sentences on a trial.
  id integer primary key,
  fingerprint text not null references trial,
  note text not null check (length(note) between 1 and 10000),
  ${time('added_at')}
) strict;

create index note_of_trial on note (fingerprint);

-- What a result on our own service states is what it was asked for.
insert into settings (hash, candle_interval, conventions_json, fee_percent, slippage_percent)
  select ${statedOf('hash')} as hash, ${statedOf('candle_interval')}, ${statedOf('conventions_json')}, ${statedOf('fee_percent')}, ${statedOf('slippage_percent')}
  from result r join job j on j.id = r.job_id join service s on s.identity = j.identity
  where s.simulated = 1 and ${statedOf('hash')} is not null
  group by 1;

drop trigger attempt_is_itself;
alter table attempt add column settings_id integer references settings; -- what it was asked to be computed under; null = not asked, or of a layout that did not keep it
alter table attempt add column study_run_id integer references study_run; -- the run that paid for it; null = of a layout that did not keep it

update attempt set settings_id = (
  select x.id from job j join result r on r.job_id = j.id join settings x on x.hash = ${statedOf('hash')}
  where j.attempt_id = attempt.id and j.duplicate = 0)
where identity in (select identity from service where simulated = 1);

create trigger attempt_is_itself
before update of id, identity, account, study, fingerprint, number, name, opened_at, settings_id, study_run_id on attempt
begin select raise(abort, 'an attempt keeps what it was opened with'); end;

create index attempt_of_run on attempt (study_run_id);
-- A trial's attempts on every service too, and what counts today without the account being named.
drop index attempt_of_trial;
create index attempt_of_trial on attempt (fingerprint, identity, id);
drop index attempt_counted;
create index attempt_counted on attempt (identity, counted_at, account);

alter table promotion add column settings_id integer references settings; -- those of the result that was promoted; null = not stated
`
