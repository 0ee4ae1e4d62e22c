/** A file takes the place of another whole, under a name of its own until then; on Windows, which this test plays, also where a program has it open. */
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { partOf, renameOver } from '../src/system.ts'
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

it('what is not whole yet has a name of its own, and what killed programs left under such names goes once it is a day old', () => {
  const path = join(temporaryFolder(), 'all.csv')
  const left = ['0123456789abcdef.part', '0123456789abcdef.part-journal', '17.part'].map((end) => `${path}.${end}`)
  const others = [`${path}.17.part.csv`, `${path}.mine.part`, `${path}`, `${path}.gz.17.part`]
  const atWork = [`${path}.${process.pid}.part`, `${path}.fedcba9876543210.part`]
  for (const file of [...left, ...others, ...atWork]) writeFileSync(file, file)
  for (const file of [...left, ...others]) utimesSync(file, 0, 0)
  const parts = [partOf(path), partOf(path)]
  expect(new Set([...parts, ...atWork]).size).toBe(4)
  expect(readdirSync(dirname(path)).toSorted()).toEqual([...others, ...atWork].map((file) => basename(file)).toSorted())
  expect(partOf(join(path, 'nowhere', 'all.csv'))).toMatch(/all\.csv\.[0-9a-f]{16}\.part$/)
})
