/** Layout 22: what people call a service, and what the markets of results did. */

/** An identity taken apart, as `partsOf` of `choose-service.ts` does it: base, joint, digits. */
const PARTS = `(
    select identity, base, case when base = 'embedded' then ':' when base = identity then '' else '#' end as joint,
      case base when 'embedded' then substr(identity, 10) when identity then '' else substr(rest, length(base) + 2) end as digits
    from (select identity, rest, case when identity glob 'embedded:?*' then 'embedded'
        when rest glob '?*#?*' and instr(rest, '/') not between 1 and instr(rest, '#') - 1 then substr(rest, 1, instr(rest, '#') - 1)
        else identity end as base
      from (select identity, case when identity glob 'http://*' then substr(identity, 8)
        when identity glob 'https://*' then substr(identity, 9) end as rest from service)))`

const LENGTHS = `(values ${Array.from({ length: 60 }, (_, n) => `(${n + 4})`).join(', ')})`

/** As `shortNames` of `choose-service.ts` has it; a test holds the two against each other. */
const NAME = `(
    select case when (select count(*) from ${PARTS} o where o.base = p.base) = 1 then p.base else coalesce((
      select p.base || p.joint || substr(p.digits, 1, n.column1) from ${LENGTHS} n
      where n.column1 < length(p.digits) and not exists (select 1 from ${PARTS} o where o.base = p.base
        and o.identity <> p.identity and substr(o.digits, 1, n.column1) = substr(p.digits, 1, n.column1))
      order by n.column1 limit 1), p.identity) end
    from ${PARTS} p where p.identity = service.identity)`

export const namesAndDays = `
alter table service add column name text not null default ''; -- what people read and type, different for each: a trigger writes it
update service set name = ${NAME};

create trigger service_is_named after insert on service
begin update service set name = ${NAME}; end;

create table market_day (
  -- A UTC day of a market by the local candles of a period that a result rests on; the set that was read last holds.
  market text not null, -- exchange/BASE-QUOTE
  date text not null check (date glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
  candle_interval text not null,
  candles_hash text not null, -- of the period's candles
  open real not null,
  high real not null,
  low real not null,
  close real not null,
  primary key (market, date)
) strict, without rowid;
`

/** Layout 23: how many deals a result rests on, in the words that are shown. */
export const sampleSizes = ['result', 'screen_result']
  .map(
    (table) => `
alter table ${table} rename column confidence to sample_size;
update ${table} set sample_size = case sample_size when 'F' then 'under 107' when 'E' then '107 to 132' when 'D' then '133 to 163'
  when 'C' then '164 to 207' when 'B' then '208 to 272' when 'A' then '273 to 384' when 'A+' then '385+' end where sample_size is not null;
`,
  )
  .join('')
