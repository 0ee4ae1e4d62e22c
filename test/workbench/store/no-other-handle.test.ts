/**
 * H12: closing any handle of a file drops every lock that SQLite holds on it in the same process. So nothing but SQLite opens a database:
 * the calls that open files are all known, and the kernel sees no other.
 */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpService, httpService, studyOf } from '../../proc/http-service.ts'
import { type Desk, desk, ended, program } from '../../support/dcalab.ts'
import { canTrace } from '../../support/strace.ts'

const src = fileURLToPath(new URL('../../../src', import.meta.url))

/** Every call outside of `candles/` (other programs' files) that opens a file which may exist, and why it is no database. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  'entry.ts': ['readFileSync(file', 'readFileSync } = process.getBuiltinModule'], // package.json, ours and that of better-sqlite3
  'system.ts': ['renameSync`', 'renameSync }', 'renameOver('], // what the others call
  'main.ts': ["readFileSync('.env'"],
  'sqlite/sqlite-file.ts': ['renameOver(part, target)'], // a copy that only SQLite has written, and has closed
  'cli/commands/service/calibrate.ts': ['writeFileSync(file, written)'], // the study file, which was read as YAML before
  'cli/commands/study/refine.ts': ['writeFileSync(path, text)'], // the new study file
  'cli/commands/guide.ts': ['readFileSync(pageNamed(', "readFileSync(new URL('README.md'"], // pages of the package
  'cli/commands/status.ts': ["readFileSync(file, 'utf8'))?.[1] ?? basename("], // the name in a study file
  'cli/settings.ts': ["readFileSync(file, 'utf8'))"], // a profile
  'cli/input.ts': ["openSync(file, 'r')"], // what the user names, before a store is open
  'cli/commands/study/init.ts': [
    'readFileSync(new URL(`$' + '{example}.yaml`, context.studiesFolder)',
    'readFileSync(SCHEMA_PATH',
  ],
  'workbench/screen/point-file.ts': ['renameOver(unfinished, path)'], // a new file of points
  'workbench/screen/parts/part-folder.ts': ['renameOver(unfinished, path)', 'readFileSync(file), file)'], // parts of a screen
  'workbench/api/reading/dialect.ts': ["readFile } from 'node:fs/promises'", "readFile(path, 'utf8')"], // the user's module
  'workbench/api/reading/dialect-machine.ts': ["readFile } from 'node:fs/promises'", 'readFile(file)'], // a package's WebAssembly
  'cli/commands/service/read-endpoints.ts': ["readFileSync(file, 'utf8')", 'writeFileSync(file, text)'], // a dialect that is being drafted
  'workbench/report/write.ts': [
    "writeFileSync(temporary, bytes, { flag: 'wx' })",
    'renameOver(temporary, path)',
    "readFileSync(found, 'utf8')", // the page's own script
    "readFileSync(known, 'utf8')", // a chart that the build compiled
  ],
  'workbench/store/lock.ts': [
    'writeFileSync(note', // the pid beside the lock
    'readFileSync(note',
  ],
  'workbench/store/request-log.ts': [
    "readFileSync('/proc/sys/kernel/random/boot_id'",
    'readFileSync(`/proc/$' + '{pid}/stat`',
  ],
  'workbench/store/sql/answer-question.ts': ['readFileSync(stdin'], // the question that it is asked
  'workbench/store/export/export.ts': ['writeFileSync(handle'], // of the new file
  'workbench/store/export/folder.ts': ["readFileSync(join(path, OWNER), 'utf8')", 'writeFileSync(part, text)'], // whose folder it is, and a new file
  'workbench/store/whole-file.ts': ['renameOver(part, file.path)', 'openSync(path, flags)'], // a new file, and its folder: not the store
  'workbench/store/read-only.ts': ['copyFileSync'], // a store that nobody may write here, and so holds no lock that a write relies on
  'workbench/store/attempts.ts': ['writeFileSync(part', 'renameOver(part, file)', 'readFileSync(file'], // outbox-<attempt>.jsonl
}

const opens =
  /\b(?:\w*[oO]pen(?:Sync|AsBlob)|(?:read|write|append|copy|truncate)File(?:Sync)?|(?:rename|link|cp)Sync|renameOver|create(?:Read|Write)Stream|fs\.\w+|from 'node:fs\/promises')\b.*/g

it('every call that opens a file is known, or makes a new one', () => {
  const unknown: string[] = []
  const names = readdirSync(src, { recursive: true, encoding: 'utf8' })
  for (const name of names.filter((file) => file.endsWith('.ts') && !file.startsWith('candles'))) {
    const text = readFileSync(join(src, name), 'utf8')
    if (!/node:fs|renameOver/.test(text)) continue
    for (const [call] of text.replace(/^import [^;']* from '[^']*(?:node:fs|system\.ts)'$/gm, '').matchAll(opens)) {
      const isNew = /(?:openSync|writeFileSync)\(.*'wx'/.test(call)
      if (!isNew && !KNOWN[name]?.some((known) => call.startsWith(known))) unknown.push(`${name}: ${call}`)
    }
  }
  expect(unknown).toEqual([])
})

describe.skipIf(!canTrace())('seen by the kernel', () => {
  let at: Desk
  let service: HttpService
  beforeAll(async () => {
    at = desk()
    service = await httpService()
    writeFileSync(join(at.folder, 'study.json'), studyOf(2))
  })
  afterAll(async () => {
    await service.close()
  })

  async function trace(args: readonly string[]) {
    const file = join(at.folder, 'trace.txt')
    const traced = ['-f', '-e', 'trace=open,openat,openat2,creat', '-o', file, process.execPath, ...args]
    const environment = {
      PATH: process.env.PATH ?? '',
      HOME: at.folder,
      DCALAB_BASE_URL: service.url,
      DCALAB_API_KEY: 'trace-key-1',
      DCALAB_SECRET_KEY: 'trace-secret-1',
    }
    const child = spawn('strace', traced, { cwd: at.folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
    const { code, stderr } = await ended(child)
    expect(code, stderr).toBe(0)
    return readTrace(readFileSync(file, 'latin1'))
  }

  // The first makes the files, the second finds them.
  it.each([
    ['run', 'study.json', '--rate', '6000'],
    ['run', 'study.json', '--rate', '6000'],
    ['status', 'proc'],
    ['store', 'check'],
  ])('%s opens databases with SQLite alone', async (...args) => {
    const { bySqlite, byOthers } = await trace([program, ...args])
    expect(bySqlite).toBeGreaterThan(0)
    expect(byOthers).toEqual([])
  })

  it('and a read of the store would be noticed', async () => {
    const { byOthers } = await trace(['-e', "require('fs').readFileSync('data/workbench.sqlite')"])
    expect(byOthers).toHaveLength(1)
  })
})

/** SQLite opens nothing through a link, and nobody else asks for that; what is made new is nobody's yet. */
function readTrace(text: string): { bySqlite: number; byOthers: string[] } {
  const opened = text.split('\n').filter((line) => /\.sqlite(?:-\w+)?"/.test(line) && !line.includes('= -1 '))
  const byOthers = opened.filter((line) => !/O_NOFOLLOW|O_EXCL/.test(line))
  return { bySqlite: opened.filter((line) => line.includes('O_NOFOLLOW')).length, byOthers }
}
