/**
 * The last reply of every endpoint and object, for people who want to see what a service says. Nothing depends on these rows, so keeping
 * them is never in the way: a reply waits in memory while its answer is used, and is written with others, at most once a minute and when
 * the command ends. What the store cannot take then is dropped. A killed command loses what it heard in its last minute; replies of jobs,
 * which cost allowance, are kept another way (`jobs.ts`).
 */
import type Database from 'better-sqlite3'
import { sql } from 'kysely'
import { codeOf } from '../../sqlite/sqlite-file.ts'
import { statement } from '../../sqlite/statements.ts'
import { packed, unpacked } from './replies.ts'
import { isBusy } from './sqlite-failure.ts'
import type { Store } from './store.ts'
import { isoTime, query, type RowOf } from './tables.ts'

// The service's answer to the last submission that did not become a job by it: what `service check` shows of a POST, which it never sends.

interface Latest {
  readonly identity: string
  readonly most: number
}

const refusals = statement(({ identity, most }: Latest) =>
  query
    .selectFrom('attempt')
    .select('reply_text')
    .where('identity', '=', identity)
    .where('reply_text', 'is not', null)
    .orderBy('id', 'desc')
    .limit(most)
    .$narrowType<{ reply_text: string }>(),
)

export function findLastAnswer({ db }: Store, identity: string): string | undefined {
  return refusals.first(db, { identity, most: 1 })?.reply_text
}

const success = statement(({ attemptId }: { readonly attemptId: number }) =>
  query
    .selectFrom('attempt')
    .select(['reply_status as status', 'reply_text as text'])
    .where('id', '=', attemptId)
    .where('reply_status', '>=', 200)
    .where('reply_status', '<=', 299)
    .where('reply_text', 'is not', null)
    .$narrowType<{ status: number; text: string }>(),
)

/** What a submission was answered with success, that was not understood then. */
export function findSuccess({ db }: Store, attemptId: number): { status: number; text: string } | undefined {
  return success.first(db, { attemptId })
}

const replies = statement(({ identity, most }: Latest) =>
  query
    .selectFrom('reply as r')
    .innerJoin('job as j', 'j.id', 'r.job_id')
    .select('r.body')
    .where('j.identity', '=', identity)
    .where('r.body', 'is not', null)
    .orderBy('r.id', 'desc')
    .limit(most)
    .$narrowType<{ body: Uint8Array }>(),
)

const repliesById = statement(({ identity, most }: Latest) =>
  query
    .selectFrom('service_reply')
    .select('body')
    .where('identity', '=', identity)
    .where('endpoint', '=', 'GET /api/backtest/jobs/{id}')
    .where('body', 'is not', null)
    .where('status', '>=', 200)
    .where('status', '<=', 299)
    .orderBy('received_at', 'desc')
    .limit(most)
    .$narrowType<{ body: Uint8Array }>(),
)

/** The latest replies about jobs of a service that are kept, whole or as items of lists, those of jobs read by their ids, and those that made no job: a draft guesses from all of them. */
export function listKeptReplies({ db }: Store, identity: string, most: number): readonly string[] {
  const ofAttempts = refusals.all(db, { identity, most }).map(({ reply_text }) => reply_text)
  const bodies = [...replies.all(db, { identity, most }), ...repliesById.all(db, { identity, most })]
  return [...ofAttempts, ...bodies.map(({ body }) => unpacked(body))]
}

/** Keys are removed from all of it. */
export interface ReceivedReply {
  readonly identity: string
  /** Method and path, as the API document spells them. */
  readonly endpoint: string
  readonly object: string
  readonly status: number
  /** ms UTC. */
  readonly receivedAt: number
  readonly body: string | Uint8Array
}

export interface ReplyLog {
  note(reply: ReceivedReply): void
  /** Writes what is waiting; to be called when the command ends. */
  close(): void
}

export const REPLY_LIMITS = {
  /** Rows and bytes (compressed) of all bodies together; the oldest go first. */
  rows: 200,
  bytes: 8 * 1024 * 1024,
  /** A larger body is not kept: its row has its size and no body. */
  bodyBytes: 1024 * 1024,
  /** Replies that may wait to be written. */
  waiting: 20,
  writeEveryMs: 60_000,
  /** An unchanged body is written again, for its time, after so long. */
  sameBodyMs: 5 * 60_000,
  objectLength: 200,
} as const

export function createReplyLog(store: Store): ReplyLog {
  const waiting = new Map<string, Row>()
  let lastWrite = store.clock.monotonic()
  let isClosed = false
  const writeWaiting = () => {
    lastWrite = store.clock.monotonic()
    if (waiting.size > 0 && tryToKeep(store, [...waiting.values()]) !== 'busy') waiting.clear()
  }
  return {
    note: (reply) => {
      if (isClosed) return
      const isFull = waiting.size >= REPLY_LIMITS.waiting
      // Those that wait are of earlier requests: their answers have been used.
      if (isFull || store.clock.monotonic() - lastWrite >= REPLY_LIMITS.writeEveryMs) writeWaiting()
      const row = toRow(reply)
      const key = JSON.stringify([row.identity, row.endpoint, row.object])
      if (waiting.size < REPLY_LIMITS.waiting || waiting.has(key)) waiting.set(key, row) // else the store was busy
    },
    close: () => {
      isClosed = true
      writeWaiting()
    },
  }
}

/** One transaction that waits for nobody. 'busy' = try again; what cannot be written for another reason is given up. */
function tryToKeep({ db }: Store, rows: readonly Row[]): 'kept' | 'busy' | 'dropped' {
  const timeoutBefore = Number(db.pragma('busy_timeout', { simple: true }))
  db.pragma('busy_timeout = 0')
  try {
    db.transaction(() => keep(db, rows)).immediate()
    return 'kept'
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return isBusy(error) ? 'busy' : 'dropped'
  } finally {
    db.pragma(`busy_timeout = ${timeoutBefore}`)
  }
}

const keepReply = statement((row: RowOf<'service_reply'> & { readonly stale: string }) =>
  query
    .insertInto('service_reply')
    .values({
      ...{ identity: row.identity, endpoint: row.endpoint, object: row.object, status: row.status },
      ...{ received_at: row.received_at, bytes: row.bytes, body: row.body },
    })
    .onConflict((known) =>
      known
        .doUpdateSet(({ ref }) => ({
          ...{ status: ref('excluded.status'), received_at: ref('excluded.received_at') },
          ...{ bytes: ref('excluded.bytes'), body: ref('excluded.body') },
        }))
        .where(({ eb, or, ref }) =>
          or([
            eb('service_reply.received_at', '<', row.stale),
            eb('service_reply.received_at', '>', ref('excluded.received_at')),
            eb('service_reply.status', '<>', ref('excluded.status')),
            eb('service_reply.bytes', '<>', ref('excluded.bytes')),
            eb('service_reply.body', 'is not', ref('excluded.body')),
          ]),
        ),
    ),
)

/** The latest first, with the bytes that each takes here. */
const keptReplies = statement(() =>
  query
    .selectFrom('service_reply')
    .select(['identity', 'endpoint', 'object', sql<number>`coalesce(length(body), 0)`.as('bytes')])
    .orderBy('received_at', 'desc')
    .orderBy('identity')
    .orderBy('endpoint')
    .orderBy('object'),
)

const dropReply = statement((one: Pick<RowOf<'service_reply'>, 'identity' | 'endpoint' | 'object'>) =>
  query
    .deleteFrom('service_reply')
    .where('identity', '=', one.identity)
    .where('endpoint', '=', one.endpoint)
    .where('object', '=', one.object),
)

/** An unchanged reply that is still fresh changes no row, and then nothing is written to the disk. */
function keep(db: Database.Database, rows: readonly Row[]): void {
  for (const { receivedAt, body, ...row } of rows) {
    keepReply.run(db, {
      ...row,
      received_at: isoTime(receivedAt),
      stale: isoTime(receivedAt - REPLY_LIMITS.sameBodyMs),
      body: body === null ? null : packed(body),
    })
  }
  const { rows: mostRows, bytes: mostBytes } = REPLY_LIMITS
  let total = 0
  const surplus = keptReplies.all(db).filter(({ bytes }, n) => {
    total += bytes
    return n >= mostRows || total > mostBytes
  })
  for (const one of surplus) dropReply.run(db, one)
}

/** As it waits: what is too large to be kept is let go at once. */
interface Row extends Omit<ReceivedReply, 'body'> {
  readonly bytes: number
  readonly body: ReceivedReply['body'] | null
}

function toRow(reply: ReceivedReply): Row {
  const bytes = Buffer.byteLength(reply.body)
  const body = bytes > REPLY_LIMITS.bodyBytes ? null : reply.body
  return { ...reply, object: reply.object.slice(0, REPLY_LIMITS.objectLength), bytes, body }
}
