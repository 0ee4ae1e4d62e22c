/** What a run tells the person who started it. Warnings and long waits are told once. */

import type { Doubt } from '../analysis/doubts/doubts.ts'
import type { RunEvent } from './options.ts'

/** Waits that people notice are announced, once for each reason: a wait of a day is slept in many short pieces. */
const longWaitMs = 60_000

export class Talk {
  readonly tell: (event: RunEvent) => void
  readonly #warned = new Set<string>()
  #lastWait = ''

  constructor(tell: ((event: RunEvent) => void) | undefined) {
    this.tell = tell ?? (() => {})
  }

  /** `said`: what counts as the same warning. */
  warnOnce(said: string, { code, message }: Pick<Doubt, 'code' | 'message'>): void {
    if (this.#warned.has(said)) return
    this.#warned.add(said)
    this.tell({ kind: 'warning', code, message })
  }

  hasWarned(said: string): boolean {
    return this.#warned.has(said)
  }

  /** Answers whether this wait has been announced, now or at an earlier piece of it. */
  announceWait(words: string, ms: number): boolean {
    if (ms > longWaitMs && words !== this.#lastWait) {
      this.#lastWait = words
      this.tell({ kind: 'waiting', message: words })
    }
    return words === this.#lastWait
  }
}
