/** The fourth layout: results have the number of candles missing while a deal was open. It is null in results of services that do not report it. */
export const fourthLayout = `
alter table result add column missing_in_deals integer; -- candles absent from the data between a deal's first and last candle
alter table screen_result add column missing_in_deals integer;
`
