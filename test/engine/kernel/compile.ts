/** Compiles the kernel as `npm run kernel` does: the same source gives the same bytes on any machine. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const FOLDER = 'src/engine/jump/assembly'
/** What the sources import from outside their folder. */
const LAYOUT = 'src/engine/jump/layout.ts'

const OPTIONS = [
  ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--enable', 'threads'],
  // The memory is that of the candles; its size is theirs.
  ['--importMemory', '--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536'],
].flat()

/** @param root the project's folder. Throws what the compiler has to say. */
export async function compileKernel(root: string): Promise<Uint8Array> {
  const { default: asc } = await import('assemblyscript/asc')
  let compiled: Uint8Array | undefined
  const { error, stderr } = await asc.main(['index.ts', '--outFile', 'kernel.wasm', ...OPTIONS], {
    readFile: (name, baseDir) => readSource(root, join(FOLDER, baseDir, name)),
    writeFile: (_name, contents) => {
      if (typeof contents !== 'string') compiled = contents
    },
    listFiles: () => [],
  })
  if (error !== null || compiled === undefined) throw new Error(`the kernel does not compile:\n${stderr.toString()}`)
  return compiled
}

function readSource(root: string, path: string): string | null {
  try {
    const text = readFileSync(join(root, path), 'utf8')
    if (!sourcesIn(root).includes(path)) throw new Error(`${path} is compiled, and no part of the recorded hash`)
    return text
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null // the compiler tries several endings
    throw error
  }
}

function sourcesIn(root: string): readonly string[] {
  const names = readdirSync(join(root, FOLDER)).sort()
  return [...names.map((name) => join(FOLDER, name)), LAYOUT]
}

/** Of all that decides the compiled bytes, and of these: sources, options, the compiler's version. SHA-256 hex. */
function hashOf(root: string, code: string): string {
  const { version } = createRequire(import.meta.url)('assemblyscript/package.json') as { version: string } // of npm
  const hash = createHash('sha256').update(JSON.stringify([version, OPTIONS, code]))
  for (const path of sourcesIn(root)) hash.update(JSON.stringify([path, readFileSync(join(root, path), 'utf8')]))
  return hash.digest('hex')
}

/** The text of `src/engine/jump/kernel-code.ts`. */
export function kernelModule(root: string, bytes: Uint8Array): string {
  const code = Buffer.from(bytes).toString('base64')
  return [
    '/** The kernel of `assembly/`, compiled by `npm run kernel`. A test compares the hash of its source, and compiles again where it differs. */',
    `// ${hashOf(root, code)}`,
    `export const KERNEL =\n  '${code}'`,
    '',
  ].join('\n')
}

/** Whether a `kernel-code.ts` was compiled from the sources in `root`, by the hash that it carries. */
export function isRecorded(root: string, text: string): boolean {
  const [, code = ''] = /KERNEL =\s+'([^']*)'/.exec(text) ?? []
  return kernelModule(root, Buffer.from(code, 'base64')) === text
}
