import { time } from './0001-times.ts'

/** Twelfth layout: demo bots held against their backtests, and what was known when a trial was promoted. */
export const twelfthLayout = `
create table drift_check (
  -- One look at a bot beside its backtest. The latest of an identity and bot holds, by checked_at; only it keeps its deals and equity.
  id integer primary key,
  identity text not null references service,
  bot_id text not null,
  bot_name text,
  fingerprint text references trial, -- the promoted trial; null = the bot was made otherwise
  market text not null, -- exchange/BASE-QUOTE
  ${time('checked_at')},
  ${time('span_from')}, -- the candles of both: a candle belongs when span_from <= open time < span_to
  ${time('span_to')},
  candle_interval text not null,
  candles_hash text not null,
  engine_version text not null,
  terms_source text not null check (terms_source in ('given', 'bot', 'calibration', 'trial', 'results', 'assumed')),
  conventions_json text not null check (conventions_json is null or json_valid(conventions_json)),
  fee_percent real not null,
  slippage_percent real not null,
  deals_matched integer, -- all counts are null where the service does not tell executions
  deals_early integer,
  deals_late integer,
  deals_missing integer,
  deals_extra integer,
  orders_matched integer, -- filled ones
  orders_early integer,
  orders_late integer,
  orders_missing integer,
  orders_extra integer,
  orders_different integer, -- placed ones with another price, quantity or state; null where the service does not tell orders
  profit_bot real, -- quote, at the end of the candles; null where the service does not tell it
  profit_backtest real not null,
  gap real,
  gap_price real, -- the parts of the gap add up to it
  gap_fee real,
  gap_timing real,
  gap_convention real,
  gap_candles real,
  gap_unexplained real,
  drift text not null check (drift in ('none', 'small', 'large', 'unknown')),
  causes_json text not null check (causes_json is null or json_valid(causes_json)), -- ["convention"]
  sentence text not null,
  alternatives_json text not null check (alternatives_json is null or json_valid(alternatives_json)),
  unknown_json text not null check (unknown_json is null or json_valid(unknown_json)), -- what the service did not tell: [{ what, reason }]
  series_json text check (series_json is null or json_valid(series_json)) -- { deals, equity } of bot and backtest; null in all but the latest
) strict;

create index drift_check_of_bot on drift_check (identity, bot_id, checked_at);

alter table promotion add column plan_json text check (plan_json is null or json_valid(plan_json)); -- the plan as it was shown: trial, result, doubts
alter table promotion add column accepted_json text check (accepted_json is null or json_valid(accepted_json)); -- codes of doubts that were accepted by name
alter table promotion add column body_json text check (body_json is null or json_valid(body_json)); -- what was sent to create the bot
alter table promotion add column validation_json text check (validation_json is null or json_valid(validation_json)); -- the service’s answer: { valid, errors }
alter table promotion add column bot_json text check (bot_json is null or json_valid(bot_json)); -- the bot as it was read back
`
