/** At a service that is not ours the first job goes alone: amounts that are read wrong are said before a second unit is spent. */
import { expect, it } from 'vitest'
import type { JobReading, Page } from '../../../src/workbench/api/reading/readings.ts'
import { hour, makeTrials, makeWorld, minute } from './setup.ts'

/** As a dialect that ends a number at its first mark would read them. */
function thousandfold({ items, ...page }: Page<JobReading>): Page<JobReading> {
  return {
    ...page,
    items: items.map((job) => {
      if (job.result === null) return job
      const { metrics } = job.result
      const amounts = {
        netProfit: (metrics.netProfit ?? 0) / 1000,
        realizedProfit: (metrics.realizedProfit ?? 0) / 1000,
      }
      return { ...job, result: { ...job.result, metrics: { ...metrics, ...amounts } } }
    }),
  }
}

const stops = (events: ReturnType<typeof makeWorld>['events']) =>
  events.flatMap((event) => (event.kind === 'stopped' ? [event.message] : []))

it('a service whose amounts read a thousandfold wrong is told of in one sentence before the second unit is spent', async () => {
  const { run, service, events } = makeWorld({ page: thousandfold, durationMs: 20_000 })
  expect(await run(makeTrials(5))).toMatchObject({ stoppedBy: 'inconsistent', trials: { done: 1, pending: 4 } })
  expect(service.counts.posts).toBe(1)
  const sentence =
    'net profit 0.001 is 0.1 % of 1; this job invests 1000: one of the two is misread; correct the dialect and run `dcalab store reread`, or continue with `run --anyway`'
  expect(stops(events)).toEqual([sentence])
  expect(await run(makeTrials(5))).toMatchObject({ stoppedBy: 'inconsistent' })
  expect(service.counts.posts).toBe(1)
  expect(stops(events)).toEqual([sentence, sentence])
})

it('who asks for it goes on, and is warned', async () => {
  const { run, events } = makeWorld({ page: thousandfold })
  expect(await run(makeTrials(5), { anyway: true })).toMatchObject({ stoppedBy: null, trials: { done: 5 } })
  expect(events).toContainEqual(expect.objectContaining({ kind: 'warning', code: 'inconsistentNumbers' }))
})

it('the first job goes alone, the others do not wait for each other, nor does a later run', async () => {
  const { run, service } = makeWorld({ durationMs: 2 * minute })
  await run(makeTrials(5))
  const gaps = (from: number) => service.counted.slice(from).map((at, n, all) => at - all[Math.max(0, n - 1)])
  expect(gaps(0)[1]).toBeGreaterThanOrEqual(2 * minute)
  expect(Math.max(...gaps(1))).toBeLessThan(10_000)
  await run(makeTrials(9))
  expect(Math.max(...gaps(5))).toBeLessThan(10_000)
})

it('a job that takes an hour is not waited for alone: the others follow after three minutes, and its result still stops the run', async () => {
  const { run, service } = makeWorld({ durationMs: hour, page: thousandfold, allowance: 4 })
  const summary = await run(makeTrials(9), { allowance: 4, wait: true })
  const [first, second, third, fourth] = service.counted
  expect(second - first).toBeGreaterThanOrEqual(3 * minute)
  expect(second - first).toBeLessThan(4 * minute)
  expect(fourth - second, `${third - second} ms, ${fourth - third} ms apart`).toBeLessThan(minute)
  expect(summary).toMatchObject({ stoppedBy: 'inconsistent' })
  expect(service.counts.posts).toBe(4)
})

it('our own service is not waited for', async () => {
  const { run, service } = makeWorld({ identity: 'embedded:test', durationMs: 2 * minute })
  await run(makeTrials(3))
  expect(service.counted[2] - service.counted[0]).toBeLessThan(10_000)
})
