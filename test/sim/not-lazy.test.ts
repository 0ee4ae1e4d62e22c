/** R12, R16, H15: safe, but not by sitting still: a backlog goes out as fast as it may, results come home soon, and few requests are spent. */
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { share } from '../support/share.ts'
import { day, hour, minute } from '../workbench/run/setup.ts'
import { calmWorld, start } from './calm-world.ts'

const backlog = share({ usual: 130, long: 300 })

it(`${backlog} trials: the first 100 within 5 minutes, and 100 more each day and two minutes`, {
  timeout: 300_000,
}, async () => {
  const { run, posts, clear } = calmWorld()
  expect(await run(backlog)).toMatchObject({ stoppedBy: null, trials: { done: backlog } })
  const at = posts()
  expect(at).toHaveLength(backlog)
  expect(at[99] - start).toBeLessThanOrEqual(5 * minute)
  for (let n = 100; n < backlog; n++) expect(at[n] - at[n - 100]).toBeLessThanOrEqual(day + 2 * minute)
  clear()
})

it('an answer that is lost costs at most one unit of the allowance', { timeout: 300_000 }, async () => {
  const { run, posts, service, clear } = calmWorld({
    fate: (n) => (n % 3 === 1 ? (n % 2 === 0 ? 'resetBefore' : 'resetAfter') : 'ok'),
  })
  const summary = await run(30)
  expect(summary).toMatchObject({ stoppedBy: null, trials: { done: 30 } })
  const lost = posts().filter((_, n) => n % 3 === 1).length
  expect(service.book).toHaveLength(30)
  expect(summary?.allowance?.used ?? 0).toBeLessThanOrEqual(30 + lost)
  clear()
})

it('100 jobs that run for hours: at most 20 requests a minute on average, 95 % of results within 60 s', {
  timeout: 300_000,
}, async () => {
  const { run, sentAt, service, storePath, clear } = calmWorld({
    shortestJobMs: minute,
    longestJobMs: share({ usual: 2, long: 20 }) * hour,
  })
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
  for (let n = 0; n < share({ usual: 2, long: 20 }); n++) {
    const { run, sentAt, time, clear } = calmWorld()
    let left = 150 + n * 17
    await run(60, { dies: () => left-- === 0 })
    const restartedAt = time.now
    const before = sentAt.length
    await run(60)
    waits.push(sentAt[before].at - restartedAt)
    clear()
  }
  expect(Math.max(...waits)).toBeLessThanOrEqual(61_000)
  const { run, sentAt, time, clear } = calmWorld()
  await run(2)
  const restartedAt = time.now
  const before = sentAt.length
  await run(4)
  expect(sentAt[before].at - restartedAt).toBeLessThanOrEqual(2_000)
  clear()
})
