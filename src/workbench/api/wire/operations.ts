/**
 * The operations that can be requested, which of them need a proof, and the only place where a URL is built. An id could redirect
 * a request (`..`, an absolute address, an empty segment), so ids are checked and the finished URL is compared with the intended
 * path.
 */
import { ENDPOINTS, type EndpointName } from '../../../contract/endpoints.ts'
import { everyMentionIsTrue } from '../demo-only.ts'
import type { Reply } from '../outcome.ts'
import type { BotReading } from '../reading/readings.ts'

// The proof that a bot is a demo (H48). Such a value exists only when the bot was read back and the service's text said so. It is
// valid for five seconds, for this bot, on the client that read it. Starting, updating and selling require it, and it is checked
// again just before the request is sent: waiting for the request rate may have made it too old.

export const proofValidMs = 5_000

export type ProofProblem = 'missing' | 'foreign' | 'expired'

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
