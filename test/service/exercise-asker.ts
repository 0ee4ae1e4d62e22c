/** One request after another, over real HTTP, with nothing between. */
import { KEY_HEADER, SECRET_HEADER } from '../../src/contract/endpoints.ts'

export interface Pair {
  readonly apiKey: string
  readonly secretKey: string
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Undefined when the text is not JSON. */
  readonly json: unknown
}

export interface AskedRequest {
  readonly method: string
  readonly path: string
  /** An empty key is not sent. */
  readonly keys: Pair | null
  readonly headers: Readonly<Record<string, string>>
  /** A value is sent as JSON, a string as it is. */
  readonly body: unknown
}

/** A minute is longer than any answer takes; a service that hangs is found out. */
const patienceMs = 60_000

export function createAsker(url: string): (request: AskedRequest) => Promise<Reply> {
  return async ({ method, path, keys, headers, body }) => {
    const reply = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
      headers: {
        ...(keys?.apiKey ? { [KEY_HEADER]: keys.apiKey } : {}),
        ...(keys?.secretKey ? { [SECRET_HEADER]: keys.secretKey } : {}),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await reply.text()
    return { status: reply.status, headers: reply.headers, text, json: parse(text) }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
