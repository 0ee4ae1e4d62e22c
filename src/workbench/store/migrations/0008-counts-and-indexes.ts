import { timeOrNull } from './0001-times.ts'

const ofTrial = (
  row: string,
) => `delete from study_count where identity = ${row}.identity and (study, study_fingerprint) in (
    select study, study_fingerprint from study_trial where fingerprint = ${row}.fingerprint)`
const ofRevision = (row: string) =>
  `delete from study_count where study = ${row}.study and study_fingerprint = ${row}.study_fingerprint`

/** Part of the eighth layout: what a store of a million results is asked every day is answered without reading them all. */
export const countsAndIndexes = `
create table study_count (
  -- How many trials of a revision are in which state on a service: kept from the last time they were counted until something of it changes.
  study text not null,
  study_fingerprint text not null,
  identity text not null,
  state text not null, -- as the view trials says
  trials integer not null check (trials >= 1),
  ${timeOrNull('last_finished_at')},
  primary key (study, study_fingerprint, identity, state)
) strict, without rowid;

create trigger count_after_attempt after insert on attempt
begin ${ofTrial('new')}; end;

create trigger count_after_settlement after update of state on attempt
begin ${ofTrial('new')}; end;

create trigger count_after_job after insert on job
begin ${ofTrial('new')}; end;

create trigger count_after_news after update of state, finished_at on job
when new.state is not old.state or new.finished_at is not old.finished_at
begin ${ofTrial('new')}; end;

create trigger count_after_trial after insert on study_trial
begin ${ofRevision('new')}; end;

create trigger count_after_move after update on study_trial
begin ${ofRevision('old')}; ${ofRevision('new')}; end;

create trigger count_after_loss after delete on study_trial
begin ${ofRevision('old')}; end;

create trigger count_after_settings after insert on study_settings
begin ${ofRevision('new')}; end;

-- The few that are open, and what one study has spent, among a million that are settled.
create index attempt_open on attempt (identity, account, id) where state in ('intent', 'ambiguous', 'parked');
create index attempt_of_study on attempt (study, identity, account, opened_at);
create index job_duplicate on job (identity, submitted_at) where duplicate = 1;
`
