/** The service's answer to the last submission that did not become a job by it: what `doctor` shows of a POST, which it never sends. */
import { unpacked } from './replies.ts'
import type { Store } from './store.ts'

export function findLastAnswer({ db }: Store, identity: string): string | undefined {
  const row = db
    .prepare<[string], { reply_text: string }>(
      'select reply_text from attempt where identity = ? and reply_text is not null order by id desc limit 1',
    )
    .get(identity)
  return row?.reply_text
}

/** What a submission was answered with success, that was not understood then. */
export function findSuccess({ db }: Store, attemptId: number): { status: number; text: string } | undefined {
  return db
    .prepare<[number], { status: number; text: string }>(
      `select reply_status as status, reply_text as text from attempt
       where id = ? and reply_status between 200 and 299 and reply_text is not null`,
    )
    .get(attemptId)
}

/** The latest replies about jobs of a service that are kept, whole or as items of lists, those of jobs read by their ids, and those that made no job: a draft guesses from all of them. */
export function listKeptReplies({ db }: Store, identity: string, most: number): readonly string[] {
  const ofJobs = db
    .prepare<[string, number], { body: Uint8Array }>(
      `select r.body from reply r join job j on j.id = r.job_id
       where j.identity = ? and r.body is not null order by r.id desc limit ?`,
    )
    .all(identity, most)
  const ofAttempts = db
    .prepare<[string, number], { reply_text: string }>(
      'select reply_text from attempt where identity = ? and reply_text is not null order by id desc limit ?',
    )
    .all(identity, most)
  const byId = db
    .prepare<[string, number], { body: Uint8Array }>(
      `select body from service_reply where identity = ? and endpoint = 'GET /api/backtest/jobs/{id}' and body is not null
       and status between 200 and 299 order by received_at desc limit ?`,
    )
    .all(identity, most)
  return [...ofAttempts.map((row) => row.reply_text), ...[...ofJobs, ...byId].map(({ body }) => unpacked(body))]
}
