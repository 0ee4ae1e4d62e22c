/**
 * The operations that can be requested, which of them need a proof, and the only place where a URL is built. An id could redirect
 * a request (`..`, an absolute address, an empty segment), so ids are checked and the finished URL is compared with the intended
 * path.
 */
import { ENDPOINTS, type Endpoint, type EndpointName } from '../../../contract/endpoints.ts'
import { isUsableId } from '../reading/single-values.ts'
import type { BaseAddress } from './address.ts'
import { type ProofProblem, ProvenDemoBot } from './proven-demo.ts'

export interface Operation {
  readonly endpoint: EndpointName
  /** The value of the path's `{id}` or `{exchange}`, where it has one. */
  readonly parameter?: string
  readonly query?: Readonly<Record<string, string>>
  /** Which later page of a list it asks for: `next` of the page before it. */
  readonly page?: string
  /** The finished JSON text of a write. */
  readonly body?: string
  /** For starting and updating a bot: the proof that it was just read back as a demo. */
  readonly proof?: ProvenDemoBot
}

export function isRead(endpoint: EndpointName): boolean {
  return ENDPOINTS[endpoint].method === 'GET'
}

/** True when the path names a bot, a job or an exchange, so that a 404 means that this one does not exist. */
export function namesOneThing(endpoint: EndpointName): boolean {
  return ENDPOINTS[endpoint].path.includes('{')
}

/** The full URL of an operation, or why there is none. */
export function buildUrl(base: BaseAddress, operation: Operation): { url: string } | { problem: string } {
  const endpoint: Endpoint = ENDPOINTS[operation.endpoint]
  const { parameter } = operation
  let path = endpoint.path
  if (namesOneThing(operation.endpoint)) {
    if (parameter === undefined || !isUsableId(parameter)) {
      return { problem: `${JSON.stringify(parameter ?? '')} cannot be an id in ${endpoint.path}` }
    }
    path = path.replace(/\{\w+\}/, () => encodeURIComponent(parameter))
  }
  const expected = `${base.prefix}${path}`
  const url = new URL(`${base.origin}${expected}`)
  url.search = new URLSearchParams({ ...operation.query }).toString()
  if (url.origin !== base.origin || url.pathname !== expected || url.hash !== '') {
    return { problem: `the address of ${endpoint.path} would lead elsewhere` }
  }
  return { url: url.href }
}

const NEEDS_PROOF: ReadonlySet<EndpointName> = new Set(['startBot', 'updateBot'])

/** A stop trades nothing unless it closes the position. */
function needsProof({ endpoint, query }: Operation): boolean {
  return NEEDS_PROOF.has(endpoint) || (endpoint === 'stopBot' && query?.closePosition !== 'false')
}

/** Why this request must not be sent at `now`, or undefined. Stopping a bot that keeps its position is always allowed. */
export function findProofProblem(operation: Operation, service: object, now: number): ProofProblem | undefined {
  if (!needsProof(operation)) return undefined
  return ProvenDemoBot.findProblem(operation.proof, { id: operation.parameter, service, now })
}
