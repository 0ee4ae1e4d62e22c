/**
 * The proof that a bot is a demo (H48). Such a value exists only because the bot was read back and its own text said so; it is good
 * for five seconds, for that one bot, on the client that read it. Starting, updating and selling take it and nothing else, and it is judged
 * once more when the request is about to leave: waiting for the request rate may have made it stale.
 */
import { everyMentionIsTrue } from '../demo-only.ts'
import type { Reply } from '../outcome.ts'
import type { BotReading } from '../reading/readings.ts'

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
   * The only way to one; a test sees to it that only `bot-calls.ts` takes it. `id` is the bot that was asked for, `reply` the whole
   * answer: a dialect may translate it, but the service's own text has to say `"isDemo": true` and nothing else of `isDemo` anywhere.
   * The age counts from the moment the question left, so that it is never underestimated.
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
