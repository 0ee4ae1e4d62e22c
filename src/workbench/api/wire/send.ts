/**
 * The operations that can be requested, and how one is sent: one request, one answer, nothing repeated. Several defaults of ofetch are
 * switched off: it repeats refused GETs at once, sends both keys along with redirects, parses leniently, and its timeout ends at the
 * headers. Here is the only place where a URL is built. An id could redirect a request (`..`, an absolute address, an empty segment), so
 * ids are checked and the finished URL is compared with the intended path.
 */
import { createFetch } from 'ofetch'
import { SERVICE_HEADER } from '../../../contract/bodies.ts'
import { ENDPOINTS, type Endpoint, type EndpointName } from '../../../contract/endpoints.ts'
import type { System } from '../../../system.ts'
import { everyMentionIsTrue, findDemoProblem } from '../demo-only.ts'
import { parseLossless } from '../lossless-json.ts'
import type { RawReply, Reply } from '../outcome.ts'
import type { BotReading } from '../reading/readings.ts'
import { isUsableId } from '../reading/shape.ts'
import type { BaseAddress, Keys } from './keys.ts'

// The proof that a bot is a demo (H48). Such a value exists only when the bot was read back and the service's text said so. It is
// valid for five seconds, for this bot, on the client that read it. Starting, updating and selling require it, and it is checked
// again just before the request is sent: waiting for the request rate may have made it too old.

export const proofValidMs = 5_000

type ProofProblem = 'missing' | 'foreign' | 'expired'

export class ProvenDemoBot {
  readonly bot: BotReading
  readonly #id: string
  readonly #service: object
  readonly #askedAt: number

  private constructor(bot: BotReading, service: object, askedAt: number) {
    this.bot = bot
    this.#id = bot.id
    this.#service = service
    this.#askedAt = askedAt
  }

  get id(): string {
    return this.#id
  }

  /**
   * The only way to make a proof; a test checks that only `client.ts` calls it. `id` is the requested bot, `reply` the whole
   * answer: a dialect may translate it, but every `isDemo` in the service's own text must be `true`, and there must be one. The
   * age counts from the moment the request was sent, so that it is never underestimated.
   */
  static readBack(
    bot: BotReading,
    seen: { readonly id: string; readonly reply: Reply; readonly service: object },
  ): ProvenDemoBot | undefined {
    const isProven = bot.isDemo === true && bot.id === seen.id && everyMentionIsTrue(seen.reply.raw.text)
    return isProven ? new ProvenDemoBot(bot, seen.service, seen.reply.askedAt) : undefined
  }

  /** Why `proof` does not allow acting on bot `id` of `service` at `now` (monotonic ms), or undefined when it does. */
  static findProblem(
    proof: unknown,
    { id, service, now }: { readonly id: string | undefined; readonly service: object; readonly now: number },
  ): ProofProblem | undefined {
    if (typeof proof !== 'object' || proof === null || !(#askedAt in proof)) return 'missing'
    if (proof.#service !== service || proof.#id !== id) return 'foreign'
    const age = now - proof.#askedAt
    return age >= 0 && age <= proofValidMs ? undefined : 'expired'
  }
}

// What can be requested, and how it is sent.

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

export type Sent =
  | { readonly kind: 'reply'; readonly reply: Reply }
  /** Something may have been sent; `raw` is the part of an answer that arrived. `passing`: it may succeed next time. */
  | { readonly kind: 'lost'; readonly reason: string; readonly passing: boolean; readonly raw: RawReply | null }
  /** Nothing of the request was sent. `stale`: because the proof that the bot is a demo was too old. */
  | { readonly kind: 'notSent'; readonly reason: string; readonly passing: boolean; readonly stale?: true }

export interface Transport {
  readonly system: System
  readonly base: BaseAddress
  readonly keys: Keys
  /** Limit for everything: connection, headers and body. */
  readonly timeoutMs: number
}

/** Largest decoded body that is read; 204 kB of gzip can become 210 MB. */
const largestBodyBytes = 8 * 1024 * 1024

/** When the user interrupts, a write that was sent may still finish within this time, so that its outcome is known. */
const graceMs = 10_000

const NEEDS_PROOF: ReadonlySet<EndpointName> = new Set(['startBot', 'updateBot'])

/** Never throws: every failure is a `Sent`. Its texts contain no keys. */
export async function send(transport: Transport, operation: Operation, signal?: AbortSignal): Promise<Sent> {
  const { system, base, keys } = transport
  const address = buildUrl(base, operation)
  if ('problem' in address) return { kind: 'notSent', reason: address.problem, passing: false }
  const unsafe = findDemoProblem(operation)
  if (unsafe !== undefined) return { kind: 'notSent', reason: unsafe, passing: false }
  const unproven = findProofProblem(operation, transport, system.clock.monotonic())
  if (unproven !== undefined) return refuseUnproven(unproven)
  if (signal?.aborted) return { kind: 'notSent', reason: 'interrupted before it was sent', passing: false }

  const askedAt = system.clock.monotonic()
  const deadline = startDeadline(transport, isRead(operation.endpoint) ? 0 : graceMs, signal)
  let status = 0
  let serverDate: number | null = null
  const chunks: Uint8Array[] = []
  const rawReply = (text: string): RawReply => ({ status, text, receivedAt: system.clock.wall(), serverDate })
  try {
    const response = await createFetch({ fetch: system.fetch }).raw(address.url, {
      method: ENDPOINTS[operation.endpoint].method,
      headers: {
        ...keys.headers(),
        accept: 'application/json',
        ...(operation.body === undefined ? {} : { 'content-type': 'application/json' }),
        // A new connection each time: otherwise undici reuses an idle one, and a service that closes it at that moment loses the
        // request (17 % of POSTs in the worst case that we measured). A close on POSTs alone is not enough.
        connection: 'close',
      },
      ...(operation.body === undefined ? {} : { body: operation.body }),
      redirect: 'manual', // a redirect would send both keys to any host
      retry: false, // ofetch would repeat a refused GET at once, past our gate
      ignoreResponseError: true, // its error would hold the request headers
      responseType: 'stream', // read below, with a cap and under the deadline
      signal: deadline.signal,
    })
    status = response.status
    serverDate = readDate(response.headers.get('date'))
    await readBody(response.body, chunks)
    const { text, wellFormed } = decode(chunks)
    const clean = keys.scrub(text)
    const reply: Reply = {
      raw: rawReply(clean),
      json: wellFormed ? parseLossless(clean) : undefined,
      binary: wellFormed ? null : scrubBytes(keys, chunks),
      retryAfter: response.headers.get('retry-after'),
      announced: response.headers.get(SERVICE_HEADER),
      askedAt,
    }
    return { kind: 'reply', reply }
  } catch (error) {
    const reason = keys.scrub(deadline.reason() ?? describeError(error))
    if (status === 0 && neverLeft(error)) return { kind: 'notSent', reason, passing: true }
    const part = status === 0 ? null : rawReply(keys.scrub(decode(chunks).text))
    return { kind: 'lost', reason, passing: !(error instanceof BodyTooLarge), raw: part }
  } finally {
    deadline.stop()
  }
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

/** A stop trades nothing unless it closes the position. */
function needsProof({ endpoint, query }: Operation): boolean {
  return NEEDS_PROOF.has(endpoint) || (endpoint === 'stopBot' && query?.closePosition !== 'false')
}

/** Why this request must not be sent at `now`, or undefined. Stopping a bot that keeps its position is always allowed. */
export function findProofProblem(operation: Operation, service: object, now: number): ProofProblem | undefined {
  if (!needsProof(operation)) return undefined
  return ProvenDemoBot.findProblem(operation.proof, { id: operation.parameter, service, now })
}

function refuseUnproven(problem: ProofProblem): Sent {
  if (problem === 'expired') {
    const reason = `the bot was read back as a demo more than ${proofValidMs / 1000} s ago`
    return { kind: 'notSent', reason, passing: false, stale: true }
  }
  return { kind: 'notSent', reason: 'the bot was not read back as a demo by this client', passing: false }
}

interface Deadline {
  readonly signal: AbortSignal
  /** Why the deadline ended the request; undefined before. */
  reason(): string | undefined
  stop(): void
}

/** One time limit for everything; an interrupt shortens the rest to `graceAfterInterruptMs`. */
function startDeadline(transport: Transport, graceAfterInterruptMs: number, interrupt?: AbortSignal): Deadline {
  const { clock } = transport.system
  const exchange = new AbortController()
  const over = new AbortController()
  const strikeAfter = (ms: number, reason: string) =>
    clock.sleep(ms, over.signal).then(
      () => exchange.abort(new Error(reason)),
      () => {}, // the request ended first
    )
  void strikeAfter(transport.timeoutMs, `no complete answer within ${transport.timeoutMs / 1000} s`)
  const onInterrupt = () => {
    if (graceAfterInterruptMs === 0) exchange.abort(new Error('interrupted'))
    else void strikeAfter(graceAfterInterruptMs, 'interrupted while it was on its way')
  }
  interrupt?.addEventListener('abort', onInterrupt, { once: true })
  return {
    signal: exchange.signal,
    reason: () => (exchange.signal.aborted ? describeError(exchange.signal.reason) : undefined),
    stop: () => {
      interrupt?.removeEventListener('abort', onInterrupt)
      over.abort()
    },
  }
}

class BodyTooLarge extends Error {}

/** Adds to `chunks`, so that a part is kept when the connection breaks. @throws when the connection breaks or the body is too large */
async function readBody(body: ReadableStream<Uint8Array> | null, chunks: Uint8Array[]): Promise<void> {
  if (body === null) return
  const reader = body.getReader()
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    size += value.byteLength
    if (size > largestBodyBytes) {
      await reader.cancel().catch(() => {}) // the connection is dropped; an error from that does not matter
      throw new BodyTooLarge(`the body is larger than ${largestBodyBytes / 1024 / 1024} MB`)
    }
    chunks.push(value)
  }
}

/** UTF-8 text with a byte order mark kept (strict JSON refuses it); invalid bytes become U+FFFD and make the text unreadable. */
function decode(chunks: readonly Uint8Array[]): { text: string; wellFormed: boolean } {
  const bytes = Buffer.concat(chunks)
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), wellFormed: true }
  } catch {
    return { text: bytes.toString('utf8'), wellFormed: false }
  }
}

/** Keys are ASCII, so they are found in any text that has one character for each byte. */
function scrubBytes(keys: Keys, chunks: readonly Uint8Array[]): Uint8Array {
  return Buffer.from(keys.scrub(Buffer.concat(chunks).toString('latin1')), 'latin1')
}

function readDate(header: string | null): number | null {
  const ms = header === null ? Number.NaN : Date.parse(header)
  return Number.isFinite(ms) ? ms : null
}

/** Failures before the first byte of a request: no address, no connection. */
const UNCONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** TLS handshakes that fail before a request can be written. Other TLS errors can also occur later, so they stay ambiguous. */
const NO_HANDSHAKE: ReadonlySet<string> = new Set([
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
  'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
  'ERR_SSL_TLSV1_UNRECOGNIZED_NAME',
])

/** True when the request was certainly not sent. Where that is not certain: false. */
function neverLeft(error: unknown): boolean {
  const root = rootCause(error)
  // localhost has two addresses; both must have failed in this way.
  if (root instanceof AggregateError) return root.errors.length > 0 && root.errors.every(neverLeft)
  if (!(root instanceof Error)) return false
  const code = codeOf(root)
  return UNCONNECTED.has(code) || NO_HANDSHAKE.has(code) || root.message === 'bad port'
}

/** The innermost cause in one short line. The caller has to remove keys from it. */
function describeError(error: unknown): string {
  const root = rootCause(error)
  if (root instanceof AggregateError && root.message === '') return root.errors.map(describeError).join('; ')
  if (!(root instanceof Error)) return String(root)
  const code = codeOf(root)
  const message = root.message.slice(0, 300)
  return code === '' || message.includes(code) ? message : `${message} (${code})`
}

function rootCause(error: unknown): unknown {
  let root = error
  for (let depth = 0; depth < 10 && root instanceof Error && root.cause !== undefined; depth++) root = root.cause
  return root
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

// What is kept of a reply so that people can look at what a service says. Nothing the program does depends on it.

/** The name that our embedded service gives itself in the header of a reply; undefined when the service at `base` is not ours. */
export function ownServiceName(base: BaseAddress, announced: string | null): string | undefined {
  if (!base.loopback || announced === null) return undefined
  return /^embedded:[\w.-]{1,100}$/.test(announced) ? announced : undefined
}
