import { time, timeOrNull } from './0001-times.ts'

/** Part of the first layout. Jobs of others, the request log and promotions. */
export const ledgers = `create table foreign_job (
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
