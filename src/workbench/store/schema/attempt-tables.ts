import { MOMENT } from './trial-tables.ts'

/** Part of layout 14. Attempts and the jobs they became: what may move to what is checked by triggers. */
export const attemptTables = `
create table attempt (
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
  opened_at text not null check (opened_at glob ${MOMENT}), -- service time, when the intent was written
  unsure_since text check (unsure_since glob ${MOMENT}), -- service time, when we gave up waiting for an answer
  counted_at text check (counted_at glob ${MOMENT}), -- latest service time at which it may have been counted; null while open and when free
  settled_at text check (settled_at glob ${MOMENT}),
  reply_status integer,
  reply_code text,
  reply_text text, -- as received, keys removed
  reason text, -- why it was refused, rejected or is unsure
  settings_id integer references settings, -- what it was asked to be computed under; null = not asked, or of a layout that did not keep it
  study_run_id integer references study_run, -- the run that paid for it; null = of a layout that did not keep it
  unique (identity, name),
  check ((state = 'intent') = (settled_at is null)),
  check ((state in ('intent', 'released')) = (counted_at is null)),
  check (state not in ('ambiguous', 'absent', 'parked') or unsure_since is not null)
) strict;

create unique index attempt_unresolved on attempt (identity, account) where state in ('intent', 'ambiguous');

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

create trigger attempt_stays before delete on attempt
begin select raise(abort, 'attempts are the allowance ledger and stay'); end;

create trigger attempt_is_itself
before update of id, identity, account, study, fingerprint, number, name, opened_at, settings_id, study_run_id on attempt
begin select raise(abort, 'an attempt keeps what it was opened with'); end;

create index attempt_of_run on attempt (study_run_id);
create index attempt_of_trial on attempt (fingerprint, identity, id);
create index attempt_counted on attempt (identity, counted_at, account);

create trigger count_after_attempt after insert on attempt
begin delete from study_count where identity = new.identity and (study, study_fingerprint) in (
    select study, study_fingerprint from study_trial where fingerprint = new.fingerprint); end;

create trigger count_after_settlement after update of state on attempt
begin delete from study_count where identity = new.identity and (study, study_fingerprint) in (
    select study, study_fingerprint from study_trial where fingerprint = new.fingerprint); end;

create index attempt_open on attempt (identity, account, id) where state in ('intent', 'ambiguous', 'parked');
create index attempt_of_study on attempt (study, identity, account, opened_at);

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
  submitted_at text not null check (submitted_at glob ${MOMENT}),
  finished_at text check (finished_at glob ${MOMENT}),
  last_seen_at text check (last_seen_at glob ${MOMENT}),
  missing_since text check (missing_since glob ${MOMENT}), -- first of an unbroken row of 404s
  deleted_at text check (deleted_at glob ${MOMENT}), -- when we learned that the service no longer has it; its result stays ours
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

create index job_of_trial on job (fingerprint, state);
create index job_duplicate_of on job (attempt_id) where duplicate = 1;

create trigger count_after_job after insert on job
begin delete from study_count where identity = new.identity and (study, study_fingerprint) in (
    select study, study_fingerprint from study_trial where fingerprint = new.fingerprint); end;

create trigger count_after_news after update of state, finished_at on job
when new.state is not old.state or new.finished_at is not old.finished_at
begin delete from study_count where identity = new.identity and (study, study_fingerprint) in (
    select study, study_fingerprint from study_trial where fingerprint = new.fingerprint); end;

create index job_duplicate on job (identity, submitted_at) where duplicate = 1;

create table foreign_job (
  -- Jobs in the service's list that no attempt of ours made: they used up allowance all the same.
  identity text not null references service,
  account text not null,
  remote_id text not null,
  name text,
  counted_at text not null check (counted_at glob ${MOMENT}),
  primary key (identity, remote_id)
) strict, without rowid;

create table request (
  -- The minute log, shared by all processes: one row per request of the last minutes. Times are milliseconds since the machine started.
  id integer primary key,
  rate_key text not null,
  started_ms real not null,
  finished_ms real,
  owner text -- the process that made it (owner.ts); null = made by an older version
) strict;

create index request_of on request (rate_key, started_ms);
`
