/** Compiles the kernel as `npm run kernel` does: the same source gives the same bytes on any machine. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import asc from 'assemblyscript/asc'

const OPTIONS = [
  ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--enable', 'threads'],
  // The memory is that of the candles; its size is theirs.
  ['--importMemory', '--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536'],
].flat()

/** @param root the project's folder. Throws what the compiler has to say. */
export async function compileKernel(root: string): Promise<Uint8Array> {
  let compiled: Uint8Array | undefined
  const { error, stderr } = await asc.main(['index.ts', '--outFile', 'kernel.wasm', ...OPTIONS], {
    readFile: (name, baseDir) => readSource(join(root, 'src/engine/jump/assembly', baseDir, name)),
    writeFile: (_name, contents) => {
      if (typeof contents !== 'string') compiled = contents
    },
    listFiles: () => [],
  })
  if (error !== null || compiled === undefined) throw new Error(`the kernel does not compile:\n${stderr.toString()}`)
  return compiled
}

function readSource(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** The text of `src/engine/jump/kernel-code.ts`. */
export function kernelModule(bytes: Uint8Array): string {
  return [
    '/** The kernel of `assembly/`, compiled by `npm run kernel`. A test compares it with its source. */',
    `export const KERNEL =\n  '${Buffer.from(bytes).toString('base64')}'`,
    '',
  ].join('\n')
}
