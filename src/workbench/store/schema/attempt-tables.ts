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

/** Part of layout 14. */
export const attemptTable = `
create table attempt (
  -- One try to send a trial. The row is on disk before the request leaves; nothing is ever sent without one.
  id integer primary key,
  identity text not null references service,
  account text not null, -- on our embedded service, whose accounts have an allowance each; empty elsewhere
  study text not null,
  fingerprint text not null references trial,
  number integer not null check (number >= 1),
  name text not null, -- dcalab-<study>-<12 digits>-<number>, echoed by services that echo names
  state text not null check (state in
    ('intent', 'acked', 'rejected', 'released', 'ambiguous', 'adopted', 'absent', 'parked')),
  opened_at text not null check (opened_at glob ${MOMENT}), -- service time, when the intent was written
  unsure_since text check (unsure_since glob ${MOMENT}), -- service time, when we gave up waiting for an answer
  counted_at text check (counted_at glob ${MOMENT}), -- latest service time at which it may have been counted; null while open and when free
  settled_at text check (settled_at glob ${MOMENT}),
  reply_status integer,
  reply_code text,
  reply_text text, -- as received, keys removed
  reason text, -- why it was refused, rejected or is unsure
  settings_id integer references settings, -- what it was asked to be computed under; null = not asked, or of a layout that did not keep it
  study_run_id integer references study_run, -- the run that paid for it; null = of a layout that did not keep it
  unique (identity, name),
  check ((state = 'intent') = (settled_at is null)),
  check ((state in ('intent', 'released')) = (counted_at is null)),
  check (state not in ('ambiguous', 'absent', 'parked') or unsure_since is not null)
) strict;
`

/** Part of layout 14. What may move to what is checked by triggers. */
export const attemptRules = `
create unique index attempt_unresolved on attempt (identity, account) where state in ('intent', 'ambiguous');

create trigger attempt_begins before insert on attempt
when new.state not in ('intent', 'adopted')
begin select raise(abort, 'an attempt begins as intent, or as adopted from the list'); end;

create trigger attempt_moves before update of state on attempt
when not (
  old.state = 'intent' and new.state in ('acked', 'rejected', 'released', 'ambiguous')
  or old.state = 'ambiguous' and new.state in ('adopted', 'absent', 'parked')
  or old.state = 'parked' and new.state in ('adopted', 'absent')
)
begin select raise(abort, 'illegal move of an attempt'); end;

create trigger attempt_stays before delete on attempt
begin select raise(abort, 'attempts are the allowance ledger and stay'); end;

create trigger attempt_is_itself
before update of id, identity, account, study, fingerprint, number, name, opened_at, settings_id, study_run_id on attempt
begin select raise(abort, 'an attempt keeps what it was opened with'); end;

create index attempt_of_run on attempt (study_run_id);
create index attempt_of_trial on attempt (fingerprint, identity, id);
create index attempt_counted on attempt (identity, counted_at, account);

create trigger count_after_attempt after insert on attempt
begin delete from study_count where identity = new.identity and (study, study_fingerprint) in (
    select study, study_fingerprint from study_trial where fingerprint = new.fingerprint); end;

create trigger count_after_settlement after update of state on attempt
begin delete from study_count where identity = new.identity and (study, study_fingerprint) in (
    select study, study_fingerprint from study_trial where fingerprint = new.fingerprint); end;

create index attempt_open on attempt (identity, account, id) where state in ('intent', 'ambiguous', 'parked');
create index attempt_of_study on attempt (study, identity, account, opened_at);
`

/** Part of layout 14. Attempts and the jobs they became: what may move to what is checked by triggers. */
export const attemptTables = `${attemptTable}${attemptRules}
create table job (
  -- A backtest job of the service that belongs to a trial.
  id integer primary key,
  identity text not null references service,
  remote_id text not null check (length(remote_id) between 1 and 200),
  fingerprint text not null references trial,
  attempt_id integer not null references attempt,
  duplicate integer not null default 0 check (duplicate in (0, 1)), -- 1 = a second job of one request, made on the way
  name text, -- as the service echoes it
  state text not null check (state in ('running', 'done', 'failed', 'stalled', 'gone')),
  remote_state text, -- in the service's words
  submitted_at text not null check (submitted_at glob ${MOMENT}),
  finished_at text check (finished_at glob ${MOMENT}),
  last_seen_at text check (last_seen_at glob ${MOMENT}),
  missing_since text check (missing_since glob ${MOMENT}), -- first of an unbroken row of 404s
  deleted_at text check (deleted_at glob ${MOMENT}), -- when we learned that the service no longer has it; its result stays ours
  failure text, -- why it failed, in the service's words
  unique (identity, remote_id)
) strict;

create index job_of_attempt on job (attempt_id);
create index job_open on job (identity, state);

create trigger job_begins before insert on job when new.state <> 'running'
begin select raise(abort, 'a job begins as running'); end;

create trigger job_moves before update of state on job
when not (
  new.state = old.state
  or old.state = 'running' and new.state in ('done', 'failed', 'stalled', 'gone')
  or old.state = 'stalled' and new.state in ('running', 'done', 'failed', 'gone')
  or old.state = 'gone' and new.state in ('running', 'done', 'failed')
)
begin select raise(abort, 'illegal move of a job'); end;

create trigger job_is_itself before update of id, identity, remote_id, fingerprint, attempt_id on job
begin select raise(abort, 'a job keeps what it was made from'); end;

create trigger job_stays before delete on job
begin select raise(abort, 'jobs stay: they were paid for'); end;

create index job_of_trial on job (fingerprint, state);
create index job_duplicate_of on job (attempt_id) where duplicate = 1;

create trigger count_after_job after insert on job
begin delete from study_count where identity = new.identity and (study, study_fingerprint) in (
    select study, study_fingerprint from study_trial where fingerprint = new.fingerprint); end;

create trigger count_after_news after update of state, finished_at on job
when new.state is not old.state or new.finished_at is not old.finished_at
begin delete from study_count where identity = new.identity and (study, study_fingerprint) in (
    select study, study_fingerprint from study_trial where fingerprint = new.fingerprint); end;

create index job_duplicate on job (identity, submitted_at) where duplicate = 1;

create table foreign_job (
  -- Jobs in the service's list that no attempt of ours made: they used up allowance all the same.
  identity text not null references service,
  account text not null,
  remote_id text not null,
  name text,
  counted_at text not null check (counted_at glob ${MOMENT}),
  primary key (identity, remote_id)
) strict, without rowid;

create table request (
  -- The minute log, shared by all processes: one row per request of the last minutes. Times are milliseconds since the machine started.
  id integer primary key,
  rate_key text not null,
  started_ms real not null,
  finished_ms real,
  owner text -- the process that made it (owner.ts); null = made by an older version
) strict;

create index request_of on request (rate_key, started_ms);
`
