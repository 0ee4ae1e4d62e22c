/** Why a run stops before everything is done. The first reason is the one that is reported. */
import type { Halt } from './next-step.ts'

export class Brake {
  #halt: Halt | null = null

  get halt(): Halt | null {
    return this.#halt
  }

  /** No more submissions, but what runs may still be collected, or there is no halt at all. */
  get mayRead(): boolean {
    return this.#halt === null || this.#halt.mayRead
  }

  /**
   * Answers whether this changed anything: a later halt counts only if it also forbids reading, which the first one did not. It keeps the
   * first reason.
   */
  pull(halt: Halt): boolean {
    if (this.#halt !== null && (!this.#halt.mayRead || halt.mayRead)) return false
    this.#halt = { by: this.#halt?.by ?? halt.by, mayRead: halt.mayRead }
    return true
  }
}
