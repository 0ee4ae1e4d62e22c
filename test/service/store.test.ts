/** The service's file: private, its own, and without a single key in it. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openKeyring } from '../../src/service/start.ts'
import { ask, botPayload, jobRequest, OWNER, openWorld, untilEnded, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = openWorld()
})
afterEach(() => world.clear())

const limits = '/api/backtest/limits'

function damage(statements: string): void {
  const db = new BetterSqlite3(world.storePath)
  try {
    db.exec(statements)
  } finally {
    db.close()
  }
}

describe('the service store', () => {
  it('keeps identity, keys, jobs, bots and limits from start to start', async () => {
    const first = await world.start()
    const keys = first.issueKeys({ userEmail: OWNER })
    await ask(first, { path: '/api/backtest/jobs', keys, body: jobRequest() })
    await ask(first, { path: '/api/bots', keys, body: botPayload() })
    const [job] = await untilEnded(first, keys)
    await first.close()
    const second = await world.start()
    expect(second.serviceId).toBe(first.serviceId)
    expect(second.serviceId).toMatch(/^[0-9a-f]{32}$/)
    expect(await untilEnded(second, keys)).toEqual([job])
    expect((await ask(second, { path: '/api/bots', keys })).text).toContain('"state":"created"')
    expect((await ask(second, { path: limits, keys })).text).toContain('"used":1')
  })

  it('forgets the keys of a session at its end, and lists those that a person made and revoked', async () => {
    const service = await world.start()
    const made = service.issueKeys({ userEmail: OWNER })
    const session = service.issueSessionKeys({ userEmail: OWNER })
    expect((await ask(service, { path: limits, keys: session })).status).toBe(200)
    expect(service.listKeys()).toHaveLength(2)
    service.revokeKey(made.apiKey)
    await service.close()
    const next = await world.start()
    const listed = next.listKeys().map(({ prefix, revokedAt }) => ({ prefix, isRevoked: revokedAt !== null }))
    expect(listed).toEqual([{ prefix: made.apiKey.slice(0, 11), isRevoked: true }])
    expect((await ask(next, { path: limits, keys: session })).status).toBe(401)
  })

  it('belongs to its owner alone, whatever the umask', async () => {
    const umask = process.umask(0)
    try {
      const service = await world.start()
      service.issueKeys({ userEmail: OWNER })
      const folder = dirname(world.storePath)
      const modes = readdirSync(folder).map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8))
      expect(modes.length).toBeGreaterThan(3)
      expect(new Set(modes)).toEqual(new Set(['600']))
    } finally {
      process.umask(umask)
    }
  })

  it('holds no key in clear: not in the file, not in its companions, not in what is printed', async () => {
    const service = await world.start()
    const pair = service.issueKeys({ userEmail: OWNER })
    await ask(service, { path: '/api/backtest/jobs', keys: pair, body: jobRequest() })
    await ask(service, { path: limits, keys: { ...pair, secretKey: 'wrong' } })
    await untilEnded(service, pair)
    service.revokeKey(pair.apiKey)
    const listed = JSON.stringify(service.listKeys())
    await service.close()
    const folder = dirname(world.storePath)
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
    const { out, err } = world.system.printed()
    for (const key of [pair.apiKey, pair.secretKey, pair.secretKey.slice(3)]) {
      for (const encoded of [key, Buffer.from(key).toString('base64'), Buffer.from(key).toString('hex')]) {
        for (const text of [...texts, out, err, listed]) expect(text.includes(encoded)).toBe(false)
      }
    }
  })

  it('is refused when it is another program’s, newer than this one, or no database; the file stays as it was', async () => {
    damage('create table theirs (a)')
    const before = readFileSync(world.storePath)
    await expect(world.start()).rejects.toMatchObject({
      code: 'storeUnusable',
      message: expect.stringContaining('another'),
    })
    expect(readFileSync(world.storePath).equals(before)).toBe(true)
    writeFileSync(world.storePath, 'just a text, and longer than the head of a database would be '.repeat(20))
    await expect(world.start()).rejects.toMatchObject({ code: 'storeUnusable' })
    writeFileSync(world.storePath, '')
    await (await world.start()).close()
    damage('pragma user_version = 99')
    await expect(world.start()).rejects.toMatchObject({ code: 'storeUnusable', message: expect.stringContaining('99') })
  })

  it('cannot hold what must not be: a real bot, a result without an end, two runners’ job', async () => {
    await (await world.start()).close()
    const account = "insert into accounts (user_email, created_at_ms) values ('a@b', 0);"
    const job = (columns: string, values: string) =>
      `${account} insert into jobs (id, account_id, request_json, terms_json, created_at_ms, changed_at_ms, ${columns})
       values ('j', 1, '{}', '{}', 0, 0, ${values})`
    for (const statements of [
      `${account} insert into bots (id, account_id, payload_json, is_demo, created_at_ms, updated_at_ms)
       values ('b', 1, '{}', 0, 0, 0)`,
      `${account} insert into bots (id, account_id, payload_json, is_demo, created_at_ms, updated_at_ms)
       values ('b', 1, '{}', 1, 0, 0); insert into bot_commands (bot_id, kind, at_ms) values ('b', 'stop', 0)`,
      `insert into market_clock (id, wall_ms, market_ms, speed) values (2, 0, 0, 1)`,
      job('state', "'running'"),
      job('state, claimed_by', "'queued', 'someone'"),
      job('state', "'completed'"),
      job('state, result_json', "'completed', '{}'"),
      job('state', "'paused'"),
    ]) {
      expect(() => damage(`begin; ${statements}; rollback`)).toThrow('CHECK constraint')
    }
  })
})

describe('the keyring', () => {
  it('issues, lists and revokes beside a running service, at once', async () => {
    const service = await world.start()
    const ring = openKeyring({ system: world.system, storePath: world.storePath })
    const pair = ring.issueKeys({ userEmail: 'Colleague@Localhost', scopes: ['read'], addresses: ['127.0.0.1'] })
    expect((await ask(service, { path: limits, keys: pair })).status).toBe(200)
    expect(ring.listKeys()).toEqual([
      {
        prefix: pair.apiKey.slice(0, 11),
        userEmail: 'colleague@localhost',
        scopes: ['read'],
        addresses: ['127.0.0.1'],
        issuedAt: '2026-01-01T00:00:00.000Z',
        revokedAt: null,
      },
    ])
    expect(ring.revokeKey(pair.apiKey.slice(0, 11))).toBe(true)
    expect((await ask(service, { path: limits, keys: pair })).status).toBe(401)
    ring.close()
  })

  it('works on a store nobody serves', () => {
    const ring = openKeyring({ system: world.system, storePath: world.storePath })
    ring.issueKeys({ userEmail: OWNER })
    ring.close()
    expect(existsSync(world.storePath)).toBe(true)
  })
})

it('a port that is taken is a wrong setting, and leaves nothing behind', async () => {
  const service = await world.start()
  const files = readdirSync(dirname(world.storePath)).length
  await expect(world.start({ port: Number(new URL(service.url).port) })).rejects.toMatchObject({
    code: 'settingInvalid',
  })
  expect(readdirSync(dirname(world.storePath))).toHaveLength(files)
})
