/** The service's answer to the last submission that did not become a job by it: what `service check` shows of a POST, which it never sends. */
import { statement } from '../../sqlite/statements.ts'
import { unpacked } from './replies.ts'
import type { Store } from './store.ts'
import { query } from './tables.ts'

export function findLastAnswer({ db }: Store, identity: string): string | undefined {
  return refusals.first(db, { identity, most: 1 })?.reply_text
}

/** What a submission was answered with success, that was not understood then. */
export function findSuccess({ db }: Store, attemptId: number): { status: number; text: string } | undefined {
  return success.first(db, { attemptId })
}

/** The latest replies about jobs of a service that are kept, whole or as items of lists, those of jobs read by their ids, and those that made no job: a draft guesses from all of them. */
export function listKeptReplies({ db }: Store, identity: string, most: number): readonly string[] {
  const ofAttempts = refusals.all(db, { identity, most }).map(({ reply_text }) => reply_text)
  const bodies = [...replies.all(db, { identity, most }), ...repliesById.all(db, { identity, most })]
  return [...ofAttempts, ...bodies.map(({ body }) => unpacked(body))]
}

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
