/** Tenth layout: what a net profit is read with. Null in results that do not tell it, in those read before, and in screens saved before. */
export const tenthLayout = `
alter table result add column net_profit_pessimistic real; -- quote: of the complete run that takes the worse of two paths through each candle
alter table result add column net_profit_optimistic real; -- quote: of the one that takes the better
alter table result add column net_profit_per_used_percent real; -- percent: net profit / average used capital
alter table result add column exposed_hold_percent real; -- percent: buy & hold, scaled to average used capital / investment
alter table screen_result add column net_profit_pessimistic real;
alter table screen_result add column net_profit_optimistic real;
alter table screen_result add column net_profit_per_used_percent real;
alter table screen_result add column exposed_hold_percent real;
`
