/** H40: a long read keeps the log from being emptied; it is seen, named, and the space comes back when it ends. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { emptyLog, findReaders } from '../../src/store/log-size.ts'
import { openTemporary } from './setup.ts'

const megabyte = 1024 * 1024

it.skipIf(process.platform !== 'linux')(
  'the log grows while another process reads, and shrinks when it is gone',
  async () => {
    const { store } = openTemporary()
    store.db.exec('create table filler (text text)')
    const program = `
    const db = new (require('better-sqlite3'))(process.argv[1], { readonly: true })
    db.exec('begin; select count(*) from filler')
    db.prepare('select * from filler').all()
    process.stdout.write('reading')
    setInterval(() => {}, 1000)`
    const reader = spawn(process.execPath, ['-e', program, store.path], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(reader.stdout, 'data')
    const fill = store.db.prepare('insert into filler values (?)')
    for (let n = 0; n < 6; n++) fill.run('x'.repeat(megabyte))
    expect(emptyLog(store)).toBeGreaterThan(5 * megabyte)
    expect(findReaders(store)).toEqual([reader.pid])
    reader.kill('SIGKILL')
    await once(reader, 'exit')
    expect(emptyLog(store)).toBeLessThanOrEqual(4 * megabyte)
    expect(statSync(`${store.path}-wal`).size).toBeLessThanOrEqual(4 * megabyte)
    expect(findReaders(store)).toEqual([])
  },
)
