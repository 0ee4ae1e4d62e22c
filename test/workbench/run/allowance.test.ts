/** The law of the ledger: no window of any kind ever holds more submissions than allowed (R3, H9). */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allowanceOf, countUsed, finishAt, nextOpening } from '../../../src/workbench/run/allowance.ts'
import { day, hour, minute } from './setup.ts'

const allowance = { count: 5, windowMs: 1_000 }

/** Submits as early as allowed, one at a time; each arrives somewhere between its start and its end. */
function submitAll(gaps: readonly { wait: number; latency: number; arrival: number }[]): number[] {
  const spent: number[] = []
  const arrivals: number[] = []
  let now = 0
  for (const { wait, latency, arrival } of gaps) {
    now = nextOpening(spent, allowance, now + wait)
    arrivals.push(now + latency * arrival)
    now += latency
    spent.push(now)
  }
  return arrivals
}

const gaps = fc.array(
  fc.record({
    wait: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 })),
    latency: fc.integer({ min: 0, max: 900 }),
    arrival: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { minLength: 20, maxLength: 60 },
)

describe('submissions as early as the ledger allows', () => {
  it('never exceed any half-open interval of the window’s length', () => {
    fc.assert(
      fc.property(gaps, (sequence) => {
        const arrivals = submitAll(sequence)
        return arrivals.every(
          (from) => arrivals.filter((at) => at >= from && at < from + allowance.windowMs).length <= 5,
        )
      }),
    )
  })

  it('never exceed a fixed window, whenever it begins and if it is shorter than assumed', () => {
    fc.assert(
      fc.property(
        gaps,
        fc.integer({ min: 0, max: 1_000 }),
        fc.integer({ min: 500, max: 1_000 }),
        (sequence, phase, length) => {
          const counts = new Map<number, number>()
          for (const at of submitAll(sequence)) {
            const window = Math.floor((at + phase) / length)
            counts.set(window, (counts.get(window) ?? 0) + 1)
          }
          return Math.max(...counts.values()) <= 5
        },
      ),
    )
  })

  it('never empty a token bucket', () => {
    fc.assert(
      fc.property(gaps, (sequence) => {
        let tokens = 5
        let last = 0
        return submitAll(sequence).every((at) => {
          tokens = Math.min(5, tokens + ((at - last) * 5) / 1_000) - 1
          last = at
          return tokens >= -1e-9
        })
      }),
    )
  })

  it('are never later than needed: the opening is the first moment with room', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 20 }), (times) => {
        const spent = times.toSorted((a, b) => a - b)
        const opening = nextOpening(spent, allowance, 3_000)
        const hasRoom = (at: number) => countUsed(spent, allowance, at) < 5
        return hasRoom(opening) && (opening === 3_000 || !hasRoom(opening - 1))
      }),
    )
  })
})

it('the documented allowance is 100 per 24 hours, counted a minute longer', () => {
  expect(allowanceOf()).toEqual({ count: 100, windowMs: day + minute })
  expect(allowanceOf({ allowance: 50, reserve: 20, allowanceWindowMs: 25 * hour })).toEqual({
    count: 30,
    windowMs: 25 * hour + minute,
  })
})

it('with nothing allowed there is no opening', () => {
  expect(nextOpening([], allowanceOf({ reserve: 100 }), 0)).toBe(Number.POSITIVE_INFINITY)
})

it('130 trials take a day, 230 two', () => {
  expect(finishAt([], allowanceOf(), 0, 100)).toBe(0)
  expect(finishAt([], allowanceOf(), 0, 130)).toBe(day + minute)
  expect(finishAt([], allowanceOf(), 0, 230)).toBe(2 * (day + minute))
})
