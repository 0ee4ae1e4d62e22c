/** The judge. It reads the service's book for what happened, and the store only for whether it is there. */
import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import type { BookedJob } from './service.ts'

export interface Verdict {
  /** Configurations paid for by more than one sending (R1). */
  readonly paidTwice: readonly string[]
  /** Finished jobs whose reply is not stored, byte for byte what the service says (R2). */
  readonly lost: readonly string[]
  /** Submissions that wait for a person. */
  readonly undecided: number
  /** Names in the service's book that the store knows nothing of. */
  readonly withoutIntent: readonly string[]
}

/** `undecided`: what only a person can settle is not lost, it is in the list of `jobs resolve`. */
export function judge(storePath: string, book: readonly BookedJob[], now: number): Verdict {
  const ours = book.filter(({ send }) => send !== null)
  const sends = new Map<string, Set<number>>()
  for (const { config, send } of ours) {
    const known = sends.get(config) ?? new Set()
    sends.set(config, known.add(send ?? 0))
  }
  const paidTwice = [...sends].filter(([, numbers]) => numbers.size > 1).map(([config]) => config)

  const db = new Database(storePath, { readonly: true })
  try {
    const stored = db.prepare<[], { id: string; body: Uint8Array }>(
      `select j.remote_id as id, r.body from job j join reply r on r.job_id = j.id where r.final = 1`,
    )
    const replies = new Map(stored.all().map(({ id, body }) => [id, gunzipSync(body).toString()]))
    const attempts = db.prepare<[], { name: string; state: string }>('select name, state from attempt').all()
    const intended = new Set(attempts.map(({ name }) => name))
    const undecided = new Set(attempts.flatMap(({ name, state }) => (state === 'undecided' ? [name] : [])))
    // Delivered twice on its way, one of the two jobs is enough: where nothing is echoed the other looks like a stranger's.
    const kept = new Set(ours.filter((job) => tells(replies.get(job.id), job)).map(({ send }) => send))
    const lost = ours
      .filter(({ endsAt, name, send }) => endsAt <= now && !kept.has(send) && !undecided.has(name ?? ''))
      .map(({ id }) => id)
    const withoutIntent = book.flatMap(({ name }) => (name === null || intended.has(name) ? [] : [name]))
    return { paidTwice, lost, undecided: undecided.size, withoutIntent }
  } finally {
    db.close()
  }
}

function tells(body: string | undefined, job: BookedJob): boolean {
  if (body === undefined) return false
  const reply: unknown = JSON.parse(body)
  const { state, result } = reply as { state?: string; result?: { metrics?: { netProfit?: number } } | null } // `show` of the service
  if (job.fails) return state === 'failed'
  return state === 'completed' && result?.metrics?.netProfit === job.request.takeProfit
}
