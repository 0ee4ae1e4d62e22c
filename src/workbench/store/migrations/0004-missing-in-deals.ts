/** The fourth layout: results say how many candles were missing while a deal was open. Null in results of services that do not say so, older ones among them. */
export const fourthLayout = `
alter table result add column missing_in_deals integer; -- candles absent from the data between a deal's first and last candle
alter table screen_result add column missing_in_deals integer;
`
