/** The store itself refuses every move that the tables of states do not allow, whoever asks (H45). */
import type Database from 'better-sqlite3'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { botOrderLedger } from '../../../src/workbench/store/bot-ledger.ts'
import { promotionLedger } from '../../../src/workbench/store/promotions.ts'
import { ATTEMPT_MOVES, BOT_ORDER_MOVES, JOB_MOVES, PROMOTION_MOVES } from '../../../src/workbench/store/states.ts'
import { isoTime } from '../../../src/workbench/store/tables.ts'
import { share } from '../../support/share.ts'
import { holdSequences } from './attempt-model.ts'
import { identity, openIntent, openWithStudy, start, submit } from './setup.ts'

const insertAttempt = `insert into attempt (identity, account, study, fingerprint, number, name, state, opened_at, unsure_since, counted_at, settled_at)
  values (?, '', 'ladder', ?, ?, ?, ?, ?, ?, ?, ?)`

describe.each([
  ['attempt', ATTEMPT_MOVES, 'intent'],
  ['job', JOB_MOVES, 'running'],
  ['promotion', PROMOTION_MOVES, 'intent'],
  ['bot_order', BOT_ORDER_MOVES, 'intent'],
] as const)('%s', (table, moves: Readonly<Record<string, readonly string[]>>, first) => {
  const states = Object.keys(moves)
  let world: Awaited<ReturnType<typeof openWithStudy>>
  beforeAll(async () => {
    world = await openWithStudy()
  })
  // Each move is taken back.
  beforeEach(() => void world.store.db.exec('begin'))
  afterEach(() => void world.store.db.exec('rollback'))

  it.each(states.flatMap((from) => states.map((to) => [from, to] as const)))('%s → %s', async (from, to) => {
    const { store, trials } = world
    const id = await prepare(store.db, table, trials[0].fingerprint, store)
    for (const step of pathTo(moves, first, from)) move(store.db, table, id, step)
    const isLegal = moves[from].includes(to) || (table === 'job' && from === to)
    const attempt = () => move(store.db, table, id, to)
    if (isLegal) expect(attempt).not.toThrow()
    else expect(attempt).toThrow(/illegal move|CHECK constraint/)
  })
})

async function prepare(db: Database.Database, table: string, fingerprint: string, store: Parameters<typeof submit>[0]) {
  if (table === 'attempt') return (await openIntent(store, fingerprint)).id
  if (table === 'promotion') {
    const request = { identity, account: 'a@b', fingerprint, name: 'bot', planHash: 'h' }
    return (await promotionLedger(store, request).open(undefined)).row.id
  }
  if (table === 'bot_order') {
    return (await botOrderLedger(store, { identity, account: 'a@b', name: 'bot' }).open(undefined)).row.id
  }
  await submit(store, fingerprint, 'job-1')
  return db.prepare<[], { id: number }>('select id from job').get()?.id ?? 0
}

/** The states on the way, the last one included. */
function pathTo(moves: Readonly<Record<string, readonly string[]>>, from: string, to: string): string[] {
  const paths = new Map<string, string[]>([[from, []]])
  for (const [state, path] of paths) {
    for (const next of moves[state]) if (!paths.has(next)) paths.set(next, [...path, next])
  }
  const path = paths.get(to)
  if (path === undefined) throw new Error(`${to} cannot be reached`)
  return path
}

/** By SQL, with whatever other columns the new state needs. */
function move(db: Database.Database, table: string, id: number, to: string): void {
  const now = isoTime(start)
  if (table === 'attempt') {
    const counted = to === 'released' || to === 'intent' ? null : now
    const settled = to === 'intent' ? null : now
    db.prepare('update attempt set state = ?, counted_at = ?, settled_at = ?, unsure_since = ? where id = ?').run(
      to,
      counted,
      settled,
      now,
      id,
    )
  } else if (table === 'promotion') {
    db.prepare("update promotion set state = ?, bot_id = 'b' where id = ?").run(to, id)
  } else if (table === 'bot_order') {
    const settled = to === 'intent' ? null : now
    db.prepare("update bot_order set state = ?, bot_id = 'b', settled_at = ? where id = ?").run(to, settled, id)
  } else {
    db.prepare('update job set state = ? where id = ?').run(to, id)
  }
}

describe('what the store refuses to be told', () => {
  it('an attempt that begins anywhere but as intent or adopted', async () => {
    const { store, trials } = await openWithStudy()
    const now = isoTime(start)
    for (const state of ['acked', 'rejected', 'released', 'ambiguous', 'absent', 'undecided']) {
      const insert = () =>
        store.db.prepare(insertAttempt).run(identity, trials[0].fingerprint, 1, `n-${state}`, state, now, now, now, now)
      expect(insert, state).toThrow(/begins as intent/)
    }
  })

  it('a second submission while one has no answer', async () => {
    const { store, trials } = await openWithStudy()
    await openIntent(store, trials[0].fingerprint)
    await expect(openIntent(store, trials[1].fingerprint)).rejects.toThrow(/UNIQUE/)
  })

  it('an attempt, a job or a reply that disappears or becomes another', async () => {
    const { store, trials } = await openWithStudy()
    await submit(store, trials[0].fingerprint, 'job-1')
    for (const sql of [
      'delete from attempt',
      'delete from job',
      "update attempt set name = 'other'",
      `update attempt set fingerprint = '${trials[1].fingerprint}'`,
      "update job set remote_id = 'other'",
    ]) {
      expect(() => store.db.exec(sql), sql).toThrow(/stay|keeps/)
    }
  })

  it('a time that is not a time, a state that is not a state, a job of no trial', async () => {
    const { store, trials } = await openWithStudy()
    await submit(store, trials[0].fingerprint, 'job-1')
    for (const sql of [
      "update attempt set settled_at = 'yesterday'",
      "update job set state = 'finished'",
      `insert into job (identity, remote_id, fingerprint, attempt_id, state, submitted_at)
       values ('${identity}', 'x', '${'0'.repeat(64)}', 1, 'running', '${isoTime(start)}')`,
    ]) {
      expect(() => store.db.exec(sql), sql).toThrow()
    }
  })
})

it('any sequence of submissions, outcomes and forbidden moves keeps at most one open and counts all that may have been counted', async () => {
  await holdSequences(share({ usual: 25, long: 20_000 }))
})
