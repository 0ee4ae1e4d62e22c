/** What the service shows of its allowance beside our ledger: it makes us wait, and it is never sent more than it says is left. */
import { expect, it } from 'vitest'
import { allowanceOf, ServiceAllowance } from '../../../src/workbench/run/allowance.ts'
import { day, hour, limitsOf, minute } from './setup.ts'

const now = 10 * day
const allowance = allowanceOf()
const create = () => new ServiceAllowance({ limit: 100, allowance })
/** n units, spent an hour ago. */
const spent = (n: number) => Array.from({ length: n }, () => now - hour)
const rows = (n: number, at = now) => ({ now: at, spentAt: spent(n), acceptedAt: spent(n) })

it('where nothing is told, our ledger alone counts', () => {
  const service = create()
  service.takeFirst(limitsOf({}), rows(60))
  expect(service.countAvailable(rows(60))).toBe(40)
  expect(service.opensAt(rows(60))).toBe(now)
  expect(service.opensAt(rows(100))).toBe(now - hour + allowance.windowMs)
  service.askFirst(rows(100))
  expect(service.probeAt).toBeNull()
})

it('a service that says nothing is left is asked again when it said, in an hour at the latest', () => {
  const soon = create()
  soon.takeFirst(limitsOf({ remaining: 0, nextAt: now + 10 * minute }), rows(0))
  expect(soon.probeAt).toBe(now + 10 * minute)
  expect(soon.reopening(rows(0))).toEqual({ at: now + 10 * minute, source: 'reported' })
  const late = create()
  late.takeFirst(limitsOf({ remaining: 0, nextAt: now + 5 * hour }), rows(0))
  expect(late.probeAt).toBe(now + hour)
  expect(late.reopening(rows(0))).toEqual({ at: now + 5 * hour, source: 'reported' })
})

it('less left than our ledger says is all that is sent before it is asked again', () => {
  const service = create()
  service.takeFirst(limitsOf({ used: 95, remaining: 5 }), rows(60))
  expect(service.countAvailable(rows(60))).toBe(5)
  service.askFirst(rows(64))
  expect(service.probeAt).toBeNull()
  service.askFirst(rows(65))
  expect(service.probeAt).toBe(now)
})

it('a refusal as full asks the limits next, and right after it they cannot open anything', () => {
  const service = create()
  service.noteFull(now, null)
  expect(service.probeAt).toBe(now)
  service.takeProbe(limitsOf({ used: 10, remaining: 90 }), rows(10))
  expect(service.probeAt).toBe(now + hour)
  service.takeProbe(limitsOf({ used: 10, remaining: 90 }), rows(10, now + hour))
  expect([service.probeAt, service.reopening(rows(10, now + hour))]).toEqual([null, null])
})

it('a full service that does not say until when is asked once an hour, and no time is made up for it', () => {
  const service = create()
  service.takeFirst(limitsOf({ used: 100, remaining: 0 }), rows(0))
  const asked = [1, 2, 3].map((hours) => {
    const reopening = service.reopening(rows(0, now + (hours - 1) * hour))
    service.takeProbe(limitsOf({ used: 100, remaining: 0 }), rows(0, now + hours * hour))
    return reopening
  })
  expect(asked).toEqual([1, 2, 3].map((hours) => ({ at: now + hours * hour, source: 'recheck' })))
})

it('an opening that has passed already is none, and a time that was said holds while limits say nothing of it', () => {
  const passed = create()
  passed.takeFirst(limitsOf({ remaining: 0, nextAt: now - minute }), rows(0))
  expect(passed.reopening(rows(0))).toEqual({ at: now + minute, source: 'recheck' })
  const refused = create()
  refused.noteFull(now, 3 * hour)
  refused.takeProbe(limitsOf({ used: 10, remaining: 90 }), rows(10))
  expect(refused.reopening(rows(10))).toEqual({ at: now + 3 * hour, source: 'reported' })
})

it('a unit that our own count frees later than the service reopens is said to be by our count, unless it forgets sooner', () => {
  const full = { used: 100, remaining: 0, nextAt: now + 2 * hour }
  const sliding = create()
  sliding.takeFirst(limitsOf(full), rows(100))
  expect(sliding.reopening(rows(100))).toEqual({ at: now - hour + allowance.windowMs, source: 'ledger' })
  const fixed = create()
  fixed.takeFirst(limitsOf({ ...full, windowType: 'fixed' }), rows(100))
  expect(fixed.reopening(rows(100))).toEqual({ at: now + 2 * hour, source: 'reported' })
  const silent = create()
  silent.takeFirst(limitsOf({ ...full, windowType: 'fixed', nextAt: null }), rows(100))
  expect(silent.reopening(rows(100))).toEqual({ at: now + hour, source: 'recheck' })
})

it('a service that forgets sooner is told once, and what it says is left is used beyond our ledger', () => {
  const service = create()
  const limits = limitsOf({ windowType: 'fixed', used: 20, remaining: 80 })
  expect(service.takeFirst(limits, rows(100))?.type).toBe('fixed')
  expect(service.takeFirst(limits, rows(100))).toBeNull()
  expect(service.isOnItsWord(rows(100))).toBe(true)
  expect(service.opensAt(rows(100))).toBe(now)
  expect(service.countAvailable(rows(100))).toBe(80)
})

it('one refusal of what it had said was left ends the belief for good', () => {
  const service = create()
  const limits = limitsOf({ windowType: 'fixed', used: 20, remaining: 80 })
  service.takeFirst(limits, rows(100))
  expect([service.refute(), service.refute()]).toEqual([true, false])
  expect(service.takeFirst(limits, rows(100))).toBeNull()
  expect(service.opensAt(rows(100))).toBe(now - hour + allowance.windowMs)
  expect(service.countAvailable(rows(100))).toBe(0)
})

it('while its window is unknown and our ledger is full, it is asked once an hour', () => {
  const service = create()
  const limits = limitsOf({ used: 100, remaining: 1 })
  service.takeFirst(limits, rows(100))
  const askedAt = (minutes: number) => {
    const at = now + minutes * minute
    service.askFirst(rows(100, at))
    const asked = service.probeAt === at
    if (asked) service.takeProbe(limits, rows(100, at))
    return asked
  }
  expect([0, 1, 59, 60, 61, 120].map(askedAt)).toEqual([true, false, false, true, false, true])
})

it('a reserve is left alone by the service’s count too', () => {
  const reserving = (limits: Parameters<typeof limitsOf>[0]) => {
    const service = new ServiceAllowance({ limit: 100, allowance: allowanceOf({ reserve: 10 }) })
    service.takeFirst(limitsOf(limits), rows(0))
    return service
  }
  // Somebody else used 60 of them.
  expect(reserving({ used: 60, remaining: 40 }).countAvailable(rows(0))).toBe(30)
  expect(reserving({ limit: 50, windowType: 'fixed', used: 20, remaining: 30 }).countAvailable(rows(0))).toBe(20)
  const none = reserving({ used: 90, remaining: 10 })
  expect(none.countAvailable(rows(0))).toBe(0)
  expect(none.probeAt).toBe(now + hour)
})

it('where nothing is allowed no time is said, though the service says one', () => {
  const none = new ServiceAllowance({ limit: 100, allowance: allowanceOf({ reserve: 100 }) })
  none.takeFirst(limitsOf({ used: 100, remaining: 0, nextAt: now + hour }), rows(0))
  expect(none.reopening(rows(0))).toBeNull()
})
