/** A bot that cannot be computed, as an older version's store may hold one: listed with its problem, and the others stay whole. */
import { rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import type { BotListBody } from '../../src/contract/bot-bodies.ts'
import { CONVENTION_PRESETS } from '../../src/engine/conventions.ts'
import { day, hour, setUpBots, time, worldForEachTest } from './bots-world.ts'
import { addCandles, FROM } from './world.ts'

const world = worldForEachTest()

/** What `serve --conventions three-commas` once fixed at the first start: an explicit size that nobody gave. */
function spoilTerms(id: string): void {
  const db = new BetterSqlite3(world().storePath)
  db.prepare("update bots set terms_json = json_set(terms_json, '$.conventions', json(?)) where id = ?").run(
    JSON.stringify(CONVENTION_PRESETS['three-commas']),
    id,
  )
  db.close()
}

async function setUpPair() {
  const desk = await setUpBots(world())
  const spoilt = await desk.create({ name: 'spoilt' })
  const whole = await desk.create({ name: 'whole' })
  for (const { id } of [spoilt, whole]) await desk.start(id)
  spoilTerms(spoilt.id)
  await desk.service.close()
  const service = await world().start({ rate: 0 })
  await world().system.advance(day)
  const again = desk.on(service)
  return { ...again, spoilt: spoilt.id, whole: whole.id, list: () => again.call<BotListBody>('') }
}

const problem =
  'its conventions, fixed at its first start, cannot be used: safetyOrderSize: required where safetyOrderSizing is explicit: the quote size of the first safety order'

describe('a bot whose conventions lack the size of its safety orders', () => {
  it('is listed and read with what is known of it, also after a restart; the bot beside it trades on', async () => {
    const { list, read, pnl, spoilt, whole } = await setUpPair()
    const { bots } = await list()
    expect(bots).toMatchObject([
      { id: whole, state: 'running', tradedUntil: time(FROM + day), problem: null },
      { id: spoilt, name: 'spoilt', state: 'running', startedAt: time(FROM), tradedUntil: null, problem },
    ])
    expect(await read(spoilt)).toEqual(bots[1])
    expect((await pnl(whole)).closedDeals).toBeGreaterThan(0)
  })

  it('has no numbers that would look like a bot that did nothing', async () => {
    const { refused, spoilt } = await setUpPair()
    for (const path of ['pnl', 'executions', 'orders']) {
      expect(await refused(`/${spoilt}/${path}`), path).toBe('409 BotUnusable')
    }
    expect(await refused(`/${spoilt}/start`, { method: 'POST' })).toBe('409 BotUnusable')
    expect(await refused(`/${spoilt}/stop?closePosition=true`, { method: 'POST' })).toBe('409 BotUnusable')
  })

  it('can be stopped, and says so', async () => {
    const { stop, read, spoilt } = await setUpPair()
    const stopped = { state: 'stopped', stopReason: 'request', stoppedAt: time(FROM + day), problem }
    expect(await stop(spoilt, false)).toMatchObject(stopped)
    expect(await read(spoilt)).toMatchObject(stopped)
  })
})

it('a bot whose market is damaged is listed with that, and the bots of other markets stay whole', async () => {
  addCandles(world().candlesFolder, { market: 'binance/ETH-USDT' })
  const { service, on, create, start } = await setUpBots(world())
  const ether = await create({ name: 'ether', baseAsset: 'ETH' })
  const bitcoin = await create({ name: 'bitcoin' })
  for (const { id } of [ether, bitcoin]) await start(id)
  await service.close()
  const month = join(world().candlesFolder, 'binance/ETH-USDT/1m/2024-02.arrow')
  truncateSync(month, 40_000)
  const { call, refused } = on(await world().start({ rate: 0 }))
  await world().system.advance(hour)
  const { bots } = await call<BotListBody>('')
  expect(bots).toMatchObject([
    { id: bitcoin.id, tradedUntil: time(FROM + hour), problem: null },
    { id: ether.id, state: 'running', problem: expect.stringContaining('its candles cannot be read at this moment') },
  ])
  expect(await refused(`/${ether.id}/pnl`)).toBe('409 BotUnusable')
  rmSync(month)
})

it('a bot whose market is no longer stored did not do nothing: it is listed with that, nothing is told of it, and nothing sold', async () => {
  addCandles(world().candlesFolder, { market: 'binance/ETH-USDT' })
  const { call, read, refused, create, start } = await setUpBots(world())
  const [{ id }, { id: other }] = [await create({ baseAsset: 'ETH' }), await create({ baseAsset: 'ETH' })]
  await start(id)
  await world().system.advance(day)
  expect((await read(id)).problem).toBeNull()
  rmSync(join(world().candlesFolder, 'binance/ETH-USDT'), { recursive: true })
  const problem = 'no candles of binance/ETH-USDT 1m are stored here'
  expect(await read(id)).toMatchObject({ state: 'running', tradedUntil: null, problem })
  for (const path of ['pnl', 'executions', 'orders'])
    expect(await refused(`/${id}/${path}`), path).toBe('409 BotUnusable')
  expect(await refused(`/${id}/stop?closePosition=true`, { method: 'POST' })).toBe('409 BotUnusable')
  // One that has not been started would be tied to an interval that nobody has chosen.
  expect(await refused(`/${other}/start`, { method: 'POST' })).toBe('409 BotUnusable')
  addCandles(world().candlesFolder, { market: 'binance/ETH-USDT' })
  expect(await call(`/${id}`)).toMatchObject({ state: 'running', tradedUntil: time(FROM + day), problem: null })
})

it('a bot that is started behind the last candle of its market says why it does nothing', async () => {
  const { create, start, read } = await setUpBots(world(), { market: { now: FROM + 400 * day } })
  const { id } = await create()
  const problem = 'binance/BTC-USDT has no candles since its start: it does nothing until there are more'
  expect(await start(id)).toMatchObject({ state: 'running', tradedUntil: null, problem })
  expect(await read(id)).toMatchObject({ problem })
})
