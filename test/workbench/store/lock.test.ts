/** One submitting process per key: the lock outlives a stopped holder and dies with a killed one (H11, H12). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { holdLock } from '../../../src/workbench/store/lock.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { openTemporary } from './setup.ts'

it('a second holder of the same key is refused and told who holds it, another key is free', () => {
  const { store } = openTemporary()
  const folder = join(temporaryFolder(), 'state')
  const lock = holdLock(store, { identity: 'a', folder })
  expect(() => holdLock(store, { identity: 'a', folder })).toThrow(`Process ${process.pid} is already using this key`)
  holdLock(store, { identity: 'b', folder }).release()
  lock.release()
  holdLock(store, { identity: 'a', folder }).release()
})

it('a holder that cannot write who it is holds nothing', () => {
  const { store } = openTemporary()
  const folder = temporaryFolder()
  holdLock(store, { identity: 'a', folder }).release()
  const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.sqlite'))
  const note = join(folder, file.replace('.sqlite', '.holder'))
  mkdirSync(note)
  expect(() => holdLock(store, { identity: 'a', folder })).toThrow()
  rmdirSync(note)
  holdLock(store, { identity: 'a', folder }).release()
})

it('reading every other file of the folder does not drop the lock', () => {
  const { store } = openTemporary()
  const folder = temporaryFolder()
  const lock = holdLock(store, { identity: 'a', folder })
  for (const name of readdirSync(folder)) {
    expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0)
    if (!name.endsWith('.sqlite')) readFileSync(join(folder, name))
  }
  expect(() => holdLock(store, { identity: 'a', folder })).toThrow(/already using this key/)
  lock.release()
})

it('a stopped process keeps the lock, a killed one frees it', async () => {
  const { store } = openTemporary()
  const folder = temporaryFolder()
  holdLock(store, { identity: 'a', folder }).release()
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.sqlite'))
  const program = `
    const Database = require('better-sqlite3')
    new Database(process.argv[1]).exec('begin immediate')
    process.stdout.write('held')
    setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, ['-e', program, join(folder, file)], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(holder.stdout, 'data')
  expect(() => holdLock(store, { identity: 'a', folder })).toThrow(/already using this key/)
  holder.kill('SIGSTOP')
  expect(() => holdLock(store, { identity: 'a', folder })).toThrow(/already using this key/)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  await delay(0)
  holdLock(store, { identity: 'a', folder }).release()
})
