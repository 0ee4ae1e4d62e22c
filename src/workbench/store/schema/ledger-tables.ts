import { MOMENT } from './trial-tables.ts'

/** Part of layout 14. Promotions and demo bots, checks of the file, and which objects of it are ours. */
export const ledgerTables = `
create table promotion (
  -- A trial made into a demo bot, at most once per account.
  id integer primary key,
  identity text not null references service,
  account text not null,
  fingerprint text not null references trial,
  name text not null,
  plan_hash text not null,
  state text not null check (state in ('intent', 'created', 'verified', 'released', 'ambiguous', 'alarmed')),
  bot_id text,
  opened_at text not null check (opened_at glob ${MOMENT}),
  settled_at text check (settled_at glob ${MOMENT}),
  started_at text check (started_at glob ${MOMENT}),
  reason text,
  settings_id integer references settings, -- those of the result that was promoted; null = not stated
  plan_json text check (plan_json is null or json_valid(plan_json)), -- the plan as it was shown: trial, result, doubts
  accepted_json text check (accepted_json is null or json_valid(accepted_json)), -- codes of doubts that were accepted by name
  body_json text check (body_json is null or json_valid(body_json)), -- what was sent to create the bot
  validation_json text check (validation_json is null or json_valid(validation_json)), -- the service’s answer: { valid, errors }
  bot_json text check (bot_json is null or json_valid(bot_json)), -- the bot as it was read back
  unique (identity, account, fingerprint),
  check ((state in ('created', 'verified')) <= (bot_id is not null))
) strict;

create trigger promotion_begins before insert on promotion when new.state <> 'intent'
begin select raise(abort, 'a promotion begins as intent'); end;

create trigger promotion_moves before update of state on promotion
when not (
  old.state = 'intent' and new.state in ('created', 'released', 'ambiguous')
  or old.state = 'ambiguous' and new.state in ('created', 'released')
  or old.state = 'released' and new.state = 'intent'
  or old.state = 'created' and new.state in ('verified', 'alarmed')
)
begin select raise(abort, 'illegal move of a promotion'); end;

create table bot_order (
  -- The last creation of a demo bot of that name: on disk before the request leaves. What the account holds is asked of the service.
  id integer primary key,
  identity text not null references service,
  account text not null,
  name text not null check (length(name) >= 1),
  state text not null check (state in ('intent', 'created', 'verified', 'released', 'ambiguous', 'alarmed')),
  bot_id text,
  opened_at text not null, -- ISO 8601 UTC
  settled_at text,
  reason text,
  unique (identity, account, name),
  check ((state in ('created', 'verified')) <= (bot_id is not null)),
  check ((state = 'intent') = (settled_at is null))
) strict;

create trigger bot_order_begins before insert on bot_order when new.state <> 'intent'
begin select raise(abort, 'a bot order begins as intent'); end;

create trigger bot_order_moves before update of state on bot_order
when not (
  old.state = 'intent' and new.state in ('created', 'released', 'ambiguous')
  or old.state = 'ambiguous' and new.state in ('created', 'released')
  or old.state = 'created' and new.state in ('verified', 'alarmed', 'intent')
  or old.state in ('verified', 'released', 'alarmed') and new.state = 'intent'
)
begin select raise(abort, 'illegal move of a bot order'); end;

create trigger bot_order_is_itself before update of id, identity, account, name on bot_order
begin select raise(abort, 'a bot order keeps what it was opened with'); end;

create table drift_check (
  -- One look at a bot beside its backtest. The latest of an identity and bot holds, by checked_at; only it keeps its deals and equity.
  id integer primary key,
  identity text not null references service,
  bot_id text not null,
  bot_name text,
  fingerprint text references trial, -- the promoted trial; null = the bot was made otherwise
  market text not null, -- exchange/BASE-QUOTE
  checked_at text not null check (checked_at glob ${MOMENT}),
  span_from text not null check (span_from glob ${MOMENT}), -- the candles of both: a candle belongs when span_from <= open time < span_to
  span_to text not null check (span_to glob ${MOMENT}),
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

create table file_check (
  -- When SQLite's own check of the whole file last found nothing wrong.
  id integer primary key check (id = 1),
  checked_at text not null check (checked_at glob ${MOMENT})
) strict;

create table our_object (
  -- What in this file is ours, besides tables: an analyst's own views and tables are not touched.
  name text not null primary key,
  text_hash text not null check (length(text_hash) = 64) -- SHA-256 of the text it was made with
) strict, without rowid;
`
