/**
 * Every place at which the program can die — before and after every commit, with bytes still here or already gone, while it waits —
 * under every fate of a submission on its way (R4). The whole program is real but for time and network.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runStudy } from '../../src/run/run.ts'
import { openStore } from '../../src/store/store.ts'
import { hour, makeStudy, makeTrials, minute } from '../run/setup.ts'
import { createCounter } from '../sim/counters.ts'
import { createWire, type Fate } from '../sim/network.ts'
import { judge } from '../sim/oracle.ts'
import { Crash, type Machine, type Program, startProgram } from '../sim/program.ts'
import { createRandom } from '../sim/random.ts'
import { createService, type SimService } from '../sim/service.ts'
import { createTime } from '../sim/time.ts'
import { testSystem } from '../support/system.ts'

const trials = makeTrials(5)
const start = Date.UTC(2026, 0, 1)

const FATES = [
  'ok',
  'resetBefore',
  'resetAfter',
  'timeoutAfter',
  'late',
  'twice',
  'cutBody',
  'failsAfterWork',
] as const satisfies readonly Fate[]

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dcalab-crash-'))
  openStore(join(folder, 'empty.sqlite'), { system: testSystem() }).close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(FATES)('when the second submission meets %s', (fate) => {
  it('a crash at any step neither loses nor doubles a job', { timeout: 600_000 }, async () => {
    let steps = 0
    const bad: string[] = []
    for (; ; steps++) {
      const world = makeWorld(fate)
      const isThrough = await world.dieAt(steps)
      if (!isThrough) await world.finish()
      bad.push(...world.judge(String(steps)))
      world.clear()
      if (isThrough) break
    }
    expect(bad).toEqual([])
    expect(steps).toBeGreaterThanOrEqual(fate === 'ok' ? 150 : 200)
  })
})

/** 15 first steps × 15 second ones × 8 fates. */
it('1,800 pairs of crashes are no worse than single ones', { timeout: 600_000 }, async () => {
  const bad: string[] = []
  let pairs = 0
  for (const [f, fate] of FATES.entries()) {
    for (let a = 0; a < 15; a++) {
      for (let b = 0; b < 15; b++) {
        // Spread over all steps, different ones for each fate.
        const [first, second] = [a * 13 + f, b * 9 + ((a + f) % 9)]
        const world = makeWorld(fate)
        await world.dieAt(first)
        await world.dieAt(second)
        await world.finish()
        bad.push(...world.judge(`${fate} ${first}, ${second}`))
        world.clear()
        pairs++
      }
    }
  }
  expect(bad).toEqual([])
  expect(pairs).toBe(1_800)
})

let worlds = 0

function makeWorld(fate: Fate) {
  const time = createTime(start)
  const service = plainService()
  let posts = 0
  const wire = createWire({
    time,
    service,
    random: createRandom(1),
    fate: (method) => (method === 'POST' && ++posts === 2 ? fate : 'ok'),
    latency: () => 40,
    latestMs: 10 * minute,
    note: () => {},
  })
  const storePath = join(folder, `world-${++worlds}.sqlite`)
  cpSync(join(folder, 'empty.sqlite'), storePath)
  const random = createRandom(2)
  const machine: Machine = { time, wire, random, storePath, wallOffset: 0, bootedAt: start - hour, clockRate: 1 }

  /** Answers whether it came to its end before. */
  async function live(dies: () => boolean): Promise<boolean> {
    let program: Program | undefined
    try {
      program = startProgram(machine, dies)
      const { system, store, client } = program
      const summary = await time.until(runStudy({ system, store, client, study: makeStudy(), trials }))
      if (summary.stoppedBy !== null) throw new Error(`stopped by ${summary.stoppedBy}`)
      return true
    } catch (error) {
      if (error instanceof Crash) return false
      throw error
    } finally {
      program?.close()
    }
  }
  return {
    dieAt: async (step: number) => {
      let left = step
      const isThrough = await live(() => left-- === 0)
      await time.pass(1_000)
      return isThrough
    },
    finish: async () => {
      await live(() => false)
      await time.pass(20 * minute) // what is late arrives
    },
    judge: (where: string) => {
      const { paidTwice, lost } = judge(storePath, service.book, time.now)
      const missing = trials.length - new Set(service.book.map(({ config }) => config)).size
      return [
        ...paidTwice.map((config) => `${where}: paid twice ${config.slice(-40)}`),
        ...lost.map((id) => `${where}: lost ${id}`),
        ...(missing > 0 ? [`${where}: ${missing} never submitted`] : []),
      ]
    },
    clear: () => {
      for (const end of ['', '-wal', '-shm']) rmSync(`${storePath}${end}`, { force: true })
    },
  }
}

function plainService(): SimService {
  return createService(
    {
      allowance: createCounter('sliding', { count: 100, windowMs: 24 * hour, phase: 0 }),
      minute: createCounter('sliding', { count: 120, windowMs: minute, phase: 0 }),
      windowType: 'sliding',
      allowanceCount: 100,
      echoes: 'all',
      pageSize: 1000,
      bareList: false,
      sendsDate: true,
      skewMs: 0,
      shortestJobMs: 100,
      longestJobMs: 4_000,
      failingShare: 0,
      rejects: () => false,
      tellsLimits: true,
    },
    createRandom(3),
  )
}
