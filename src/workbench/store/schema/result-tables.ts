import { MOMENT } from './trial-tables.ts'

/** Part of layout 14. Replies as received, the results read from them, saved screens, and what was found out about how sure one can be. */
export const resultTables = `
create table reply (
  -- What the service said of a job, byte for byte, keys removed. Everything we derive can be derived again from here.
  id integer primary key,
  job_id integer not null references job,
  sha256 text not null check (length(sha256) = 64), -- of the text
  body blob, -- the text, compressed (gzip)
  final integer not null check (final in (0, 1)), -- 1 = the job had ended
  received_at text not null check (received_at glob ${MOMENT}),
  pruned_at text check (pruned_at glob ${MOMENT}), -- when its text was dropped
  unique (job_id, sha256),
  check ((body is null) = (pruned_at is not null))
) strict;

create table service_reply (
  -- The last reply of every endpoint other than those of single jobs, keys removed; so many and so large as the program says.
  identity text not null,
  endpoint text not null, -- method and path, as the API document spells them
  object text not null, -- the bot, exchange or later page that was asked for; '' where there is none
  status integer not null,
  received_at text not null check (received_at glob ${MOMENT}),
  bytes integer not null check (bytes >= 0), -- of the body before it was compressed
  body blob, -- as received, compressed (gzip); null = it was too large to be kept
  primary key (identity, endpoint, object)
) strict, without rowid;

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
  metric_flags_json text not null default '{}' check (metric_flags_json is null or json_valid(metric_flags_json)),
  safety_orders_histogram_json text check (safety_orders_histogram_json is null or json_valid(safety_orders_histogram_json)),
  monthly_returns_json text check (monthly_returns_json is null or json_valid(monthly_returns_json)),
  daily_equity_json text check (daily_equity_json is null or json_valid(daily_equity_json)),
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
  missing_in_deals integer, -- candles absent from the data between a deal's first and last candle
  unplaced_orders integer, -- rungs too small for the lot or the minimum notional, summed over deals
  behaviour_hash text, -- equal for results with the same deals and the same equity
  deals_told integer not null default 0 check (deals_told in (0, 1)),
  symbol_json text check (symbol_json is null or json_valid(symbol_json)), -- tick, lot and smallest order that were enforced
  pruned_at text check (pruned_at glob ${MOMENT}), -- when its deals and daily equity were dropped; null = they are here as far as they were told
  net_profit_pessimistic real, -- quote: of the complete run that takes the worse of two paths through each candle
  net_profit_optimistic real, -- quote: of the one that takes the better
  net_profit_per_used_percent real, -- percent: net profit / average used capital
  exposed_hold_percent real -- percent: buy & hold, scaled to average used capital / investment
) strict;

create index result_by_profit on result (net_profit);
create index result_of_candles on result (candles_hash);

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

create table screen (
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
  engine_version text not null,
  folded_configs integer, -- configs left out of the top, because they trade exactly like one of it
  score text -- what its points were ranked by: point, stressed or plateau
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
  safety_orders_histogram_json text check (safety_orders_histogram_json is null or json_valid(safety_orders_histogram_json)),
  monthly_returns_json text check (monthly_returns_json is null or json_valid(monthly_returns_json)),
  daily_equity_json text check (daily_equity_json is null or json_valid(daily_equity_json)),
  missing_in_deals integer,
  unplaced_orders integer,
  behaviour_hash text,
  score real, -- what it was ranked by, in the unit of the objective
  net_profit_pessimistic real,
  net_profit_optimistic real,
  net_profit_per_used_percent real,
  exposed_hold_percent real,
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
  begun_at text not null check (begun_at glob ${MOMENT}),
  finished_at text check (finished_at glob ${MOMENT}), -- null = it was interrupted
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
