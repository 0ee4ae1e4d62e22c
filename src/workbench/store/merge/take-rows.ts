/**
 * What a merge takes over, table by table, in the order in which rows refer to each other. Our store is `main`, the other one is attached
 * as `other`; which of its rows are ours already, and what number the rest get, say the pairs (`pairRows` in `merge.ts`).
 *
 * A column that names a row by its number gets our number of that row; the rows of a table without pairs are numbered by the table.
 */
import type Database from 'better-sqlite3'

import type { Added } from './report.ts'

export const PAIRED = ['settings', 'study_run', 'attempt', 'job', 'screen'] as const

interface Taking {
  readonly table: string
  /** Where its new rows are counted. */
  readonly count?: keyof Added
  /** Two rows that agree in these columns are one; absent: what the table itself holds to be one. */
  readonly key?: readonly string[]
  /** SQL of columns whose value is neither theirs (`o`) nor the number of a row. */
  readonly set?: Readonly<Record<string, string>>
  readonly join?: string
  readonly where?: string
  /** What becomes of a row that both have: what follows `on conflict`; absent: ours stays. */
  readonly both?: string
  /**
   * As many rows as there are results, and nothing but numbers of rows changes in them: what the table checks was checked in the copy
   * (`check-other.ts`) and is not computed again. Ours, where it is empty, takes over all of them at once, and what their indexes hold.
   */
  readonly large?: boolean
}

/** A table, or a statement between two of them. */
type Step = Taking | string

const ofNewRevision = (study: string, fingerprint: string) =>
  `join temp.new_revision n on n.name = o.${study} and n.fingerprint = o.${fingerprint}`

/**
 * A name with another definition there becomes a further revision here, in their order behind ours; the one that was run last is the
 * current one, reruns apart: what is a file's own in one of the stores is that. What a revision first resolved, ours or theirs, it keeps.
 */
const NUMBER_REVISIONS = `
  create temp table new_revision as
    select o.name, o.fingerprint, coalesce((select max(number) from main.study s where s.name = o.name), 0)
      + row_number() over (partition by o.name order by o.number) as number,
      not exists (select 1 from main.study s where s.name = o.name) as new_name
    from other.study o where not exists (select 1 from main.study s where s.name = o.name and s.fingerprint = o.fingerprint);
  create index temp.new_revision_of on new_revision (name, fingerprint);
  update main.study set first_saved_at = min(main.study.first_saved_at, o.first_saved_at)
    from other.study o where o.name = main.study.name and o.fingerprint = main.study.fingerprint and o.first_saved_at <> main.study.first_saved_at;
  update main.study set saved_at = o.saved_at, source = o.source, rerun_json = o.rerun_json
    from other.study o where o.name = main.study.name and o.fingerprint = main.study.fingerprint
      and case when (o.rerun_json is null) = (main.study.rerun_json is null) then o.saved_at > main.study.saved_at else o.rerun_json is null end`

const SEARCH = ['study', 'study_fingerprint', 'identity', 'account'] as const
const sameSearch = SEARCH.map((column) => `m.${column} = o.${column}`).join(' and ')
const mostOfOurs = (column: string) => `(select coalesce(max(m.${column}), 0) from main.proposal m where ${sameSearch})`
const ofSearch = `partition by ${SEARCH.map((column) => `o.${column}`).join(', ')}`

/** A trial that both proposed in one role is proposed once. Theirs come after ours, in their order and in batches of their own. */
const NUMBER_PROPOSALS = `
  create temp table new_proposal as
    select o.study, o.study_fingerprint, o.identity, o.account, o.position as their_position,
      ${mostOfOurs('position')} + row_number() over (${ofSearch} order by o.position) as position,
      ${mostOfOurs('batch')} + dense_rank() over (${ofSearch} order by o.batch) as batch
    from other.proposal o where not exists (
      select 1 from main.proposal m where ${sameSearch} and m.role = o.role and m.fingerprint = o.fingerprint);
  create index temp.new_proposal_of on new_proposal (study, study_fingerprint, identity, account, their_position)`

/** A hold-out is opened once: where both stores did, the earlier opening is the one. */
const KEEP_EARLIER_OPENINGS = `
  delete from main.holdout_opening where exists (
    select 1 from other.holdout_opening o where o.study = main.holdout_opening.study and o.opened_at < main.holdout_opening.opened_at);
  update main.holdout_opening set completed_at = o.completed_at from other.holdout_opening o
    where o.study = main.holdout_opening.study and o.opened_at = main.holdout_opening.opened_at
      and main.holdout_opening.completed_at is null and o.completed_at is not null`

/** One that ran while the other store was copied has ended since. */
const END_RUNS = `update main.study_run set ended_at = o.ended_at, requests = o.requests, stopped_by = o.stopped_by
  from other.study_run o join temp.paired_study_run p on p.other_id = o.id
  where p.is_new = 0 and main.study_run.id = p.our_id and main.study_run.ended_at is null and o.ended_at is not null`

/** What was asked: services, settings, trials, studies with their revisions and runs, and what people said of trials. */
const STUDIES: readonly Step[] = [
  { table: 'service', count: 'services' },
  { table: 'settings', count: 'settings', large: true },
  'insert into paired_settings select o.id, s.id, 0 from other.settings o cross join main.settings s on s.hash = o.hash',
  { table: 'trial', count: 'trials', large: true },
  NUMBER_REVISIONS,
  { table: 'study', count: 'revisions', set: { number: 'n.number' }, join: ofNewRevision('name', 'fingerprint') },
  { table: 'study_trial', join: ofNewRevision('study', 'study_fingerprint'), large: true },
  { table: 'study_settings' },
  { table: 'study_archive', where: 'o.name in (select name from temp.new_revision where new_name = 1)' },
  { table: 'study_run', count: 'runs' },
  END_RUNS,
  { table: 'tag', count: 'tags' },
  { table: 'note', count: 'notes', key: ['fingerprint', 'note', 'added_at'] },
  NUMBER_PROPOSALS,
  {
    table: 'proposal',
    count: 'proposals',
    set: { position: 'm.position', batch: 'm.batch' },
    join: `join temp.new_proposal m on ${sameSearch} and m.their_position = o.position`,
  },
  {
    table: 'search_memory', // what was written last is what the proposals that were made last rest on
    both: 'do update set value_json = excluded.value_json, written_at = excluded.written_at where excluded.written_at > written_at',
  },
  { table: 'calibration', count: 'calibrations', key: ['identity', 'made_at', 'study', 'market'] },
  KEEP_EARLIER_OPENINGS,
  { table: 'holdout_opening', count: 'openings' },
]

const isOpen = "o.state in ('intent', 'ambiguous')"
const undecidedBecause = "coalesce(o.reason || '; ', '') || 'it had no answer yet in the store that was merged'"

/**
 * What was sent and paid for; afterwards the allowance counts both stores. An attempt without an answer may have been paid for. Nobody here waits
 * for that answer, and only one attempt of an account may be waiting; so it is undecided, from this moment on counted, and its trial is not sent
 * again until a person settles it (`dcalab service jobs resolve`) or a later merge of the same store brings its job.
 */
const LEDGER: readonly Step[] = [
  {
    table: 'attempt',
    count: 'attempts',
    join: 'left join temp.renamed_attempt r on r.other_id = o.id',
    set: {
      number: 'coalesce(r.number, o.number)',
      name: 'coalesce(r.name, o.name)',
      state: `case when ${isOpen} then 'undecided' else o.state end`,
      unsure_since: `case when ${isOpen} then coalesce(o.unsure_since, :at) else o.unsure_since end`,
      counted_at: `case when ${isOpen} then coalesce(o.counted_at, :at) else o.counted_at end`,
      settled_at: 'coalesce(o.settled_at, :at)',
      reason: `case when ${isOpen} then ${undecidedBecause} else o.reason end`,
    },
  },
  { table: 'job', count: 'jobs', set: { duplicate: 'p.duplicate' }, large: true },
  // What we saw in the service's list and took for somebody else's is ours now, and counts once.
  'delete from main.foreign_job where (identity, remote_id) in (select identity, remote_id from main.job)',
  {
    table: 'foreign_job',
    count: 'foreignJobs',
    where: 'not exists (select 1 from main.job j where j.identity = o.identity and j.remote_id = o.remote_id)',
  },
  { table: 'promotion', count: 'promotions' },
  { table: 'bot_order', count: 'botOrders' },
]

/** How many attempts will be undecided. Call when rows are paired. */
export function countOpen(db: Database.Database): number {
  const open = db.prepare<[], number>(
    `select count(*) from other.attempt o join temp.paired_attempt p on p.other_id = o.id where p.is_new = 1 and ${isOpen}`,
  )
  return open.pluck().get() ?? 0
}

const ofPairedJob = 'join temp.paired_job q on q.other_id = o.job_id'

/** What came back; taken for some jobs at a time, which `JOBS_AT_ONCE` names. */
const RESULTS: readonly Taking[] = [
  {
    table: 'reply',
    count: 'replies',
    join: ofPairedJob,
    both: `do update set final = max(final, excluded.final), body = coalesce(body, excluded.body),
      pruned_at = case when coalesce(body, excluded.body) is null then pruned_at end
      where final < excluded.final or body is null and excluded.body is not null`,
    large: true,
  },
  { table: 'result', count: 'results', join: `${ofPairedJob} and q.brings_result = 1`, large: true },
  {
    table: 'deal',
    count: 'deals',
    join: `${ofPairedJob} and (q.brings_result = 1 or q.brings_series = 1)`,
    large: true,
  },
]

const whereTaken = (column: string) => `case when q.brings_result = 1 then o.${column} end`
const ofNewScreen = 'join temp.paired_screen q on q.other_id = o.screen_id and q.is_new = 1'
const EXAMINATION = ['fingerprint', 'identity', 'settings', 'basis', 'begun_at', 'finished_at']

/** What rests on results: what a service said of them later, screens (whole or not there), what was seen, examinations, verdicts, bots. */
const AFTER_RESULTS: readonly Step[] = [
  {
    table: 'revised_result', // taken here where the result came with it; of one that was here already it is what somebody may take
    join: ofPairedJob,
    set: { taken_at: whereTaken('taken_at'), replaced_json: whereTaken('replaced_json') },
  },
  {
    table: 'result_check',
    both: 'do update set checked_at = excluded.checked_at, reply_id = excluded.reply_id where excluded.checked_at > checked_at',
  },
  { table: 'screen', count: 'screens' },
  { table: 'screen_result', join: ofNewScreen },
  { table: 'screen_parameter', join: ofNewScreen },
  {
    table: 'tried', // what was tried here and there on the same thing is one
    count: 'tried',
    where: "o.source <> 'paid'",
    both: `do update set configs = max(configs, excluded.configs), first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)
      where configs < excluded.configs or first_at > excluded.first_at or last_at < excluded.last_at`,
  },
  'create temp table known_examination as select coalesce(max(id), 0) as last from main.examination',
  {
    table: 'examination', // one that was interrupted is taken up by the store that began it
    count: 'examinations',
    where: 'o.finished_at is not null',
    key: EXAMINATION,
  },
  {
    table: 'examination_check',
    set: { examination: 'n.id' },
    join: `join other.examination e on e.id = o.examination
      join main.examination n on n.id > (select last from temp.known_examination) and ${EXAMINATION.map((column) => `n.${column} is e.${column}`).join(' and ')}`,
  },
  { table: 'verdict', key: ['fingerprint', 'identity', 'settings', 'study', 'judged_at'] },
  { table: 'drift_check', count: 'driftChecks', key: ['identity', 'bot_id', 'checked_at'] },
]

/** Every table with the rows that are brought, in the order of a merge. */
export const STEPS = { studies: STUDIES, ledger: LEDGER, results: RESULTS, afterResults: AFTER_RESULTS }

export interface TakeOptions {
  /** Ours has no row that theirs could be the same as, or refer to (`isFirstMerge`). */
  readonly isEmpty: boolean
  readonly parameters?: Readonly<Record<string, string | number>>
  /** More that holds of the rows that are taken. */
  readonly which?: string
}

/** Each step in order; new rows are counted in `added`. Call inside a transaction. */
export function takeAll(db: Database.Database, steps: readonly Step[], added: Added, options: TakeOptions): void {
  for (const step of steps) {
    if (typeof step === 'string') db.exec(step)
    else takeRows(db, step, added, options)
  }
}

function takeRows(db: Database.Database, taking: Taking, added: Added, options: TakeOptions): void {
  const { table, count, large = false } = taking
  const whole = large && options.isEmpty && isLaidOutAlike(db, table)
  const insert = whole ? `insert into main.${table} select * from other.${table}` : insertOf(db, taking, options.which)
  if (large) db.pragma('ignore_check_constraints = ON')
  try {
    const { changes } = db.prepare<[object], unknown>(insert).run(whole ? {} : (options.parameters ?? {}))
    if (count !== undefined) added[count] += changes
  } finally {
    if (large) db.pragma('ignore_check_constraints = OFF')
  }
}

/** Columns that name a row by its number, and the pairs that have ours. */
const NUMBERS: Readonly<Record<string, (typeof PAIRED)[number]>> = {
  settings_id: 'settings',
  study_run_id: 'study_run',
  attempt_id: 'attempt',
  job_id: 'job',
  screen_id: 'screen',
}

const REPLY = `(select m.id from other.reply t join main.reply m on m.sha256 = t.sha256 and m.job_id = (select our_id from temp.paired_job where other_id = o.job_id)
  where t.id = o.reply_id)`

function cellOf(column: string, { set = {} }: Taking): string {
  if (Object.hasOwn(set, column)) return set[column]
  if (column === 'reply_id') return REPLY
  if (column === 'id') return 'p.our_id'
  if (Object.hasOwn(NUMBERS, column))
    return `(select our_id from temp.paired_${NUMBERS[column]} where other_id = o.${column})`
  return `o.${column}`
}

/** Every column that both have; what an analyst added to ours is left at its default. */
function insertOf(db: Database.Database, taking: Taking, which: string | undefined): string {
  const { table, key, join = '', where, both = 'do nothing' } = taking
  const theirs = columnsOf(db, table, 'other')
  const isPaired = table !== 'settings' && PAIRED.some((paired) => paired === table)
  const columns = columnsOf(db, table, 'main').filter((name) => theirs.includes(name) && (name !== 'id' || isPaired))
  const conditions = [
    ...(isPaired ? ['p.is_new = 1'] : []),
    ...(key === undefined
      ? []
      : [
          `not exists (select 1 from main.${table} k where ${key.map((name) => `k.${name} is o.${name}`).join(' and ')})`,
        ]),
    ...(where === undefined ? [] : [where]),
    which ?? 'true',
  ]
  return `insert into main.${table} (${columns.join(', ')})
    select ${columns.map((name) => cellOf(name, taking)).join(', ')} from other.${table} o
    ${isPaired ? `join temp.paired_${table} p on p.other_id = o.id` : ''} ${join}
    where ${conditions.join(' and ')} ${theirs.includes('id') ? 'order by o.id' : ''} on conflict ${both}`
}

function columnsOf(db: Database.Database, table: string, schema: 'main' | 'other'): readonly string[] {
  return db.prepare<[string, string], string>('select name from pragma_table_info(?, ?)').pluck().all(table, schema)
}

/** An analyst may have added a column to ours. */
function isLaidOutAlike(db: Database.Database, table: string): boolean {
  return columnsOf(db, table, 'main').join() === columnsOf(db, table, 'other').join()
}
