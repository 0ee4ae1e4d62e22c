/**
 * The HTTP application around the routes: one order of refusals, one form of errors, the service's identity on every response.
 *
 *     Host, Origin → keys → address → rate → path → method → scope → query → body → the endpoint's own refusals
 *              ╰→ the page and openapi.json, which need no keys
 */

import { BlockList, isIPv6 } from 'node:net'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { RATE_LIMIT, SERVICE_HEADER } from '../../contract/bodies.ts'
import { ENDPOINTS, type Endpoint, type EndpointName, KEY_HEADER, SECRET_HEADER } from '../../contract/endpoints.ts'
import { Failure } from '../../errors.ts'
import { statement } from '../../sqlite/statements.ts'
import type { Clock, System } from '../../system.ts'
import { type Database, identityOf, isBusy, query } from '../database.ts'
import { type Caller, findCaller } from '../keys.ts'
import { invalidPayload, Refusal, tooMany } from '../refusal.ts'
import { PAGE_POLICY, servicePage } from './openapi.ts'
import { parametersOf } from './parameters.ts'
import { ROUTES } from './routes.ts'
import type { Service } from './service.ts'

// Decides whether a request may go on. The order of refusals: the request's origin, its keys, its address, its rate. What
// it asks for is checked afterwards, so a client without keys learns nothing about paths, ids or payloads.

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
  { keyPrefix, rate: { limit, window } }: { readonly keyPrefix: string; readonly rate: Service['rate'] },
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

interface Knock {
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
function refuseBrowsers({ header, target, localPort }: Knock): void {
  const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${localPort}`)
  // A whole address in the request line outweighs the header (RFC 9112, 3.2.2), so both have to name this service.
  const named = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1]
  if (!hosts.includes(header('Host') ?? '') || (named !== undefined && !hosts.includes(named))) {
    throw new Refusal('HostRefused', `this service answers to ${hosts.join(', ')} only`)
  }
  if (header('Origin') !== undefined) throw new Refusal('OriginRefused', 'this service does not answer web pages')
}

/** Returns the caller of an accepted request, which is counted. */
function admit(
  db: Database,
  system: System,
  { knock, rate }: { readonly knock: Knock; readonly rate: Service['rate'] },
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

/** The longest body we read; a creation payload has about 500 bytes. */
const longestBody = 65_536

/** The text of a JSON body. @throws Refusal for another media type, a longer body, or bytes that are not UTF-8 */
async function readBodyText(request: Request): Promise<string> {
  const mediaType = request.headers.get('Content-Type') ?? ''
  // A web page cannot send this type to another site without a preflight request, which we never answer.
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(mediaType)) {
    throw new Refusal('UnsupportedMediaType', 'the body must be sent as application/json')
  }
  if (Number(request.headers.get('Content-Length') ?? 0) > longestBody) throw tooLarge()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength
    if (length > longestBody) throw tooLarge()
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw invalidPayload([{ field: '', message: 'the body is not UTF-8' }])
  }
}

function tooLarge(): Refusal {
  return new Refusal('PayloadTooLarge', `a body may have ${longestBody} bytes`)
}

/**
 * `JSON.parse` takes the last of two equal keys, so another program could read a body with `isDemo` twice differently. A body
 * with a repeated key is refused.
 */
type StrictJson = { readonly value: unknown } | { readonly problem: string }

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs

export function parseStrictJson(text: string): StrictJson {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'the body is not JSON' }
  }
  const repeated = findRepeatedKey(text)
  return repeated === undefined
    ? { value }
    : { problem: `the key ${JSON.stringify(repeated)} stands twice in one object` }
}

/** Walks text that is known to be JSON; a string before a colon is a key of the innermost object. */
function findRepeatedKey(text: string): string | undefined {
  const objects: Set<string>[] = []
  let lastString = '""'
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{' || token === '[') objects.push(new Set())
    else if (token === '}' || token === ']') objects.pop()
    else if (token === ':') {
      const key: string = JSON.parse(lastString) // the token before a colon in valid JSON is a string
      const keys = objects.at(-1)
      if (keys?.has(key)) return key
      keys?.add(key)
    } else if (token !== ',') lastString = token
  }
  return undefined
}

interface Environment {
  Bindings: HttpBindings
  Variables: { caller: Caller }
}

export function createApp(service: Service): Hono<Environment> {
  const app = new Hono<Environment>()

  app.use(async (context, next) => {
    if (service.discloses) context.header(SERVICE_HEADER, identityOf(service.serviceId))
    // Clients take the time of their allowance window from this header, so it must be the clock by which we count.
    context.header('Date', new Date(service.system.clock.wall()).toUTCString())
    context.header('Cache-Control', 'no-store')
    context.header('X-Content-Type-Options', 'nosniff')
    const knock = knockOf(context)
    refuseBrowsers(knock)
    if (!(service.discloses && isPublic(context))) {
      context.set('caller', admit(service.db, service.system, { knock, rate: service.rate }))
    }
    await next()
  })

  if (service.discloses) addPages(app)

  for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
    // keys of a const literal
    const { method, path } = ENDPOINTS[name]
    app.on(method, path.replace(/\{(\w+)\}/, ':parameter'), (context) => respond(service, name, context))
  }

  app.notFound((context) => refuse(context, refuseAddress(context.req.path)))
  app.onError((error, context) => refuse(context, toRefusal(error, service)))
  return app
}

/** What the service says of itself, without keys. */
function addPages(app: Hono<Environment>): void {
  app.get('/', (context) => context.html(servicePage(), 200, { 'Content-Security-Policy': PAGE_POLICY }))
  app.get('/openapi.json', async (context) => {
    const { openApiDocument } = await import('./openapi.ts') // loaded only when somebody asks for the document
    return context.json(openApiDocument(new URL(context.req.url).origin))
  })
}

async function respond(service: Service, name: EndpointName, context: Context<Environment>): Promise<Response> {
  const endpoint: Endpoint = ENDPOINTS[name]
  const route = ROUTES[name]
  const caller = context.get('caller')
  if (!caller.scopes.includes(endpoint.scope)) {
    throw new Refusal('ApiKeyScope', `this endpoint needs a key with the scope ${endpoint.scope}`)
  }
  const known = parametersOf(name).map(([field]) => field)
  const query = readQuery(context.req.queries(), known)
  const body = route.body === null ? undefined : await readBody(context.req.raw)
  const answer = await route.answer(service, { caller, parameter: context.req.param('parameter') ?? '', query, body })
  if (answer.json === null) return context.body(null, 204)
  return context.body(answer.json, answer.status === 201 ? 201 : 200, { 'Content-Type': 'application/json' })
}

/** A parameter that is unknown or given twice is refused, because its effect would silently be missing. */
function readQuery(given: Record<string, string[]>, known: readonly string[]): Record<string, string | undefined> {
  const problems = Object.entries(given).flatMap(([field, values]) => {
    if (!known.includes(field))
      return { field: field.slice(0, 100), message: 'is not a query parameter of this endpoint' }
    return values.length === 1 ? [] : { field, message: 'is given twice' }
  })
  if (problems.length > 0) throw invalidPayload(problems)
  return Object.fromEntries(Object.entries(given).map(([field, [value]]) => [field, value]))
}

async function readBody(request: Request): Promise<unknown> {
  const parsed = parseStrictJson(await readBodyText(request))
  if ('problem' in parsed) throw invalidPayload([{ field: '', message: parsed.problem }])
  return parsed.value
}

function isPublic({ req }: Context<Environment>): boolean {
  return (req.method === 'GET' || req.method === 'HEAD') && (req.path === '/' || req.path === '/openapi.json')
}

function knockOf({ env, req }: Context<Environment>): Knock {
  const { localPort = 0, remoteAddress = '' } = env.incoming.socket
  return { header: (name) => req.header(name), target: env.incoming.url ?? '', localPort, remoteAddress }
}

/** No endpoint matched: either the path has only other methods, or it is unknown. */
function refuseAddress(path: string): Refusal {
  const methods = Object.values(ENDPOINTS)
    .filter((endpoint) => new RegExp(`^${endpoint.path.replace(/\{\w+\}/, '[^/]+')}$`).test(path))
    .map(({ method }) => method)
  if (methods.length === 0) return new Refusal('NotFound', 'no such path in this service')
  const allowed = [...new Set(methods)].join(', ')
  return new Refusal('MethodNotAllowed', `this path takes ${allowed}`, { headers: { Allow: allowed } })
}

function toRefusal(error: Error, { system }: Service): Refusal {
  if (error instanceof Refusal) return error
  if (isBusy(error)) {
    return new Refusal('ServiceBusy', 'another process holds the service store', { headers: { 'Retry-After': '1' } })
  }
  if (error instanceof Failure && error.code.startsWith('candles')) {
    // A candle file is damaged, or an import is moving it at this moment. The message names folders, so it is printed here and
    // not sent to the client.
    const problems = error.problems.map(({ place, message }) => `; ${place}: ${message}`)
    system.terminal.err(`service: ${error.message}${problems.join('')}\n`)
    const message = 'the candles cannot be read at this moment; the service’s own output says why'
    return new Refusal('ServiceBusy', message, { headers: { 'Retry-After': '1' } })
  }
  // A bug. The stack is printed here and never sent to the client. It contains no request headers.
  system.terminal.err(`service: ${error.stack ?? String(error)}\n`)
  return new Refusal('InternalError', 'the service failed; its own output says where')
}

function refuse(context: Context<Environment>, refusal: Refusal): Response {
  return context.json(refusal.toBody(), refusal.status, refusal.headers)
}
