/**
 * The third layout: what `dcalab screen --save` stores. A screen spends nothing and belongs to no service, so its tables are
 * separate from trials and jobs.
 */
export const thirdLayout = `
create table screen (
  -- One row per saved screen of a study on the local engine.
  id integer primary key,
  study text not null check (length(study) between 1 and 64),
  study_fingerprint text not null check (length(study_fingerprint) = 64),
  source text not null, -- the file's text
  definition_json text not null check (json_valid(definition_json)), -- the study as it was understood
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
  conventions_json text not null check (json_valid(conventions_json)),
  symbol_json text not null check (json_valid(symbol_json)), -- tick, lot and minimum order that were enforced
  fee_percent real not null,
  slippage_percent real not null,
  engine_version text not null
) strict;

create index screen_of_study on screen (study, saved_at);

create table screen_result (
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
  safety_orders_histogram_json text check (json_valid(safety_orders_histogram_json)),
  monthly_returns_json text check (json_valid(monthly_returns_json)),
  daily_equity_json text check (json_valid(daily_equity_json)),
  primary key (screen_id, rank)
) strict, without rowid;

create index screen_result_of_trial on screen_result (fingerprint);

create table screen_parameter (
  -- What each value of each varied field came to, over all trials that have it.
  screen_id integer not null references screen,
  field text not null, -- as in the API document
  value real not null,
  trials integer not null,
  profitable integer not null, -- trials with a net profit above 0
  net_profit_average real, -- quote
  net_profit_best real,
  objective_average real, -- over trials for which the objective is defined, inside its bounds or not
  objective_best real,
  primary key (screen_id, field, value)
) strict, without rowid;
`
