/** The jobs as a client sees them: created within the allowance, read, listed, deleted. Bodies are text. */
import type { Selectable } from 'kysely'
import { BACKTEST_ALLOWANCE, type JobRequestBody, type JobResultBody, type LimitsBody } from '../../contract/bodies.ts'
import { runBuilt, statement } from '../../sqlite/statements.ts'
import type { System } from '../../system.ts'
import { type Database, query } from '../database.ts'
import type { JobTerms } from '../job-terms.ts'
import type { Tables } from '../table-types.ts'

//

/** The fields by which our service shows, of a job as of a bot, what it is computed with. */
const SETTINGS = ['conventions', 'costs', 'symbol', 'engineVersion'] as const satisfies readonly (keyof JobResultBody)[]

/** A body as a service that does not disclose its settings answers it. */
export function withoutSettings(body: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(body).filter(([field]) => !SETTINGS.some((setting) => setting === field)))
}

// The backtest allowance as arithmetic over the moments at which jobs were accepted. Pure.

export interface AllowanceTerms {
  /** Jobs per window and account; 0 = unlimited. */
  readonly allowance: number
  readonly window: WindowType
  /** When fixed windows begin, ms after midnight UTC; 0 … 24 h. */
  readonly phaseMs: number
}

export type WindowType = 'sliding' | 'fixed'

interface AllowanceReading {
  readonly used: number
  /** When the next job fits, ms UTC; null when one fits now. */
  readonly nextAt: number | null
}

/** The limit of a service without a limit. It is a number, so that readers need no special case. */
const unlimited = Number.MAX_SAFE_INTEGER

/**
 * The first moment that still counts at `now`. A job accepted at t counts in [t, t + 24 h) when the window slides, and until the
 * next phase when it is fixed.
 */
export function windowStart({ window, phaseMs }: Omit<AllowanceTerms, 'allowance'>, now: number): number {
  const { windowMs } = BACKTEST_ALLOWANCE
  if (window === 'sliding') return Math.floor(now) - windowMs + 1
  return Math.floor((now - phaseMs) / windowMs) * windowMs + phaseMs
}

/** @param spentAt accepted jobs at or after `windowStart`, whole ms UTC, oldest first */
export function readAllowance(terms: AllowanceTerms, spentAt: readonly number[], now: number): AllowanceReading {
  const used = spentAt.length
  if (terms.allowance === 0 || used < terms.allowance) return { used, nextAt: null }
  const { windowMs } = BACKTEST_ALLOWANCE
  const opens = terms.window === 'sliding' ? spentAt[used - terms.allowance] : windowStart(terms, now)
  return { used, nextAt: opens + windowMs }
}

export function toLimitsBody(terms: AllowanceTerms, { used, nextAt }: AllowanceReading): Omit<LimitsBody, 'scopes'> {
  const limit = terms.allowance === 0 ? unlimited : terms.allowance
  return {
    limit,
    windowHours: BACKTEST_ALLOWANCE.windowMs / 3_600_000,
    windowType: terms.window,
    used,
    remaining: Math.max(0, limit - used),
    nextAt: nextAt === null ? null : new Date(nextAt).toISOString(),
  }
}

// A job as its client sees it: text that contains the stored result unchanged. The terms that the job is computed with stand in its
// request, also where it asked for none; an undisclosed service shows neither them nor what a result states of them.

type JobRow = Selectable<Omit<Tables['jobs'], 'account_id' | 'changed_at_ms' | 'claimed_by' | 'claims'>>

function toJobText(row: JobRow, { discloses }: { readonly discloses: boolean }): string {
  const head = JSON.stringify({
    id: row.id,
    name: row.name,
    state: row.state,
    createdAt: toTime(row.created_at_ms),
    startedAt: toTime(row.started_at_ms),
    finishedAt: toTime(row.finished_at_ms),
  })
  const request = discloses ? withMember(row.request_json, 'settings', row.terms_json) : row.request_json
  const result = row.result_json !== null && !discloses ? concealed(row.result_json) : row.result_json
  const parts = [
    ['request', request],
    ['result', result ?? 'null'],
    ['error', row.error_json ?? 'null'],
  ] as const
  return parts.reduce((text, [name, json]) => withMember(text, name, json), head)
}

/** An object's text with one more member, whose text is given. The object has members already. */
function withMember(object: string, name: string, json: string): string {
  return `${object.slice(0, -1)},"${name}":${json}}`
}

function concealed(json: string): string {
  const result: Readonly<Record<string, unknown>> = JSON.parse(json) // written by finishJob from a result
  return JSON.stringify(withoutSettings(result))
}

function toTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

/** Who asks, and whether the service shows what a job is computed with. */
interface JobReader {
  readonly accountId: number
  readonly discloses: boolean
}

interface JobPage extends JobReader {
  readonly limit: number
  /** Only jobs changed at or after this time, ms UTC. */
  readonly since: number | null
  /** Only jobs created before the one with this number. */
  readonly before: number | null
}

/** A page of the list is not longer than this, except with a single job that is. */
const longestPageBytes = 4_000_000

interface OfAccount {
  readonly accountId: number
}

const jobsOf = ({ accountId }: OfAccount) =>
  query
    .selectFrom('jobs')
    .select(['seq', 'id', 'name', 'state', 'request_json', 'terms_json', 'result_json', 'error_json'])
    .select(['created_at_ms', 'started_at_ms', 'finished_at_ms'])
    .where('account_id', '=', accountId)
    .where('state', '<>', 'deleted')

const jobOfAccount = statement((given: OfAccount & { readonly id: string }) => jobsOf(given).where('id', '=', given.id))

const pageOfJobs = statement(
  (given: OfAccount & { readonly since: number; readonly before: number; readonly limit: number }) =>
    jobsOf(given)
      .where('changed_at_ms', '>=', given.since)
      .where('seq', '<', given.before)
      .orderBy('seq', 'desc')
      .limit(given.limit),
)

const spentSince = statement(({ accountId, since }: OfAccount & { readonly since: number }) =>
  query
    .selectFrom('jobs')
    .select('created_at_ms as at')
    .where('account_id', '=', accountId)
    .where('created_at_ms', '>=', since)
    .orderBy('created_at_ms'),
)

/** How much of an account's allowance is used at this moment. */
export function readSpending(db: Database, terms: AllowanceTerms, accountId: number, now: number): AllowanceReading {
  const spent = spentSince.all(db, { accountId, since: windowStart(terms, now) })
  return readAllowance(
    terms,
    spent.map(({ at }) => at),
    now,
  )
}

/**
 * Accepts a job if the allowance has room. Both happen in one transaction, because the allowance counts the rows of jobs.
 * @returns the job's body, or the moment (ms UTC) at which the next job fits
 */
export function createJob(
  db: Database,
  system: System,
  order: JobReader & {
    readonly request: JobRequestBody
    readonly terms: JobTerms
    readonly allowance: AllowanceTerms
  },
): { readonly body: string } | { readonly nextAt: number } {
  const { accountId, discloses, request, terms, allowance } = order
  const id = `job_${Buffer.from(system.randomBytes(10)).toString('hex')}`
  const nextAt = db
    .transaction(() => {
      const now = Math.floor(system.clock.wall())
      const spending = readSpending(db, allowance, accountId, now)
      if (spending.nextAt !== null) return spending.nextAt
      const asked = { name: request.name ?? null, request_json: JSON.stringify(request) }
      const times = { created_at_ms: now, changed_at_ms: now }
      const row = { id, account_id: accountId, ...asked, terms_json: JSON.stringify(terms), ...times }
      runBuilt(db, query.insertInto('jobs').values({ ...row, state: 'queued' }))
      return null
    })
    .immediate()
  if (nextAt !== null) return { nextAt }
  const body = findJob(db, { accountId, discloses }, id)
  if (body === undefined) throw new Error(`the job just stored is gone: ${id}`)
  return { body }
}

/** The body of an account's job, or undefined. */
export function findJob(db: Database, { accountId, discloses }: JobReader, id: string): string | undefined {
  const row = jobOfAccount.first(db, { accountId, id })
  return row === undefined ? undefined : toJobText(row, { discloses })
}

/** One page, newest first, as the body of the list. */
export function listJobs(db: Database, page: JobPage): string {
  const rows = pageOfJobs.iterate(db, {
    accountId: page.accountId,
    since: page.since ?? Number.MIN_SAFE_INTEGER,
    before: page.before ?? Number.MAX_SAFE_INTEGER,
    limit: page.limit + 1,
  })
  const items: string[] = []
  let bytes = 0
  let last: number | null = null
  let next: string | null = null
  for (const row of rows) {
    const item = toJobText(row, page)
    bytes += Buffer.byteLength(item)
    if (items.length === page.limit || (items.length > 0 && bytes > longestPageBytes)) {
      next = toQuery(page, last)
      break
    }
    items.push(item)
    last = row.seq
  }
  return `{"jobs":[${items.join(',')}],"next":${JSON.stringify(next)}}`
}

/** Hides a job; its row stays, because it counts in the allowance. @returns whether there was one */
export function deleteJob(db: Database, system: System, accountId: number, id: string): boolean {
  const changed_at_ms = Math.floor(system.clock.wall())
  const remove = query
    .updateTable('jobs')
    .set({ state: 'deleted', changed_at_ms, claimed_by: null, result_json: null, error_json: null })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('state', '<>', 'deleted')
  return runBuilt(db, remove).changes > 0
}

function toQuery(page: JobPage, before: number | null): string {
  const query = new URLSearchParams({ limit: String(page.limit), before: String(before) })
  if (page.since !== null) query.set('since', new Date(page.since).toISOString())
  return query.toString()
}
