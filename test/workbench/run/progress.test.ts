/** How fast a run goes and when it will be over, as it tells at each step. */
import { expect, it } from 'vitest'
import { allowanceOf, foreseeAllowance } from '../../../src/workbench/run/allowance.ts'
import type { Progress } from '../../../src/workbench/run/progress.ts'
import { measure, type Speed } from '../../../src/workbench/run/summary.ts'
import { day, hour, makeTrials, makeWorld, minute } from './setup.ts'

const quiet: Speed = {
  todo: 0,
  running: 0,
  since: 0,
  now: 10_000,
  ended: 0,
  polledAt: null,
  spentAt: [],
  ratePerMinute: 110,
}
/** Four a second from the beginning. */
const brisk = Array.from({ length: 40 }, (_, n) => 250 * (n + 1))

it('before anything has ended, submissions tell how fast it goes', () => {
  expect(measure({ ...quiet, todo: 60, running: 40, spentAt: brisk })).toEqual({ perSecond: 4, leftMs: 15_000 })
})

it('once trials end, they tell; the slower of submitting and computing decides when it is over', () => {
  const slow = { ...quiet, todo: 60, running: 20, spentAt: brisk, ended: 20, polledAt: 10_000 }
  expect(measure(slow)).toEqual({ perSecond: 2, leftMs: 40_000 })
  expect(measure({ ...slow, ended: 38, running: 2, polledAt: 5_000 })).toEqual({ perSecond: 7.6, leftMs: 15_000 })
})

it('a minute that is full slows down what is left', () => {
  const { leftMs } = measure({ ...quiet, todo: 210, running: 40, spentAt: brisk })
  expect(leftMs).toBeCloseTo((210 / 110) * minute)
})

it('nothing is claimed while nothing tells', () => {
  expect(measure({ ...quiet, todo: 10 })).toEqual({ perSecond: null, leftMs: null })
  expect(measure({ ...quiet, running: 3 })).toEqual({ perSecond: null, leftMs: null })
  expect(measure({ ...quiet, ended: 5, polledAt: 9_000 }).leftMs).toBeNull()
})

it('150 trials after a full window take two more windows, by the ledger', () => {
  const spentAt = Array.from({ length: 100 }, (_, n) => n * 250)
  const now = 60_000
  const allowance = allowanceOf()
  const opensAt = allowance.windowMs
  const reopening = { at: opensAt, source: 'ledger' } as const
  const closed = foreseeAllowance(spentAt, allowance, { now, todo: 150, available: 0, reopening })
  expect(closed).toMatchObject({ windows: 2, reopensAt: opensAt, source: 'ledger' })
  expect(closed.submittedInMs).toBeGreaterThan(2 * day - minute)
  expect(closed.submittedInMs).toBeLessThan(2 * day + 3 * minute)
  expect(foreseeAllowance([], allowance, { now, todo: 72, available: 100, reopening: null })).toEqual({
    windows: 1,
    reopensAt: null,
    source: null,
    submittedInMs: 0,
  })
})

it('an allowance of nothing never reopens, and no time is promised', () => {
  const given = {
    now: 0,
    todo: 5,
    available: 0,
    reopening: null,
  }
  expect(foreseeAllowance([], allowanceOf({ allowance: 0 }), given)).toEqual({
    windows: 0,
    reopensAt: null,
    source: null,
    submittedInMs: null,
  })
})

it('while a full service does not say until when, no windows and no end are claimed', () => {
  const given = { now: 0, todo: 150, available: 40, reopening: { at: hour, source: 'recheck' } } as const
  expect(foreseeAllowance([], allowanceOf(), given)).toEqual({
    windows: null,
    reopensAt: hour,
    source: 'recheck',
    submittedInMs: null,
  })
})

it('a run of 250 says at 100 when the allowance reopens and that two windows are left, and measures speed anew after each', async () => {
  const world = makeWorld()
  await world.run(makeTrials(250), { wait: true })
  const told = world.events.filter((event): event is Progress & { kind: 'progress' } => event.kind === 'progress')
  const closed = told.find(({ done, reopensAt }) => done === 100 && reopensAt !== null)
  expect(closed).toMatchObject({ total: 250, running: 0, windows: 2, source: 'ledger' })
  expect((closed?.reopensAt ?? 0) - Date.parse('2026-01-01T00:00:00Z')).toBeGreaterThan(day)
  expect(closed?.leftMs).toBeGreaterThan(2 * day - hour)
  expect(closed?.leftMs).toBeLessThan(2 * day + hour)
  expect(told.find(({ done }) => done === 0)).toMatchObject({ windows: 3, reopensAt: null })
  // The scripted service takes no time, so that only a wait of a day could make it look slow. The first job goes alone for seconds, and the
  // list is read again after the first submission of a window, when one job has ended.
  const rates = told.flatMap(({ perSecond, done }) => (perSecond === null || done < 20 ? [] : [perSecond]))
  expect(Math.min(...rates)).toBeGreaterThan(0.4)
  expect(told.at(-1)).toMatchObject({ done: 250, running: 0, windows: 0, reopensAt: null, leftMs: null })
})
