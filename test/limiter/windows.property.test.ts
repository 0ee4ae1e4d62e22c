/**
 * The law of both ledgers against every kind of server (R3, H9): requests as fast as the rule admits, several at a time, at any latency,
 * arriving anywhere between start and answer. The stream does not depend on the server, so one stream is judged by all seven kinds.
 */
import { expect, it } from 'vitest'
import { allowanceOf, nextOpening } from '../../src/workbench/run/allowance.ts'
import { REQUEST_LIMITS, type RequestLimits, requestWait } from '../../src/workbench/store/request-log.ts'
import { COUNTER_KINDS, createCounter } from '../sim/counters.ts'
import { createRandom, type Random } from '../sim/random.ts'
import { inWords, share } from '../support/share.ts'

const seed = 5
/** Also the share lasts half an hour at each latency, in which the hour changes. */
const requests = share({ usual: 10_000, long: 1_000_000 })
const atOnce = share({ usual: 10_000, long: 30_000 })
const steady = share({ usual: 8_000, long: 20_000 })
const phases = 3

interface Stream {
  /** When each reached the server, earliest first. */
  readonly arrivals: Float64Array
  /** From the first start to the last. */
  readonly tookMs: number
}

interface Entry {
  startedMs: number
  finishedMs: number | null
}

/** `lanes`: requests under way at once. `stampAtStart` is the tempting mistake: a request stops counting `windowMs` after its start. */
function saturate(
  limits: RequestLimits,
  draw: { n: number; lanes: number; latency: () => number; random: Random; stampAtStart?: boolean },
): Stream {
  const { n, lanes, latency, random } = draw
  const arrivals = new Float64Array(n)
  let log: Entry[] = []
  let open: { at: number; entry: Entry }[] = []
  let now = 0
  for (let sent = 0; sent < n; ) {
    for (const { at, entry } of open) if (at <= now) entry.finishedMs = draw.stampAtStart ? entry.startedMs : at
    open = open.filter(({ at }) => at > now)
    const nextEnd = Math.min(...open.map(({ at }) => at))
    const wait = open.length < lanes ? requestWait(log, limits, now) : nextEnd - now
    if (wait > 0) {
      now = Math.min(now + wait, nextEnd)
      continue
    }
    const ms = latency()
    const entry: Entry = { startedMs: now, finishedMs: null }
    arrivals[sent++] = now + ms * random.next()
    log.push(entry)
    open.push({ at: now + ms, entry })
    // The real log forgets them too.
    log = log.filter(({ finishedMs }) => finishedMs === null || finishedMs > now - limits.windowMs)
  }
  return { arrivals: arrivals.sort(), tookMs: now }
}

/** How many of the stream each kind of server refuses, at several phases. */
function refusals({ arrivals }: Stream, server: { count: number; windowMs: number }): Record<string, number> {
  const start = Date.UTC(2026, 9, 25, 0, 45) // the hour changes in Berlin a quarter of an hour later
  const random = createRandom(seed)
  return Object.fromEntries(
    COUNTER_KINDS.map((kind) => {
      let refused = 0
      for (let n = 0; n < phases; n++) {
        const counter = createCounter(kind, { ...server, phase: random.next() })
        for (const at of arrivals) if (!counter.admit(start + at)) refused++
      }
      return [kind, refused]
    }),
  )
}

const nobody = Object.fromEntries(COUNTER_KINDS.map((kind) => [kind, 0]))

const LATENCIES: Readonly<Record<string, (random: Random) => () => number>> = {
  quick: (random) => () => random.between(1, 50),
  usual: (random) => () => random.between(50, 2_000),
  terrible: (random) => () => (random.chance(0.1) ? random.between(5_000, 30_000) : random.between(10, 500)),
}

it(`${inWords(requests)} requests at three latencies are refused by none of seven kinds of server`, () => {
  const random = createRandom(seed)
  let judged = 0
  for (const [name, latency] of Object.entries(LATENCIES)) {
    const n = Math.ceil(requests / 3)
    const stream = saturate(REQUEST_LIMITS, { n, lanes: 8, latency: latency(random), random })
    // As many as we send: no reserve hides a mistake.
    expect(refusals(stream, { count: REQUEST_LIMITS.count, windowMs: 60_000 }), name).toEqual(nobody)
    judged += n
  }
  const kinds = COUNTER_KINDS.length
  process.stdout.write(
    `R3: 0 of ${inWords(judged)} requests refused by ${kinds} kinds of server, ${phases} phases each\n`,
  )
})

it('sent at once, without a pause in between, they are refused by none either', () => {
  const random = createRandom(seed)
  const limits = { ...REQUEST_LIMITS, paceMs: 0 }
  for (const [name, latency] of Object.entries(LATENCIES)) {
    const stream = saturate(limits, { n: atOnce, lanes: 8, latency: latency(random), random })
    expect(refusals(stream, { count: limits.count, windowMs: 60_000 }), name).toEqual(nobody)
  }
})

it('uses at least 99 % of what the rule can give: N per window and latency', () => {
  const random = createRandom(seed)
  for (const latencyMs of [20, 500, 3_000]) {
    const { tookMs } = saturate(REQUEST_LIMITS, { n: steady, lanes: 16, latency: () => latencyMs, random })
    // A burst of `count` fits into a window as long as the pace allows, so the pace is no limit here.
    const best = REQUEST_LIMITS.count / (REQUEST_LIMITS.windowMs + latencyMs)
    expect(steady / tookMs / best).toBeGreaterThanOrEqual(0.99)
  }
})

it('a log that stamps at the start does exceed (control)', () => {
  const random = createRandom(seed)
  const limits = { ...REQUEST_LIMITS, windowMs: 60_000 }
  const stream = saturate(limits, {
    n: 20_000,
    lanes: 8,
    latency: LATENCIES.terrible(random),
    random,
    stampAtStart: true,
  })
  expect(refusals(stream, { count: limits.count, windowMs: 60_000 }).sliding).toBeGreaterThan(0)
})

it('100 backtests a day, sent as early as allowed for three years, are refused by none of seven kinds of service', () => {
  const random = createRandom(seed)
  const day = 86_400_000
  const days = 1_100
  // A service that resets at local midnight has one day of 25 hours a year: the documented setting for it.
  const allowance = allowanceOf({ allowanceWindowMs: 25 * 3_600_000 })
  const spent: number[] = []
  const arrivals: number[] = []
  for (let now = 0; now < days * day; ) {
    now = nextOpening(spent.slice(-100), allowance, now)
    const latency = random.between(10, 30_000)
    arrivals.push(now + latency * random.next())
    now += latency
    spent.push(now)
  }
  const stream = { arrivals: Float64Array.from(arrivals), tookMs: 0 }
  expect(refusals(stream, { count: 100, windowMs: day })).toEqual(nobody)
  expect(arrivals.length).toBeGreaterThan((days * day * 100) / (allowance.windowMs + 100 * 15_005) - 100)
})
