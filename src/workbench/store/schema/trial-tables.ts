/** ISO 8601 UTC with milliseconds, as a pattern: text order is time order. */
export const MOMENT = `'${'####-##-##T##:##:##.###Z'.replaceAll('#', '[0-9]')}'`

/** Part of layout 14. */
export const proposalTable = `
create table proposal (
  -- What a search asked for, and why: a row for every trial and role, written before anything of it is sent.
  study text not null,
  study_fingerprint text not null,
  identity text not null references service,
  account text not null, -- '' on a service that is not ours
  position integer not null check (position >= 1), -- in the order in which they were proposed
  batch integer not null check (batch >= 1), -- those proposed at once
  role text not null check (role in ('probe', 'sample', 'chosen', 'point', 'winner', 'finalist')),
  reason text not null, -- 'top 3 by point'
  fingerprint text not null references trial,
  proposed_at text not null check (proposed_at glob ${MOMENT}),
  primary key (study, study_fingerprint, identity, account, position),
  unique (study, study_fingerprint, identity, account, role, fingerprint)
) strict, without rowid;

create index proposal_of_trial on proposal (fingerprint);
`

/** Part of layout 14. Services, studies with their revisions and runs, trials, what was looked at, and what a search proposed and found. */
export const trialTables = `
create table service (
  -- A service identity: ledger, trials and reuse are kept apart by it.
  identity text not null primary key check (length(identity) between 1 and 500),
  simulated integer not null check (simulated in (0, 1)), -- 1 = our embedded service
  origin text not null, -- scheme, host and port it was first reached at
  first_seen_at text not null check (first_seen_at glob ${MOMENT})
) strict;

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

create table trial (
  -- One configuration on one market and period.
  fingerprint text not null primary key check (length(fingerprint) = 64 and fingerprint not glob '*[^0-9a-f]*'),
  config_fingerprint text not null check (length(config_fingerprint) = 64), -- the configuration alone
  market text not null, -- exchange/BASE-QUOTE
  exchange text not null,
  base_asset text not null,
  quote_asset text not null,
  period_from text not null check (period_from glob ${MOMENT}), -- a candle belongs when period_from <= open time < period_to
  period_to text not null check (period_to glob ${MOMENT}),
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

create index trial_of_config on trial (config_fingerprint);
create index trial_of_span on trial (market, period_from, period_to, investment, leverage, dca_total_budget, dca_initial_order_size, dca_max_safety_orders, dca_price_scale_percent, dca_volume_scale, dca_price_step_multiplier, take_profit_percent, stop_loss_percent);

create table study (
  -- A revision of a study: one row per name and definition.
  name text not null check (length(name) between 1 and 64),
  fingerprint text not null check (length(fingerprint) = 64),
  number integer not null check (number >= 1), -- my-ladder@2; a definition that comes back keeps its number
  source text not null, -- the file's text
  definition_json text not null check (definition_json is null or json_valid(definition_json)), -- the study as it was understood
  first_saved_at text not null check (first_saved_at glob ${MOMENT}),
  saved_at text not null check (saved_at glob ${MOMENT}), -- latest time this definition was run; the latest of a name is the current one
  rerun_json text check (rerun_json is null or json_valid(rerun_json)), -- what a rerun replaced of the file's definition; null = a file's own, and only such a one is current
  primary key (name, fingerprint),
  unique (name, number)
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

create trigger count_after_trial after insert on study_trial
begin delete from study_count where study = new.study and study_fingerprint = new.study_fingerprint; end;

create trigger count_after_move after update on study_trial
begin delete from study_count where study = old.study and study_fingerprint = old.study_fingerprint; delete from study_count where study = new.study and study_fingerprint = new.study_fingerprint; end;

create trigger count_after_loss after delete on study_trial
begin delete from study_count where study = old.study and study_fingerprint = old.study_fingerprint; end;

create table study_run (
  -- One row per run. It stays when the definition is removed: attempts say which run paid for them.
  id integer primary key,
  study text not null,
  study_fingerprint text not null,
  identity text not null references service,
  started_at text not null check (started_at glob ${MOMENT}),
  ended_at text check (ended_at glob ${MOMENT}), -- null while it runs, or when it was killed
  requests integer not null default 0 check (requests >= 0),
  stopped_by text,
  asked_by text check (asked_by in ('agent')) -- agent = through dcalab mcp; null = a person
) strict;

create index study_run_of on study_run (study, identity);

create table study_archive (
  -- Studies that lists leave out unless they are asked for. Nothing else changes with them.
  name text not null primary key check (length(name) between 1 and 64),
  archived_at text not null check (archived_at glob ${MOMENT})
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

create trigger count_after_settings after insert on study_settings
begin delete from study_count where study = new.study and study_fingerprint = new.study_fingerprint; end;

create table study_count (
  -- How many trials of a revision are in which state on a service: kept from the last time they were counted until something of it changes.
  study text not null,
  study_fingerprint text not null,
  identity text not null,
  state text not null, -- as the view trials says
  trials integer not null check (trials >= 1),
  last_finished_at text check (last_finished_at glob ${MOMENT}),
  primary key (study, study_fingerprint, identity, state)
) strict, without rowid;

create trigger place_after_count after delete on study_count
begin delete from study_place
  where study = old.study and study_fingerprint = old.study_fingerprint and identity = old.identity; end;

create table study_place (
  -- The latest attempt that counts of each trial of a revision on a service. Kept and dropped with the counts in study_count: a row that is there
  -- is true, and where none is the attempt is looked up.
  study text not null,
  study_fingerprint text not null,
  identity text not null,
  position integer not null, -- of the trial in study_trial
  attempt_id integer not null references attempt,
  primary key (study, study_fingerprint, identity, position)
) strict, without rowid;

create table tag (
  -- A person's word on a trial.
  fingerprint text not null references trial,
  tag text not null check (length(tag) between 1 and 64),
  added_at text not null check (added_at glob ${MOMENT}),
  primary key (fingerprint, tag)
) strict, without rowid;

create table note (
  -- A person's sentences on a trial.
  id integer primary key,
  fingerprint text not null references trial,
  note text not null check (length(note) between 1 and 10000),
  added_at text not null check (added_at glob ${MOMENT})
) strict;

create index note_of_trial on note (fingerprint);

create table look (
  -- Configurations whose result on a span somebody has seen.
  market text not null,
  period_from text not null check (period_from glob ${MOMENT}),
  period_to text not null check (period_to glob ${MOMENT}),
  source text not null check (source in ('paid', 'screen', 'backtest')),
  key text not null, -- paid: ''; screen: its grid; backtest: its configuration
  configs integer not null check (configs >= 0), -- paid: exactly so many different ones; screen: at most
  first_at text not null check (first_at glob ${MOMENT}),
  last_at text not null check (last_at glob ${MOMENT}),
  primary key (market, period_from, period_to, source, key)
) strict, without rowid;
${proposalTable}
create table search_memory (
  -- What a search has to know again when it goes on: its shortlist, for one.
  study text not null,
  study_fingerprint text not null,
  identity text not null references service,
  account text not null,
  name text not null,
  value_json text not null check (value_json is null or json_valid(value_json)),
  written_at text not null check (written_at glob ${MOMENT}),
  primary key (study, study_fingerprint, identity, account, name),
  foreign key (study, study_fingerprint) references study (name, fingerprint)
) strict, without rowid;

create table calibration (
  -- By which conventions and costs a service computes, as far as its answers to probes tell. The latest of an identity holds, by made_at.
  id integer primary key,
  identity text not null references service,
  study text not null, -- the one whose probes they were
  market text not null, -- exchange/BASE-QUOTE
  period_from text not null check (period_from glob ${MOMENT}),
  period_to text not null check (period_to glob ${MOMENT}),
  made_at text not null check (made_at glob ${MOMENT}),
  candle_interval text not null, -- of the local candles the answers were held against
  candles_hash text not null,
  engine_version text not null,
  jobs integer not null check (jobs >= 1),
  candidates integer not null check (candidates >= 1), -- sets of conventions and costs that were told apart
  conventions_json text not null check (conventions_json is null or json_valid(conventions_json)),
  fee_percent real not null,
  slippage_percent real not null,
  ties_json text not null check (ties_json is null or json_valid(ties_json)), -- per convention the values that the answers do not tell apart
  evidence_json text not null check (evidence_json is null or json_valid(evidence_json)), -- per job: what the service said, what was predicted
  residual_percent real, -- the largest difference left, in percent of the investment; null = the service told no profit
  is_poor integer not null check (is_poor in (0, 1)) -- no set explains the answers well
) strict;

create index calibration_of_service on calibration (identity, made_at);

create table holdout_opening (
  -- When the span that a study held out was looked at: once for each name of a study, whatever its revision or service.
  study text not null primary key check (length(study) between 1 and 64),
  study_fingerprint text not null,
  identity text not null references service,
  account text not null,
  span_from text not null check (span_from glob ${MOMENT}), -- a candle belongs when span_from <= open time < span_to
  span_to text not null check (span_to glob ${MOMENT}),
  opened_at text not null check (opened_at glob ${MOMENT}),
  opened_by text not null,
  reason text not null check (length(reason) between 1 and 1000),
  seen_configs integer not null check (seen_configs >= 0), -- looks at this market and time before it was opened
  completed_at text check (completed_at glob ${MOMENT}) -- null while results are missing: until then none of them is shown
) strict, without rowid;
`
