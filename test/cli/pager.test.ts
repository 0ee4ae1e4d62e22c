/** Long answers and the pager: on a real terminal, with the real `less`. */
import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findPager } from '../../src/system.ts'
import { temporaryFolder } from '../support/folder.ts'
import { program } from '../support/program.ts'
import { hasPty, onPty, processesWith } from '../support/pty.ts'

const folder = temporaryFolder()
const long = ['guide', 'start']
/** Lines of the page on a terminal of so many columns. */
const lengthAt = async (columns: number) =>
  (await program(folder, {}, { onTerminal: true, columns })(long)).out.split('\n').length - 1
const length = await lengthAt(80)

it.each<[string, Parameters<typeof program>[2], readonly string[], boolean]>([
  ['an answer that is longer than the terminal', { onTerminal: true, rows: 10 }, long, true],
  ['one that fits', { onTerminal: true, rows: 1000 }, long, false],
  ['one on a terminal that does not tell its height', { onTerminal: true, rows: 0 }, long, false],
  ['one that is piped', { onTerminal: false, rows: 10 }, long, false],
  ['one with --no-pager', { onTerminal: true, rows: 10 }, [...long, '--no-pager'], false],
  ['JSON', { onTerminal: true, rows: 10 }, ['guide', '--json'], false],
])('goes through the pager or not: %s', async (_, terminal, args, isPaged) => {
  let paged = ''
  const page = async (text: string) => {
    paged += text
    return true
  }
  const { out } = await program(folder, {}, { ...terminal, page })(args)
  expect([paged !== '', out !== '']).toEqual([isPaged, !isPaged])
})

it('lines that the terminal breaks count as several, and what cannot be paged is printed', async () => {
  let asked = 0
  const page = async () => {
    asked++
    return false
  }
  const terminal = { onTerminal: true, rows: (await lengthAt(1000)) + 5, page }
  await program(folder, {}, { ...terminal, columns: 1000 })(long)
  expect(asked).toBe(0)
  expect((await program(folder, {}, { ...terminal, columns: 20 })(long)).out).toContain('Start')
  expect(asked).toBe(1)
})

it.each<[Parameters<typeof findPager>[0], string | undefined]>([
  [{}, 'less'],
  [{ PAGER: 'more' }, 'more'],
  [{ PAGER: 'more', DCALAB_PAGER: 'most -s' }, 'most -s'],
  [{ PAGER: 'more', DCALAB_PAGER: '' }, undefined],
  [{ PAGER: 'cat' }, undefined],
])('the environment names the pager: %j', (environment, pager) => {
  expect(findPager(environment)).toBe(pager)
})

const hasLess = spawnSync('less', ['--version']).status === 0
if (!hasLess) process.stderr.write('skipped: needs less\n')

describe.skipIf(!hasPty)('on a terminal', () => {
  const mark = `DCALAB_TEST=${folder}`
  const sitting = { folder, rows: 10, environment: { DCALAB_TEST: folder } }
  const prompt = ':\u001b[K'

  it.skipIf(!hasLess).each([
    ['q', 'q'],
    ['Ctrl-C', '\u0003'],
  ])('%s leaves less and the program, whose exit code is 0', async (_, keys) => {
    const { code, shown } = await onPty(long, { ...sitting, typed: [[prompt, keys]] })
    expect(code).toBe(0)
    expect(shown).toContain('Start')
    expect(shown.split('\n').length).toBeLessThan(length)
    expect(processesWith(mark)).toBe(0)
  })

  it('a pager that leaves before the end, or is not there, is no failure', async () => {
    const early = join(folder, 'early')
    writeFileSync(early, '#!/bin/sh\nhead -n 1\n')
    chmodSync(early, 0o755)
    const left = await onPty(long, { ...sitting, environment: { ...sitting.environment, PAGER: early } })
    expect(left).toEqual({ code: 0, shown: 'Start\n' })
    const absent = await onPty(long, { ...sitting, environment: { ...sitting.environment, PAGER: '/absent/less' } })
    expect([absent.code, absent.shown.split('\n').length - 1]).toEqual([0, length])
    expect(processesWith(mark)).toBe(0)
  })
})
