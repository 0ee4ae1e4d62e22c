/**
 * Decides whether a request may go on. The order of refusals: the request's origin, its keys, its address, its rate. What
 * it asks for is checked afterwards, so a client without keys learns nothing about paths, ids or payloads.
 */
import { BlockList, isIPv6 } from 'node:net'
import { KEY_HEADER, SECRET_HEADER } from '../../contract/endpoints.ts'
import { RATE_LIMIT } from '../../contract/refusals.ts'
import type { System } from '../../system.ts'
import type { Database } from '../database.ts'
import { type Caller, findCaller } from '../keys.ts'
import { Refusal, tooMany } from '../refusal.ts'
import { countRequest, type RateTerms } from './request-rate.ts'

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
