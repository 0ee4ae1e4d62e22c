/** A hold-out is opened once: the five best of train, all or none, each paid for once, whatever happens on the way. */
import { describe, expect, it } from 'vitest'
import { runStudy } from '../../../src/workbench/run/run.ts'
import { findOpening } from '../../../src/workbench/store/holdouts.ts'
import { rankStored } from '../../../src/workbench/store/stored-ranking.ts'
import { removeStudy, renameStudy } from '../../../src/workbench/store/study-upkeep.ts'
import { recordTriedLocally } from '../../../src/workbench/store/tried-count.ts'
import { folderInMemory, removeFolder } from '../../support/folder.ts'
import { share } from '../../support/share.ts'
import { Crash, crashingStore } from '../run/crashing.ts'
import { day, hour, makeTrials, makeWorld, type World } from '../run/setup.ts'
import { isOnHoldout, openOn, runTrain, span, study } from './setup.ts'

const proposed = ({ store }: World) =>
  store.db
    .prepare(
      `select p.role || ' ' || p.reason || ': ' || t.take_profit_percent from proposal p join trial t on t.fingerprint = p.fingerprint order by position`,
    )
    .pluck()
    .all()

const sentTo = ({ service }: World) =>
  service.book.filter(({ request }) => isOnHoldout(request.from)).map(({ request }) => request.takeProfit)

describe('opening', () => {
  it('runs the winner of train and the next four on the hold-out, once', async () => {
    const world = makeWorld()
    await runTrain(world, 7)
    expect(await openOn(world)).toMatchObject({ stoppedBy: null, trials: { total: 5, done: 5 } })
    const rows = proposed(world)
    expect(rows).toHaveLength(5)
    expect(rows[0]).toMatch(/^winner best in sample/)
    expect(new Set(sentTo(world)).size).toBe(5)
    expect(findOpening(world.store, study.name)).toMatchObject({
      openedBy: 'anna',
      reason: 'why',
      span,
      seenConfigs: 0,
      completedAt: expect.any(String),
    })
  })

  it('counts what others have looked at in that time before', async () => {
    const world = makeWorld()
    await runTrain(world, 2)
    const period = { from: span.from + day, to: span.to + day }
    await recordTriedLocally(world.store, {
      market: 'binance/BTC-USDT',
      period,
      source: 'screen',
      key: 'k',
      configs: 40,
    })
    await openOn(world)
    expect(findOpening(world.store, study.name)?.seenConfigs).toBe(40)
  })

  it('is refused while there is nothing to choose from', async () => {
    const world = makeWorld()
    await expect(openOn(world)).rejects.toMatchObject({ code: 'holdoutRefused', exitCode: 2 })
    expect(findOpening(world.store, study.name)).toBeUndefined()
  })

  it('is refused while a trial that may still win is on its way', async () => {
    const world = makeWorld({ durationMs: 1000 * day })
    const stop = new AbortController()
    const running = runStudy({
      system: world.system,
      store: world.store,
      client: world.service,
      study,
      trials: makeTrials(2),
      options: {
        loopback: true,
        signal: stop.signal,
        onProgress: (event) => {
          if (event.kind === 'progress' && event.running > 0) stop.abort(new Error('Ctrl-C'))
        },
      },
    })
    await running
    await expect(openOn(world)).rejects.toThrow(/^1 trial of ladder is still running and may win/)
    expect(sentTo(world)).toEqual([])
  })

  it('ends the study: a further run of its name proposes nothing, under any definition', async () => {
    const world = makeWorld()
    await runTrain(world, 3)
    await openOn(world)
    const { length } = world.service.book
    await expect(runTrain(world, 4)).rejects.toMatchObject({ code: 'holdoutOpened', exitCode: 2 })
    await expect(runTrain(world, 4)).rejects.toThrow(/opened at 2026-01-01.* by anna: why/)
    expect(world.service.book).toHaveLength(length)
  })

  it('stays with the study when it is renamed, and with its name when it is removed', async () => {
    const world = makeWorld()
    await runTrain(world, 3)
    await openOn(world)
    await renameStudy(world.store, { from: study.name, to: 'other' })
    expect(findOpening(world.store, study.name)).toBeUndefined()
    expect(findOpening(world.store, 'other')).toMatchObject({ reason: 'why' })
    await removeStudy(world.store, 'other')
    expect(findOpening(world.store, 'other')).toMatchObject({ reason: 'why' })
    expect(proposed(world)).toHaveLength(3)
  })

  it('is not forgotten half-way: a study is not removed before all results are in', async () => {
    const world = makeWorld()
    await runTrain(world, 3)
    await openOn(world, { limit: 1 })
    await expect(removeStudy(world.store, study.name)).rejects.toMatchObject({ code: 'usage' })
  })
})

describe('the allowance', () => {
  it('has to have room for all of them, or nothing is opened: then it says when', async () => {
    const world = makeWorld()
    await runTrain(world, 6)
    const summary = await openOn(world, { allowance: 10 })
    expect(summary).toMatchObject({ stoppedBy: 'allowance', trials: { total: 0 } })
    expect(Date.parse(String(summary.allowance?.nextAt)) - world.system.clock.wall()).toBeGreaterThan(23 * hour)
    expect(findOpening(world.store, study.name)).toBeUndefined()
    expect(sentTo(world)).toEqual([])
    expect(await openOn(world, { allowance: 11 })).toMatchObject({ stoppedBy: null, trials: { done: 5 } })
  })

  it('keeps the reserve', async () => {
    const world = makeWorld()
    await runTrain(world, 6)
    expect(await openOn(world, { allowance: 12, reserve: 2 })).toMatchObject({ stoppedBy: 'allowance' })
    expect(sentTo(world)).toEqual([])
  })

  it('is waited for on demand', async () => {
    const world = makeWorld()
    await runTrain(world, 6)
    expect(await openOn(world, { allowance: 10, wait: true })).toMatchObject({ stoppedBy: null, trials: { done: 5 } })
    expect(sentTo(world)).toHaveLength(5)
  })

  it('that a service says is smaller is believed', async () => {
    const world = makeWorld({ allowance: 9 })
    await runTrain(world, 6)
    expect(await openOn(world)).toMatchObject({ stoppedBy: 'allowance' })
    expect(findOpening(world.store, study.name)).toBeUndefined()
    expect(await openOn(world, { wait: true })).toMatchObject({ stoppedBy: null, trials: { done: 5 } })
  })

  it('never has room for more than it is', async () => {
    const world = makeWorld()
    await runTrain(world, 4)
    const summary = await openOn(world, { allowance: 3, wait: true })
    expect(summary).toMatchObject({ stoppedBy: 'allowance', allowance: { nextAt: null } })
  })
})

/** At length at each step, else at every fifth: of both fates at others. */
const every = share({ usual: 5, long: 1 })

it.each([
  ['ok', 0],
  ['answerLost', every - 1],
] as const)('a crash at any step leaves one job for each trial, and the same winner: %s', async (fate, first) => {
  const whole = makeWorld()
  await runTrain(whole, 2)
  await openOn(whole)
  for (let step = first; ; step += every) {
    let left = Number.POSITIVE_INFINITY
    const onRequest = () => {
      if (left-- === 0) throw new Crash()
    }
    const folder = folderInMemory()
    const world = makeWorld({ fate: (n) => (n === 3 ? fate : 'ok'), onRequest }, folder)
    const store = crashingStore(world.store, onRequest)
    await runTrain(world, 2)
    left = step
    const isThrough = await openOn(world, {}, store).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Crash) return false
        throw error
      },
    )
    left = Number.POSITIVE_INFINITY
    if (!isThrough) await openOn(world)
    expect(proposed(world), `step ${step}`).toEqual(proposed(whole))
    expect(sentTo(world).toSorted(), `step ${step}`).toEqual(sentTo(whole).toSorted())
    expect(findOpening(world.store, study.name)?.completedAt, `step ${step}`).not.toBeNull()
    world.store.close()
    removeFolder(folder)
    if (isThrough) {
      expect(step).toBeGreaterThan(20)
      break
    }
  }
})

it('of configurations that earn the same the winner is the one that the leaderboard has first', async () => {
  const world = makeWorld({ netProfit: () => 7 })
  const { store } = world
  await runTrain(world, 12)
  const identity = String(store.db.prepare('select identity from attempt limit 1').pluck().get())
  const { objective } = study
  const [first] = rankStored(store, { study: study.name, identity, objective, top: 1 }).top
  await openOn(world)
  expect(proposed(world)[0]).toBe(`winner best in sample: ${first.trials[0].config.takeProfit}.0`)
})
