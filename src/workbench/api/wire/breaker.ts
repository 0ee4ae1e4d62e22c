/**
 * Decides when not to send. After five failures in a row no request is sent for a growing time, then a single read; after a
 * refused key nothing is sent with it; after a refused scope no write that needs it is sent. Times are monotonic ms.
 */
import { ENDPOINTS, type EndpointName, type Scope } from '../../../contract/endpoints.ts'
import type { Refused, Reply } from '../outcome.ts'
import { isRead } from './operations.ts'

const failuresBeforeRest = 5
const shortestRestMs = 5_000
const longestRestMs = 300_000

export class Breaker {
  #failures = 0
  #restUntil = 0
  #keyRefused: Reply | undefined
  readonly #scopeRefused = new Map<Scope, Reply>()

  /** An earlier refusal that also applies to this request, or undefined. */
  findRefusal(endpoint: EndpointName): Reply | undefined {
    return this.#keyRefused ?? (isRead(endpoint) ? undefined : this.#scopeRefused.get(ENDPOINTS[endpoint].scope))
  }

  /** True when the last request failed: a write waits until a read has succeeded. */
  get doubtful(): boolean {
    return this.#failures > 0
  }

  /** True while the service is left alone: then reads are not repeated. */
  get resting(): boolean {
    return this.#failures >= failuresBeforeRest
  }

  /** How long to wait before sending; 0 = send now. A caller that gets 0 takes the turn: the next one waits for a full pause. */
  takeTurn(now: number): number {
    if (!this.resting) return 0
    if (now < this.#restUntil) return this.#restUntil - now
    this.#restUntil = now + this.#restMs()
    return 0
  }

  noteRefusal(endpoint: EndpointName, refused: Refused, reply: Reply): void {
    this.noteAnswer()
    if (refused.status === 401 || refused.code === 'ApiKeyAddress') this.#keyRefused = reply
    if (refused.code === 'ApiKeyScope' && !isRead(endpoint)) this.#scopeRefused.set(ENDPOINTS[endpoint].scope, reply)
  }

  /** Records that the service gave a valid answer, also a refusal. */
  noteAnswer(): void {
    this.#failures = 0
    this.#restUntil = 0
  }

  noteFailure(now: number): void {
    this.#failures++
    if (this.resting) this.#restUntil = now + this.#restMs()
  }

  #restMs(): number {
    return Math.min(shortestRestMs * 2 ** Math.max(0, this.#failures - failuresBeforeRest), longestRestMs)
  }
}
