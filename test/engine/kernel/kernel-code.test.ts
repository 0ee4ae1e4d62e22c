/** The kernel in use is that of its source. It is compiled again where the recorded hash differs; with `LONG=1` in any case. */
import { appendFileSync, cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../support/folder.ts'
import { isLong } from '../../support/share.ts'
import { compileKernel, isRecorded, kernelModule } from './compile.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const inUse = readFileSync(join(root, 'src/engine/jump/kernel-code.ts'), 'utf8')

it('the kernel in use is the one that its source compiles to', async () => {
  if (!isLong && isRecorded(root, inUse)) return
  expect(kernelModule(root, await compileKernel(root)) === inUse, 'run `npm run kernel`').toBe(true)
})

it.each(['layout.ts', 'assembly/walk.ts', 'assembly/new.ts'])('a change of %s is noticed by the hash', (file) => {
  const copy = temporaryFolder()
  mkdirSync(join(copy, 'src/engine/jump'), { recursive: true })
  for (const path of ['src/engine/jump/layout.ts', 'src/engine/jump/assembly'])
    cpSync(join(root, path), join(copy, path), { recursive: true })
  expect(isRecorded(copy, inUse)).toBe(true)
  appendFileSync(join(copy, 'src/engine/jump', file), ' ')
  expect(isRecorded(copy, inUse)).toBe(false)
})

it('a change of the compiled bytes by hand is noticed', () => {
  expect(isRecorded(root, inUse.replace(/(KERNEL =\s+'AGFzbQ)./, '$1F'))).toBe(false)
  expect(isRecorded(root, inUse.replace(/^\/\/ [0-9a-f]+$/m, '//'))).toBe(false)
})
