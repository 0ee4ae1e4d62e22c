/** Thirteenth layout: a study finds what became of its trials in its own order, in place of looking up each among all attempts there are. */
export const thirteenthLayout = `
create table study_place (
  -- The latest attempt that counts of each trial of a revision on a service. Kept and dropped with the counts in study_count: a row that is there
  -- is true, and where none is the attempt is looked up.
  study text not null,
  study_fingerprint text not null,
  identity text not null,
  position integer not null, -- of the trial in study_trial
  attempt_id integer not null references attempt,
  primary key (study, study_fingerprint, identity, position)
) strict, without rowid;

create trigger place_after_count after delete on study_count
begin delete from study_place
  where study = old.study and study_fingerprint = old.study_fingerprint and identity = old.identity; end;
`
