/** What happens before anything native is loaded: the program looks at its Node and its SQLite, and says in one sentence what to do. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { projectRoot } from '../support/dcalab.ts'
import { temporaryFolder } from '../support/folder.ts'

let folder: string
const packageJson = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))

beforeAll(() => {
  folder = temporaryFolder()
  cpSync(join(projectRoot, 'dist'), join(folder, 'dist'), { recursive: true })
  cpSync(join(projectRoot, 'studies'), join(folder, 'studies'), { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  for (const name of ['vega', 'vega-lite', 'vega-embed']) {
    symlinkSync(join(projectRoot, 'node_modules', name), join(folder, 'node_modules', name))
  }
})

it('an older Node than the package asks for ends in one sentence, exit 2', () => {
  // The Node of this test is newer than the floor; so the floor is raised instead.
  install({ floor: '>=99.1' })
  const { status, stderr, stdout } = dcalab('service', 'limits')
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(/^error: this is Node \d+\.\d+\.\d+, and dcalab needs 99\.1 or newer: .+\n$/)
})

it('a floor in the same major version counts the minor one', () => {
  const [major, minor] = process.versions.node.split('.').map(Number)
  install({ floor: `>=${major}.${minor + 1}` })
  expect(dcalab('--version').status).toBe(2)
  install({ floor: `>=${major}.${minor}` })
  expect(dcalab('--version').status).toBe(0)
})

it('programs that read JSON are told in JSON', () => {
  install({ floor: '>=99.1' })
  expect(JSON.parse(dcalab('service', 'limits', '--json').stderr).error).toMatchObject({ code: 'installationWrong' })
})

it('a better-sqlite3 of before, left in node_modules, is not loaded', () => {
  install({ sqlite: '12.11.1' })
  const { status, stderr } = dcalab('service', 'limits')
  expect(status).toBe(2)
  expect(stderr).toBe(
    `error: better-sqlite3 12.11.1 is installed, and this dcalab needs ${packageJson.dependencies['better-sqlite3']}: ` +
      'run `npm ci` in a clone, or install the package again\n',
  )
})

it('a missing better-sqlite3 is named', () => {
  rmSync(join(folder, 'node_modules/better-sqlite3'), { recursive: true, force: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify(packageJson))
  expect(dcalab('service', 'limits')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('better-sqlite3 is not installed'),
  })
})

it('a binary of another kind of machine is an installation to be repaired, not a bug', () => {
  install({})
  cpSync(join(projectRoot, 'node_modules/better-sqlite3'), join(folder, 'node_modules/better-sqlite3'), {
    recursive: true,
    filter: (path) => !path.includes('/deps/'),
  })
  mkdirSync(join(folder, 'node_modules/better-sqlite3/build/Release'), { recursive: true })
  writeFileSync(join(folder, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'), 'not for this machine')
  const { status, stderr } = dcalab('service', 'limits')
  expect(status).toBe(2)
  expect(stderr).toMatch(/^error: this machine \(\w+ \w+\) cannot load a binary of the installation: /)
  expect(stderr).toContain('npm ci')
  expect(stderr).not.toContain('bug:')
})

it('keeps its compiled form in a folder of its own, and starts as well where it cannot', () => {
  install({})
  const compiled = join(folder, 'node_modules/.cache/dcalab')
  rmSync(compiled, { recursive: true, force: true })
  expect(dcalab('--version').status).toBe(0)
  expect(existsSync(compiled)).toBe(true)
  rmSync(compiled, { recursive: true })
  writeFileSync(compiled, 'no folder')
  expect(dcalab('--version')).toMatchObject({ status: 0, stderr: '' })
  rmSync(compiled)
})

/** The package with another floor, beside a better-sqlite3 that only states its version. */
function install({ floor = packageJson.engines.node, sqlite = packageJson.dependencies['better-sqlite3'] }): void {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...packageJson, engines: { node: floor } }))
  const place = join(folder, 'node_modules/better-sqlite3')
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name: 'better-sqlite3', version: sqlite }))
}

function dcalab(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'dist/main.js'), ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: folder },
  })
  return { status, stdout, stderr }
}
