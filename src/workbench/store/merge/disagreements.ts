/** Where two stores say different things of one thing. Both cannot be true, so that a person has to look before they become one. */
import type Database from 'better-sqlite3'
import { METRICS } from '../../../contract/metrics.ts'
import type { Problem } from '../../../errors.ts'
import type { AttemptState, PromotionState } from '../states.ts'
import { reconcileAttempt, reconcilePromotion } from './legal-moves.ts'

/** All of them, in the order of services, jobs, attempts, bots. Call when rows are paired. */
export function findDisagreements(db: Database.Database): readonly Problem[] {
  return [...ofServices(db), ...ofJobs(db), ...ofAttempts(db), ...ofPromotions(db)]
}

function ofServices(db: Database.Database): Problem[] {
  const rows = db.prepare<[], { identity: string }>(
    'select s.identity from main.service s join other.service o on o.identity = s.identity where o.simulated <> s.simulated',
  )
  return rows.all().map(({ identity }) => ({
    place: `service ${identity}`,
    message: 'is our embedded service in one store and a stranger’s in the other',
  }))
}

interface JobPair {
  readonly identity: string
  readonly remoteId: string
  readonly ours: string
  readonly theirs: string
  readonly ourTrial: string
  readonly theirTrial: string
  readonly numbersDiffer: number
}

const NUMBERS = [
  ...Object.values(METRICS).map(({ column, since }) => ({ column, since })),
  { column: 'deals_told', since: 1 },
  { column: 'sample_size', since: 1 },
]

/** A number that came with a later layout is missing from results that were read before it, which says nothing against the other store. */
function differsIn({ column, since }: (typeof NUMBERS)[number]): string {
  return `r.${column} ${since > 1 ? '<>' : 'is not'} b.${column}`
}

/** A service may spell the same reply in two ways; it disagrees when the numbers read from it do. */
function ofJobs(db: Database.Database): Problem[] {
  const differ = NUMBERS.map(differsIn).join(' or ')
  const rows = db.prepare<[], JobPair>(
    `select j.identity, j.remote_id as remoteId, j.state as ours, o.state as theirs, j.fingerprint as ourTrial, o.fingerprint as theirTrial,
       coalesce(x.sha256 is not y.sha256 and (${differ}), 0)
         and not exists (select 1 from main.revised_result v where v.job_id = j.id)
         and not exists (select 1 from other.revised_result v where v.job_id = o.id) as numbersDiffer
     from temp.paired_job p join main.job j on j.id = p.our_id join other.job o on o.id = p.other_id
     left join main.result r on r.job_id = j.id left join main.reply x on x.id = r.reply_id
     left join other.result b on b.job_id = o.id left join other.reply y on y.id = b.reply_id
     where p.is_new = 0 and (j.fingerprint <> o.fingerprint or j.state in ('done', 'failed') and o.state in ('done', 'failed') and j.state <> o.state
       or r.job_id is not null and b.job_id is not null and numbersDiffer)
     order by j.id`,
  )
  return rows.all().map((pair) => ({ place: `job ${pair.remoteId} of ${pair.identity}`, message: wordsOf(pair) }))
}

function wordsOf({ ours, theirs, ourTrial, theirTrial, numbersDiffer }: JobPair): string {
  if (ourTrial !== theirTrial) return `is trial ${digits(ourTrial)} here and ${digits(theirTrial)} there`
  if (ours !== theirs && numbersDiffer === 0) return `is ${ours} here and ${theirs} there`
  return `of trial ${digits(ourTrial)} has another reply there, with other numbers`
}

interface AttemptPair {
  readonly name: string
  readonly identity: string
  readonly ours: AttemptState
  readonly theirs: AttemptState
}

function ofAttempts(db: Database.Database): Problem[] {
  const rows = db.prepare<[], AttemptPair>(
    `select a.name, a.identity, a.state as ours, o.state as theirs
     from temp.paired_attempt p join main.attempt a on a.id = p.our_id join other.attempt o on o.id = p.other_id
     where p.is_new = 0 and a.state <> o.state order by a.id`,
  )
  return rows
    .all()
    .filter(({ ours, theirs }) => reconcileAttempt(ours, theirs) === 'disagree')
    .map(({ name, identity, ours, theirs }) => ({
      place: `attempt ${name} of ${identity}`,
      message: `is ${ours} here and ${theirs} there`,
    }))
}

interface PromotionPair {
  readonly fingerprint: string
  readonly identity: string
  readonly account: string
  readonly ours: PromotionState
  readonly theirs: PromotionState
  readonly ourBot: string | null
  readonly theirBot: string | null
}

function ofPromotions(db: Database.Database): Problem[] {
  const rows = db.prepare<[], PromotionPair>(
    `select m.fingerprint, m.identity, m.account, m.state as ours, o.state as theirs, m.bot_id as ourBot, o.bot_id as theirBot
     from main.promotion m join other.promotion o on o.identity = m.identity and o.account = m.account and o.fingerprint = m.fingerprint
     order by m.id`,
  )
  return rows.all().flatMap(({ fingerprint, identity, account, ours, theirs, ourBot, theirBot }) => {
    const otherBot = ourBot !== null && theirBot !== null && ourBot !== theirBot
    if (!otherBot && reconcilePromotion(ours, theirs) !== 'disagree') return []
    const words = otherBot ? `is bot ${ourBot} here and ${theirBot} there` : `is ${ours} here and ${theirs} there`
    return [{ place: `promotion of ${digits(fingerprint)} by ${account || identity}`, message: words }]
  })
}

function digits(fingerprint: string): string {
  return fingerprint.slice(0, 12)
}
