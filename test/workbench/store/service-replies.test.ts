/** The last reply of every endpoint is kept for people to look at, within bounds, and never in the way of the program. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it } from 'vitest'
import { createReplyLog, REPLY_LIMITS, type ReceivedReply } from '../../../src/workbench/store/service-replies.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import { serviceReplies } from '../../support/stored-bodies.ts'
import type { TestSystem } from '../../support/system.ts'
import { identity, openTemporary, start } from './setup.ts'

let store: Store
let system: TestSystem
beforeEach(() => {
  ;({ store, system } = openTemporary())
})

const minute = 60_000

function reply(more: Partial<ReceivedReply> = {}): ReceivedReply {
  const endpoint = 'GET /api/backtest/limits'
  return { identity, endpoint, object: '', status: 200, receivedAt: start, body: '{"used":3}', ...more }
}

/** As a command that hears these and ends. */
function hear(...replies: readonly ReceivedReply[]): void {
  const log = createReplyLog(store)
  for (const each of replies) log.note(each)
  log.close()
}

const kept = () => serviceReplies(store.path)
const texts = () => kept().map(({ bytes }) => bytes?.toString())
/** Changes with every commit that wrote anything. */
const walBytes = () => readFileSync(`${store.path}-wal`).length
const times = () => store.db.prepare<[], string>('select received_at from service_reply').pluck().all()

describe('what is kept', () => {
  it('is the last reply of each endpoint and object, byte for byte', () => {
    const binary = Uint8Array.from([0, 255, 254, 10, 0])
    hear(
      reply(),
      reply({ body: '{"used":4}' }),
      reply({ endpoint: 'GET /api/bots/{id}', object: 'b', status: 502, body: '<html>Bad gateway</html>' }),
      reply({ endpoint: 'GET /api/bots/{id}', object: 'c', status: 204, body: '' }),
      reply({ endpoint: 'GET /api/bots/{id}', object: 'd', body: binary }),
    )
    expect(texts().slice(0, 3)).toEqual(['{"used":4}', '<html>Bad gateway</html>', ''])
    expect(kept()[3].bytes).toEqual(Buffer.from(binary))
    expect(
      store.db
        .prepare(
          "select identity, endpoint, object, status, received_at, bytes, body is not null as has_body from service_reply where object = 'b'",
        )
        .get(),
    ).toEqual({
      identity,
      endpoint: 'GET /api/bots/{id}',
      object: 'b',
      status: 502,
      received_at: '2026-01-01T00:00:00.000Z',
      bytes: 24,
      has_body: 1,
    })
  })

  it('is the size alone of a body over 1 MB', () => {
    hear(reply({ body: 'x'.repeat(REPLY_LIMITS.bodyBytes) }), reply({ object: 'b', body: 'x'.repeat(1024 * 1024 + 1) }))
    expect(
      store.db.prepare('select bytes, body is not null as has_body from service_reply order by object').all(),
    ).toEqual([
      { bytes: 1_048_576, has_body: 1 },
      { bytes: 1_048_577, has_body: 0 },
    ])
  })

  it('are the latest 200, of 8 MB together; the oldest go first', () => {
    const log = createReplyLog(store)
    for (let n = 0; n < 250; n++) log.note(reply({ object: `${n}`, receivedAt: start + n }))
    log.close()
    expect(kept().length).toBe(200)
    expect(kept().map(({ object }) => Number(object))).not.toContain(49)

    const noise = () => randomBytes(1_000_000)
    hear(
      ...Array.from({ length: 12 }, (_, n) =>
        reply({ object: `big ${n}`, receivedAt: start + minute + n, body: noise() }),
      ),
    )
    const sizes = kept().map(({ bytes }) => bytes?.length ?? 0)
    expect(sizes.length).toBe(8)
    expect(kept().map(({ object }) => object)).toContain('big 11')
  })
})

describe('when it is written', () => {
  it('not while its answer is used: once a minute, and when the command ends', async () => {
    const log = createReplyLog(store)
    log.note(reply())
    log.note(reply({ object: 'b' }))
    expect(kept()).toEqual([])
    await system.advance(minute)
    log.note(reply({ object: 'c' }))
    expect(kept().map(({ object }) => object)).toEqual(['', 'b'])
    log.close()
    expect(kept().map(({ object }) => object)).toEqual(['', 'b', 'c'])
  })

  it('polling writes nothing while the reply stays the same, for five minutes', () => {
    hear(reply())
    const before = walBytes()
    hear(reply({ receivedAt: start + 4 * minute }))
    expect(walBytes()).toBe(before)
    hear(reply({ receivedAt: start + 6 * minute }))
    expect(times()).toEqual(['2026-01-01T00:06:00.000Z'])
    hear(reply({ receivedAt: start + 7 * minute, status: 503 }))
    expect(times()).toEqual(['2026-01-01T00:07:00.000Z'])
  })

  it('a reply that comes after the end of the command is dropped', () => {
    const log = createReplyLog(store)
    log.close()
    store.close()
    log.note(reply())
  })
})

describe('a store that cannot take it', () => {
  it('does not delay the command while another process writes, and has the reply later', async () => {
    const other = new Database(store.path)
    other.exec('begin immediate')
    const log = createReplyLog(store)
    log.note(reply())
    await system.advance(minute)
    log.note(reply({ object: 'b' }))
    expect(kept()).toEqual([])
    expect(store.db.pragma('busy_timeout', { simple: true })).toBe(250)
    other.exec('rollback')
    other.close()
    log.close()
    expect(kept().length).toBe(2)
  })

  it('on a full disk drops it', () => {
    store.db.pragma(`max_page_count = ${Number(store.db.pragma('page_count', { simple: true })) + 1}`)
    hear(reply({ body: randomBytes(100_000) }))
    expect(kept()).toEqual([])
    expect(store.db.inTransaction).toBe(false)
  })
})
