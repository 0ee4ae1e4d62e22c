/** Tells the client that waits for a call how it goes, if it asked for that: what is being done, and while nothing new is known, that it goes on. */
import type { Clock } from '../../system.ts'

/** Clients give a call up after a minute without a word (60 s in the SDK), and a word may be late. */
const wordEveryMs = 20_000

/** A run reports every second and a screen ten times as often. */
const shortestMs = 1_000

export interface CallProgress {
  /** Our own words, never those of a service: this is not the answer, in which such words are marked. */
  tell(text: string): void
  end(): void
}

export interface Word {
  /** Seconds since the call came, so that it grows with every word, as the protocol asks. */
  readonly progress: number
  readonly message: string
}

/** @param send undefined = the client did not ask for progress, and is told nothing */
export function followCall(clock: Clock, send: ((word: Word) => Promise<void>) | undefined): CallProgress {
  if (send === undefined) return { tell: () => {}, end: () => {} }
  const begun = clock.monotonic()
  const over = new AbortController()
  let latest = ''
  let toldAt = Number.NEGATIVE_INFINITY
  let isSending = false
  void keepTelling()
  return {
    tell: (text) => {
      latest = text
      say()
    },
    end: () => over.abort(),
  }

  function say(): void {
    const now = clock.monotonic()
    if (isSending || now - toldAt < shortestMs) return // a client that does not read is not sent more and more
    toldAt = now
    isSending = true
    send?.({ progress: (now - begun) / 1000, message: latest })
      .catch(() => {}) // it has gone; that ends the call by another way
      .finally(() => {
        isSending = false
      })
  }

  async function keepTelling(): Promise<void> {
    try {
      for (;;) {
        await clock.sleep(wordEveryMs, over.signal)
        say()
      }
    } catch (error) {
      if (!over.signal.aborted) throw error
    }
  }
}
