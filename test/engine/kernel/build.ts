/** `npm run kernel`: writes `src/engine/jump/kernel-code.ts` anew. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileKernel, kernelModule } from './compile.ts'

const root = process.cwd()
const bytes = await compileKernel(root)
writeFileSync(join(root, 'src/engine/jump/kernel-code.ts'), kernelModule(root, bytes))
process.stdout.write(`${bytes.length} bytes\n`)
