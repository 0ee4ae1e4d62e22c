/**
 * The minute log decides which requests may be sent now. All processes that use one key share it.
 *
 * A request counts from its start until `windowMs` after its reply was read, so whatever window the service counts in, it never
 * sees more than `count` (`decisions/0002`). Nothing is kept only in memory, so a restart loses nothing.
 *
 * When a process dies before it records that, the next process notices, and the open requests count as ended at that moment. So a
 * start after a crash waits at most one window.
 *
 * Times are milliseconds since the machine started, which is the same clock for all processes. A time from before the last start
 * of the machine is either later than now, and then counts as made at this start, or earlier, and then its age is underestimated:
 * both are safe.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type Database from 'better-sqlite3'
import { sql } from 'kysely'
import { Failure } from '../../errors.ts'
import { statement } from '../../sqlite/statements.ts'
import { isProcessRunning } from './lock.ts'
import { isBusy } from './sqlite-failure.ts'
import { type Store, storeFailure } from './store.ts'
import { query } from './tables.ts'

export interface RequestLimits {
  /** Requests per window. */
  readonly count: number
  readonly windowMs: number
  /** Least time between the starts of any two requests; the limit does not need it, but foreign services may refuse bursts. */
  readonly paceMs: number
  /** No request takes longer: one whose process never finished it counts as answered after this time. */
  readonly exchangeLimitMs: number
}

export const REQUEST_LIMITS: RequestLimits = {
  // 10 of the documented 120 stay free for other clients of the key; one second more than a minute covers the resolution of the
  // clock.
  count: 110,
  windowMs: 61_000,
  paceMs: 250,
  exchangeLimitMs: 120_000,
}

type Admission = { readonly slot: number } | { readonly waitMs: number }

interface RequestLog {
  /** A slot if one more request may start now, else how long to wait before trying again. `at once` ignores the pace; default: `spread`. */
  tryStart(pace?: 'spread' | 'at once'): Admission
  /** Call when the reply was read or given up. */
  finish(slot: number): void
}

export interface LoggedRequest {
  readonly startedMs: number
  /** null = still open. */
  readonly finishedMs: number | null
}

/** How long to wait for an open request or another process before looking again. */
const askAgainMs = 100

/** A store that another process locks for longer is an error. */
const mostBusyMs = 60_000

/** How long one more request has to wait after these, or 0. Pure; the rule is at the top of this file. */
export function requestWait(requests: readonly LoggedRequest[], limits: RequestLimits, now: number): number {
  const ends = requests.map((request) => endOf(request, limits, now)).filter((end) => end > now - limits.windowMs)
  const lastStart = Math.max(...requests.map(({ startedMs }) => Math.min(startedMs, now)), Number.NEGATIVE_INFINITY)
  const paceWait = Math.max(0, lastStart + limits.paceMs - now)
  if (ends.length < limits.count) return paceWait
  const blocking = ends.sort((a, b) => a - b)[ends.length - limits.count]
  const isOpen = blocking === Number.POSITIVE_INFINITY
  return Math.max(paceWait, isOpen ? askAgainMs : blocking + limits.windowMs - now)
}

/** When it ended: never earlier than it really did and never later than now. Infinity while it may be open. */
function endOf({ startedMs, finishedMs }: LoggedRequest, limits: RequestLimits, now: number): number {
  if (finishedMs !== null) return finishedMs
  const givenUp = startedMs + limits.exchangeLimitMs
  return givenUp <= now ? givenUp : Number.POSITIVE_INFINITY
}

interface Made {
  readonly key: string
  readonly owner: string
}

const countFromBoot = statement(({ now }: { readonly now: number }) =>
  query
    .updateTable('request')
    .set({ started_ms: 0, finished_ms: sql<number | null>`case when finished_ms is null then null else 0 end` })
    .where('started_ms', '>', now),
)

const forget = statement(({ over, givenUp }: { readonly over: number; readonly givenUp: number }) =>
  query
    .deleteFrom('request')
    .where(({ eb, or, and }) =>
      or([eb('finished_ms', '<=', over), and([eb('finished_ms', 'is', null), eb('started_ms', '<=', givenUp)])]),
    ),
)

const open = statement(({ key, owner, now }: Made & { readonly now: number }) =>
  query.insertInto('request').values({ rate_key: key, started_ms: now, owner }),
)

const otherOwners = statement(({ key, owner }: Made) =>
  query
    .selectFrom('request')
    .select('owner')
    .distinct()
    .where('rate_key', '=', key)
    .where('finished_ms', 'is', null)
    .where('owner', '<>', owner),
)

const endRequestsOf = statement(({ key, owner, now }: Made & { readonly now: number }) =>
  query
    .updateTable('request')
    .set({ finished_ms: now })
    .where('rate_key', '=', key)
    .where('finished_ms', 'is', null)
    .where('owner', '=', owner),
)

const close = statement(({ at, slot }: { readonly at: number; readonly slot: number }) =>
  query.updateTable('request').set({ finished_ms: at }).where('id', '=', slot),
)

const ofKey = statement(({ key }: { readonly key: string }) =>
  query
    .selectFrom('request')
    .select(['started_ms as startedMs', 'finished_ms as finishedMs'])
    .where('rate_key', '=', key),
)

// Names the process that made a request, so that others can find out that it has ended. Only a certain end counts: a process that
// cannot be checked (another container, another boot, a row of an older version) counts as alive, which at worst costs a wait.

interface Owner {
  /** This process. */
  readonly id: string
  /** Whether the process of that id has certainly ended. */
  isGone(id: string): boolean
}

/** Process numbers are unique only within one boot and one process namespace. */
const scope = readScope()

export const thisProcess: Owner = {
  id: `${process.pid} ${startOf(process.pid) ?? ''} ${scope}`,
  isGone: (id) => {
    const [pid, started, ...rest] = id.split(' ')
    if (rest.join(' ') !== scope || !/^\d+$/.test(pid)) return false
    if (!isProcessRunning(Number(pid))) return true
    // The number may have been given to another process meanwhile; the start time tells them apart.
    const now = startOf(Number(pid))
    return now !== undefined && started !== '' && now !== started
  },
}

/** The log of one key; `key` is a hash of it. `ratePerMinute` replaces the count of `limits`. */
export function createRequestLog(
  store: Store,
  options: {
    readonly key: string
    readonly ratePerMinute?: number | undefined
    readonly limits?: RequestLimits
    /** Default: this process. */
    readonly owner?: Owner
  },
): RequestLog {
  const base = options.limits ?? REQUEST_LIMITS
  const limits = { ...base, count: options.ratePerMinute ?? base.count }
  const { db } = store
  const { key } = options
  const owner = options.owner ?? thisProcess
  /** Ends of requests that could not be written at once. */
  let unwritten: { readonly slot: number; readonly at: number }[] = []
  const admit = db.transaction((now: number, paceMs: number): Admission => {
    countFromBoot.run(db, { now })
    // The row of an older one may be gone, and its number given to another request. If it is there, it counts until it is given up.
    for (const { slot, at } of unwritten) if (now - at < limits.windowMs) close.run(db, { at, slot })
    for (const { owner: other } of otherOwners.all(db, { key, owner: owner.id })) {
      if (other !== null && owner.isGone(other)) endRequestsOf.run(db, { key, owner: other, now })
    }
    const waitMs = requestWait(ofKey.all(db, { key }), { ...limits, paceMs }, now)
    if (waitMs > 0) return { waitMs }
    const over = now - limits.windowMs
    forget.run(db, { over, givenUp: over - limits.exchangeLimitMs })
    return { slot: Number(open.run(db, { key, owner: owner.id, now }).lastInsertRowid) }
  })
  let busySince: number | undefined
  return {
    tryStart: (pace = 'spread') => {
      const now = store.clock.monotonic()
      try {
        const answer = admit.immediate(now, pace === 'spread' ? limits.paceMs : 0)
        unwritten = []
        busySince = undefined
        return answer
      } catch (error) {
        busySince ??= now
        if (isBusy(error) && now - busySince < mostBusyMs) return { waitMs: askAgainMs }
        throw storeFailure(store.path, error)
      }
    },
    finish: (slot) => {
      const at = store.clock.monotonic()
      try {
        withoutWaiting(db, () => close.run(db, { at, slot }))
      } catch (error) {
        // A request that stays open counts longer than necessary, which is safe. An error here must not lose an answer that was
        // paid for.
        if (!(storeFailure(store.path, error) instanceof Failure)) throw error
        unwritten.push({ slot, at })
      }
    },
  }
}

function readScope(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname() // not Linux: no containers that share both a folder and a host name
  }
}

/** Clock ticks from boot to the start of a process: field 22 of its stat line; undefined where the system does not report it. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses, and may hold spaces and parentheses itself.
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .at(19)
  } catch {
    return undefined
  }
}

/** Tries once without waiting: the outcome of the request is written next, and that write may wait for a busy store. */
function withoutWaiting(db: Database.Database, work: () => void): void {
  const timeoutBefore = Number(db.pragma('busy_timeout', { simple: true }))
  db.pragma('busy_timeout = 0')
  try {
    work()
  } finally {
    db.pragma(`busy_timeout = ${timeoutBefore}`)
  }
}

interface MinuteReport {
  readonly limit: number
  /** Requests of all programs on this store that still count. */
  readonly used: number
  /** How long one more would have to wait; 0 = not at all. */
  readonly waitMs: number
}

/** The state of the minute in our log, without taking a slot. */
export function readMinute(
  store: Store,
  { key, ratePerMinute }: { readonly key: string; readonly ratePerMinute?: number },
): MinuteReport {
  const limits = { ...REQUEST_LIMITS, count: ratePerMinute ?? REQUEST_LIMITS.count }
  const now = store.clock.monotonic()
  const requests = ofKey.all(store.db, { key })
  const used = requests.filter((request) => endOf(request, limits, now) > now - limits.windowMs).length
  return { limit: limits.count, used, waitMs: requestWait(requests, limits, now) }
}
