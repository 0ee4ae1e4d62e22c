import { time } from './0001-times.ts'

/** Part of the first layout. Replies as received, and the result read from them. */
export const results = `create table reply (
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

`
