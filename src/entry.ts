#!/usr/bin/env node
/**
 * The program's first file. It imports nothing of the project: on a Node that is too old, or beside a better-sqlite3 of another
 * version, loading the rest would end in a segmentation fault or an abort. It checks both, prints one sentence about what to do,
 * and only then loads `main.ts`.
 *
 * Old versions of Node must be able to read this file, so it uses only JavaScript that they can parse.
 */
import * as nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'

// An import of this part makes Node load streams and promises of files too, which takes as long as all other checks here.
const { existsSync, readFileSync } = process.getBuiltinModule?.('node:fs') ?? (await import('node:fs'))

interface PackageJson {
  readonly version: string
  readonly engines: { readonly node: string }
  readonly dependencies: { readonly 'better-sqlite3': string }
}

const own = readJson(new URL('../package.json', import.meta.url)) as PackageJson
const problem = findNodeProblem() || findSqliteProblem()
if (problem === undefined) {
  keepCompiled()
  const { main } = await import('./main.ts')
  await main(import.meta.url)
} else {
  process.stderr.write(process.argv.includes('--json') ? `${asJson(problem)}\n` : `error: ${problem}\n`)
  process.exitCode = 2
}

/**
 * Keeps the compiled program in its own folder, so that the next start need not compile it: a tenth of the time of a short command. Not in the
 * machine's folder for temporary files, where others could put something else. Where the folder cannot be written, nothing is kept.
 */
function keepCompiled(): void {
  const folder = fileURLToPath(new URL('../node_modules/.cache/dcalab', import.meta.url))
  nodeModule.enableCompileCache?.(folder)
  process.env.NODE_COMPILE_CACHE ??= folder // for the process that a statement of `dcalab sql` runs in
}

function findNodeProblem(): string | undefined {
  const floor = own.engines.node.replace('>=', '')
  const [major, minor] = process.versions.node.split('.').map(Number)
  const [leastMajor, leastMinor] = floor.split('.').map(Number)
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined
  return (
    `this is Node ${process.versions.node}, and dcalab needs ${floor} or newer: in a clone, \`./dcalab …\` and the npm scripts ` +
    `run a newer one by themselves; elsewhere install Node ${floor} or newer`
  )
}

/** Checks the version: better-sqlite3 before 13 is compiled for one version of Node and aborts on others. */
function findSqliteProblem(): string | undefined {
  const wanted = own.dependencies['better-sqlite3']
  const found = findSqliteVersion()
  if (found === wanted) return undefined
  const installed = found === undefined ? 'better-sqlite3 is not installed' : `better-sqlite3 ${found} is installed`
  return `${installed}, and this dcalab needs ${wanted}: run \`npm ci\` in a clone, or install the package again`
}

function findSqliteVersion(): string | undefined {
  const folders = nodeModule.createRequire(import.meta.url).resolve.paths('better-sqlite3') || []
  const file = folders.map((folder) => `${folder}/better-sqlite3/package.json`).find((path) => existsSync(path))
  return file === undefined ? undefined : (readJson(file) as PackageJson).version
}

function readJson(file: URL | string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function asJson(message: string): string {
  return JSON.stringify({ error: { code: 'installationWrong', message, hint: 'nothing was read or written' } })
}
