/** R12, R16, H15: safe, but not by sitting still: a backlog goes out as fast as it may, results come home soon, and few requests are spent. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { runStudy } from '../../src/run/run.ts'
import { plainService } from '../crash/small-world.ts'
import { day, hour, makeStudy, makeTrials, minute } from '../run/setup.ts'
import { memoryFolder } from './memory-folder.ts'
import { createWire, type Fate } from './network.ts'
import { Crash, type Machine, startProgram } from './program.ts'
import { createRandom } from './random.ts'
import type { ServiceTraits } from './service.ts'
import { createTime } from './time.ts'

const start = Date.UTC(2026, 0, 1)

function world(traits: Partial<ServiceTraits> = {}, fate: (n: number) => Fate = () => 'ok') {
  const time = createTime(start)
  const service = plainService(traits)
  const folder = mkdtempSync(join(memoryFolder(), 'dcalab-brisk-'))
  const sentAt: { method: string; at: number }[] = []
  let posts = 0
  const wire = createWire({
    time,
    service,
    random: createRandom(1),
    fate: (method) => {
      sentAt.push({ method, at: time.now })
      return method === 'POST' ? fate(posts++) : 'ok'
    },
    latency: () => 60,
    latestMs: 10 * minute,
    note: () => {},
  })
  const storePath = join(folder, 'workbench.sqlite')
  const random = createRandom(2)
  const machine: Machine = { time, wire, random, storePath, wallOffset: 0, bootedAt: start - hour, clockRate: 1 }
  return {
    time,
    service,
    sentAt,
    storePath,
    posts: () => sentAt.filter(({ method }) => method === 'POST').map(({ at }) => at),
    run: async (n: number, dies: () => boolean = () => false) => {
      const program = startProgram(machine, dies)
      const { system, store, client } = program
      try {
        const options = { wait: true }
        return await time.until(runStudy({ system, store, client, study: makeStudy(), trials: makeTrials(n), options }))
      } catch (error) {
        if (error instanceof Crash) return undefined
        throw error
      } finally {
        program.close()
      }
    },
    clear: () => rmSync(folder, { recursive: true, force: true }),
  }
}

it('300 trials: the first 100 within 5 minutes, and 100 more each day and two minutes', {
  timeout: 300_000,
}, async () => {
  const { run, posts, clear } = world()
  expect(await run(300)).toMatchObject({ stoppedBy: null, trials: { done: 300 } })
  const at = posts()
  expect(at).toHaveLength(300)
  expect(at[99] - start).toBeLessThanOrEqual(5 * minute)
  for (let n = 100; n < 300; n++) expect(at[n] - at[n - 100]).toBeLessThanOrEqual(day + 2 * minute)
  clear()
})

it('an answer that is lost costs at most one unit of the allowance', { timeout: 300_000 }, async () => {
  const { run, posts, service, clear } = world({}, (n) =>
    n % 3 === 1 ? (n % 2 === 0 ? 'resetBefore' : 'resetAfter') : 'ok',
  )
  const summary = await run(30)
  expect(summary).toMatchObject({ stoppedBy: null, trials: { done: 30 } })
  const lost = posts().filter((_, n) => n % 3 === 1).length
  expect(service.book).toHaveLength(30)
  expect(summary?.allowance.used ?? 0).toBeLessThanOrEqual(30 + lost)
  clear()
})

it('100 jobs that run for hours: at most 20 requests a minute on average, 95 % of results within 60 s', {
  timeout: 300_000,
}, async () => {
  const { run, sentAt, service, storePath, clear } = world({ shortestJobMs: minute, longestJobMs: 20 * hour })
  expect(await run(100)).toMatchObject({ stoppedBy: null, trials: { done: 100 } })
  const last = sentAt[sentAt.length - 1].at
  const perMinute = sentAt.length / ((last - start) / minute)
  const db = new Database(storePath, { readonly: true })
  const stored = db.prepare<[], { id: string; at: string }>(
    'select j.remote_id as id, r.received_at as at from job j join reply r on r.job_id = j.id where r.final = 1',
  )
  const seenAt = new Map(stored.all().map(({ id, at }) => [id, Date.parse(at)]))
  db.close()
  const delays = service.book.map(({ id, endsAt }) => (seenAt.get(id) ?? Infinity) - endsAt).sort((a, b) => a - b)
  process.stdout.write(
    `${perMinute.toFixed(2)} requests a minute; p95 of results ${(delays[94] / 1000).toFixed(1)} s\n`,
  )
  expect(perMinute).toBeLessThanOrEqual(20)
  expect(delays[94]).toBeLessThanOrEqual(60_000)
  for (let n = 110; n < sentAt.length; n++) expect(sentAt[n].at - sentAt[n - 110].at).toBeGreaterThan(minute)
  clear()
})

it('a start after a crash waits at most 61 s, wherever it died; after a clean end 2 s', {
  timeout: 300_000,
}, async () => {
  const waits: number[] = []
  for (let n = 0; n < 20; n++) {
    const { run, sentAt, time, clear } = world()
    let left = 150 + n * 17
    await run(60, () => left-- === 0)
    const restartedAt = time.now
    const before = sentAt.length
    await run(60)
    waits.push(sentAt[before].at - restartedAt)
    clear()
  }
  expect(Math.max(...waits)).toBeLessThanOrEqual(61_000)
  const { run, sentAt, time, clear } = world()
  await run(2)
  const restartedAt = time.now
  const before = sentAt.length
  await run(4)
  expect(sentAt[before].at - restartedAt).toBeLessThanOrEqual(2_000)
  clear()
})
