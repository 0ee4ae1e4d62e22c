/**
 * When not to ask. A service that fails five times in a row is left alone for growing times and then asked once, by a read; a key
 * that was refused is not shown again; a scope that was refused closes its writes. Times are monotonic ms.
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

  /** The refusal that answers this request too, or undefined. */
  findRefusal(endpoint: EndpointName): Reply | undefined {
    return this.#keyRefused ?? (isRead(endpoint) ? undefined : this.#scopeRefused.get(ENDPOINTS[endpoint].scope))
  }

  /** The service has failed last time: a write waits until a read has succeeded. */
  get doubtful(): boolean {
    return this.#failures > 0
  }

  /** A single try at a time, no repeats. */
  get resting(): boolean {
    return this.#failures >= failuresBeforeRest
  }

  /** How long to wait before asking; 0 = ask now. The asker takes the turn: whoever comes next waits a full rest. */
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

  /** The service answered sensibly, if only with a no. */
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
