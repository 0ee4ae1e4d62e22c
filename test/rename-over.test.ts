/** A file that another program has open for a moment takes its name all the same on Windows, which this test plays. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { renameOver } from '../src/system.ts'
import { temporaryFolder } from './support/folder.ts'

function refusal(code: string): Error {
  return Object.assign(new Error(`${code}: operation not permitted, rename`), { code })
}

/** A rename that is refused so often. */
function refusedTimes(times: number, code = 'EPERM') {
  const tried: string[] = []
  const rename = (from: string, to: string) => {
    tried.push(`${from} → ${to}`)
    if (tried.length <= times) throw refusal(code)
  }
  return { rename, tried }
}

it('a file that is in use for a moment is waited for', () => {
  for (const code of ['EPERM', 'EACCES', 'EBUSY']) {
    const { rename, tried } = refusedTimes(1, code)
    renameOver('a', 'b', { platform: 'win32', rename })
    expect(tried).toEqual(['a → b', 'a → b'])
  }
})

it('one that stays in use is said to be, after two seconds of tries', () => {
  const { rename, tried } = refusedTimes(Number.POSITIVE_INFINITY)
  expect(() => renameOver('a', 'b', { platform: 'win32', rename })).toThrow('EPERM')
  expect(tried).toHaveLength(40)
})

it('what does not pass by itself is said at once: another reason, or any reason elsewhere', () => {
  for (const [platform, code] of [
    ['win32', 'ENOENT'],
    ['linux', 'EPERM'],
    ['darwin', 'EACCES'],
  ] as const) {
    const { rename, tried } = refusedTimes(1, code)
    expect(() => renameOver('a', 'b', { platform, rename })).toThrow(code)
    expect(tried).toHaveLength(1)
  }
})

it('the file has its new name and only that', () => {
  const folder = temporaryFolder()
  const [from, to] = [join(folder, 'part'), join(folder, 'whole')]
  writeFileSync(from, 'new')
  writeFileSync(to, 'old')
  renameOver(from, to)
  expect(readFileSync(to, 'utf8')).toBe('new')
  expect(() => readFileSync(from)).toThrow('ENOENT')
})
