/** What is kept of a reply so that people can look at what a service says. Nothing the program does depends on it. */
import { ENDPOINTS, type EndpointName } from '../../../contract/endpoints.ts'
import type { Reply } from '../outcome.ts'
import type { BaseAddress } from './address.ts'
import { keyIdentity } from './keys.ts'
import type { Operation } from './operations.ts'
import type { Transport } from './send.ts'

/** Keys are removed from all of it. */
export interface HeardReply {
  readonly identity: string
  /** As the API document spells it: `GET /api/bots/{id}`. */
  readonly endpoint: string
  /** The bot or exchange that was asked for, and which later page of a list; '' where there is neither. */
  readonly object: string
  readonly status: number
  /** Wall clock, ms UTC. */
  readonly receivedAt: number
  /** As received; bytes where it is not UTF-8. */
  readonly body: string | Uint8Array
}

/** Replies about single jobs are kept by the run, each of them. */
const KEPT_ELSEWHERE: ReadonlySet<EndpointName> = new Set(['createJob', 'readJob', 'deleteJob'])

/** null = there is nothing to keep that is not kept elsewhere: single jobs, and later pages of their list. */
export function hearReply(transport: Transport, operation: Operation, reply: Reply): HeardReply | null {
  const { endpoint, parameter = '', page } = operation
  if (KEPT_ELSEWHERE.has(endpoint) || (endpoint === 'listJobs' && page !== undefined)) return null
  const { method, path } = ENDPOINTS[endpoint]
  return {
    identity: identityBehind(transport, reply),
    endpoint: `${method} ${path}`,
    object: transport.keys.scrub(page === undefined ? parameter : `${parameter}?${page.slice(page.indexOf('?') + 1)}`),
    status: reply.raw.status,
    receivedAt: reply.raw.receivedAt,
    body: reply.binary ?? reply.raw.text,
  }
}

/** Which service answered, and with whose key: `embedded:<service id>` for our own on this machine, else origin # SHA-256 of the API key. */
export function identityBehind({ base, keys }: Transport, { announced }: Reply): string {
  return ownServiceName(base, announced) ?? keyIdentity(base.origin, keys)
}

/** The name that our embedded service gives itself in the header of a reply; undefined when the service at `base` is not ours. */
export function ownServiceName(base: BaseAddress, announced: string | null): string | undefined {
  if (!base.loopback || announced === null) return undefined
  return /^embedded:[\w.-]{1,100}$/.test(announced) ? announced : undefined
}
