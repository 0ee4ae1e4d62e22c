/** The laws of the allowance, over arbitrary arrivals. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AllowanceTerms, readAllowance, windowStart } from '../../src/service/jobs/jobs.ts'

const day = 86_400_000
const start = Date.UTC(2026, 0, 1)

const terms = fc.record({
  allowance: fc.integer({ min: 1, max: 5 }),
  window: fc.constantFrom<AllowanceTerms['window']>('sliding', 'fixed'),
  phaseMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: day })),
})
/** Pauses between requests; round parts of a day, so that edges are met often. */
const pauses = fc.array(
  fc.oneof(fc.integer({ min: 0, max: day }), fc.constantFrom(0, 1, day / 2, day - 1, day, day + 1)),
  {
    maxLength: 60,
  },
)

function play(rule: AllowanceTerms, times: readonly number[]): { accepted: number[]; refused: [number, number][] } {
  const accepted: number[] = []
  const refused: [number, number][] = []
  for (const now of times) {
    const counted = accepted.filter((at) => at >= windowStart(rule, now))
    const { nextAt } = readAllowance(rule, counted, now)
    if (nextAt === null) accepted.push(now)
    else refused.push([now, nextAt])
  }
  return { accepted, refused }
}

const dayOf = ({ phaseMs }: AllowanceTerms, at: number) => Math.floor((at - phaseMs) / day)

const timesOf = (steps: readonly number[]) => steps.map((_, i) => steps.slice(0, i + 1).reduce((a, b) => a + b, start))

describe('the allowance', () => {
  it('never accepts more than its number in any window', () => {
    fc.assert(
      fc.property(terms, pauses, (rule, steps) => {
        const { accepted } = play(rule, timesOf(steps))
        for (const at of accepted) {
          const inWindow =
            rule.window === 'sliding'
              ? accepted.filter((other) => other >= at && other < at + day)
              : accepted.filter((other) => dayOf(rule, other) === dayOf(rule, at))
          expect(inWindow.length).toBeLessThanOrEqual(rule.allowance)
        }
      }),
    )
  })

  it('names the exact moment at which the next job fits: refused just before, accepted then', () => {
    fc.assert(
      fc.property(terms, pauses, (rule, steps) => {
        const times = timesOf(steps)
        const { refused } = play(rule, times)
        for (const [now, nextAt] of refused) {
          expect(nextAt).toBeGreaterThan(now)
          const before = times.filter((time) => time <= now)
          expect(play(rule, [...before, nextAt]).accepted.at(-1)).toBe(nextAt)
          if (nextAt - 1 > now) expect(play(rule, [...before, nextAt - 1]).refused.at(-1)).toEqual([nextAt - 1, nextAt])
        }
      }),
    )
  })
})
