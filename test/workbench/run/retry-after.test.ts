/** H17: whatever Retry-After says, the pause after a refusal lies between bounds: [1 min, 1 h] for the rate, [1 min, 24 h + 1 min] for the allowance. */
import { describe, expect, it } from 'vitest'
import { calmWorld } from '../../sim/calm-world.ts'
import { share } from '../../support/share.ts'
import { day, hour, minute } from './setup.ts'

const VALUES: readonly string[] = [
  ...['0', '1', '30', '60', '61', '90', '3599', '3600', '3601', '7200', '86400', '86460', '86461', '31536000'],
  ...['99999999999', '1e400', '1e3', '-1', '-5', '-99999999999', '0.5', '.5', '+7', '0x10', '007', '1,5'],
  ...['', ' ', 'soon', 'NaN', 'Infinity', 'null', '12 hours', '60s', '60, 90', '\u0664'],
  ...['Thu, 01 Jan 2026 00:01:30 GMT', 'Thu, 01 Jan 2020 00:00:00 GMT', 'Thu, 01 Jan 2099 00:00:00 GMT'],
  ...['2026-01-01T00:05:00Z', 'Thu, 99 Foo 2026 25:61:61 GMT', '1'.repeat(400)],
]

/** One or two of each kind: at and beyond a bound, no whole number, no number, a date gone, far and impossible. */
const EACH_KIND = [
  ...['0', '60', '3601', '86461', '99999999999', '1e400', '-5', '0.5', '0x10', '', 'soon', '60, 90', '\u0664'],
  ...['Thu, 01 Jan 2026 00:01:30 GMT', 'Thu, 01 Jan 2099 00:00:00 GMT', 'Thu, 99 Foo 2026 25:61:61 GMT'],
]

/** The second submission is refused once. */
async function pauseAfter(code: string, retryAfter: string, tellsLimits: boolean) {
  let refusedAt = Number.NaN
  let posts = 0
  const world = calmWorld({
    tellsLimits,
    instead: (_, { method }) => {
      if (method !== 'POST' || posts++ !== 1) return undefined
      refusedAt = world.time.now
      const headers = { 'content-type': 'application/json', 'retry-after': encodeHeader(retryAfter) }
      return { status: 429, body: `{"error":{"code":"${code}","message":"no"}}`, headers }
    },
  })
  const summary = await world.run(3)
  const after = (wanted: string) =>
    (world.sentAt.find(({ method, at }) => at > refusedAt && (wanted === 'any' || method === wanted))?.at ?? Infinity) -
    refusedAt
  const found = { done: summary?.trials.done, posts: world.posts().length, any: after('any'), post: after('POST') }
  world.clear()
  return found
}

/** Headers are bytes; what does not fit into one arrives as its UTF-8. */
function encodeHeader(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

describe.each(share({ usual: VALUES.filter((value) => EACH_KIND.includes(value)), long: VALUES }))(
  'Retry-After %j',
  (value) => {
    it('of the rate pauses everything for a minute to an hour', async () => {
      const { done, posts, any } = await pauseAfter('ApiKeyRateLimit', value, true)
      expect({ done, posts }).toEqual({ done: 3, posts: 4 })
      expect(any).toBeGreaterThanOrEqual(minute)
      expect(any).toBeLessThanOrEqual(hour + 2_000)
    })

    it('of the allowance keeps submissions back for a minute to a day and a minute', async () => {
      const { done, posts, post } = await pauseAfter('ApiKeyBacktestLimit', value, false)
      expect({ done, posts }).toEqual({ done: 3, posts: 4 })
      expect(post).toBeGreaterThanOrEqual(minute)
      expect(post).toBeLessThanOrEqual(day + 3 * minute)
    })
  },
)
