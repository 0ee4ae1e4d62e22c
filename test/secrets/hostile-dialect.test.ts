/** A dialect that looks for keys, by ten ways: the whole program runs it, with keys in its environment and a .env beside it, and it finds none. */
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDialect } from '../../src/workbench/api/reading/dialect-child.ts'
import { type Desk, desk, ended } from '../support/dcalab.ts'
import { PAGED_API_KEY, PAGED_SECRET_KEY, type PagedService, pagedService } from '../support/paged-service.ts'

let service: PagedService
let home: Desk
beforeAll(async () => {
  service = await pagedService()
  home = desk()
})
afterAll(() => service.close())

/** Each answers what it found, or throws. `host` leaves the bare context, as far as that is possible: then Node's permissions are what holds. */
const HOST = `(() => { try { return import('x').constructor.constructor('return process')() } catch { return globalThis.process } })()`
const WAYS: Readonly<Record<string, (folder: string) => string>> = {
  'the environment': () => `JSON.stringify(globalThis.process?.env ?? ${HOST}.env)`,
  'a module of Node': () => `${HOST}.getBuiltinModule('fs').readFileSync('/proc/self/environ', 'latin1')`,
  'the .env beside it': (folder) =>
    `${HOST}.getBuiltinModule('fs').readFileSync(${JSON.stringify(join(folder, '.env'))}, 'utf8')`,
  'the environment of its parent': () =>
    `${HOST}.getBuiltinModule('fs').readFileSync('/proc/' + ${HOST}.ppid + '/environ', 'latin1')`,
  'the same through a symlink': (folder) =>
    `${HOST}.getBuiltinModule('fs').readFileSync(${JSON.stringify(join(folder, 'link'))}, 'latin1')`,
  'what requests carry': () =>
    `(() => { ${HOST}.getBuiltinModule('diagnostics_channel').subscribe('undici:request:create', ({ request }) => { globalThis.heard = JSON.stringify(request) }); return globalThis.heard })()`,
  'a process of its own': () =>
    `${HOST}.getBuiltinModule('child_process').execSync('cat /proc/*/environ').toString('latin1')`,
  'a thread of its own': () =>
    `String(new (${HOST}.getBuiltinModule('worker_threads').Worker)("require('fs').readFileSync('/proc/self/environ')", { eval: true }))`,
  'its arguments and their prototypes': () =>
    `(() => { Object.defineProperty(Object.prototype, 'x-api-key', { set(value) { globalThis.caught = value } }); return JSON.stringify([globalThis.caught, arguments]) })()`,
  'the memory of its process': () =>
    `${HOST}.getBuiltinModule('v8').writeHeapSnapshot() + JSON.stringify(${HOST}.report?.getReport() ?? '')`,
}

/** Every way is tried at every call, and what it gives is told as the word of a job's state, which the program prints. */
function hostileModule(folder: string): string {
  const ways = Object.entries(WAYS).map(
    ([name, way]) => `  [${JSON.stringify(name)}, function () { return ${way(folder)} }],`,
  )
  return `const ways = [\n${ways.join('\n')}\n]
const tryAll = (...values) => ways.map(([name, way]) => {
  try { return name + ' found ' + way(...values) } catch (error) { return name + ' failed ' + error.message }
}).join(' | ')
export const dialect = {
  limits: (body) => ({ limit: tryAll(body), used: 0 }),
  symbols: (body) => [{ baseAsset: tryAll(body), quoteAsset: 'X', symbol: tryAll(body) }],
}
export { tryAll }
`
}

const keysIn = (text: string) =>
  [PAGED_API_KEY, PAGED_SECRET_KEY].filter((key) =>
    [key, Buffer.from(key).toString('base64').replaceAll('=', ''), Buffer.from(key).toString('hex')].some((spelt) =>
      text.includes(spelt),
    ),
  )

it('there are ten ways', () => expect(Object.keys(WAYS)).toHaveLength(10))

it('H79: a hostile dialect finds no key by any of ten ways', async () => {
  const dialect = join(home.folder, 'hostile.mjs')
  const keys = { DCALAB_API_KEY: PAGED_API_KEY, DCALAB_SECRET_KEY: PAGED_SECRET_KEY }
  writeFileSync(dialect, hostileModule(home.folder))
  writeFileSync(
    join(home.folder, '.env'),
    Object.entries(keys)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  chmodSync(join(home.folder, '.env'), 0o600)
  symlinkSync(`/proc/${process.pid}/environ`, join(home.folder, 'link'))
  const settings = {
    ...keys,
    DCALAB_BASE_URL: service.url,
    DCALAB_USER_EMAIL: 'you@example.com',
    DCALAB_DIALECT: dialect,
  }
  const { stdout, stderr } = await home.dcalab(['symbols', 'farm', '--json'], settings)
  expect(stderr).toBe('')
  const [{ baseAsset: told }] = JSON.parse(stdout)
  const said = String(told).split(' | ')
  expect(said.map((text) => Object.keys(WAYS).find((name) => text.startsWith(`${name} f`)))).toEqual(Object.keys(WAYS))
  expect(said.filter((text) => keysIn(text).length > 0)).toEqual([])
})

it('in a process that has keys, the same module finds them', async () => {
  writeFileSync(join(home.folder, 'careless.mjs'), hostileModule(home.folder))
  const address = pathToFileURL(join(home.folder, 'careless.mjs')).href
  const program = `console.log((await import(${JSON.stringify(address)})).tryAll({}))`
  const { stdout } = await ended(
    home.startNode(['--input-type=module', '-e', program], { DCALAB_API_KEY: PAGED_API_KEY }),
  )
  expect(keysIn(stdout)).toContain(PAGED_API_KEY)
})

it('a dialect that leaves its context at the top level finds every part of Node under the permissions, and no SQLite', () => {
  const store = join(home.folder, 'store.sqlite')
  new Database(store).exec("create table kept (word); insert into kept values ('canary')").close()
  const child = startDialect(`
    let host
    try { await import('x') } catch (error) { host = error.constructor.constructor('return process')() }
    const tried = (way) => { try { return String(way()) } catch (error) { return 'failed ' + (error.code ?? error.message) } }
    export const dialect = {
      job: ({ names }) => names.filter((name) => host.getBuiltinModule(name) === undefined),
      limits: ({ path }) => [
        tried(() => new (host.getBuiltinModule('node:sqlite').DatabaseSync)(path).prepare('select word from kept').get().word),
        tried(() => host.getBuiltinModule('fs').readFileSync(path)),
        tried(() => host.getBuiltinModule('child_process').spawnSync('cat', [path]).stdout),
        tried(() => new (host.getBuiltinModule('worker_threads').Worker)('', { eval: true })),
      ],
    }`)
  const known = builtinModules.filter((name) => !name.startsWith('_'))
  expect(child.call('job', [{ names: known }])).toEqual(known.filter((name) => name === 'node:sqlite'))
  const [sqlite, ...others] = fieldsAsText(child.call('limits', [{ path: store }]))
  expect(sqlite).toMatch(/^failed /)
  expect(others).toEqual(others.map(() => 'failed ERR_ACCESS_DENIED'))
})

const fieldsAsText = (list: unknown): string[] => (Array.isArray(list) ? list.map(String) : [])

it('a dialect that does not come to an end is ended, and the next call is answered', () => {
  const child = startDialect(
    'export const dialect = { job: (body) => { while (body.hangs) {} return { id: body.id } } }',
  )
  expect(() => child.call('job', [{ hangs: true }])).toThrow(/timed out|no answer within/)
  expect(child.call('job', [{ id: 'a' }])).toEqual({ id: 'a' })
})

it('a dialect that fills its memory takes nothing else with it', () => {
  const child = startDialect(
    'export const dialect = { job: () => { const all = []; for (;;) all.push(new Array(1e6).fill(0.5)) }, limits: () => 1 }',
  )
  expect(() => child.call('job', [{}])).toThrow(/ended|timed out|no answer within/)
  expect(child.call('limits', [{}])).toBe(1)
})
