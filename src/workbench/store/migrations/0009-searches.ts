import { time, timeOrNull } from './0001-times.ts'

/** Ninth layout: what a search proposed and keeps in mind, what a service was found to compute by, and hold-outs that were opened. */
export const ninthLayout = `
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
  ${time('proposed_at')},
  primary key (study, study_fingerprint, identity, account, position),
  unique (study, study_fingerprint, identity, account, role, fingerprint)
) strict, without rowid; -- no reference to the study: what was asked on its hold-out outlives it


create index proposal_of_trial on proposal (fingerprint);

create table search_memory (
  -- What a search has to know again when it goes on: its shortlist, for one.
  study text not null,
  study_fingerprint text not null,
  identity text not null references service,
  account text not null,
  name text not null,
  value_json text not null check (value_json is null or json_valid(value_json)),
  ${time('written_at')},
  primary key (study, study_fingerprint, identity, account, name),
  foreign key (study, study_fingerprint) references study (name, fingerprint)
) strict, without rowid;

create table calibration (
  -- By which conventions and costs a service computes, as far as its answers to probes tell. The latest of an identity holds, by made_at.
  id integer primary key,
  identity text not null references service,
  study text not null, -- the one whose probes they were
  market text not null, -- exchange/BASE-QUOTE
  ${time('period_from')},
  ${time('period_to')},
  ${time('made_at')},
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
  ${time('span_from')}, -- a candle belongs when span_from <= open time < span_to
  ${time('span_to')},
  ${time('opened_at')},
  opened_by text not null,
  reason text not null check (length(reason) between 1 and 1000),
  seen_configs integer not null check (seen_configs >= 0), -- looks at this market and time before it was opened
  ${timeOrNull('completed_at')} -- null while results are missing: until then none of them is shown
) strict, without rowid;

alter table study add column rerun_json text check (rerun_json is null or json_valid(rerun_json)); -- what a rerun replaced of the file's definition; null = a file's own, and only such a one is current
`
