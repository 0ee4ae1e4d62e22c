/** A store that may be read and not written: a colleague's folder, a backup on a read-only disk. Commands that only look read it and leave it as it is. */
import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Ended, ended, program as programFile } from '../support/dcalab.ts'
import { temporaryFolder } from '../support/folder.ts'
import { heldByPermissions } from '../support/permissions.ts'
import { deskInProcess, program } from '../support/program.ts'
import { share } from '../support/share.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { byTurn } from '../support/turn.ts'

const words = heldByPermissions()
const skipped = words === undefined ? ' (skipped: root cannot be held back without setpriv)' : ''

/** Where the person who looks works, and the folder of a colleague. */
const mine = temporaryFolder()
const theirs = join(temporaryFolder(), 'theirs')
const path = join(theirs, 'workbench.sqlite')
let trial: string

beforeAll(async () => {
  mkdirSync(theirs)
  const dcalab = program(theirs, { XDG_STATE_HOME: mine })
  const study = {
    name: 'ladder',
    market: { exchange: 'synthetic', baseAsset: 'T', quoteAsset: 'USDT' },
    period: { from: '2024-01-01', to: '2024-01-02' },
    base: STUDY_BASE,
    objective: { maximize: 'netProfit' },
    grid: { dcaPriceScalePercent: [0.5, 1] },
  }
  writeFileSync(join(theirs, 'study.json'), JSON.stringify(study))
  await dcalab(['candles', 'generate', '--market', 'synthetic/T-USDT', '--from', '2024-01-01', '--days', '1'])
  await dcalab(['run', join(theirs, 'study.json')])
  trial = JSON.parse((await dcalab(['leaderboard', 'ladder', '--json'])).out).at(0).fingerprint
})

/** Runs a command in another folder while nothing of theirs may be written. */
async function look(...args: readonly string[]): Promise<Ended> {
  const [first, ...rest] = [...(words ?? []), process.execPath, programFile, ...args, '--store', path]
  const env = { PATH: process.env.PATH ?? '', HOME: mine, TMPDIR: mine }
  const before = contents()
  for (const name of files()) chmodSync(join(theirs, name), 0o444)
  chmodSync(theirs, 0o555)
  try {
    return await ended(spawn(first, rest, { cwd: mine, env, stdio: ['ignore', 'pipe', 'pipe'] }))
  } finally {
    chmodSync(theirs, 0o755)
    for (const name of files()) chmodSync(join(theirs, name), 0o644)
    expect(contents()).toEqual(before)
    expect(readdirSync(mine).filter((name) => name.startsWith('dcalab-read-'))).toEqual([])
  }
}

/** The store, its log and its shared memory. */
const files = () => readdirSync(theirs).filter((name) => name.startsWith('workbench.sqlite'))
const contents = () => files().map((name) => [name, readFileSync(join(theirs, name)).toString('base64')])

const note = `note: ${path} cannot be written (not permitted, or the disk is full): a copy of it is read`

/** A row that a killed program left in the log, which it had no time to move into the file. */
function leaveLog(): void {
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  db.prepare("insert into tag (fingerprint, tag, added_at) values (?, 'in-the-log', '2026-01-01T00:00:00.000Z')").run(
    trial,
  )
  for (const end of ['', '-wal', '-shm']) copyFileSync(`${path}${end}`, `${path}${end}.left`)
  db.close()
  for (const end of ['', '-wal', '-shm']) renameSync(`${path}${end}.left`, `${path}${end}`)
}

/** A disk of its own for one command, on which there is no room beside the store. */
const ON_FULL_DISK = [
  '-rm',
  'sh',
  '-c',
  'mount -t tmpfs -o size=2m none "$0" && cp "$1" "$0" && shift && { cat /dev/zero > "$0/rest"; "$@"; }',
]
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', temporaryFolder()]).status === 0

it.skipIf(!canMount)('a store on a full disk is read as ever', async () => {
  const env = { PATH: process.env.PATH ?? '', HOME: mine, TMPDIR: mine }
  const inProcess = deskInProcess()
  const disk = temporaryFolder()
  const roomy = join(temporaryFolder(), 'workbench.sqlite') // whose reading leaves a log beside it
  copyFileSync(path, roomy)
  const commands = [
    ['leaderboard', 'ladder'],
    ['show', trial],
    ['status', 'ladder'],
    ['study', 'list'],
  ]
  const sql = ['sql', 'select trial, net_profit from answers'] // by a process of its own
  for (const args of [sql, ...share({ usual: byTurn(commands), long: commands })]) {
    const here = await inProcess.dcalab([...args, '--store', roomy])
    const copy = join(disk, 'workbench.sqlite')
    const words = [...ON_FULL_DISK, disk, path, process.execPath, programFile, ...args, '--store', copy]
    const there = await ended(spawn('unshare', words, { cwd: mine, env, stdio: ['ignore', 'pipe', 'pipe'] }))
    expect([args[0], there.code, there.stdout]).toEqual([args[0], 0, here.stdout])
    expect(there.stderr).toContain(
      `note: ${copy} cannot be written (not permitted, or the disk is full): a copy of it is read`,
    )
  }
})

describe.skipIf(words === undefined)(`a store that may be read and not written${skipped}`, () => {
  it.each([
    ['status'],
    ['leaderboard', 'ladder'],
    ['report', 'ladder', '--out', 'ladder.html'],
    ['sql', 'select count(*) from results'],
  ])('is read by %s from a copy, and says so', async (...args) => {
    const { code, stdout, stderr } = await look(...args, '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(`${note}\n`) })
    expect(JSON.parse(stdout)).not.toEqual([])
  })

  it('is copied by snapshot into a store of the reader’s own', async () => {
    const copy = join(mine, 'copy.sqlite')
    const { code, stdout } = await look('store', 'backup', copy, '--json')
    expect({ code, store: JSON.parse(stdout).store }).toEqual({ code: 0, store: path })
    const db = new Database(copy)
    expect(db.prepare('select count(*) from trials').pluck().get()).toBeGreaterThan(0)
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    db.close()
    rmSync(copy)
  })

  it('refuses what would change it, and stays as it is', async () => {
    const { code, stderr } = await look('show', trial, '--tag', 'mine')
    expect(stderr).toContain(`${path} is read-only`)
    expect(code).toBe(6)
  })

  it('with a log that a killed program left beside it is read with what the log holds', async () => {
    leaveLog()
    const whole = await look('show', trial, '--json')
    expect({ code: whole.code, tags: JSON.parse(whole.stdout).tags }).toEqual({ code: 0, tags: ['in-the-log'] })
    expect(whole.stderr).not.toContain(note) // its shared memory lies there, too: SQLite reads it in place
    rmSync(`${path}-shm`)
    const copied = await look('show', trial, '--json')
    expect(JSON.parse(copied.stdout).tags).toEqual(['in-the-log'])
    expect(copied.stderr).toContain(`${note}, with what is in the log beside it\n`)
  })

  it('that is damaged is refused by its own name', async () => {
    writeFileSync(path, readFileSync(path).fill(0, 4096 * 2, 4096 * 12))
    const { code, stderr } = await look('status')
    expect(stderr).toMatch(new RegExp(`^error: ${path} is damaged`, 'm'))
    expect(code).toBe(6)
  })
})
