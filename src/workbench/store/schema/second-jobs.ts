const DECIDED = "'acked', 'adopted', 'rejected', 'released', 'absent'"

/**
 * Layout 16: only a submission that has its outcome has a second job. Where a job was stored as the second one of a submission without an
 * outcome, neither answer of a person was taken any more: that job, the earliest of several, is what became of it.
 */
export const secondJobs = `
update attempt set state = 'adopted',
  settled_at = max(settled_at, (select max(coalesce(j.last_seen_at, j.submitted_at)) from job j where j.attempt_id = attempt.id))
where state not in ('intent', ${DECIDED}) and exists (select 1 from job j where j.attempt_id = attempt.id);

update job set duplicate = 0
where id = (select f.id from job f where f.attempt_id = job.attempt_id order by f.duplicate, f.submitted_at, f.id limit 1)
  and duplicate = 1 and (select a.state from attempt a where a.id = job.attempt_id) = 'adopted';

create trigger job_is_second before insert on job
when new.duplicate = 1 and (select state from attempt where id = new.attempt_id) not in (${DECIDED})
begin select raise(abort, 'a submission without an outcome has no second job'); end;

create trigger job_becomes_second before update of duplicate on job
when new.duplicate = 1 and old.duplicate = 0
begin select raise(abort, 'the first job of a submission stays the first'); end;
`
