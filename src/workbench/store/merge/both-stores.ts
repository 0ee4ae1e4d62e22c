/**
 * Rows that are in both stores, and what the two say of them: where both cannot be true a person has to look before they become one; where
 * the other store knows more, ours follows, by legal moves only.
 */
import type Database from 'better-sqlite3'
import { METRICS } from '../../../contract/metrics.ts'
import type { Problem } from '../../../errors.ts'
import { ATTEMPT_MOVES, type AttemptState, PROMOTION_MOVES, type PromotionState } from '../states.ts'
import { type Listed, type MergeReport, MOST_NAMED, type OtherNumber } from './report.ts'

/** `moves`: the states to go through, none = ours stays as it is. */
type Reconciliation = { readonly moves: readonly string[] } | 'disagree'

const stay: Reconciliation = { moves: [] }

/** What an attempt came to: it has a job, the service refused it for good, or it is as if it had never been. */
const CAME_TO: Readonly<Record<AttemptState, 'open' | 'job' | 'refusal' | 'nothing'>> = {
  intent: 'open',
  ambiguous: 'open',
  undecided: 'open',
  acked: 'job',
  adopted: 'job',
  rejected: 'refusal',
  released: 'nothing',
  absent: 'nothing',
}

/**
 * Of the same attempt. An open one says nothing: ours stays. What the other store found out, ours follows, if need be in the words of
 * a later state: an attempt that was undecided here and acknowledged there is `adopted`. One that was refused there stays undecided here,
 * where a person decides. That nothing came of it is not taken on another store's word: it would set a trial free to be paid for again,
 * and our own run, or a person, asks the service.
 */
export function reconcileAttempt(ours: AttemptState, theirs: AttemptState): Reconciliation {
  if (CAME_TO[theirs] === 'open' || CAME_TO[ours] === CAME_TO[theirs]) return stay
  if (CAME_TO[ours] !== 'open') return 'disagree'
  if (CAME_TO[theirs] === 'nothing') return stay
  const path = pathBetween(ATTEMPT_MOVES, ours, theirs)
  return { moves: path ?? (CAME_TO[theirs] === 'job' ? pathBetween(ATTEMPT_MOVES, ours, 'adopted') : undefined) ?? [] }
}

/** How much is known of a bot; the further one is followed. */
const KNOWN: Readonly<Record<PromotionState, number>> = {
  released: 0,
  intent: 1,
  ambiguous: 2,
  created: 3,
  verified: 4,
  alarmed: 4,
}

/** Of the same trial and account. Where the other store may have made a bot, ours takes that over and makes none. */
export function reconcilePromotion(ours: PromotionState, theirs: PromotionState): Reconciliation {
  if (KNOWN[ours] === KNOWN[theirs]) return ours === theirs ? stay : 'disagree'
  if (KNOWN[ours] > KNOWN[theirs]) return stay
  return { moves: pathBetween(PROMOTION_MOVES, ours, theirs) ?? [] }
}

/** The states after `from`, up to `to`, by the shortest way; undefined where there is none. */
function pathBetween<State extends string>(
  moves: Readonly<Record<State, readonly State[]>>,
  from: State,
  to: State,
): readonly State[] | undefined {
  const ways: (readonly State[])[] = [[]]
  const seen = new Set<State>([from])
  for (const way of ways) {
    const here = way.at(-1) ?? from
    if (here === to) return way
    for (const next of moves[here]) {
      if (seen.has(next)) continue
      seen.add(next)
      ways.push([...way, next])
    }
  }
  return undefined
}

/** What contradicts, in the order of services, jobs, attempts, bots. Call when rows are paired. */
export function findDisagreements(db: Database.Database): readonly Problem[] {
  return [...ofServices(db), ...ofJobs(db), ...ofResults(db), ...ofAttempts(db), ...ofPromotions(db)]
}

function ofServices(db: Database.Database): Problem[] {
  const rows = db.prepare<[], { identity: string }>(
    'select s.identity from main.service s join other.service o on o.identity = s.identity where o.simulated <> s.simulated',
  )
  return rows.all().map(({ identity }) => ({
    place: `service ${identity}`,
    message: 'is our embedded service in one store and an unknown service’s in the other',
  }))
}

interface JobPair {
  readonly identity: string
  readonly remoteId: string
  readonly ours: string
  readonly theirs: string
  readonly ourTrial: string
  readonly theirTrial: string
}

function ofJobs(db: Database.Database): Problem[] {
  const rows = db.prepare<[], JobPair>(
    `select j.identity, j.remote_id as remoteId, j.state as ours, o.state as theirs, j.fingerprint as ourTrial, o.fingerprint as theirTrial
     from temp.paired_job p join main.job j on j.id = p.our_id join other.job o on o.id = p.other_id
     where p.is_new = 0 and (j.fingerprint <> o.fingerprint
       or j.state in ('done', 'failed') and o.state in ('done', 'failed') and j.state <> o.state) order by j.id`,
  )
  return rows.all().map(({ identity, remoteId, ours, theirs, ourTrial, theirTrial }) => ({
    place: `job ${remoteId} of ${identity}`,
    message:
      ourTrial === theirTrial
        ? `is ${ours} here and ${theirs} there`
        : `is trial ${digits(ourTrial)} here and ${digits(theirTrial)} there`,
  }))
}

const NUMBERS = [
  ...Object.values(METRICS).map(({ column, since }) => ({ column, since })),
  { column: 'deals_reported', since: 1 },
  { column: 'sample_size', since: 1 },
]

/** A number that came with a later layout is missing from results that were read before it, which says nothing against the other store. */
const FIRST_DIFFERENCE = `case ${NUMBERS.map(
  ({ column, since }) =>
    `when r.${column} ${since > 1 ? '<>' : 'is not'} b.${column} then json_array('${column}', r.${column}, b.${column})`,
).join(' ')} end`

/**
 * Results of one job that differ, by the first number that does. `isRead`: from the same reply, or the service has stated it in two ways since, so that
 * neither store is wrong about what it received; a reply that is only spelled otherwise holds the same numbers.
 */
function* differingResults(db: Database.Database, isRead: boolean): Generator<OtherNumber> {
  const rows = db.prepare<[], Omit<OtherNumber, 'column' | 'ours' | 'theirs'> & { readonly difference: string }>(
    `select j.identity, j.remote_id as job, j.fingerprint as trial, ${FIRST_DIFFERENCE} as difference
     from temp.paired_job p join main.job j on j.id = p.our_id
     join main.result r on r.job_id = p.our_id join main.reply x on x.id = r.reply_id
     join other.result b on b.job_id = p.other_id join other.reply y on y.id = b.reply_id
     where p.is_new = 0 and difference is not null and ${isRead ? '' : 'not'} (x.sha256 is y.sha256
       or exists (select 1 from main.revised_result v where v.job_id = p.our_id)
       or exists (select 1 from other.revised_result v where v.job_id = p.other_id)) order by j.id`,
  )
  for (const { difference, ...row } of rows.iterate()) {
    const [column, ours, theirs] = JSON.parse(difference) as [string, number | null, number | null] // as FIRST_DIFFERENCE makes it
    yield { ...row, column, ours, theirs }
  }
}

function ofResults(db: Database.Database): Problem[] {
  return Array.from(differingResults(db, false), ({ identity, job, trial, column, ours, theirs }) => ({
    place: `job ${job} of ${identity}`,
    message: `of trial ${digits(trial)} has another reply there: ${column} is ${ours} here and ${theirs} there`,
  }))
}

/** Results that were read otherwise from what both received: ours stay. The first of them, and how many there are. */
export function findOtherNumbers(db: Database.Database): Listed<OtherNumber> {
  const first: OtherNumber[] = []
  let count = 0
  for (const found of differingResults(db, true)) if (count++ < MOST_NAMED) first.push(found)
  return { count, first }
}

interface StatePair<State> {
  readonly otherId: number
  readonly ourId: number
  readonly place: string
  readonly ours: State
  readonly theirs: State
  readonly ourBot: string | null
  readonly theirBot: string | null
}

function attemptPairs(db: Database.Database): readonly StatePair<AttemptState>[] {
  return db
    .prepare<[], StatePair<AttemptState>>(
      `select o.id as otherId, a.id as ourId, 'attempt ' || a.name || ' of ' || a.identity as place, a.state as ours, o.state as theirs
       from temp.paired_attempt p join main.attempt a on a.id = p.our_id join other.attempt o on o.id = p.other_id
       where p.is_new = 0 and a.state <> o.state order by a.id`,
    )
    .all()
}

function ofAttempts(db: Database.Database): Problem[] {
  return attemptPairs(db)
    .filter(({ ours, theirs }) => reconcileAttempt(ours, theirs) === 'disagree')
    .map(({ place, ours, theirs }) => ({ place, message: `is ${ours} here and ${theirs} there` }))
}

function promotionPairs(db: Database.Database): readonly StatePair<PromotionState>[] {
  return db
    .prepare<[], StatePair<PromotionState>>(
      `select o.id as otherId, m.id as ourId, m.state as ours, o.state as theirs, m.bot_id as ourBot, o.bot_id as theirBot,
         'promotion of ' || substr(m.fingerprint, 1, 12) || ' by ' || coalesce(nullif(m.account, ''), m.identity) as place
       from main.promotion m join other.promotion o on o.identity = m.identity and o.account = m.account and o.fingerprint = m.fingerprint
       order by m.id`,
    )
    .all()
}

function ofPromotions(db: Database.Database): Problem[] {
  return promotionPairs(db).flatMap(({ place, ours, theirs, ourBot, theirBot }) => {
    const otherBot = ourBot !== null && theirBot !== null && ourBot !== theirBot
    if (!otherBot && reconcilePromotion(ours, theirs) !== 'disagree') return []
    return [
      {
        place,
        message: otherBot ? `is bot ${ourBot} here and ${theirBot} there` : `is ${ours} here and ${theirs} there`,
      },
    ]
  })
}

function digits(fingerprint: string): string {
  return fingerprint.slice(0, 12)
}

/** Rows of ours whose end the other store knows. Results of jobs follow with those of new jobs. Call inside a transaction. `at`: ISO 8601 UTC. */
export function advanceAttempts(db: Database.Database, at: string): number {
  return advance(attemptPairs(db), reconcileAttempt, {
    move: db.prepare<[object], unknown>(
      `update main.attempt set state = :state, settled_at = coalesce(o.settled_at, :at),
         counted_at = case when :state = 'released' then null else coalesce(main.attempt.counted_at, o.counted_at, :at) end,
         unsure_since = coalesce(main.attempt.unsure_since, o.unsure_since, case when :state = 'ambiguous' then :at end),
         reply_status = coalesce(o.reply_status, main.attempt.reply_status), reply_code = coalesce(o.reply_code, main.attempt.reply_code),
         reply_text = coalesce(o.reply_text, main.attempt.reply_text), reason = coalesce(o.reason, main.attempt.reason)
       from other.attempt o where o.id = :otherId and main.attempt.id = :ourId`,
    ),
    at,
  })
}

/** A job that had not ended here and has there, or that the service no longer has. Call as `advanceAttempts`. */
export function advanceJobs(db: Database.Database): number {
  const theirs =
    'from other.job o join temp.paired_job p on p.other_id = o.id where p.is_new = 0 and main.job.id = p.our_id'
  db.exec(
    `update main.job set deleted_at = o.deleted_at ${theirs} and main.job.deleted_at is null and o.deleted_at is not null`,
  )
  return db
    .prepare(
      `update main.job set state = o.state, remote_state = o.remote_state, finished_at = o.finished_at, last_seen_at = o.last_seen_at,
         missing_since = null, failure = o.failure, name = coalesce(o.name, main.job.name)
       ${theirs} and main.job.state in ('running', 'stalled', 'gone') and o.state in ('done', 'failed')`,
    )
    .run().changes
}

/** Of bots in both stores, the one that knows more of it is followed. Call as `advanceAttempts`, before new bots come. */
export function advancePromotions(db: Database.Database, at: string): number {
  return advance(promotionPairs(db), reconcilePromotion, {
    move: db.prepare<[object], unknown>(
      `update main.promotion set state = :state, bot_id = o.bot_id, name = o.name, plan_hash = o.plan_hash,
         settled_at = o.settled_at, started_at = coalesce(main.promotion.started_at, o.started_at), reason = o.reason,
         plan_json = o.plan_json, accepted_json = o.accepted_json, body_json = o.body_json, validation_json = o.validation_json,
         bot_json = o.bot_json, settings_id = (select our_id from temp.paired_settings where other_id = o.settings_id)
       from other.promotion o where o.id = :otherId and main.promotion.id = :ourId`,
    ),
    at,
  })
}

function advance<State>(
  pairs: readonly StatePair<State>[],
  reconcile: (ours: State, theirs: State) => Reconciliation,
  { move, at }: { readonly move: Database.Statement<[object]>; readonly at: string },
): number {
  let advanced = 0
  for (const { otherId, ourId, ours, theirs } of pairs) {
    const found = reconcile(ours, theirs)
    if (found === 'disagree' || found.moves.length === 0) continue
    for (const state of found.moves) move.run({ state, at, otherId, ourId })
    advanced++
  }
  return advanced
}

interface OpeningPair {
  readonly study: string
  readonly ourAt: string
  readonly ourBy: string
  readonly theirAt: string
  readonly theirBy: string
}

/** Hold-outs that both stores opened, one apart from the other: the earlier opening stays. Call before openings are brought. */
export function findOpenedTwice(db: Database.Database): MergeReport['openedTwice'] {
  const pairs = db.prepare<[], OpeningPair>(
    `select m.study, m.opened_at as ourAt, m.opened_by as ourBy, o.opened_at as theirAt, o.opened_by as theirBy
     from main.holdout_opening m join other.holdout_opening o on o.study = m.study
     where (o.opened_at, o.opened_by, o.identity) <> (m.opened_at, m.opened_by, m.identity) order by m.study`,
  )
  return pairs.all().map(({ study, ourAt, ourBy, theirAt, theirBy }) => {
    const [ours, theirs] = [
      { at: ourAt, by: ourBy },
      { at: theirAt, by: theirBy },
    ]
    return theirAt < ourAt ? { study, kept: theirs, dropped: ours } : { study, kept: ours, dropped: theirs }
  })
}
