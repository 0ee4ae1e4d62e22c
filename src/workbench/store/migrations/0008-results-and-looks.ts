import { time, timeOrNull } from './0001-times.ts'

/** Part of the eighth layout: deals, replies, what was looked at, and which objects of the file are ours. */
export const resultsAndLooks = `
create table deal (
  -- A closed deal of a result. Amounts in quote, times in ms UTC.
  job_id integer not null references result,
  n integer not null check (n >= 1), -- in the order of the reply
  opened_ms integer not null, -- open time of the candle on which the base order filled
  closed_ms integer not null, -- open time of the candle on which it closed
  exit text not null, -- takeProfit or stopLoss
  safety_orders integer not null,
  quantity real not null, -- base
  cost real not null, -- fees included
  proceeds real not null, -- net of the selling fee
  profit real not null,
  price real not null, -- exit fill price
  lowest_value real, -- its lowest open profit or loss, at candle lows; null where the reply did not tell
  primary key (job_id, n)
) strict, without rowid;

insert into deal (job_id, n, opened_ms, closed_ms, exit, safety_orders, quantity, cost, proceeds, profit, price)
  select r.job_id, d.n, d.opened_ms, d.closed_ms, d.exit, d.safety_orders, d.quantity, d.cost, d.proceeds, d.profit, d.price
  from result r, dcalab_deals(r.deals_json) d where r.deals_json is not null;

-- A reply without a list of deals is not one with an empty list.
alter table result add column deals_told integer not null default 0 check (deals_told in (0, 1));
update result set deals_told = 1 where deals_json is not null;
alter table result drop column deals_json;
alter table result add column symbol_json text check (symbol_json is null or json_valid(symbol_json)); -- tick, lot and smallest order that were enforced
alter table result add column ${timeOrNull('pruned_at')}; -- when its deals and daily equity were dropped; null = they are here as far as they were told

create index result_by_profit on result (net_profit);
create index result_of_candles on result (candles_hash);
create index job_of_trial on job (fingerprint, state);
create index job_duplicate_of on job (attempt_id) where duplicate = 1;

create table reply_anew (
  -- What the service said of a job, byte for byte, keys removed. Everything we derive can be derived again from here.
  id integer primary key,
  job_id integer not null references job,
  sha256 text not null check (length(sha256) = 64), -- of the text
  body blob, -- the text, compressed (gzip)
  final integer not null check (final in (0, 1)), -- 1 = the job had ended
  ${time('received_at')},
  ${timeOrNull('pruned_at')}, -- when its text was dropped
  unique (job_id, sha256),
  check ((body is null) = (pruned_at is not null))
) strict;

insert into reply_anew (id, job_id, sha256, body, final, received_at)
  select id, job_id, sha256, dcalab_gzip(body), final, received_at from reply;
drop table reply;
alter table reply_anew rename to reply;

create table service_reply (
  -- The last reply of every endpoint other than those of single jobs, keys removed; so many and so large as the program says.
  identity text not null,
  endpoint text not null, -- method and path, as the API document spells them
  object text not null, -- the bot, exchange or later page that was asked for; '' where there is none
  status integer not null,
  ${time('received_at')},
  bytes integer not null check (bytes >= 0), -- of the body before it was compressed
  body blob, -- as received, compressed (gzip); null = it was too large to be kept
  primary key (identity, endpoint, object)
) strict, without rowid;

create table look (
  -- Configurations whose result on a span somebody has seen.
  market text not null,
  ${time('period_from')},
  ${time('period_to')},
  source text not null check (source in ('paid', 'screen', 'backtest')),
  key text not null, -- paid: ''; screen: its grid; backtest: its configuration
  configs integer not null check (configs >= 0), -- paid: exactly so many different ones; screen: at most
  ${time('first_at')},
  ${time('last_at')},
  primary key (market, period_from, period_to, source, key)
) strict, without rowid;

insert into look (market, period_from, period_to, source, key, configs, first_at, last_at)
  select t.market, t.period_from, t.period_to, 'paid', '', count(distinct t.fingerprint),
    min(coalesce(j.finished_at, j.submitted_at)), max(coalesce(j.finished_at, j.submitted_at))
  from result r join job j on j.id = r.job_id join trial t on t.fingerprint = j.fingerprint
  group by t.market, t.period_from, t.period_to;

insert into look (market, period_from, period_to, source, key, configs, first_at, last_at)
  select market, period_from, period_to, 'screen', study_fingerprint, max(distinct_configs), min(saved_at), max(saved_at)
  from screen group by market, period_from, period_to, study_fingerprint;

create table file_check (
  -- When SQLite's own check of the whole file last found nothing wrong.
  id integer primary key check (id = 1),
  ${time('checked_at')}
) strict;

create table our_object (
  -- What in this file is ours, besides tables: an analyst's own views and tables are not touched.
  name text not null primary key,
  text_hash text not null check (length(text_hash) = 64) -- SHA-256 of the text it was made with
) strict, without rowid;
`
