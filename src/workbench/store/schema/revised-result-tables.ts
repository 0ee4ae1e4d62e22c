import { MOMENT } from './trial-tables.ts'

/** Layout 17: what a service says of a result that it had said otherwise when it was paid for. */
export const revisedResultTables = `
create table revised_result (
  -- A result as the service stated it later: beside the first one, and never over it before somebody takes it.
  job_id integer not null references job,
  noticed_at text not null check (noticed_at glob ${MOMENT}),
  reply_id integer not null references reply, -- what it said then
  changes_json text not null check (changes_json is null or json_valid(changes_json)), -- metric: [as the result has it, as it is stated]
  taken_at text check (taken_at glob ${MOMENT}), -- when it became the result; null = it did not
  replaced_json text check (replaced_json is null or json_valid(replaced_json)), -- column of result: what stood there before
  primary key (job_id, noticed_at),
  check ((taken_at is null) = (replaced_json is null))
) strict, without rowid;

create table result_check (
  -- When the service was last asked once more for a result that was paid for.
  job_id integer primary key references job,
  checked_at text not null check (checked_at glob ${MOMENT}),
  reply_id integer references reply -- what it said then; null = the same, or nothing that can be compared
) strict, without rowid;
`
