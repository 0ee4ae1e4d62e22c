/** What the eighth layout makes of the rows of the one before: deals and replies whole, what was looked at, which settings a result states. */
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import type { DealBody } from '../../../src/contract/bodies.ts'
import { readDeals } from '../../../src/workbench/store/deals.ts'
import { countLooks } from '../../../src/workbench/store/look-count.ts'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import { unpacked } from '../../../src/workbench/store/replies.ts'
import { openStore, type Store } from '../../../src/workbench/store/store.ts'
import { configFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import { testSystem } from '../../support/system.ts'
import { DEALS, storeOf } from './old-layouts.ts'

/** A store of the seventh layout, changed by `change` before it comes forward. */
function migrated(change = ''): Store {
  const path = storeOf(7)
  const db = new Database(path)
  db.exec(change)
  db.close()
  return openStore(path, { system: testSystem() })
}

it('keeps every deal and every reply to the last digit', () => {
  const store = migrated()
  const before: readonly DealBody[] = JSON.parse(DEALS)
  expect(readDeals(store.db, 2)).toEqual(before.map((deal) => ({ ...deal, lowestValue: null })))
  const replies = store.db.prepare<[], { body: Uint8Array }>('select body from reply order by id').all()
  expect(replies.map(({ body }) => unpacked(body))).toEqual(['{"id":"job-1"}', '{"id":"job-2"}'])
  const told = store.db.prepare('select job_id, deals_told from result order by job_id').raw().all()
  expect(told).toEqual([
    [1, 0],
    [2, 1],
  ])
  store.close()
})

it('names every configuration, numbers the definitions of a study, and counts what was looked at', () => {
  const store = migrated(
    `insert into study values ('ladder', '${'e'.repeat(64)}', 'name: ladder', '{}', '2025-12-01T00:00:00.000Z')`,
  )
  for (const { fingerprint, config } of listTrials(store, { study: 'ladder' })) {
    const stored = store.db.prepare('select config_fingerprint from trial where fingerprint = ?').pluck()
    expect(stored.get(fingerprint)).toBe(configFingerprint(config))
  }
  expect(store.db.prepare('select substr(fingerprint, 1, 1), number from study order by number').raw().all()).toEqual([
    ['e', 1],
    ['f', 2],
  ])
  const at = Date.parse('2026-01-01T00:00:00.000Z')
  expect(countLooks(store, { market: 'binance/BTC-USDT', period: { from: at - 1, to: at + 1 } })).toEqual({
    paid: 2,
    localAtMost: 9,
  })
  expect(countLooks(store, { market: 'binance/ETH-USDT', period: { from: at - 1, to: at + 1 } })).toEqual({
    paid: 0,
    localAtMost: 0,
  })
  store.close()
})

it('takes the settings that a result of our own service states for those it was asked for, and asks a stranger for none', () => {
  const state = `update result set fee_percent = 0.1, slippage_percent = 0, candle_interval = '1m' where job_id = 2;`
  const kept = (store: Store) =>
    store.db
      .prepare(
        'select a.id, x.candle_interval, x.fee_percent, x.symbol_json from attempt a left join settings x on x.id = a.settings_id order by a.id',
      )
      .raw()
      .all()
  const strange = migrated(state)
  expect(kept(strange)).toEqual([
    [1, null, null, null],
    [2, null, null, null],
    [3, null, null, null],
  ])
  strange.close()
  const own = migrated(`${state} update service set simulated = 1;`)
  expect(kept(own)).toEqual([
    [1, null, null, null],
    [2, '1m', 0.1, null],
    [3, null, null, null],
  ])
  own.close()
})
