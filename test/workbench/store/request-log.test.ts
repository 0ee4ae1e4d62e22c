/** The law of the minute log: no server that counts in windows, buckets or slides ever sees too many (R3, H9, H10). */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createRequestLog,
  type LoggedRequest,
  REQUEST_LIMITS,
  type RequestLimits,
  requestWait,
  thisProcess,
} from '../../../src/workbench/store/request-log.ts'
import { openStore } from '../../../src/workbench/store/store.ts'
import { testSystem } from '../../support/system.ts'
import { openTemporary } from './setup.ts'

const numRuns = 40
const requestsPerRun = 400
const limits: RequestLimits = { count: 11, windowMs: 6_100, paceMs: 5, exchangeLimitMs: 12_000 }
/** What the server allows: as many, in the window without our margin. */
const server = { count: 11, windowMs: 6_000 }

/** Sends requests as fast as the log allows, several at once; answers when each arrived, earliest first. */
function saturate(latencies: readonly number[], lanes: number): number[] {
  const log: { startedMs: number; finishedMs: number | null }[] = []
  const arrivals: number[] = []
  const open: { at: number; entry: { finishedMs: number | null } }[] = []
  let now = 1_000
  for (let n = 0; n < requestsPerRun; ) {
    open.sort((a, b) => a.at - b.at)
    for (let first = open.at(0); first !== undefined && first.at <= now; first = open.at(0)) {
      first.entry.finishedMs = first.at
      open.shift()
    }
    const wait = open.length < lanes ? requestWait(log, limits, now) : (open[0]?.at ?? now) - now
    if (wait > 0) {
      now += Math.min(wait, open.length > 0 ? Math.max(1, open[0].at - now) : wait)
      continue
    }
    const latency = latencies[n % latencies.length]
    const entry: LoggedRequest & { finishedMs: number | null } = { startedMs: now, finishedMs: null }
    log.push(entry)
    arrivals.push(now + latency * ((n * 7919) % 10) * 0.1)
    open.push({ at: now + latency, entry })
    n++
  }
  return arrivals.sort((a, b) => a - b)
}

const latencies = fc.array(fc.integer({ min: 0, max: 9_000 }), { minLength: 1, maxLength: 12 })
const lanes = fc.integer({ min: 1, max: 6 })

describe('requests as fast as the log allows, at any latency', () => {
  it('never exceed a sliding window', () => {
    fc.assert(
      fc.property(latencies, lanes, (times, width) => {
        const arrivals = saturate(times, width)
        return arrivals.every((at, n) => n < server.count || at - arrivals[n - server.count] >= server.windowMs)
      }),
      { numRuns },
    )
  })

  it('never exceed a fixed window of any phase', () => {
    fc.assert(
      fc.property(latencies, lanes, fc.integer({ min: 0, max: server.windowMs }), (times, width, phase) => {
        const counts = new Map<number, number>()
        for (const at of saturate(times, width)) {
          const window = Math.floor((at + phase) / server.windowMs)
          counts.set(window, (counts.get(window) ?? 0) + 1)
        }
        return Math.max(...counts.values()) <= server.count
      }),
      { numRuns },
    )
  })

  it('never empty a token bucket', () => {
    fc.assert(
      fc.property(latencies, lanes, (times, width) => {
        let tokens = server.count
        let last = 0
        return saturate(times, width).every((at) => {
          tokens = Math.min(server.count, tokens + ((at - last) * server.count) / server.windowMs) - 1
          last = at
          return tokens >= -1e-9
        })
      }),
      { numRuns },
    )
  })

  it('do not dawdle: without latency a full window passes in its time', () => {
    const arrivals = saturate([0], 1)
    const windows = Math.floor(requestsPerRun / limits.count)
    expect(arrivals[windows * limits.count] - arrivals[0]).toBeLessThan(windows * limits.windowMs * 1.01)
  })
})

describe('the log of a key', () => {
  it('keeps requests apart, grants as many as allowed, then says how long to wait', async () => {
    const { store, system } = openTemporary()
    const log = createRequestLog(store, { key: 'k', ratePerMinute: 3 })
    for (let n = 0; n < 3; n++) {
      const answer = log.tryStart()
      if (!('slot' in answer)) throw new Error(`refused request ${n}`)
      expect(log.tryStart()).toHaveProperty('waitMs', n < 2 ? 250 : 60_750)
      await system.clock.sleep(250)
      log.finish(answer.slot)
    }
    const answer = log.tryStart()
    expect(answer).toEqual({ waitMs: 61_000 - 500 })
    await system.clock.sleep(60_499)
    expect(log.tryStart()).toEqual({ waitMs: 1 })
    await system.clock.sleep(1)
    expect(log.tryStart()).toHaveProperty('slot')
  })

  it('asks for no pause between requests to a service that is known to be ours, and holds the minute all the same', async () => {
    const { store, system } = openTemporary()
    const log = createRequestLog(store, { key: 'k' })
    for (let n = 0; n < REQUEST_LIMITS.count; n++) {
      const answer = log.tryStart('at once')
      if (!('slot' in answer)) throw new Error(`refused request ${n}`)
      log.finish(answer.slot)
    }
    expect(log.tryStart('at once')).toEqual({ waitMs: 61_000 })
    await system.clock.sleep(60_999)
    expect(log.tryStart('at once')).toEqual({ waitMs: 1 })
    await system.clock.sleep(1)
    expect(log.tryStart('at once')).toHaveProperty('slot')
    expect(log.tryStart('spread')).toEqual({ waitMs: 250 })
  })

  it('is shared by every process on the store, and other keys have their own', async () => {
    const { store, system } = openTemporary()
    const other = openStore(store.path, { system })
    const ours = createRequestLog(store, { key: 'k' })
    expect(ours.tryStart()).toHaveProperty('slot')
    expect(createRequestLog(other, { key: 'k' }).tryStart()).toHaveProperty('waitMs')
    expect(createRequestLog(other, { key: 'another' }).tryStart()).toHaveProperty('slot')
  })

  it('remembers a restart, counts what a dead process left open, and waits at most a minute after it', async () => {
    const { store, system } = openTemporary()
    const log = createRequestLog(store, { key: 'k', ratePerMinute: 2 })
    log.tryStart()
    await system.clock.sleep(250)
    const second = log.tryStart()
    if ('slot' in second) log.finish(second.slot)
    store.close()
    const again = createRequestLog(openStore(store.path, { system }), { key: 'k', ratePerMinute: 2 })
    await system.clock.sleep(250)
    const answer = again.tryStart()
    expect(answer).toHaveProperty('waitMs')
    await system.clock.sleep(61_000)
    expect(again.tryStart()).toHaveProperty('slot')
  })

  it('counts what a dead process left open from the moment its death is seen, and no longer', async () => {
    const { store, system } = openTemporary()
    const first = { id: 'first', isGone: () => false }
    for (let n = 0; n < 2; n++) {
      expect(createRequestLog(store, { key: 'k', ratePerMinute: 2, owner: first }).tryStart()).toHaveProperty('slot')
      await system.clock.sleep(1_000)
    }
    const asOthersSeeIt = (isGone: boolean) =>
      createRequestLog(store, { key: 'k', ratePerMinute: 2, owner: { id: 'second', isGone: () => isGone } }).tryStart()
    expect(asOthersSeeIt(false)).toEqual({ waitMs: 100 })
    await system.clock.sleep(10_000)
    expect(asOthersSeeIt(true)).toEqual({ waitMs: 61_000 })
    await system.clock.sleep(61_000)
    expect(asOthersSeeIt(true)).toHaveProperty('slot')
  })

  it('knows the living from the dead, and takes strangers for alive', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    const [, , ...scope] = thisProcess.id.split(' ')
    const id = [child.pid, '', ...scope].join(' ')
    expect(thisProcess.isGone(thisProcess.id)).toBe(false)
    expect(thisProcess.isGone(id)).toBe(false)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(thisProcess.isGone(id)).toBe(true)
    expect(thisProcess.isGone(`${child.pid}  another machine`)).toBe(false)
  })

  it('treats what was logged before the machine started anew as done when it started', () => {
    const before = testSystem({ monotonic: 90_000_000 })
    const { store } = openTemporary(before)
    const log = createRequestLog(store, { key: 'k', ratePerMinute: 1 })
    const first = log.tryStart()
    if ('slot' in first) log.finish(first.slot)
    store.close()
    const justStarted = openStore(store.path, { system: testSystem({ monotonic: 20_000 }) })
    expect(createRequestLog(justStarted, { key: 'k', ratePerMinute: 1 }).tryStart()).toEqual({ waitMs: 41_000 })
  })

  it('leaves the busy store to others and asks again', () => {
    const { store, system } = openTemporary()
    const other = openStore(store.path, { system })
    other.db.exec('begin immediate')
    expect(createRequestLog(store, { key: 'k' }).tryStart()).toEqual({ waitMs: 100 })
    other.close()
  })

  it('writes an end that a busy store could not take with the next start, at its own time', async () => {
    const { store, system } = openTemporary()
    const log = createRequestLog(store, { key: 'k', ratePerMinute: 1 })
    const first = log.tryStart()
    if (!('slot' in first)) throw new Error('refused the first request')
    await system.clock.sleep(500)
    const other = openStore(store.path, { system })
    other.db.exec('begin immediate')
    log.finish(first.slot)
    other.db.exec('rollback')
    other.close()
    expect(store.db.pragma('busy_timeout', { simple: true })).toBe(250)
    await system.clock.sleep(1_000)
    expect(log.tryStart()).toEqual({ waitMs: 60_000 })
    await system.clock.sleep(60_000)
    expect(log.tryStart()).toHaveProperty('slot')
  })

  it('has the documented limits, less a reserve, over a little more than a minute', () => {
    expect(REQUEST_LIMITS).toMatchObject({ count: 110, windowMs: 61_000, paceMs: 250 })
  })
})
