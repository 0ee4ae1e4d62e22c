/**
 * `npm run test:nodes [22] [24] [26]`: the built program and a share of the tests on other versions of Node, each taken from the npm registry by
 * `.ci/nodes` and started by its path (npm scripts would run the pinned one). The main job must answer alike on all of them, to the last digit.
 */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { METRICS } from '../../src/contract/metrics.ts'
import { removeFolder, temporaryFolder } from '../support/folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const program = join(root, 'dist/main.js')
const nodes = join(root, '.ci/nodes')
const everyDay = ['24']
const known = ['22', ...everyDay, '26']

/** What depends on the version: numbers, files and their compression, threads, the entry. SQLite is the addon's own. The main job brings it, HTTP, screen and report. */
const SHARE = [
  'test/engine/jump/agreement.test.ts',
  'test/engine/jump/starts.test.ts',
  'test/engine/kernel',
  'test/engine/naive-bot.test.ts',
  'test/engine/reference.test.ts',
  'test/workbench/study/fingerprint.test.ts',
  'test/workbench/study/pinned-studies.test.ts',
  'test/workbench/store/sql.test.ts',
  'test/workers',
  'test/candles/folder.test.ts',
  'test/candles/formats.test.ts',
  'test/candles/zstd.test.ts',
  'test/package/entry.test.ts',
  'test/package/lockfile.test.ts',
]

/** Every metric of every trial; the two accounts that ran the study answer alike. */
const NUMBERS = `select distinct fingerprint, ${Object.values(METRICS)
  .map(({ column }) => column)
  .join(', ')} from results order by fingerprint`

const wanted = process.argv.slice(2)
const strange = wanted.filter((name) => !known.includes(name))
if (strange.length > 0) throw new Error(`there is no Node ${strange.join(', ')} here; there are ${known.join(', ')}`)
if (`${process.platform} ${process.arch}` !== 'linux x64') {
  process.stdout.write(
    `skipped: .ci/nodes has binaries for linux x64 only, this is ${process.platform} ${process.arch}\n`,
  )
} else {
  await tryAll(wanted.length > 0 ? wanted : known)
}

async function tryAll(versions: readonly string[]): Promise<void> {
  if (!versions.every(isHere)) {
    const rest = versions.every((name) => everyDay.includes(name)) ? ['--omit=dev'] : []
    execFileSync('npm', ['ci', '--prefix', nodes, '--no-fund', '--no-audit', ...rest], { stdio: 'inherit' })
  }
  const packed = pack()
  const expected = mainJob(process.execPath)
  for (const name of versions) {
    const node = join(nodes, `node_modules/node-${name}/bin/node`)
    // Beside each other: each is one command after the other.
    const [answer] = await Promise.all([mainJob(node), expected, installPacked(node, packed.file)])
    if (answer !== (await expected)) throw new Error(`the leaderboard differs from that of ${process.version}`)
    execFileSync(
      node,
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', 'test/vitest.config.ts', ...SHARE],
      {
        cwd: root,
        stdio: 'inherit',
      },
    )
    process.stdout.write(
      `Node ${name}: the main job answers as on ${process.version}, and its share of the tests passes\n`,
    )
  }
  removeFolder(packed.folder)
}

/** In the version that `.ci/nodes` names today. */
function isHere(name: string): boolean {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(nodes, 'package.json'), 'utf8'))
  const found = join(nodes, `node_modules/node-${name}/package.json`)
  const wanted = { ...dependencies, ...devDependencies }[`node-${name}`]
  return existsSync(found) && wanted.endsWith(`@${JSON.parse(readFileSync(found, 'utf8')).version}`)
}

/** Runs the program's commands on one Node, in a folder of their own. @returns the leaderboard as JSON text */
async function mainJob(node: string): Promise<string> {
  const folder = temporaryFolder()
  const dcalab = (...args: string[]) => finish(node, [program, ...args], { folder })
  try {
    process.stdout.write(`main job on Node ${await finish(node, ['-p', 'process.version'], { folder })}`)
    await dcalab('demo')
    await dcalab('store', 'check', '--json')
    await dcalab('run', join(root, 'studies/demo.yaml'), '--json')
    await dcalab('screen', join(root, 'studies/demo.yaml'), '--json')
    await dcalab('report', 'demo', '--json')
    await serveOnce(node, folder)
    return await dcalab('sql', NUMBERS, '--json')
  } finally {
    removeFolder(folder)
  }
}

/** The package of the build that is there, in a folder of its own. */
function pack(): { readonly folder: string; readonly file: string } {
  const folder = temporaryFolder()
  const said = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
  })
  return { folder, file: join(folder, said.trim().split('\n').at(-1) ?? '') }
}

/** What a user of the package does: into an empty folder with it, then the demo; no pinned Node is near. */
async function installPacked(node: string, file: string): Promise<void> {
  const folder = temporaryFolder()
  const foreign = (process.env.PATH ?? '').split(delimiter).filter((place) => !place.includes('node_modules'))
  const env = { ...process.env, PATH: [dirname(node), ...foreign].join(delimiter), CC: 'false', CXX: 'false' }
  const run = (command: string, ...args: string[]) => finish(command, args, { folder, env })
  try {
    await run('npm', 'init', '--yes')
    await run('npm', 'install', '--no-fund', '--no-audit', file)
    const bin = join(folder, 'node_modules/.bin/dcalab')
    process.stdout.write(`packed, on Node ${await run(node, '-p', 'process.version')}`)
    await run(bin, 'demo')
    await run(bin, 'study', 'init', '--example', 'btc-may-2021')
  } finally {
    removeFolder(folder)
  }
}

/** Runs a command to its end; its failure says all that was said. @returns its standard output */
async function finish(
  command: string,
  args: readonly string[],
  { folder, env = process.env }: { readonly folder: string; readonly env?: NodeJS.ProcessEnv },
): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { cwd: folder, env, maxBuffer: 2 ** 28 })
  return stdout
}

/** Starts the service, asks for its page, ends it by SIGTERM, which is how a service ends well: 0. */
async function serveOnce(node: string, folder: string): Promise<void> {
  const child = spawn(node, [program, 'serve', '--json'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [line] = (await child.stdout.setEncoding('utf8').take(1).toArray()) as [string]
  const page = await fetch(JSON.parse(line).url)
  child.kill('SIGTERM')
  const code = await ended
  if (!page.ok || code !== 0) throw new Error(`serve answered ${page.status} and ended with ${code}`)
}
