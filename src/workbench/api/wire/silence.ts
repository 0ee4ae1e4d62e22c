/** Requests that follow each other slowly add up to a long silence: while they do, a word is said every minute. */
import type { Clock } from '../../../system.ts'
import type { Operation } from './operations.ts'

const longestSilenceMs = 60_000

export class Silence {
  readonly #clock: Clock
  readonly #say: ((words: string) => void) | undefined
  /** Spent on exchanges since the last word; below zero while one goes on in which something was said. */
  #silentMs = 0
  #requests = 0

  /** `say` absent: somebody else tells how far things are. */
  constructor(clock: Clock, say: ((words: string) => void) | undefined) {
    this.#clock = clock
    this.#say = say
  }

  /** Something was said. */
  end(): void {
    this.#silentMs = 0
  }

  async during<T>({ endpoint }: Operation, exchange: Promise<T>): Promise<T> {
    const say = this.#say
    if (say === undefined) return exchange
    const over = new AbortController()
    const begun = this.#clock.monotonic()
    this.#requests++
    this.#clock.sleep(Math.max(0, longestSilenceMs - this.#silentMs), over.signal).then(
      () => {
        this.#silentMs = begun - this.#clock.monotonic()
        say(`still asking the service: ${endpoint} is request ${this.#requests}, no reply yet`)
      },
      () => {}, // it was answered first
    )
    try {
      return await exchange
    } finally {
      over.abort()
      this.#silentMs += this.#clock.monotonic() - begun
    }
  }
}
