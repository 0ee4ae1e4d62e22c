/** What came back: replies, results and deals, a portion of jobs at a time; then screens, and what was looked at. */
import type Database from 'better-sqlite3'
import { copyRows } from './copy-rows.ts'
import { oursOf } from './pair-rows.ts'
import type { Added } from './report.ts'

const jobsAtOnce = 1_000

/**
 * Which jobs bring a result: those that are done and have none here. Which bring its deals and daily equity alone: those of a result that
 * was pruned here and not there. Call when jobs are there.
 */
export function chooseResults(db: Database.Database): number {
  db.exec(`update temp.paired_job set brings_result = 1
    where exists (select 1 from other.result r where r.job_id = other_id)
      and exists (select 1 from main.job j where j.id = our_id and j.state = 'done')
      and (is_new = 1 or not exists (select 1 from main.result r where r.job_id = our_id))`)
  db.exec(`update temp.paired_job set brings_series = 1
    where is_new = 0 and exists (select 1 from main.result r where r.job_id = our_id and r.pruned_at is not null)
      and exists (select 1 from other.result r where r.job_id = other_id and r.pruned_at is null)`)
  return db.prepare<[], number>('select count(*) from temp.paired_job').pluck().get() ?? 0
}

/** What `bringResults` does, where ours is empty (`isFirstMerge`): every job is new, and done where it has a result. */
export function* bringAllResults(
  db: Database.Database,
  { jobs, added }: { readonly jobs: number; readonly added: ResultCounts },
): Generator<number> {
  for (const [step, [count, table]] of RESULT_TABLES.entries()) {
    added[count] = copyRows(db, table, { rest: '', whole: true })
    yield Math.floor((jobs * (step + 1)) / RESULT_TABLES.length)
  }
}

type ResultCounts = Pick<Added, 'replies' | 'results' | 'deals'>

const RESULT_TABLES = [
  ['replies', 'reply'],
  ['results', 'result'],
  ['deals', 'deal'],
] as const

/** Each portion is a step of the generator, which tells how many jobs are through. Call inside a transaction. */
export function* bringResults(db: Database.Database, added: ResultCounts): Generator<number> {
  const last = db
    .prepare<[number, number], number>(
      'select max(other_id) from (select other_id from temp.paired_job where other_id > ? order by 1 limit ?)',
    )
    .pluck()
  const unprune = db.prepare<[object], unknown>(
    `update main.result set daily_equity_json = o.daily_equity_json, pruned_at = null
     from other.result o join temp.paired_job p on p.other_id = o.job_id
     where main.result.job_id = p.our_id and p.brings_series = 1 and o.job_id > :after and o.job_id <= :until`,
  )
  const joined = 'join temp.paired_job p on p.other_id = o.job_id where o.job_id > :after and o.job_id <= :until'
  let jobs = 0
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const until = last.get(after, jobsAtOnce) ?? null
    if (until === null) return
    const parameters = { after, until }
    added.replies += copyRows(db, 'reply', {
      without: ['id'],
      set: { job_id: 'p.our_id' },
      rest: `${joined} order by o.id
        on conflict (job_id, sha256) do update set final = max(final, excluded.final), body = coalesce(body, excluded.body),
          pruned_at = case when coalesce(body, excluded.body) is null then pruned_at end
        where final < excluded.final or body is null and excluded.body is not null`,
      parameters,
      asChecked: true,
    })
    added.results += copyRows(db, 'result', {
      set: {
        job_id: 'p.our_id',
        reply_id: `(select m.id from other.reply t join main.reply m on m.job_id = p.our_id and m.sha256 = t.sha256 where t.id = o.reply_id)`,
      },
      rest: `${joined} and p.brings_result = 1`,
      parameters,
      asChecked: true,
    })
    added.results += unprune.run(parameters).changes
    added.deals += copyRows(db, 'deal', {
      set: { job_id: 'p.our_id' },
      rest: `${joined} and (p.brings_result = 1 or p.brings_series = 1)`,
      parameters,
      asChecked: true,
    })
    jobs += jobsAtOnce
    yield jobs
    after = until
  }
}

/**
 * What a service said later of results. It was taken here where the result came with it; of a result that was here already it is what
 * somebody may take. Call when results are there.
 */
export function bringRevised(db: Database.Database): void {
  const replyOf =
    '(select m.id from other.reply t join main.reply m on m.job_id = p.our_id and m.sha256 = t.sha256 where t.id = o.reply_id)'
  const joined = 'join temp.paired_job p on p.other_id = o.job_id'
  const whereTaken = (column: string) => `case when p.brings_result = 1 then o.${column} end`
  copyRows(db, 'revised_result', {
    set: {
      job_id: 'p.our_id',
      reply_id: replyOf,
      taken_at: whereTaken('taken_at'),
      replaced_json: whereTaken('replaced_json'),
    },
    rest: `${joined} where true on conflict do nothing`,
  })
  copyRows(db, 'result_check', {
    set: { job_id: 'p.our_id', reply_id: replyOf },
    rest: `${joined} where true on conflict do update set checked_at = excluded.checked_at, reply_id = excluded.reply_id
      where excluded.checked_at > checked_at`,
  })
}

/** Saved screens are whole or not there. */
export function bringScreens(db: Database.Database): number {
  const screens = copyRows(db, 'screen', {
    set: { id: 'p.our_id' },
    rest: 'join temp.paired_screen p on p.other_id = o.id where p.is_new = 1 order by o.id',
  })
  for (const table of ['screen_result', 'screen_parameter'] as const) {
    copyRows(db, table, {
      set: { screen_id: oursOf('screen', 'o.screen_id') },
      rest: 'join temp.paired_screen p on p.other_id = o.screen_id where p.is_new = 1',
    })
  }
  return screens
}

/** Local looks at the same thing are one. Paid ones are counted again from the results, which are exact. Call when results are there. */
export function bringLooks(db: Database.Database): number {
  const local = copyRows(db, 'look', {
    rest: `where o.source <> 'paid' on conflict do update set configs = max(configs, excluded.configs),
      first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)
      where configs < excluded.configs or first_at > excluded.first_at or last_at < excluded.last_at`,
  })
  const paid = db.prepare(
    `insert into main.look (market, period_from, period_to, source, key, configs, first_at, last_at)
     select t.market, t.period_from, t.period_to, 'paid', '', count(distinct j.fingerprint),
       min(coalesce(j.finished_at, j.submitted_at)), max(coalesce(j.finished_at, j.submitted_at))
     from (select distinct market, period_from, period_to from other.look where source = 'paid') s
     cross join main.trial t on t.market = s.market and t.period_from = s.period_from and t.period_to = s.period_to
     cross join main.job j on j.fingerprint = t.fingerprint and j.state = 'done'
     join main.result r on r.job_id = j.id
     where true group by 1, 2, 3
     on conflict do update set configs = excluded.configs, first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)
     where configs <> excluded.configs`,
  )
  return local + paid.run().changes
}
