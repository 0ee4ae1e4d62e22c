/** The first layout of the store. A migration is history: once released it is never edited, only followed by another. */

/** ISO 8601 UTC with milliseconds: text order is time order. */
const timePattern = '####-##-##T##:##:##.###Z'.replaceAll('#', '[0-9]')

function timeOrNull(column: string): string {
  return `${column} text check (${column} glob '${timePattern}')`
}

function time(column: string): string {
  return `${column} text not null check (${column} glob '${timePattern}')`
}

export const firstLayout = `
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
  ${time('opened_at')}, -- service time, when the intent was written
  ${timeOrNull('unsure_since')}, -- service time, when we gave up waiting for an answer
  ${timeOrNull('counted_at')}, -- latest service time at which it may have been counted; null while open and when free
  ${timeOrNull('settled_at')},
  reply_status integer,
  reply_code text,
  reply_text text, -- as received, keys removed
  reason text, -- why it was refused, rejected or is unsure
  unique (identity, name),
  check ((state = 'intent') = (settled_at is null)),
  check ((state in ('intent', 'released')) = (counted_at is null)),
  check (state not in ('ambiguous', 'absent', 'parked') or unsure_since is not null)
) strict;

-- At most one unresolved request at a time, whatever the program believes.
create unique index attempt_unresolved on attempt (identity, account) where state in ('intent', 'ambiguous');
create index attempt_of_trial on attempt (identity, fingerprint, id);
create index attempt_counted on attempt (identity, account, counted_at);

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

create trigger attempt_is_itself before update of id, identity, account, study, fingerprint, number, name, opened_at on attempt
begin select raise(abort, 'an attempt keeps what it was opened with'); end;

create trigger attempt_stays before delete on attempt
begin select raise(abort, 'attempts are the allowance ledger and stay'); end;

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
  ${time('submitted_at')},
  ${timeOrNull('finished_at')},
  ${timeOrNull('last_seen_at')},
  ${timeOrNull('missing_since')}, -- first of an unbroken row of 404s
  ${timeOrNull('deleted_at')}, -- when we learned that the service no longer has it; its result stays ours
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

create table reply (
  -- What the service said of a job, byte for byte, keys removed. Everything we derive can be derived again from here.
  id integer primary key,
  job_id integer not null references job,
  sha256 text not null check (length(sha256) = 64),
  body text not null,
  final integer not null check (final in (0, 1)), -- 1 = the job had ended
  ${time('received_at')},
  unique (job_id, sha256)
) strict;

create table result (
  -- The numbers read from the first final reply of a job. Undefined numbers are null; what could not be read is in metric_flags_json.
  job_id integer primary key references job,
  reply_id integer not null references reply,
  realized_profit real, -- quote: profit of closed deals after all fees
  unrealized_profit real, -- quote: open deal at liquidation value less its cost with fees
  net_profit real, -- quote: realized + unrealized; rankings use this
  roi_percent real, -- percent: net profit / investment
  roi_on_max_used_percent real, -- percent: net profit / largest capital used
  max_drawdown_percent real, -- percent: largest fall of equity from its running peak, over closes
  max_drawdown_low_percent real, -- percent: the same with each candle marked at its low
  max_floating_loss real, -- quote: worst open loss of a deal at a candle low (0 or negative)
  closed_deals integer, -- count: deals closed by take profit or stop loss
  win_rate_percent real, -- percent: closed deals with profit > 0; null without deals
  stop_losses integer, -- count: deals closed by the stop
  open_deal integer check (open_deal in (0, 1)), -- 1 = yes: a deal is still open at the end of the data
  deal_duration_average_minutes real, -- minutes: mean duration of closed deals
  deal_duration_median_minutes real, -- minutes: median duration of closed deals
  deal_duration_p95_minutes real, -- minutes: 95th percentile, nearest rank
  deal_duration_max_minutes real, -- minutes: longest deal, the open one included
  safety_orders_average real, -- count: safety orders filled per deal
  safety_orders_max integer, -- count: most safety orders filled in one deal
  time_in_deal_percent real, -- percent: share of candles that held a position
  time_fully_invested_percent real, -- percent: share of candles with every placed rung filled
  used_capital_max real, -- quote: largest cost with fees at a close
  used_capital_average real, -- quote: mean cost with fees over all candles
  profit_factor real, -- ratio: wins / losses; null without losses
  sharpe real, -- ratio: daily returns, √365; null under 30 daily returns
  sortino real, -- ratio: daily returns over downside deviation, √365
  cagr_percent real, -- percent: yearly growth; null under 30 days
  calmar real, -- ratio: CAGR / maximum drawdown
  fees_paid real, -- quote: fees of every fill
  orders integer, -- count: orders filled
  volume real, -- quote: Σ price · quantity, both sides
  buy_and_hold_percent real, -- percent: investment held from first open to last close
  buy_and_hold_max_drawdown_percent real, -- percent: largest fall of buy & hold
  ambiguous_candles integer, -- count: candles whose two paths differ in fills, exit or exit price
  unaffordable_orders integer, -- count: rungs not placed because they crossed the cap, summed over deals
  out_of_cash integer check (out_of_cash in (0, 1)), -- 1 = yes: not even the base order fitted; the bot stopped
  confidence text,
  metric_flags_json text not null default '{}' check (json_valid(metric_flags_json)),
  safety_orders_histogram_json text check (json_valid(safety_orders_histogram_json)),
  monthly_returns_json text check (json_valid(monthly_returns_json)),
  daily_equity_json text check (json_valid(daily_equity_json)),
  deals_json text check (json_valid(deals_json)),
  open_deal_json text check (json_valid(open_deal_json)),
  conventions_json text check (json_valid(conventions_json)),
  fee_percent real,
  slippage_percent real,
  candle_interval text,
  candle_count integer,
  candles_missing integer,
  candles_hash text,
  candles_synthetic integer check (candles_synthetic in (0, 1)),
  engine_version text
) strict;

create table foreign_job (
  -- Jobs in the service's list that no attempt of ours made: they used up allowance all the same.
  identity text not null references service,
  account text not null,
  remote_id text not null,
  name text,
  ${time('counted_at')},
  primary key (identity, remote_id)
) strict, without rowid;

create table request (
  -- The minute log, shared by all processes: one row per request of the last minutes. Times are milliseconds since the machine started.
  id integer primary key,
  rate_key text not null,
  started_ms real not null,
  finished_ms real
) strict;

create index request_of on request (rate_key, started_ms);

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
  ${time('opened_at')},
  ${timeOrNull('settled_at')},
  ${timeOrNull('started_at')},
  reason text,
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
`
