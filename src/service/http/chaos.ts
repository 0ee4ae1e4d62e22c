/**
 * Simulates a bad network in front of a healthy service: work is done and counted, only answers are lost or damaged. It is for
 * testing clients. The same seed and the same order of requests give the same faults.
 *
 *     latency      the request waits 0.1 … 3 s before anything is done
 *     reset        the connection is reset, before or after the work
 *     cut          the work is done; half of its answer arrives
 *     late         the connection is reset at once; the work is done 1 … 10 s later
 *     error-after  the work is done; the answer is 500
 *     duplicate    the work is done twice, as by a proxy that repeats requests
 *     html         a gateway's page instead of the answer, before or after the work
 */
import type { createAdaptorServer, HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { createRandom, type Random } from '../../engine/random.ts'
import { Failure } from '../../errors.ts'
import type { System } from '../../system.ts'
import { Refusal } from '../refusal.ts'

/** In the order of their random draws. `latency` may come with any other; of the others a request gets one at most. */
export const FAULTS = ['latency', 'reset', 'cut', 'late', 'error-after', 'duplicate', 'html'] as const
export type Fault = (typeof FAULTS)[number]

/** The chance of each fault per request, 0 … 1. */
export type ChaosProfile = Readonly<Partial<Record<Fault, number>>>

export const CHAOS_PROFILES = {
  calm: { latency: 0.2 },
  flaky: { latency: 0.2, reset: 0.03, cut: 0.02, late: 0.01, 'error-after': 0.02, duplicate: 0.01, html: 0.02 },
  hostile: { latency: 0.3, reset: 0.1, cut: 0.08, late: 0.06, 'error-after': 0.08, duplicate: 0.08, html: 0.08 },
} as const satisfies Record<string, ChaosProfile>

/** The chance of a fault that is given without a number. */
const namedChance = 0.25

export interface ChaosTerms {
  readonly profile: ChaosProfile
  readonly seed: number
}

/** Reads `flaky`, `reset,cut` or `reset=0.5,late=0.1`. @throws Failure usage */
export function parseChaos(text: string): ChaosProfile {
  const named = Object.entries(CHAOS_PROFILES).find(([name]) => name === text)
  if (named !== undefined) return named[1]
  const chances = text.split(',').map((part): [Fault, number] => {
    const [name, chance = String(namedChance)] = part.split('=')
    const fault = FAULTS.find((each) => each === name)
    if (fault !== undefined && /^(0|1|0?\.\d+|1\.0+)$/.test(chance)) return [fault, Number(chance)]
    const profiles = Object.keys(CHAOS_PROFILES).join(', ')
    throw new Failure(
      'usage',
      `--chaos expects ${profiles}, or faults such as reset,late=0.1 out of ${FAULTS.join(', ')}; found "${part}"`,
    )
  })
  return Object.fromEntries(chances)
}

type Fetch = (request: Request, env: HttpBindings) => Response | Promise<Response>

interface Exchange {
  readonly fault: Fault | null
  readonly random: Random
  readonly env: HttpBindings
  /** Does the work; each call does it once more. */
  work(): Promise<Response>
}

interface Chaos {
  readonly fetch: Parameters<typeof createAdaptorServer>[0]['fetch']
  /** Drops late work and resolves when no request is being handled. */
  close(): Promise<void>
}

const gatewayPage = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n'

export function createChaos(fetch: Fetch, { terms, system }: { terms: ChaosTerms; system: System }): Chaos {
  const random = createRandom(terms.seed)
  const closing = new AbortController()
  const lateWork = new Set<Promise<unknown>>()
  const sleep = (ms: number) => system.clock.sleep(ms, closing.signal)

  async function suffer({ fault, random, env, work }: Exchange): Promise<Response> {
    switch (fault) {
      case 'reset':
        if (random.uniform() < 0.5) await work()
        return reset(env)
      case 'cut':
        return sendHalf(env, await work())
      case 'late': {
        const after = 1_000 + random.uniform() * 9_000
        const done: Promise<unknown> = sleep(after)
          .then(work, () => undefined) // the service closed first
          .finally(() => lateWork.delete(done))
        lateWork.add(done)
        return reset(env)
      }
      case 'error-after':
        await work()
        return asError(new Refusal('InternalError', 'chaos: the work was done'))
      case 'duplicate':
        await work()
        return work()
      case 'html':
        if (random.uniform() < 0.5) await work()
        return new Response(gatewayPage, { status: 502, headers: { 'Content-Type': 'text/html' } })
      default:
        return work()
    }
  }

  return {
    async fetch(request, bindings) {
      const env = bindings as HttpBindings // the listener supports HTTP/1 only
      const { pathname } = new URL(request.url)
      if (!pathname.startsWith('/api')) return fetch(request, env)
      const faults = drawFaults(terms.profile, random)
      // Each request has its own generator, so that requests at the same time do not influence each other.
      const own = createRandom(Math.floor(random.uniform() * 2 ** 32))
      for (const fault of faults) system.terminal.err(`service: chaos ${fault} on ${request.method} ${pathname}\n`)
      const work = await repeatable(fetch, request, env)
      if (faults.includes('latency')) await sleep(100 + own.uniform() * 2_900).catch(() => undefined)
      return suffer({ fault: faults.find((fault) => fault !== 'latency') ?? null, random: own, env, work })
    },
    async close() {
      closing.abort(new Failure('interrupted', 'The service closed'))
      await Promise.all(lateWork)
    },
  }
}

/** Every fault has its own draw, so that changing one chance does not change the draws of the others; the first fault drawn counts. */
function drawFaults(profile: ChaosProfile, random: Random): Fault[] {
  const drawn = FAULTS.filter((fault) => random.uniform() < (profile[fault] ?? 0))
  const worst = drawn.find((fault) => fault !== 'latency')
  return [...(drawn.includes('latency') ? (['latency'] as const) : []), ...(worst === undefined ? [] : [worst])]
}

/** More than any body the service reads. */
const longestBody = 100_000

/** Makes a request that can be delivered more than once, and after its connection has ended. */
async function repeatable(fetch: Fetch, request: Request, env: HttpBindings): Promise<() => Promise<Response>> {
  const { method, url } = request
  const headers = [...request.headers]
  const body = method === 'GET' || method === 'HEAD' ? null : await readStart(request)
  const { localPort, remoteAddress } = env.incoming.socket
  const incoming: HttpBindings['incoming'] = Object.create(env.incoming, {
    socket: { value: { localPort, remoteAddress } }, // a destroyed socket no longer has these
  })
  return async () => fetch(new Request(url, { method, headers, body }), { ...env, incoming })
}

async function readStart(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body ?? []) {
    chunks.push(chunk)
    length += chunk.byteLength
    if (length > longestBody) break
  }
  return new Uint8Array(Buffer.concat(chunks))
}

function reset({ incoming }: HttpBindings): Response {
  incoming.socket.resetAndDestroy()
  return RESPONSE_ALREADY_SENT
}

async function sendHalf(env: HttpBindings, answer: Response): Promise<Response> {
  const bytes = new Uint8Array(await answer.arrayBuffer())
  if (bytes.length < 2) return reset(env)
  const { outgoing } = env
  outgoing.writeHead(answer.status, { ...Object.fromEntries(answer.headers), 'content-length': String(bytes.length) })
  await new Promise<void>((resolve) => {
    outgoing.write(bytes.subarray(0, bytes.length >> 1), () => resolve())
  })
  env.incoming.socket.destroy()
  return RESPONSE_ALREADY_SENT
}

function asError(refusal: Refusal): Response {
  return Response.json(refusal.toBody(), { status: refusal.status })
}
