import { time, timeOrNull } from './0001-times.ts'

/** Part of the first layout. Attempts and the jobs they became: what may move to what is checked by triggers. */
export const attempts = `create table attempt (
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

`
