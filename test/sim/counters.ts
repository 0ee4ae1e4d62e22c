/** How a service may count: seven kinds, the same for requests a minute and backtests a day. Each is correct by its own lights. */

export interface Counter {
  /** Counts one at `at` (ms) if it has room. Times never go back. */
  admit(at: number): boolean
  /** Something else that some services count: a request that was refused or rejected, a deletion. */
  note(at: number, what: 'reject' | 'delete'): void
  used(at: number): number
  /** When there is room again; null when there is now. */
  nextAt(at: number): number | null
}

export const COUNTER_KINDS = [
  'sliding',
  'fixed',
  'fromFirstUse',
  'tokenBucket',
  'countsRejects',
  'countsDeletes',
  'localMidnight',
] as const

export type CounterKind = (typeof COUNTER_KINDS)[number]

export interface CounterSettings {
  readonly count: number
  readonly windowMs: number
  /** Where fixed windows begin, 0 ≤ phase < 1 of a window. */
  readonly phase: number
}

export function createCounter(kind: CounterKind, settings: CounterSettings): Counter {
  const { count, windowMs, phase } = settings
  switch (kind) {
    case 'sliding':
      return sliding(settings, [])
    case 'countsRejects':
      return sliding(settings, ['reject'])
    case 'countsDeletes':
      return sliding(settings, ['delete'])
    case 'fixed': {
      const begin = (at: number) => Math.floor(at / windowMs - phase)
      return windowed(count, begin, (at) => Math.ceil((begin(at) + 1 + phase) * windowMs))
    }
    case 'localMidnight':
      return windowed(count, localWindow(windowMs), (at) => nextChange(localWindow(windowMs), at))
    case 'fromFirstUse': {
      let began = Number.NEGATIVE_INFINITY
      return windowed(
        count,
        (at, admitting) => {
          if (at >= began + windowMs && admitting) began = at
          return at >= began + windowMs ? Number.NaN : began
        },
        () => began + windowMs,
      )
    }
    case 'tokenBucket':
      return tokenBucket(settings)
  }
}

function sliding({ count, windowMs }: CounterSettings, alsoCounts: readonly string[]): Counter {
  const times: number[] = []
  const prune = (at: number) => {
    let old = 0
    while (old < times.length && times[old] <= at - windowMs) old++
    if (old > 0) times.splice(0, old)
  }
  return {
    admit: (at) => {
      prune(at)
      if (times.length >= count) return false
      times.push(at)
      return true
    },
    note: (at, what) => {
      if (alsoCounts.includes(what)) times.push(at)
    },
    used: (at) => {
      prune(at)
      return Math.min(count, times.length)
    },
    nextAt: (at) => {
      prune(at)
      return times.length < count ? null : times[times.length - count] + windowMs
    },
  }
}

/** `windowOf`: the window that a moment belongs to. */
function windowed(
  count: number,
  windowOf: (at: number, admitting: boolean) => number,
  endOf: (at: number) => number,
): Counter {
  let current = Number.NaN
  let used = 0
  const enter = (at: number, admitting: boolean) => {
    const window = windowOf(at, admitting)
    if (window !== current) used = 0
    current = window
  }
  return {
    admit: (at) => {
      enter(at, true)
      if (used >= count) return false
      used++
      return true
    },
    note: () => {},
    used: (at) => {
      enter(at, false)
      return used
    },
    nextAt: (at) => {
      enter(at, false)
      return used < count ? null : endOf(at)
    },
  }
}

function tokenBucket({ count, windowMs }: CounterSettings): Counter {
  let tokens = count
  let last = Number.NEGATIVE_INFINITY
  const refill = (at: number) => {
    tokens = Math.min(count, tokens + ((at - last) * count) / windowMs)
    last = at
  }
  return {
    admit: (at) => {
      refill(at)
      if (tokens < 1 - 1e-9) return false
      tokens -= 1
      return true
    },
    note: () => {},
    used: (at) => {
      refill(at)
      return Math.ceil(count - tokens - 1e-9)
    },
    nextAt: (at) => {
      refill(at)
      return tokens >= 1 ? null : Math.ceil(at + ((1 - tokens) * windowMs) / count)
    },
  }
}

/** Days as a wall in Berlin shows them (the tests' time zone): one has 23 hours, one 25. Shorter windows divide the local day. */
function localWindow(windowMs: number): (at: number) => number {
  return (at) => {
    const local = new Date(at)
    const midnight = Date.UTC(local.getFullYear(), local.getMonth(), local.getDate())
    const sinceMidnight = local.getHours() * 3_600_000 + (at % 3_600_000)
    return midnight + Math.floor(sinceMidnight / windowMs) * windowMs
  }
}

function nextChange(windowOf: (at: number) => number, at: number): number {
  const here = windowOf(at)
  let low = at
  let high = at + 26 * 3_600_000
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (windowOf(middle) === here) low = middle
    else high = middle
  }
  return high
}
