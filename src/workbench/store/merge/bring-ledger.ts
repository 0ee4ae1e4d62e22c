/** What was sent and paid for: attempts, jobs of ours and of others, promotions. Afterwards the allowance counts both stores. */
import type Database from 'better-sqlite3'
import type { AttemptState, PromotionState } from '../states.ts'
import { copyRows } from './copy-rows.ts'
import { reconcileAttempt, reconcilePromotion } from './legal-moves.ts'
import { oursOf } from './pair-rows.ts'
import type { Added, Advanced } from './report.ts'

const PARKED_BECAUSE = 'it had no answer yet in the store that was merged'
const isOpen = "o.state in ('intent', 'ambiguous')"

/** Call inside a transaction, when there are no disagreements. `at`: ISO 8601 UTC. `whole`: ours is empty (`isFirstMerge`). */
export function bringLedger(
  db: Database.Database,
  { at, whole }: { readonly at: string; readonly whole: boolean },
): { readonly added: Partial<Added>; readonly advanced: Advanced; readonly parked: number } {
  const advancedAttempts = advanceAttempts(db, at)
  const parked = countOpen(db)
  const attempts = bringAttempts(db, { at, whole: whole && parked === 0 })
  const jobs = copyRows(db, 'job', {
    set: { id: 'p.our_id', attempt_id: 'a.our_id', duplicate: 'p.duplicate' },
    rest: `join temp.paired_job p on p.other_id = o.id join temp.paired_attempt a on a.other_id = o.attempt_id
      where p.is_new = 1 order by o.id`,
    asChecked: true,
    whole,
  })
  const advancedJobs = advanceJobs(db)
  // What we saw in the service's list and took for a stranger's is ours now, and counts once.
  db.exec('delete from main.foreign_job where (identity, remote_id) in (select identity, remote_id from main.job)')
  const foreignJobs = copyRows(db, 'foreign_job', {
    rest: `where not exists (select 1 from main.job j where j.identity = o.identity and j.remote_id = o.remote_id)
      on conflict do nothing`,
  })
  const { promotions, advancedPromotions } = bringPromotions(db)
  const botOrders = copyRows(db, 'bot_order', { without: ['id'], rest: 'where true on conflict do nothing' })
  return {
    added: { attempts, jobs, foreignJobs, promotions, botOrders },
    advanced: { attempts: advancedAttempts, jobs: advancedJobs, promotions: advancedPromotions },
    parked,
  }
}

/**
 * An attempt without an answer may have been paid for. Nobody here waits for that answer, and only one attempt of an account may be
 * waiting; so it is parked, from this moment on counted, and its trial is not sent again until a person settles it
 * (`dcalab service jobs resolve`) or a later merge of the same store brings its job.
 */
function bringAttempts(db: Database.Database, { at, whole }: { readonly at: string; readonly whole: boolean }): number {
  return copyRows(db, 'attempt', {
    set: {
      id: 'p.our_id',
      number: 'coalesce(r.number, o.number)',
      name: 'coalesce(r.name, o.name)',
      settings_id: oursOf('settings', 'o.settings_id'),
      study_run_id: oursOf('study_run', 'o.study_run_id'),
      state: `case when ${isOpen} then 'parked' else o.state end`,
      unsure_since: `case when ${isOpen} then coalesce(o.unsure_since, :at) else o.unsure_since end`,
      counted_at: `case when ${isOpen} then coalesce(o.counted_at, :at) else o.counted_at end`,
      settled_at: 'coalesce(o.settled_at, :at)',
      reason: `case when ${isOpen} then coalesce(o.reason || '; ', '') || '${PARKED_BECAUSE}' else o.reason end`,
    },
    rest: `join temp.paired_attempt p on p.other_id = o.id left join temp.renamed_attempt r on r.other_id = o.id
      where p.is_new = 1 order by o.id`,
    parameters: { at },
    whole,
  })
}

function countOpen(db: Database.Database): number {
  const open = db.prepare<[], number>(
    `select count(*) from other.attempt o join temp.paired_attempt p on p.other_id = o.id where p.is_new = 1 and ${isOpen}`,
  )
  return open.pluck().get() ?? 0
}

interface StatePair<State> {
  readonly otherId: number
  readonly ourId: number
  readonly ours: State
  readonly theirs: State
}

function advanceAttempts(db: Database.Database, at: string): number {
  const pairs = db.prepare<[], StatePair<AttemptState>>(
    `select o.id as otherId, a.id as ourId, a.state as ours, o.state as theirs
     from temp.paired_attempt p join main.attempt a on a.id = p.our_id join other.attempt o on o.id = p.other_id
     where p.is_new = 0 and a.state <> o.state`,
  )
  const move = db.prepare<[object], unknown>(
    `update main.attempt set state = :state, settled_at = coalesce(o.settled_at, :at),
       counted_at = case when :state = 'released' then null else coalesce(main.attempt.counted_at, o.counted_at, :at) end,
       unsure_since = coalesce(main.attempt.unsure_since, o.unsure_since, case when :state = 'ambiguous' then :at end),
       reply_status = coalesce(o.reply_status, main.attempt.reply_status), reply_code = coalesce(o.reply_code, main.attempt.reply_code),
       reply_text = coalesce(o.reply_text, main.attempt.reply_text), reason = coalesce(o.reason, main.attempt.reason)
     from other.attempt o where o.id = :otherId and main.attempt.id = :ourId`,
  )
  let advanced = 0
  for (const { otherId, ourId, ours, theirs } of pairs.all()) {
    const found = reconcileAttempt(ours, theirs)
    if (found === 'disagree' || found.moves.length === 0) continue
    for (const state of found.moves) move.run({ state, at, otherId, ourId })
    advanced++
  }
  return advanced
}

/** A job that had not ended here and has there. Its result follows with those of new jobs. */
function advanceJobs(db: Database.Database): number {
  const theirs = 'from other.job o join temp.paired_job p on p.other_id = o.id'
  db.exec(`update main.job set deleted_at = o.deleted_at ${theirs}
    where p.is_new = 0 and main.job.id = p.our_id and main.job.deleted_at is null and o.deleted_at is not null`)
  const end = db.prepare(
    `update main.job set state = o.state, remote_state = o.remote_state, finished_at = o.finished_at, last_seen_at = o.last_seen_at,
       missing_since = null, failure = o.failure, name = coalesce(o.name, main.job.name) ${theirs}
     where p.is_new = 0 and main.job.id = p.our_id and main.job.state in ('running', 'stalled', 'gone') and o.state in ('done', 'failed')`,
  )
  return end.run().changes
}

/** Theirs where we have none; of those in both stores, the one that knows more of the bot is followed. */
function bringPromotions(db: Database.Database): { promotions: number; advancedPromotions: number } {
  const pairs = db.prepare<[], StatePair<PromotionState>>(
    `select o.id as otherId, m.id as ourId, m.state as ours, o.state as theirs
     from main.promotion m join other.promotion o on o.identity = m.identity and o.account = m.account and o.fingerprint = m.fingerprint`,
  )
  const move = db.prepare<[object], unknown>(
    `update main.promotion set state = :state, bot_id = o.bot_id, name = o.name, plan_hash = o.plan_hash,
       settled_at = o.settled_at, started_at = coalesce(main.promotion.started_at, o.started_at), reason = o.reason,
       plan_json = o.plan_json, accepted_json = o.accepted_json, body_json = o.body_json, validation_json = o.validation_json,
       bot_json = o.bot_json,
       settings_id = ${oursOf('settings', 'o.settings_id')}
     from other.promotion o where o.id = :otherId and main.promotion.id = :ourId`,
  )
  let advancedPromotions = 0
  for (const { otherId, ourId, ours, theirs } of pairs.all()) {
    const found = reconcilePromotion(ours, theirs)
    if (found === 'disagree' || found.moves.length === 0) continue
    for (const state of found.moves) move.run({ state, otherId, ourId })
    advancedPromotions++
  }
  const promotions = copyRows(db, 'promotion', {
    without: ['id'],
    set: { settings_id: oursOf('settings', 'o.settings_id') },
    rest: 'where true order by o.id on conflict do nothing',
  })
  return { promotions, advancedPromotions }
}
