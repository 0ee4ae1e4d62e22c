import { time, timeOrNull } from './0001-times.ts'

/** Eleventh layout: what was found out about how sure one can be of a result. */
export const eleventhLayout = `
create table examination (
  -- A result looked at on the local engine. The latest finished one of a trial, identity and settings holds, by finished_at.
  id integer primary key,
  fingerprint text not null references trial,
  identity text not null references service,
  settings text, -- first 12 digits of the settings of the result; null = it was asked for under none
  study text, -- whose configurations it was compared with; null = it was looked at by itself
  study_fingerprint text,
  basis text not null check (length(basis) = 64), -- SHA-256 hex of all that it follows from: one that was interrupted goes on where nothing of it changed
  candle_interval text not null, -- of the local candles
  candles_hash text not null,
  engine_version text not null,
  ${time('begun_at')},
  ${timeOrNull('finished_at')}, -- null = it was interrupted
  doubts_json text check (doubts_json is null or json_valid(doubts_json)) -- [{ code, weight, message, hint }]; null until it is finished
) strict;

create index examination_of_trial on examination (fingerprint, identity, finished_at);
create index examination_of_study on examination (study);

create table examination_check (
  examination integer not null references examination on delete cascade,
  name text not null, -- 'ambiguity'
  value_json text check (value_json is null or json_valid(value_json)),
  reason text, -- why there is no value
  primary key (examination, name),
  check ((value_json is null) <> (reason is null))
) strict, without rowid;
`
