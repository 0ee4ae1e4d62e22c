/** The lockfile installs on every platform without a compiler, and the toolchain's Node is pinned once. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectRoot } from '../support/dcalab.ts'

interface Locked {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly optional?: boolean
  readonly gypfile?: boolean
  readonly hasInstallScript?: boolean
}

const read = (file: string) => JSON.parse(readFileSync(join(projectRoot, file), 'utf8'))
const packages: Record<string, Locked> = read('package-lock.json').packages
const toolchain: Record<string, string> = read('.ci/toolchain/package.json').optionalDependencies

it('npm calls no compiler for better-sqlite3 (`npm run relock` writes the line that npm forgets)', () => {
  expect(packages['node_modules/better-sqlite3']).toMatchObject({ gypfile: false })
  const withScripts = Object.keys(packages).filter((name) => packages[name].hasInstallScript)
  expect(withScripts).toEqual(['node_modules/esbuild'])
})

it('every package of the registry is locked by its hash', () => {
  const unlocked = Object.entries(packages).filter(
    ([name, locked]) => name.startsWith('node_modules/') && !locked.link && locked.integrity === undefined,
  )
  expect(unlocked).toEqual([])
})

it('one Node is pinned for all platforms, and .nvmrc names it', () => {
  const versions = new Set(Object.values(toolchain))
  expect([...versions]).toEqual([readFileSync(join(projectRoot, '.nvmrc'), 'utf8').trim()])
  for (const name of Object.keys(toolchain)) {
    expect(packages[`node_modules/${name}`]).toMatchObject({ version: toolchain[name], optional: true })
  }
})

it('npm scripts and tests run on the pinned Node, unless another one is named by its path', () => {
  const [pinned] = Object.values(toolchain)
  const isByPath = process.execPath.includes(join('.ci', 'nodes'))
  if (!isByPath) expect(process.version).toBe(`v${pinned}`)
})
