/** H61: what is no study is refused by its first two megabytes, however much there is of it and whatever kind of file it is. */
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { readInput } from '../../src/cli/input.ts'
import { projectRoot } from '../support/dcalab.ts'
import { temporaryFolder } from '../support/folder.ts'

let folder: string
beforeAll(() => {
  folder = temporaryFolder()
})

const megabyte = 1024 * 1024

function fileOf(name: string, bytes: number): string {
  const path = join(folder, name)
  closeSync(openSync(path, 'w'))
  truncateSync(path, bytes) // sparse: no disk is filled
  return path
}

it.each([3, 600, 5_000])('a file of %i MB is refused without being held', (size) => {
  const path = fileOf('big', size * megabyte)
  const before = process.memoryUsage().rss
  expect(() => readInput(path)).toThrow(expect.objectContaining({ code: 'usage', exitCode: 2 }))
  expect(process.memoryUsage().rss - before).toBeLessThan(50e6)
})

it.skipIf(process.platform === 'win32')('a file without an end is refused', () => {
  expect(() => readInput('/dev/zero')).toThrow(/more than 2 MB/)
})

it.skipIf(process.platform === 'win32')('a pipe is read to its end, piece by piece', () => {
  const pipe = join(folder, 'pipe')
  const text = 'é'.repeat(200_000)
  writeFileSync(join(folder, 'text'), text)
  // The shell goes on to write while this process waits for it.
  execFileSync('sh', ['-c', 'mkfifo pipe; cat text > pipe &'], { cwd: folder, stdio: 'ignore' })
  expect(readInput(pipe)).toBe(text)
})

it('what is absent or a folder is refused with its reason', () => {
  expect(() => readInput(join(folder, 'absent.yaml'))).toThrow(/there is no such file/)
  expect(() => readInput(folder)).toThrow(/it is a folder/)
  writeFileSync(join(folder, 'empty'), '')
  expect(readInput(join(folder, 'empty'))).toBe('')
})

it.skipIf(process.platform === 'win32')('- is stdin: a study is checked that no file holds', () => {
  const study = readFileSync(join(projectRoot, 'studies/demo.yaml'), 'utf8')
  const out = execFileSync(process.execPath, [join(projectRoot, 'dist/main.js'), 'study', 'check', '-', '--json'], {
    cwd: folder,
    input: study,
    encoding: 'utf8',
  })
  expect(JSON.parse(out)).toMatchObject({ name: 'demo' })
})
