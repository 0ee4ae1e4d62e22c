/** Who may import whom: one table, checked against every import in `src/` (type-only and dynamic ones included). */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Arrow, childOf, circlesOf, foldersAbove, importsOf, isInside, src, withoutComments } from './imports.ts'

interface Room {
  readonly rooms: readonly string[]
  /** npm packages and `node:` built-ins. */
  readonly packages: readonly string[]
}

const files = ['node:fs', 'node:path', 'node:crypto']

const ALLOWED: Readonly<Record<string, Room>> = {
  contract: { rooms: [], packages: [] },
  errors: { rooms: [], packages: [] },
  sqlite: { rooms: ['errors', 'system'], packages: ['node:fs', 'node:path', 'better-sqlite3', 'kysely'] },
  system: {
    rooms: ['errors'],
    packages: [
      'node:child_process',
      'node:crypto',
      'node:fs',
      'node:os',
      'node:path',
      'node:readline/promises',
      'node:timers/promises',
      'node:tty',
    ],
  },
  engine: { rooms: ['contract'], packages: [] },
  candles: {
    rooms: ['contract', 'errors', 'system', 'engine'],
    packages: [
      ...files,
      'node:zlib',
      '@uwdata/flechette',
      'hyparquet',
      'hyparquet-compressors',
      'hyparquet-writer',
      'better-sqlite3',
      'ofetch',
      'p-queue',
      'papaparse',
    ],
  },
  'workbench/study': { rooms: ['contract', 'errors', 'engine'], packages: ['node:crypto', 'yaml', 'zod'] },
  'workbench/store': {
    rooms: ['contract', 'errors', 'sqlite', 'system', 'workbench/study'],
    packages: [
      ...files,
      'node:os',
      'node:zlib',
      'node:url',
      'node:child_process',
      'better-sqlite3',
      'kysely',
      'hyparquet-writer',
    ],
  },
  'workbench/api': {
    rooms: ['contract', 'errors', 'system'],
    packages: [
      'ofetch',
      'p-queue',
      'node:crypto',
      'node:fs/promises',
      'node:module',
      'node:path',
      'node:v8',
      'node:vm',
      'quickjs-emscripten-core',
      '@jitl/quickjs-wasmfile-release-sync',
    ],
  },
  'workbench/run': {
    rooms: [
      'contract',
      'errors',
      'system',
      'workbench/study',
      'workbench/store',
      'workbench/api',
      'workbench/analysis',
    ],
    packages: [],
  },
  'workbench/screen': {
    rooms: ['contract', 'errors', 'system', 'engine', 'workbench/study', 'workbench/store', 'workers'],
    packages: [...files, 'zod'],
  },
  'workbench/search': {
    rooms: ['contract', 'engine', 'workbench/study', 'workbench/screen', 'workbench/analysis'],
    packages: ['zod'],
  },
  'workbench/evidence': {
    rooms: [
      'contract',
      'errors',
      'system',
      'engine',
      'candles',
      'workbench/study',
      'workbench/store',
      'workbench/search',
      'workbench/screen',
      'workbench/analysis',
    ],
    packages: ['node:crypto'],
  },
  'workbench/verdict': {
    rooms: [
      'contract',
      'errors',
      'engine',
      'candles',
      'workbench/study',
      'workbench/store',
      'workbench/analysis',
      'workbench/evidence',
    ],
    packages: [],
  },
  workers: { rooms: ['errors', 'engine'], packages: ['node:worker_threads'] },
  'workbench/analysis': { rooms: ['contract', 'engine', 'workbench/study'], packages: [] },
  'workbench/report': {
    rooms: [
      'contract',
      'errors',
      'system',
      'workbench/store',
      'workbench/study',
      'workbench/analysis',
      'candles',
      'engine',
      'workbench/evidence',
      'workbench/bots',
      'workbench/verdict',
    ],
    packages: [...files, 'node:zlib', 'zod', 'vega', 'vega-lite', 'vega-interpreter'],
  },
  'workbench/bots': {
    rooms: [
      'contract',
      'errors',
      'system',
      'engine',
      'candles',
      'workbench/study',
      'workbench/store',
      'workbench/api',
      'workbench/search',
    ],
    packages: ['node:crypto'],
  },
  guide: { rooms: [], packages: [] },
  'workbench/agents': {
    rooms: ['contract', 'errors', 'system', 'workbench/store', 'workbench/study'],
    packages: ['zod', '@modelcontextprotocol/sdk'],
  },
  service: {
    rooms: ['contract', 'errors', 'sqlite', 'system', 'engine', 'candles', 'workers'],
    packages: ['node:fs', 'node:crypto', 'node:net', 'better-sqlite3', 'hono', '@hono/node-server', 'kysely', 'zod'],
  },
  cli: {
    rooms: [
      'contract',
      'errors',
      'system',
      'engine',
      'candles',
      'workbench/study',
      'workbench/store',
      'workbench/api',
      'workbench/run',
      'workbench/screen',
      'workbench/search',
      'workbench/analysis',
      'workbench/report',
      'workbench/verdict',
      'workbench/agents',
      'service',
      'workbench/evidence',
      'workbench/bots',
    ],
    packages: [
      'node:fs',
      'node:path',
      'node:url',
      'node:util',
      'node:os',
      'node:stream',
      'node:events',
      'node:child_process',
      'commander',
    ],
  },
  entry: { rooms: ['main'], packages: ['node:fs', 'node:module', 'node:url'] },
  main: { rooms: ['cli', 'errors', 'system'], packages: ['node:fs', 'node:path', 'node:url'] },
}

const imports = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => importsOf(join(src, name)))

const ownImports = imports.flatMap(({ file, targetFile }) => (targetFile === undefined ? [] : [{ file, targetFile }]))

it('every room imports only the rooms and packages that the table allows it', () => {
  const broken = imports.filter(({ room, target }) => !isAllowed(room, target))
  expect(broken.map(({ file, target }) => `${file} → ${target}`)).toEqual([])
})

it('the table allows nothing that no import uses', () => {
  const used = new Set(imports.map(({ room, target }) => `${room} → ${target}`))
  const allowed = Object.entries(ALLOWED).flatMap(([room, { rooms, packages }]) =>
    [...rooms, ...packages].map((target) => `${room} → ${target}`),
  )
  expect(allowed.filter((arrow) => !used.has(arrow))).toEqual([])
})

it('there are no more rooms and arrows between them than these', () => {
  const arrows = new Set(
    imports.filter(({ target }) => target in ALLOWED).map(({ room, target }) => `${room} → ${target}`),
  )
  const between = [...arrows].filter((arrow) => arrow.split(' → ')[0] !== arrow.split(' → ')[1])
  expect(Object.keys(ALLOWED).length).toBeLessThanOrEqual(24)
  expect(between.length).toBeLessThanOrEqual(115)
})

it('no two files need each other, not even for a type', () => {
  expect(circlesOf(ownImports.map(({ file, targetFile }) => [file, targetFile]))).toEqual([])
})

it('no two folders side by side need each other; a file beside folders stands for itself', () => {
  const found = [...new Set(ownImports.flatMap(({ file }) => foldersAbove(file)))].flatMap((folder) =>
    circlesOf(
      ownImports
        .filter(({ file, targetFile }) => isInside(folder, file) && isInside(folder, targetFile))
        .map(({ file, targetFile }) => [childOf(folder, file), childOf(folder, targetFile)]),
    ),
  )
  expect(found).toEqual([])
})

it('recognizes a circle', () => {
  const chain: Arrow[] = [
    ['a', 'b'],
    ['b', 'c'],
  ]
  expect(circlesOf(chain)).toEqual([])
  expect(circlesOf([...chain, ['c', 'b']])).toEqual(['b → c', 'c → b'])
})

it('sees the imports it judges', () => {
  expect(imports.length).toBeGreaterThan(100)
  expect(isAllowed('engine', 'node:fs')).toBe(false)
  expect(isAllowed('workbench/run', 'service')).toBe(false)
})

it('only cli starts the service, so the workbench meets it over HTTP alone', () => {
  const importers = imports.filter(({ room, target }) => target === 'service' && room !== 'service')
  expect([...new Set(importers.map(({ room }) => room))]).toEqual(['cli'])
})

it('the house has these rooms, and no code lies in a room of no name', () => {
  const folders = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && name.includes('/'))
    .map((name) => name.split('/')[0])
  expect([...new Set(folders)].sort()).toEqual([
    'candles',
    'cli',
    'contract',
    'engine',
    'guide',
    'service',
    'sqlite',
    'workbench',
    'workers',
  ])
})

it('only system, main and the service’s process know the ambient world', () => {
  const ambient = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bprocess\.env\b|\bsetTimeout\(|\bsetInterval\(/
  const found = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !['system.ts', 'entry.ts', 'main.ts'].includes(name))
    .filter((name) => ambient.test(withoutComments(readFileSync(join(src, name), 'utf8'))))
  expect(found).toEqual([])
})

it('every request of the workbench leaves through the one queue of the gate', () => {
  const sources = imports
    .map(({ file }) => file)
    .filter((file) => file.startsWith('workbench/') || file.startsWith('cli/'))
  const using = (pattern: RegExp) =>
    [...new Set(sources)].filter((file) => pattern.test(withoutComments(readFileSync(join(src, file), 'utf8')))).sort()
  expect(using(/new PQueue\(/)).toEqual(['workbench/api/wire/gate.ts'])
  expect(using(/\bsend\(transport/)).toEqual(['workbench/api/wire/gate.ts', 'workbench/api/wire/send.ts'])
  // The other two wrap the system's fetch: one counts, one says what was asked.
  const fetching = ['cli/long-work.ts', 'cli/run-study-file.ts', 'workbench/api/wire/send.ts']
  expect(using(/\bfetch\(|\bcreateFetch\(|\.fetch\b(?!\.)|from 'node:https?'/)).toEqual(fetching)
})

it('kysely writes all SQL but that which decision 0015 leaves as text', () => {
  const decision = readFileSync(join(src, 'decisions/0015-p-queue-and-kysely.md'), 'utf8')
  const named = [...decision.slice(decision.indexOf('| what | where |')).matchAll(/`([\w/.-]+(?:\/|\.ts))`/g)].map(
    ([, path]) => path,
  )
  const text =
    /(?<!sql )[`'"]\s*(?:select|insert into|delete from|update \S+ set|with \w+ as|create (?:table|index|trigger|view))\s|\bdb\.(?:prepare|exec)\b|\bprepared[<(]/
  const found = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => text.test(withoutComments(readFileSync(join(src, name), 'utf8'))))
  expect(found.filter((name) => !named.some((path) => isInside(path, name)))).toEqual([])
  expect(named.filter((path) => !found.some((name) => isInside(path, name)))).toEqual([])
})

it('raises to powers in one place, because Node 22 and Node 24 differ in the last bits', () => {
  // 2 and 10n raised to whole numbers are exact everywhere.
  const inexact = /(?<!\b2 |\b10n )\*\*(?!\/)|\bMath\.pow\(/
  const found = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => inexact.test(withoutComments(readFileSync(join(src, name), 'utf8'))))
  expect(found).toEqual([])
})

function isAllowed(room: string, target: string): boolean {
  const allowed = ALLOWED[room]
  return target === room || allowed.rooms.includes(target) || allowed.packages.includes(target)
}
