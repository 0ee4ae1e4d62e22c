import { time, timeOrNull } from './0001-times.ts'

/** Part of the first layout. Services, studies, their trials and runs. */
export const trials = `
create table service (
  -- A service identity: ledger, trials and reuse are kept apart by it.
  identity text not null primary key check (length(identity) between 1 and 500),
  simulated integer not null check (simulated in (0, 1)), -- 1 = our embedded service
  origin text not null, -- scheme, host and port it was first reached at
  ${time('first_seen_at')}
) strict;

create table study (
  -- A study as it was run: one row per name and definition.
  name text not null check (length(name) between 1 and 64),
  fingerprint text not null check (length(fingerprint) = 64),
  source text not null, -- the file's text
  definition_json text not null check (json_valid(definition_json)), -- the study as it was understood
  ${time('saved_at')}, -- latest time this definition was run; the latest of a name is the current one
  primary key (name, fingerprint)
) strict, without rowid;

create table trial (
  -- One configuration on one market and period.
  fingerprint text not null primary key check (length(fingerprint) = 64 and fingerprint not glob '*[^0-9a-f]*'),
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

create table study_trial (
  -- Which trials a study consists of, in grid order.
  study text not null,
  study_fingerprint text not null,
  position integer not null check (position >= 0),
  fingerprint text not null references trial,
  primary key (study, study_fingerprint, position),
  unique (study, study_fingerprint, fingerprint),
  foreign key (study, study_fingerprint) references study (name, fingerprint)
) strict, without rowid;

create index study_trial_of on study_trial (fingerprint);

create table study_run (
  -- One row per run.
  id integer primary key,
  study text not null,
  study_fingerprint text not null,
  identity text not null references service,
  ${time('started_at')},
  ${timeOrNull('ended_at')}, -- null while it runs, or when it was killed
  requests integer not null default 0 check (requests >= 0),
  stopped_by text,
  foreign key (study, study_fingerprint) references study (name, fingerprint)
) strict;

create index study_run_of on study_run (study, identity);

`
