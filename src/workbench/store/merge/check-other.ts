/**
 * What is wrong with a store that nobody vouches for. Its tables are ours, so SQLite itself checks types, checks and references; the rest
 * is what our program would never write, and what is not what its name says: names that are hashes are computed again, and results are
 * read again from the replies beside them.
 */

import { hash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type Database from 'better-sqlite3'
import { marketName } from '../../../contract/market.ts'
import type { ResultReading } from '../../../contract/result-reading.ts'
import { codeOf } from '../../../sqlite/sqlite-file.ts'
import { prepared } from '../../../sqlite/statements.ts'
import { nameTrialsOn, settingsFingerprint } from '../../study/fingerprint.ts'
import type { ReadingRules } from '../reparse.ts'
import { dealsDiffer, replaceDeals, resultColumns } from '../results.ts'
import { settingsFromColumns } from '../settings-row.ts'
import { columnsToConfig, msOf, type RowOf } from '../tables.ts'
import { type DeniedNumber, type Listed, MOST_NAMED } from './report.ts'

/** No reply of a service is read beyond 8 MiB, and no series is longer than its reply; everything else is written by people or names something. */
const LONG = /^(body|.*_json)$/
const mostBytes = (column: string) => (LONG.test(column) ? 16e6 : 4e6)

/**
 * In any layout: values that break a rule of their table or refer to nothing, and such as are too long. The whole check, not the quick one:
 * an index that differs from its table would answer every later question falsely, and a copy takes indexes over as they are.
 */
export function findDamage(db: Database.Database): readonly string[] {
  const broken = db.pragma('integrity_check(20)') as { readonly integrity_check: string }[] // the one column of its rows
  const found = broken.map(({ integrity_check }) => integrity_check).filter((line) => line !== 'ok')
  if (found.length > 0) return found
  const tables = db
    .prepare<[], string>("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .pluck()
    .all()
  return [...findDangling(db), ...tables.flatMap((table) => findTooLong(db, table))]
}

function findDangling(db: Database.Database): string[] {
  const rows = db.pragma('foreign_key_check') as { readonly table: string; readonly parent: string }[] // its documented columns
  return [...new Set(rows.map(({ table, parent }) => `a row of ${table} refers to none of ${parent}`))]
}

/** One pass over the table for all of its columns; only where it finds something, one more for each. */
function findTooLong(db: Database.Database, table: string): string[] {
  const columns = db
    .prepare<[string], string>("select name from pragma_table_info(?) where type in ('TEXT', 'BLOB')")
    .pluck()
    .all(table)
  const isLonger = (column: string) => `octet_length(${column}) > ${mostBytes(column)}`
  const isAny = (conditions: readonly string[]) =>
    db.prepare<[], unknown>(`select 1 from ${table} where ${conditions.join(' or ')} limit 1`).get() !== undefined
  if (columns.length === 0 || !isAny(columns.map(isLonger))) return []
  return columns
    .filter((column) => isAny([isLonger(column)]))
    .map((column) => `${table}.${column} holds more than ${mostBytes(column) / 1e6} MB`)
}

/** Sentences our program never breaks: each a statement that finds rows of the newest layout that do. */
const NEVER: readonly (readonly [says: string, find: string])[] = [
  [
    'a job belongs to the attempt of another trial or service',
    'select 1 from job j join attempt a on a.id = j.attempt_id where j.identity <> a.identity or j.fingerprint <> a.fingerprint',
  ],
  [
    'an attempt has two jobs that both came first',
    'select 1 from job where duplicate = 0 group by attempt_id having count(*) > 1',
  ],
  [
    'a submission without an outcome has a second job',
    "select 1 from job j join attempt a on a.id = j.attempt_id where j.duplicate = 1 and a.state not in ('acked', 'adopted', 'rejected', 'released', 'absent')",
  ],
  [
    'a result is read from the reply of another job',
    'select 1 from result r join reply p on p.id = r.reply_id where p.job_id <> r.job_id',
  ],
  [
    'what a service said later of a result is the reply of another job',
    'select 1 from revised_result v join reply p on p.id = v.reply_id where p.job_id <> v.job_id',
  ],
  [
    'a result is of a job that is not done',
    "select 1 from result r join job j on j.id = r.job_id where j.state <> 'done'",
  ],
  [
    'an attempt was made by a run of another service', // its study may have been renamed since, and it keeps the name it was sent with
    'select 1 from attempt a join study_run r on r.id = a.study_run_id where r.identity <> a.identity',
  ],
  ...[
    'study.name',
    'study_archive.name',
    'attempt.study',
    'screen.study',
    'proposal.study',
    'holdout_opening.study',
  ].map((place) => {
    const [table, column] = place.split('.')
    return [
      `${place} is no name of a study`,
      `select 1 from ${table} where ${column} glob '*[^a-z0-9-]*' or ${column} = '' or length(${column}) > 64`,
    ] as const
  }),
]

/** In the newest layout. */
export function findContradictions(db: Database.Database): readonly string[] {
  return NEVER.filter(([, find]) => db.prepare<[], unknown>(`${find} limit 1`).get() !== undefined).map(
    ([says]) => says,
  )
}

/** Trials in the order of their names are of one span and another by turns; a store has few spans, and one from elsewhere may have any. */
const mostSpans = 1_000

/** Whether a trial is what its names say. */
function trialJudge(): (row: RowOf<'trial'>) => boolean {
  const namers = new Map<string, ReturnType<typeof nameTrialsOn>>()
  const namerOf = (row: RowOf<'trial'>) => {
    const span = `${row.exchange}\0${row.base_asset}\0${row.quote_asset}\0${row.period_from}\0${row.period_to}`
    const known = namers.get(span)
    if (known !== undefined) return known
    const market = { exchange: row.exchange, baseAsset: row.base_asset, quoteAsset: row.quote_asset }
    const namer = nameTrialsOn({ market, period: { from: msOf(row.period_from), to: msOf(row.period_to) } })
    if (namers.size >= mostSpans) namers.clear()
    namers.set(span, namer)
    return namer
  }
  return (row) => {
    const { fingerprint, configFingerprint } = namerOf(row)(columnsToConfig(row))
    const { exchange, base_asset: baseAsset, quote_asset: quoteAsset } = row
    return (
      row.fingerprint === fingerprint &&
      row.config_fingerprint === configFingerprint &&
      row.market === marketName({ exchange, baseAsset, quoteAsset })
    )
  }
}

function areSettings(row: RowOf<'settings'>): boolean {
  return row.hash === settingsFingerprint(settingsFromColumns(row))
}

/** What is found first in each of the two. */
export function findFalseNames(db: Database.Database): readonly string[] {
  const found: string[] = []
  const isTrial = trialJudge()
  for (const row of db.prepare<[], RowOf<'trial'>>('select * from trial').iterate()) {
    if (holds(() => isTrial(row))) continue
    found.push(`the trial ${row.fingerprint} is not what its fingerprint names`)
    break
  }
  for (const row of db.prepare<[], RowOf<'settings'>>('select * from settings').iterate()) {
    if (holds(() => areSettings(row))) continue
    found.push(`the settings ${row.id} are not what their hash names`)
    break
  }
  return found
}

interface ReplyRow {
  readonly id: number
  readonly sha256: string
  readonly body: Uint8Array
  readonly receivedAt: string
  readonly identity: string
  readonly simulated: number
  readonly origin: string
  readonly job: string
  readonly trial: string
  /** Null where no result was read from it. */
  readonly resultOf: number | null
}

interface Proof {
  readonly damage: readonly string[]
  readonly denied: Listed<DeniedNumber>
  readonly unproved: number
}

/** Of the replies after one the last that is in memory with the next: so many, of so many bytes as they are kept, or the next alone. */
const LAST_AT_ONCE = `select max(id) from (
    select id, sum(bytes) over (order by id) as so_far, row_number() over (order by id) as place
    from (select id, length(body) as bytes from reply where id > ? and body is not null order by id limit 500))
  where so_far <= 16e6 or place = 1`

/**
 * Holds every reply against its hash, and every result against its reply: where the two say different things, the result of this database
 * becomes what the reply says. Replies that the present rules cannot read deny nothing. `showProgress` is called now and then, with how many were read.
 */
export async function proveResults(
  db: Database.Database,
  rules: ReadingRules,
  showProgress: (replies: number) => void | Promise<void>,
): Promise<Proof> {
  const chunk = db.prepare<[number, number], ReplyRow>(
    `select p.id, p.sha256, p.body, p.received_at as receivedAt, s.identity, s.simulated, s.origin, j.remote_id as job, j.fingerprint as trial,
       (select r.job_id from result r where r.job_id = p.job_id and r.reply_id = p.id) as resultOf
     from reply p join job j on j.id = p.job_id join service s on s.identity = j.identity
     where p.id > ? and p.id <= ? and p.body is not null order by p.id`,
  )
  const results = db.prepare<[], number>('select count(*) from result').pluck().get() ?? 0
  const denied: DeniedNumber[] = []
  let [read, count, proved] = [0, 0, 0]
  const lastAtOnce = db.prepare<[number], number | null>(LAST_AT_ONCE).pluck()
  let after = Number.MIN_SAFE_INTEGER
  for (let last = lastAtOnce.get(after); last != null; last = lastAtOnce.get(after)) {
    const rows = chunk.all(after, last)
    after = last
    db.exec('begin')
    for (const replies of unpackTogether(rows)) {
      const damaged = replies.find(({ text }) => text === undefined)
      if (damaged !== undefined) {
        db.exec('rollback')
        return {
          damage: [`the reply ${damaged.row.id} is not the text that its hash names`],
          denied: { count, first: denied },
          unproved: 0,
        }
      }
      for (const [at, change] of correctResults(db, replies, rules).entries()) {
        const { identity, job, trial } = replies[at].row
        if (change !== undefined) proved++
        if (change === undefined || change === null || count++ >= MOST_NAMED) continue
        denied.push({ identity, job, trial, ...change })
      }
    }
    db.exec('commit')
    read += rows.length
    await showProgress(read)
  }
  return { damage: [], denied: { count, first: denied }, unproved: results - proved }
}

/** A page that cannot be read may end the check instead of being one of its findings. */
function damageOrStop(db: Database.Database): readonly string[] {
  try {
    return findDamage(db)
  } catch (error) {
    if (error instanceof Error && codeOf(error)?.startsWith('SQLITE_CORRUPT')) return [error.message]
    throw error
  }
}

const NO_RULES: ReadingRules = { accepts: () => false, reread: () => ({ problem: 'not asked' }) }

export interface StoreCheck {
  /** In the order in which it is found; of each kind the first. */
  readonly damage: readonly string[]
  readonly pages: number
  /** Replies whose hash was computed; those that were deleted are not there to check. */
  readonly replies: number
  readonly deletedReplies: number
}

/**
 * Reads every page of a store: what SQLite checks (structure, indexes, types, checks, references), what this program never writes, and
 * what is named by a hash (trials, settings, replies). Numbers of results are not computed again.
 */
export async function checkStore(db: Database.Database, pause: () => Promise<void>): Promise<StoreCheck> {
  const count = (sql: string) => db.prepare<[], number>(sql).pluck().get() ?? 0
  const pages = Number(db.pragma('page_count', { simple: true }))
  const broken = damageOrStop(db)
  if (broken.length > 0) return { damage: broken, pages, replies: 0, deletedReplies: 0 }
  const damage = [...findContradictions(db), ...findFalseNames(db), ...(await proveResults(db, NO_RULES, pause)).damage]
  const replies = count('select count(*) from reply where body is not null')
  return { damage, pages, replies, deletedReplies: count('select count(*) from reply where body is null') }
}

interface Unpacked {
  readonly row: ReplyRow
  /** Undefined where it is not what its hash names. */
  readonly text: Buffer | undefined
}

/**
 * Each step is done for so many bytes of text before the next one: reply by reply the proof took a third longer.
 */
const bytesTogether = 100_000

function* unpackTogether(rows: readonly ReplyRow[]): Generator<readonly Unpacked[]> {
  const replies: Unpacked[] = []
  let bytes = 0
  for (const row of rows) {
    const text = textOf(row)
    replies.push({ row, text })
    bytes += text?.length ?? 0
    if (bytes < bytesTogether) continue
    yield replies.splice(0)
    bytes = 0
  }
  yield replies
}

/** The last four bytes of a gzip say how long the text is: a hint for the buffer, not a promise. Undefined where it is not what its hash names. */
function textOf({ body, sha256 }: ReplyRow): Buffer | undefined {
  const said = body.length < 4 ? 0 : new DataView(body.buffer, body.byteOffset + body.length - 4).getUint32(0, true)
  const chunkSize = Math.min(Math.max(said, 64) + 1, 1_000_000)
  try {
    const text = gunzipSync(body, { chunkSize, maxOutputLength: mostBytes('body') })
    return hash('sha256', text, 'hex') === sha256 ? text : undefined
  } catch {
    return undefined // it is not compressed, or unpacks without end
  }
}

type StoredCell = string | number | null

type Change = Pick<DeniedNumber, 'column' | 'stored' | 'reply'>

/** Of each the first column that was changed; null = the reply says the same, undefined = it was not read. Columns that one of them leaves open agree. */
function correctResults(
  db: Database.Database,
  replies: readonly Unpacked[],
  rules: ReadingRules,
): readonly (Change | null | undefined)[] {
  const results = replies.map((reply) => readResult(reply, rules))
  const columns = results.map(
    (result): Readonly<Record<string, StoredCell>> => (result === undefined ? {} : resultColumns(result)),
  )
  const ofJob = prepared<[number | null], StoredCell[]>(db, 'select * from result where job_id = ?').raw()
  const placeOf = new Map(ofJob.columns().map(({ name }, place) => [name, place]))
  const stored = replies.map(({ row }) => ofJob.get(row.resultOf))
  return replies.map(({ row: { resultOf: jobId } }, at) => {
    const [result, read, kept] = [results[at], columns[at], stored[at]]
    if (jobId === null || result === undefined || kept === undefined) return undefined
    const keptOf = (name: string) => kept[placeOf.get(name) ?? -1]
    const changes = Object.keys(read).filter((name) => {
      const [found, said] = [keptOf(name), read[name]]
      return found !== said && found !== null && said !== null && name !== 'metric_flags_json'
    })
    for (const name of changes) prepared(db, `update result set ${name} = ? where job_id = ?`).run(read[name], jobId)
    const { deals } = result
    const otherDeals = deals !== null && keptOf('pruned_at') === null && dealsDiffer(db, jobId, deals)
    if (otherDeals) replaceDeals(db, jobId, deals)
    const [first] = changes
    if (first !== undefined) return { column: first, stored: keptOf(first), reply: read[first] }
    return otherDeals ? { column: 'deals', stored: null, reply: deals.length } : null
  })
}

function readResult(
  { row: { identity, simulated, origin, receivedAt, job, resultOf }, text }: Unpacked,
  { accepts, reread }: ReadingRules,
): ResultReading | undefined {
  const service = { identity, simulated: simulated === 1, origin }
  if (text === undefined || resultOf === null || !accepts(service)) return undefined
  const seen = reread({ service, body: text.toString('utf8'), receivedAt: msOf(receivedAt) })
  if ('problem' in seen || seen.remoteId !== job || seen.state !== 'done') return undefined
  return seen.result ?? undefined
}

/** What cannot even be computed is not right: a time that is none. */
function holds(check: () => boolean): boolean {
  try {
    return check()
  } catch {
    return false
  }
}
