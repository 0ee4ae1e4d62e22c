/** Dialects that try to get out of their interpreter, to exhaust it, or to spoil what comes out of it; and what each answers. */
import { createHash } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { DIALECT_LIMITS, type DialectModule, startDialect } from '../../src/workbench/api/reading/dialect-machine.ts'
import { type Desk, desk } from '../support/dcalab.ts'
import { temporaryFolder } from '../support/folder.ts'
import { PAGED_API_KEY, PAGED_SECRET_KEY, type PagedService, pagedService } from '../support/paged-service.ts'
import { share } from '../support/share.ts'
import { byTurn } from '../support/turn.ts'

const FILE = 'hostile.mjs'

/** A module with one function, beside one that always answers 1. `before` stands at the top level. */
const started = (job: string, before = ''): Promise<DialectModule> =>
  startDialect(`${before}\nexport const dialect = { job: ${job}, limits: () => 1 }`, FILE)

/** What the call answers, as JSON, or why it gave none. */
function tried(dialect: DialectModule, body: unknown = {}): string {
  try {
    return JSON.stringify(dialect.call('job', [body])) ?? 'undefined'
  } catch (error) {
    return `failed ${error instanceof Error ? error.message : String(error)}`
  }
}

/** The global object behind anything that was caught, returned or given, as far as there is one. */
const BEYOND = `const beyond = (thing) => { try { return thing.constructor.constructor('return globalThis')() } catch { return globalThis } }
const kinds = (world) => ['process', 'require', 'fetch', 'Buffer', 'WebAssembly', 'setTimeout', 'Intl', 'navigator', 'Deno', 'std', 'os', 'Worker', 'SharedArrayBuffer', 'Atomics']
  .filter((name) => typeof world[name] !== 'undefined').join()`

/** Each is a function that gives a thing which may belong to another world: what of that world is found behind it? */
const WORLDS: Readonly<Record<string, string>> = {
  'the error of an import at the top level': 'caught',
  'an error of a missing name': '(() => { try { nowhere } catch (error) { return error } })()',
  'an error of JSON': "(() => { try { JSON.parse('{') } catch (error) { return error } })()",
  'an error of its own stack': '(() => { try { (function again() { again() })() } catch (error) { return error } })()',
  'an error of URL': "(() => { try { new URL('no') } catch (error) { return error } })()",
  'an address': "new URL('https://a.example/?b=c').searchParams",
  'its arguments': 'body',
  'a list of its arguments': 'body.list',
  'the console': 'console.log',
  'a function of the globals': 'structuredClone',
  'an import that was begun': "import('node:fs')",
  'a promise': 'Promise.resolve()',
  'a generator': '(function* () {})()',
  'an async generator': '(async function* () {})()',
  'a tagged template': '((texts) => texts)`a`',
  'a bound function': 'Function.prototype.bind.call(console.log)',
  'an iterator': '[][Symbol.iterator]()',
  'a proxy of everything': 'new Proxy(globalThis, {})',
  'the caller of the function': '(function () { try { return arguments.callee.caller } catch { return 1 } })()',
  'a copy': 'structuredClone({ a: new Date(0) })',
}

describe('escapes', () => {
  it.each(Object.entries(WORLDS))('behind %s lies no other world', async (_name, thing) => {
    const before = `${BEYOND}\nlet caught\ntry { await import('x') } catch (error) { caught = error }`
    const dialect = await started(`(body) => [kinds(beyond(${thing})), kinds(globalThis)]`, before)
    expect(tried(dialect, { list: [1] })).toBe('["",""]')
  })

  it('no builtin of Node and no file is imported, at the top level or later', async () => {
    const places = ['./hostile-other.mjs', '/etc/passwd', 'file:///etc/passwd', 'data:text/javascript,export default 1']
    const names = [
      ...builtinModules.flatMap((name) => [name, `node:${name.replace(/^node:/, '')}`]),
      ...places,
      'std',
      'os',
    ]
    const asked = [...new Set(names)]
    const dialect = await started(
      '() => found',
      `const found = []
      for (const name of ${JSON.stringify(asked)}) { try { await import(name); found.push(name) } catch {} }`,
    )
    expect([asked.includes('node:sqlite'), tried(dialect)]).toEqual([true, '[]'])
    for (const name of ['node:sqlite', 'fs', './hostile-other.mjs', '/etc/passwd']) {
      const loaded = startDialect(`\nimport * as all from '${name}'\nexport const dialect = {}`, FILE)
      await expect(loaded).rejects.toThrow(
        /^a dialect imports from 'dcalab' only, and this one imports '.+' \(hostile\.mjs:2:\d+\)$/,
      )
    }
  })

  it('nor is another program, a file or a table reached by what the three known escapes did', async () => {
    const folder = temporaryFolder()
    const store = join(folder, 'store.sqlite')
    new Database(store).exec("create table kept (word); insert into kept values ('canary')").close()
    const digest = () => createHash('sha256').update(readFileSync(store)).digest('hex')
    const [before, files] = [digest(), readdirSync(folder)]
    const dialect = await started(
      `({ path }) => [
        () => host.getBuiltinModule('node:sqlite'),
        () => new (host.getBuiltinModule('node:sqlite').DatabaseSync)(path).exec('create table mine (a)'),
        () => host.getBuiltinModule('fs').readFileSync(path),
        () => host.binding('fs'),
        () => host.mainModule.require('child_process').execSync('id'),
        () => require('fs'),
        () => fetch('http://127.0.0.1:1'),
      ].map((way) => { try { return String(way()) } catch (error) { return 'failed' } }).join()`,
      "let host\ntry { await import('x') } catch (error) { host = error.constructor.constructor('return globalThis.process')() }",
    )
    expect(tried(dialect, { path: store })).toBe(JSON.stringify(Array(7).fill('failed').join()))
    expect([digest(), readdirSync(folder)]).toEqual([before, files])
  })
})

/** Memory is full, or the time is over before: on a busy machine the second may come first. */
const SPENT = /out of memory|did not come to an end/

/** What each does, and the words that it is reported by; the next call is answered all the same. */
const EXHAUSTIONS: Readonly<Record<string, readonly [job: string, said: RegExp]>> = {
  'an endless loop': ['() => { for (;;) {} }', /within 2 s \(hostile\.mjs:2:\d+\)$/],
  'a loop that QuickJS does not ask in': ['() => [].indexOf.call({ length: 2 ** 53 - 1 }, 1)', /within 0\.3 s/],
  'a catastrophe of a regular expression': ["() => /^(a+)+$/.test('a'.repeat(50) + 'b')", /within 2 s/],
  'a generator without an end': ['() => { for (const _ of (function* () { for (;;) yield 1 })()) {} }', /within 2 s/],
  'promises without an end': ['async () => { for (;;) await null }', /within 2 s/],
  'an answer whose toJSON hangs': ['() => ({ toJSON() { for (;;) {} } })', /within 2 s/],
  'a getter that hangs': ['() => ({ get a() { for (;;) {} } })', /within 2 s/],
  'an error whose message hangs': [
    '() => { throw Object.defineProperty(new Error(), "message", { get() { for (;;) {} } }) }',
    /within 2 s/,
  ],
  'a list that grows': [
    '() => { const all = []; for (;;) all.push(new Array(1e5).fill(0.5)) }',
    /out of memory|within \d s/,
  ],
  'a text that grows': [
    "() => { let text = 'x'; for (;;) text += text + text.length }",
    /out of memory|string too|within \d s/i,
  ],
  'a text repeated': ["() => 'x'.repeat(2 ** 29)", /out of memory/],
  'a buffer of bytes': ['() => new Uint8Array(2 ** 30)', /out of memory|invalid/],
  'many buffers': ['() => { const all = []; for (;;) all.push(new ArrayBuffer(1e6)) }', SPENT],
  'deep recursion': ['() => { const f = () => 1 + f(); return f() }', /stack overflow/],
  'an answer nested deep': [
    '() => { let x = 1; for (let n = 0; n < 1e5; n++) x = [x]; return x }',
    /JSON cannot hold|nested/,
  ],
  'an answer nested less deep': [
    '() => { let x = 1; for (let n = 0; n < 250; n++) x = [x]; return x }',
    /nested more than 200 deep/,
  ],
  'an answer of many values': ['() => Array(1_100_000).fill(1)', /more than 1000000 values/],
  'an answer of much text': ["() => 'x'.repeat(34e6)", /more than 32 MB|out of memory|within \d s/],
  'an answer in circles': [
    '() => { const x = {}; x.x = x; return x }',
    /JSON cannot hold: TypeError: circular reference/,
  ],
  'a promise that never settles': ['() => new Promise(() => {})', /does not settle/],
  'a proxy that throws': ['() => new Proxy({}, { ownKeys() { throw new Error("no keys") } })', /no keys/],
  'nothing but an exotic throw': ['() => { throw { toString() { throw 1 } } }', /has no text/],
  'null thrown': ['() => { throw null }', /it threw null/],
  'a machine broken by its own prototypes': [
    '() => { Array.prototype.map = Object.prototype.toString = JSON.stringify = null; Object.defineProperty(Object.prototype, "items", { get() { throw new Error("trap") } }); return {} }',
    /trap/,
  ],
}

/** Those that fill the memory, which takes most of a second each: in a usual run one, another one at each commit. */
const FILLING = ['a list that grows', 'many buffers', 'an answer of many values', 'an answer of much text']

/** A call that has computed for 50 ms finds that its 2 s are over. */
function hurried<T>(work: () => T): T {
  const now = performance.now.bind(performance)
  const start = now()
  const spy = vi
    .spyOn(performance, 'now')
    .mockImplementation(() => now() + (now() < start + 50 ? 0 : DIALECT_LIMITS.callMs))
  try {
    return work()
  } finally {
    spy.mockRestore()
  }
}

/** V8, which has a clock of its own, ends a call after 0.3 s in place of 4. */
function watchedShortly<T>(work: () => T): T {
  const { watchdogMs } = DIALECT_LIMITS
  Object.assign(DIALECT_LIMITS, { watchdogMs: 300 })
  try {
    return work()
  } finally {
    Object.assign(DIALECT_LIMITS, { watchdogMs })
  }
}

describe('exhaustions', () => {
  it('with the escapes there are at least 40 of them', () => {
    expect(Object.keys(WORLDS).length + Object.keys(EXHAUSTIONS).length).toBeGreaterThanOrEqual(40)
  })

  const others = Object.entries(EXHAUSTIONS).filter(([name]) => !FILLING.includes(name))
  const filling = share({ usual: byTurn(FILLING), long: FILLING })
  it.each([...others, ...filling.map((name) => [name, EXHAUSTIONS[name]] as const)])(
    '%s ends as that, and the next call is answered',
    async (_name, [job, said]) => {
      const dialect = await started(job)
      const call = () => tried(dialect)
      const words = `${said}`.startsWith('/within 2 s')
        ? hurried(call)
        : `${said}`.startsWith('/within')
          ? watchedShortly(call)
          : call()
      expect(words).toMatch(/^failed DCALAB_DIALECT \(hostile\.mjs\): dialect\.job /)
      expect(words).toMatch(said)
      if (!job.includes('prototype')) expect(dialect.call('limits', [{}])).toBe(1)
    },
  )

  it('take no more than 200 MB, whatever is kept of them', async () => {
    const before = process.memoryUsage().rss
    const dialect = await startDialect(
      `const kept = []
      export const dialect = {
        ${FILLING.map((name, n) => `job${n}: ${EXHAUSTIONS[name][0]}`)},
        limits: () => 1,
        keep: () => { for (;;) kept.push(new Array(1e5).fill(0.5)) },
      }`,
      FILE,
    )
    const over: number[] = []
    // At length after each of the four; here after the one that grows an array and the one that answers with much text.
    for (const name of share({
      usual: ['job0', 'keep', 'job3', 'keep'],
      long: ['job0', 'keep', 'job1', 'keep', 'job2', 'keep', 'job3', 'keep'],
    })) {
      expect(() => dialect.call(name, [{}])).toThrow(`dialect.${name} `)
      expect(dialect.call('limits', [{}])).toBe(1)
      over.push(Math.round((process.memoryUsage().rss - before) / 1024 / 1024))
      await new Promise(setImmediate) // as between two requests
    }
    expect(over.filter((megabytes) => megabytes > 200)).toEqual([])
  })

  it('a call ends before anything of ours that waits for this process gives it up', () => {
    // Locks are SQLite's and the system's and have no term; a proof that a bot is a demo is used within 5 s, and a client of `dcalab mcp`
    // hears of progress every 20 s.
    expect(DIALECT_LIMITS.callMs).toBeLessThan(DIALECT_LIMITS.watchdogMs)
    expect(DIALECT_LIMITS.watchdogMs).toBeLessThan(5_000)
  })

  it('an endless console keeps 200 lines', async () => {
    const log: string[] = []
    const dialect = await startDialect(
      "export const dialect = { job: () => { for (let n = 0; n < 5000; n++) console.log(n, 'x'.repeat(5000)) } }",
      FILE,
      log,
    )
    dialect.call('job', [{}])
    expect([log.length, Math.max(...log.map((line) => line.length))]).toEqual([200, 1000])
  })

  it('what stands in an answer changes nothing here', async () => {
    const dialect = await started(
      `() => JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}')`,
    )
    const answer = dialect.call('job', [{}])
    expect([Reflect.get({}, 'polluted'), Object.getPrototypeOf(answer) === Object.prototype]).toEqual([undefined, true])
    const placed = await started('(body) => ({ items: body.list, next: 1, at: ["__proto__"] })')
    const body = { list: [1, 2] }
    expect(Reflect.get(Object(placed.call('job', [body])), 'items')).toBe(body.list)
  })
})

describe('the whole program with keys', () => {
  let service: PagedService
  let home: Desk
  beforeAll(async () => {
    service = await pagedService()
    home = desk()
  })
  afterAll(() => service.close())

  it('H79: a hostile dialect finds no key, and sends none', async () => {
    const keys = { DCALAB_API_KEY: PAGED_API_KEY, DCALAB_SECRET_KEY: PAGED_SECRET_KEY }
    const dotEnv = join(home.folder, '.env')
    writeFileSync(
      dotEnv,
      Object.entries(keys)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    )
    chmodSync(dotEnv, 0o600)
    symlinkSync(`/proc/${process.pid}/environ`, join(home.folder, 'link'))
    const dialect = join(home.folder, FILE)
    const things = Object.values(WORLDS).map((thing) => `(body) => ${thing}`)
    writeFileSync(
      dialect,
      `${BEYOND}
let caught
try { await import('x') } catch (error) { caught = error }
const paths = ${JSON.stringify([dotEnv, join(home.folder, 'link'), '/proc/self/environ', '/proc/self/mem'])}
const ways = [${things.join(',\n')}]
const tryAll = (body) => ways.map((way) => {
  try {
    const world = beyond(way(body))
    return [JSON.stringify(world.process?.env), ...paths.map((path) => world.process?.getBuiltinModule('fs').readFileSync(path, 'latin1'))].join()
  } catch (error) { return 'failed ' + error.message }
}).join('|')
export const dialect = {
  limits: (body) => ({ limit: tryAll(body), used: 0 }),
  jobListQuery: () => ({ found: tryAll({ list: [] }) }),
  symbols: (body) => [{ baseAsset: tryAll(body), quoteAsset: 'X', symbol: tryAll(body) }],
}`,
    )
    const settings = {
      ...keys,
      DCALAB_BASE_URL: service.url,
      DCALAB_USER_EMAIL: 'you@example.com',
      DCALAB_DIALECT: dialect,
    }
    const { stdout, stderr } = await home.dcalab(['service', 'symbols', 'farm', '--json'], settings)
    expect(stderr).toBe('')
    const [{ baseAsset: found }] = JSON.parse(stdout)
    expect(String(found).split('|')).toHaveLength(Object.keys(WORLDS).length)
    await home.dcalab(['service', 'jobs', 'list', '--json'], settings)
    const texts = [stdout, ...service.requests]
    const spellings = [PAGED_API_KEY, PAGED_SECRET_KEY].flatMap((key) => [
      key,
      Buffer.from(key).toString('base64').replaceAll('=', ''),
      Buffer.from(key).toString('hex'),
    ])
    expect(texts.filter((text) => spellings.some((spelling) => text.includes(spelling)))).toEqual([])
    expect(service.requests.some((request) => request.includes('found='))).toBe(true)
  })
})
