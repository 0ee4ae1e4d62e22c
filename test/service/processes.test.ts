/** Real processes on one file: killed, stopped, and racing each other. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { BotBody, PnlBody } from '../../src/contract/bot-bodies.ts'
import type { IssuedKeys } from '../../src/service/keys.ts'
import type { ServiceOptions } from '../../src/service/start.ts'
import { workerFile } from '../support/worker-file.ts'
import { deafWorker } from '../workers/fixtures.ts'
import { ask, botPayload, FROM, jobRequest, listAll, openWorld, readClaims, untilEnded, type World } from './world.ts'

// Built inside the project, where better-sqlite3 is found.
const program = fileURLToPath(new URL(`../../dist/test-serve-${process.pid}.mjs`, import.meta.url))
const children: ChildProcess[] = []

let world: World
beforeAll(() =>
  build({
    entryPoints: [fileURLToPath(new URL('fixtures/serve.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3'],
    banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
  }),
)
beforeEach(() => {
  world = openWorld()
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await world.clear()
})
afterAll(() => rmSync(program, { force: true }))

interface Server {
  readonly child: ChildProcess
  readonly url: string
  readonly keys: IssuedKeys
}

async function serve(
  changes: Partial<Omit<ServiceOptions, 'system' | 'workerFile'>> & { workerFile?: URL } = {},
): Promise<Server> {
  const { storePath, candlesFolder } = world
  const options = { storePath, candlesFolder, workerFile: workerFile(), ...changes }
  const child = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the service ended with ${code}`)))
  ended.catch(() => {}) // later, when a test ends it
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])
  return { child, ...JSON.parse(line) }
}

async function kill({ child }: Server): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const order = (server: { url: string }, keys: IssuedKeys, name: string) =>
  ask(server, { path: '/api/backtest/jobs', keys, body: jobRequest({ name }) })

describe('a killed service', () => {
  it('keeps its job while it lives, even stopped; dead, the job is run by whoever is asked next', async () => {
    const server = await serve({ workerFile: deafWorker, rate: 0 })
    await order(server, server.keys, 'orphan')
    const survivor = await world.start({ rate: 0 })
    server.child.kill('SIGSTOP')
    expect(await listAll(survivor, server.keys)).toMatchObject([{ name: 'orphan', state: 'running' }])
    expect(readClaims(world.storePath)).toEqual({ orphan: 1 })
    await kill(server)
    const [job] = await untilEnded(survivor, server.keys)
    expect(job).toMatchObject({ name: 'orphan', state: 'completed' })
    expect(readClaims(world.storePath)).toEqual({ orphan: 2 })
    await survivor.close()
    expect(readdirSync(dirname(world.storePath))).toEqual(['service.sqlite'])
  })

  it('leaves its accepted jobs and its spent allowance to the next start', async () => {
    const server = await serve({ workerFile: deafWorker, rate: 0 })
    for (const name of ['a', 'b', 'c']) await order(server, server.keys, name)
    await kill(server)
    world.system.stepWall(Date.now() - world.system.clock.wall())
    const next = await world.start({ rate: 0, allowance: 3 })
    const jobs = await untilEnded(next, server.keys)
    expect(jobs.map(({ name, state }) => `${name} ${state}`)).toEqual(['c completed', 'b completed', 'a completed'])
    expect((await order(next, server.keys, 'd')).status).toBe(429)
  })

  it('leaves its bots to the next start as if nothing had happened', async () => {
    const server = await serve({ rate: 0, market: { now: FROM } })
    const { keys } = server
    const create = await ask(server, { path: '/api/bots', keys, body: botPayload() })
    const { id }: BotBody = JSON.parse(create.text) // the shape is tested elsewhere
    expect((await ask(server, { method: 'POST', path: `/api/bots/${id}/start`, keys })).status).toBe(200)
    /** Once the market has ended, nothing changes any more but the clock. */
    const lived = async (at: { readonly url: string }): Promise<string> => {
      for (;;) {
        const pnl: PnlBody = JSON.parse((await ask(at, { path: `/api/bots/${id}/pnl`, keys })).text)
        if (pnl.candles?.ended) return JSON.stringify({ ...pnl, marketTime: null })
        await delay(10)
      }
    }
    await kill(server)
    const fast = await serve({ rate: 0, market: { speed: 1e6 } })
    const before = await lived(fast)
    await kill(fast)
    expect(await lived(await serve({ rate: 0 }))).toBe(before)
  })

  it('that dies over and over again gives the job up after three deaths', async () => {
    let server = await serve({ workerFile: deafWorker, rate: 0 })
    const { keys } = server
    await order(server, keys, 'poison')
    for (let death = 1; death <= 3; death += 1) {
      expect(await listAll(server, keys)).toMatchObject([{ state: 'running' }])
      await kill(server)
      server = await serve({ workerFile: deafWorker, rate: 0 })
    }
    expect(await listAll(server, keys)).toMatchObject([{ state: 'failed', error: { code: 'RunnerLost' } }])
  })
})

describe('three processes', () => {
  it('starting at once on a new file agree on one identity', async () => {
    const servers = await Promise.all([serve(), serve(), serve()])
    const replies = await Promise.all(
      servers.flatMap(({ url }) => servers.map(({ keys }) => ask({ url }, { path: '/api/backtest/limits', keys }))),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(9).fill(200))
    expect(new Set(replies.map(({ headers }) => headers['x-dcalab-service'])).size).toBe(1)
  })

  it('admit 120 requests and accept 100 jobs between them, and run each job once', async () => {
    const servers = await Promise.all([serve({ rate: 0 }), serve({ rate: 0 }), serve({ rate: 0 })])
    const [{ keys }] = servers
    const orders = Array.from({ length: 150 }, (_, i) => order(servers[i % 3], keys, `n${i}`))
    const accepted = (await Promise.all(orders)).filter(({ status }) => status === 201)
    expect(accepted).toHaveLength(100)
    await untilEnded(servers[0], keys)
    expect(Object.values(readClaims(world.storePath))).toEqual(Array(100).fill(1))

    const limiting = await Promise.all([serve(), serve(), serve()])
    const requests = Array.from({ length: 200 }, (_, i) => ask(limiting[i % 3], { path: '/api/backtest/limits', keys }))
    const admitted = (await Promise.all(requests)).filter(({ status }) => status === 200)
    expect(admitted).toHaveLength(120)
  })
})
