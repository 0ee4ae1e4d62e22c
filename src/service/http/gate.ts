/**
 * Decides whether a request may go on. The order of refusals: the request's origin, its keys, its address, its rate. What
 * it asks for is checked afterwards, so a client without keys learns nothing about paths, ids or payloads.
 */
import { BlockList, isIPv6 } from 'node:net'
import { RATE_LIMIT } from '../../contract/bodies.ts'
import { KEY_HEADER, SECRET_HEADER } from '../../contract/endpoints.ts'
import { statement } from '../../sqlite/statements.ts'
import type { Clock, System } from '../../system.ts'
import { type Database, query } from '../database.ts'
import type { WindowType } from '../jobs/jobs.ts'
import { type Caller, findCaller } from '../keys.ts'
import { Refusal, tooMany } from '../refusal.ts'

export interface RateTerms {
  /** Requests per minute and key; 0 = unlimited. */
  readonly limit: number
  /** Any minute, or minutes that begin every 60 s of the monotonic clock. */
  readonly window: WindowType
}

const forget = statement(({ over, now }: { readonly over: number; readonly now: number }) =>
  query.deleteFrom('requests').where(({ eb, or }) => or([eb('at_ms', '<=', over), eb('at_ms', '>', now)])),
)

const findBlocking = statement(
  ({ keyPrefix, start, others }: { readonly keyPrefix: string; readonly start: number; readonly others: number }) =>
    query
      .selectFrom('requests')
      .select('at_ms')
      .where('key_prefix', '=', keyPrefix)
      .where('at_ms', '>=', start)
      .orderBy('at_ms', 'desc')
      .limit(1)
      .offset(others),
)

const count = statement(({ keyPrefix, now }: { readonly keyPrefix: string; readonly now: number }) =>
  query.insertInto('requests').values({ key_prefix: keyPrefix, at_ms: now }),
)

/**
 * Counts one request of a key, or returns how long to wait until one fits: at most `limit` per minute, over all processes that
 * have this file open. Only accepted requests count, so asking too often does not prolong the wait.
 * @returns milliseconds to wait, or null when the request was counted
 */
function countRequest(
  db: Database,
  clock: Clock,
  { keyPrefix, rate: { limit, window } }: { readonly keyPrefix: string; readonly rate: RateTerms },
): number | null {
  const { windowMs } = RATE_LIMIT
  return db
    .transaction(() => {
      const now = clock.monotonic()
      // A time later than now was written before this machine last started. How long ago that was is unknown, so it is deleted
      // too.
      forget.run(db, { over: now - windowMs, now })
      const start = window === 'sliding' ? now - windowMs : Math.floor(now / windowMs) * windowMs
      const blocking = findBlocking.first(db, { keyPrefix, start, others: limit - 1 })
      if (blocking !== undefined) return (window === 'sliding' ? blocking.at_ms : start) + windowMs - now
      count.run(db, { keyPrefix, now })
      return null
    })
    .immediate()
}

export interface Knock {
  /** The value of a header, undefined when it is absent. */
  header(name: string): string | undefined
  /** As it stands in the request line: a path, or a whole address. */
  readonly target: string
  /** The port on which this request arrived. */
  readonly localPort: number
  readonly remoteAddress: string
}

/**
 * Refuses requests of web pages: with a foreign name that resolves to this machine (DNS rebinding) the Host header is wrong, and
 * a cross-site request has an Origin header. Our programs send none.
 */
export function refuseBrowsers({ header, target, localPort }: Knock): void {
  const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${localPort}`)
  // A whole address in the request line outweighs the header (RFC 9112, 3.2.2), so both have to name this service.
  const named = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1]
  if (!hosts.includes(header('Host') ?? '') || (named !== undefined && !hosts.includes(named))) {
    throw new Refusal('HostRefused', `this service answers to ${hosts.join(', ')} only`)
  }
  if (header('Origin') !== undefined) throw new Refusal('OriginRefused', 'this service does not answer web pages')
}

/** Returns the caller of an accepted request, which is counted. */
export function admit(
  db: Database,
  system: System,
  { knock, rate }: { readonly knock: Knock; readonly rate: RateTerms },
): Caller {
  const apiKey = knock.header(KEY_HEADER)
  const secretKey = knock.header(SECRET_HEADER)
  if (!apiKey || !secretKey) {
    throw new Refusal('AuthRequired', `every request carries ${KEY_HEADER} and ${SECRET_HEADER}`)
  }
  const caller = findCaller(db, { apiKey, secretKey })
  if (caller === undefined) throw new Refusal('ApiKeyInvalid', 'the pair of keys is unknown or was revoked')
  if (!mayComeFrom(caller, knock.remoteAddress)) {
    throw new Refusal('ApiKeyAddress', `the key may not be used from ${knock.remoteAddress}`)
  }
  const waitMs = rate.limit === 0 ? null : countRequest(db, system.clock, { keyPrefix: caller.keyPrefix, rate })
  if (waitMs !== null) {
    const message = `more than ${rate.limit} requests in ${RATE_LIMIT.windowMs / 1000} s with one key`
    throw tooMany('ApiKeyRateLimit', message, waitMs)
  }
  return caller
}

function mayComeFrom({ addresses }: Caller, remote: string): boolean {
  if (addresses === null) return true
  const allowed = new BlockList() // BlockList is a list of addresses; here it holds the allowed ones
  for (const address of addresses) allowed.addAddress(address, familyOf(address))
  return allowed.check(remote, familyOf(remote))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}
