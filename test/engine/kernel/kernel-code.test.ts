import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { compileKernel, kernelModule } from './compile.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

it('the kernel in use is the one that its source compiles to', async () => {
  const inUse = readFileSync(join(root, 'src/engine/jump/kernel-code.ts'), 'utf8')
  expect(kernelModule(await compileKernel(root)) === inUse, 'run `npm run kernel`').toBe(true)
})
