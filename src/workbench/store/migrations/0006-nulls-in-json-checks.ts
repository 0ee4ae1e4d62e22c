/**
 * The sixth layout: every check of a JSON column allows null explicitly. `check (json_valid(x))` accepts null in the SQLite
 * inside this program and refuses it in older ones (json_valid(null) is 0 in 3.40), where a dump could not be restored and
 * integrity_check complained. A check cannot be altered, so the tables are remade with their rows; `migrate` switches foreign
 * keys off meanwhile.
 */
export const sixthLayout = `
create table study_anew (
  -- A study as it was run: one row per name and definition.
  name text not null check (length(name) between 1 and 64),
  fingerprint text not null check (length(fingerprint) = 64),
  source text not null, -- the file's text
  definition_json text not null check (definition_json is null or json_valid(definition_json)), -- the study as it was understood
  saved_at text not null check (saved_at glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9][0-9][0-9]Z'), -- latest time this definition was run; the latest of a name is the current one
  primary key (name, fingerprint)
) strict, without rowid;

insert into study_anew select * from study;
drop table study;
alter table study_anew rename to study;

create table result_anew (
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
  metric_flags_json text not null default '{}' check (metric_flags_json is null or json_valid(metric_flags_json)),
  safety_orders_histogram_json text check (safety_orders_histogram_json is null or json_valid(safety_orders_histogram_json)),
  monthly_returns_json text check (monthly_returns_json is null or json_valid(monthly_returns_json)),
  daily_equity_json text check (daily_equity_json is null or json_valid(daily_equity_json)),
  deals_json text check (deals_json is null or json_valid(deals_json)),
  open_deal_json text check (open_deal_json is null or json_valid(open_deal_json)),
  conventions_json text check (conventions_json is null or json_valid(conventions_json)),
  fee_percent real,
  slippage_percent real,
  candle_interval text,
  candle_count integer,
  candles_missing integer,
  candles_hash text,
  candles_synthetic integer check (candles_synthetic in (0, 1)),
  engine_version text,
  missing_in_deals integer -- candles absent from the data between a deal's first and last candle
) strict;

insert into result_anew select * from result;
drop table result;
alter table result_anew rename to result;

create table screen_anew (
  -- One row per saved screen of a study on the local engine.
  id integer primary key,
  study text not null check (length(study) between 1 and 64),
  study_fingerprint text not null check (length(study_fingerprint) = 64),
  source text not null, -- the file's text
  definition_json text not null check (definition_json is null or json_valid(definition_json)), -- the study as it was understood
  market text not null, -- exchange/BASE-QUOTE
  period_from text not null, -- ISO 8601 UTC; a candle belongs when period_from <= open time < period_to
  period_to text not null,
  saved_at text not null,
  complete integer not null check (complete in (0, 1)), -- 0 = interrupted: the best of a part of the grid
  configs integer not null check (configs >= 0), -- points of the grid that were looked at
  distinct_configs integer not null check (distinct_configs >= 0), -- simulations it took
  workers integer not null,
  elapsed_ms integer not null,
  config_years_per_minute integer not null,
  candle_interval text not null,
  candle_count integer not null,
  candles_missing integer not null,
  candles_hash text not null,
  candles_synthetic integer not null check (candles_synthetic in (0, 1)),
  conventions_json text not null check (conventions_json is null or json_valid(conventions_json)),
  symbol_json text not null check (symbol_json is null or json_valid(symbol_json)), -- tick, lot and minimum order that were enforced
  fee_percent real not null,
  slippage_percent real not null,
  engine_version text not null
) strict;

insert into screen_anew select * from screen;
drop table screen;
alter table screen_anew rename to screen;

create index screen_of_study on screen (study, saved_at);

create table screen_result_anew (
  -- The best of a screen, with every metric; units as in result.
  screen_id integer not null references screen,
  rank integer not null check (rank >= 1), -- by the study's objective, inside its bounds
  fingerprint text not null check (length(fingerprint) = 64), -- the same as that of a trial with this configuration
  investment real not null,
  leverage real not null,
  dca_total_budget real not null,
  dca_initial_order_size real not null,
  dca_max_safety_orders integer not null,
  dca_price_scale_percent real not null,
  dca_volume_scale real not null,
  dca_price_step_multiplier real not null,
  take_profit_percent real not null,
  stop_loss_percent real not null,
  realized_profit real,
  unrealized_profit real,
  net_profit real,
  roi_percent real,
  roi_on_max_used_percent real,
  max_drawdown_percent real,
  max_drawdown_low_percent real,
  max_floating_loss real,
  closed_deals integer,
  win_rate_percent real,
  stop_losses integer,
  open_deal integer check (open_deal in (0, 1)),
  deal_duration_average_minutes real,
  deal_duration_median_minutes real,
  deal_duration_p95_minutes real,
  deal_duration_max_minutes real,
  safety_orders_average real,
  safety_orders_max integer,
  time_in_deal_percent real,
  time_fully_invested_percent real,
  used_capital_max real,
  used_capital_average real,
  profit_factor real,
  sharpe real,
  sortino real,
  cagr_percent real,
  calmar real,
  fees_paid real,
  orders integer,
  volume real,
  buy_and_hold_percent real,
  buy_and_hold_max_drawdown_percent real,
  ambiguous_candles integer,
  unaffordable_orders integer,
  out_of_cash integer check (out_of_cash in (0, 1)),
  confidence text,
  safety_orders_histogram_json text check (safety_orders_histogram_json is null or json_valid(safety_orders_histogram_json)),
  monthly_returns_json text check (monthly_returns_json is null or json_valid(monthly_returns_json)),
  daily_equity_json text check (daily_equity_json is null or json_valid(daily_equity_json)),
  missing_in_deals integer,
  primary key (screen_id, rank)
) strict, without rowid;

insert into screen_result_anew select * from screen_result;
drop table screen_result;
alter table screen_result_anew rename to screen_result;

create index screen_result_of_trial on screen_result (fingerprint);
`
