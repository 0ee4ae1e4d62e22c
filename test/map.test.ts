/** The map, `src/ARCHITECTURE.md`: every file and folder that it names is there, and the top level holds nothing but what was agreed. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectRoot } from './support/dcalab.ts'

const map = readFileSync(join(projectRoot, 'src/ARCHITECTURE.md'), 'utf8')

/** Files and folders (which end in a slash) of one folder of the project, from the root. */
const below = (folder: string) =>
  readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name).slice(projectRoot.length).replaceAll('\\', '/').replace(/^\//, '')
    return entry.isDirectory() ? `${path}/` : path
  })
const places = ['src', 'test', 'studies', '.ci', '.github'].flatMap(below).map((path) => `/${path}`)

/** A word in backticks that can only be a place: it ends like a file or a folder of ours, or is a decision. */
function placesNamed(text: string): string[] {
  const words = [...text.matchAll(/`([\w./-]+)`/g)].map(([, word]) => word)
  return [...new Set(words.filter((word) => /\.(?:ts|mjs|md|json)$|[a-z]\/$|^decisions\/\d{4}$/.test(word)))]
}

/** What the user makes, what a build makes, and where it runs. */
const MADE_LATER = ['data/', 'reports/', 'data/candles/', 'dist/', 'package.json', 'dist/chunks/']

it('the map names no file and no folder that is not there', () => {
  const named = placesNamed(map).filter((word) => !MADE_LATER.includes(word))
  const missing = named.filter((word) => {
    if (word.startsWith('decisions/')) return !places.some((path) => path.includes(`/src/${word}-`))
    return !places.some((path) => path.endsWith(`/${word}`))
  })
  expect(missing).toEqual([])
  expect(named.length).toBeGreaterThan(200)
  expect(placesNamed('`engine/no-such-file.ts` and `nowhere/`')).toEqual(['engine/no-such-file.ts', 'nowhere/'])
})

const isClone = existsSync(join(projectRoot, '.git'))
if (!isClone) process.stderr.write('skipped: needs a clone, with git\n')

it.skipIf(!isClone)('the top level holds what was agreed, and what tools look for nowhere else', () => {
  const tracked = execFileSync('git', ['ls-files'], { cwd: projectRoot, encoding: 'utf8' }).trim().split('\n')
  // Data and reports are made.
  const agreed = ['src', 'studies', 'test', 'package.json', 'tsconfig.json', 'README.md', 'dcalab', 'dcalab.cmd']
  const forced = [
    '.ci',
    '.editorconfig',
    '.github',
    '.gitignore',
    '.npmrc',
    '.nvmrc',
    'LICENSE',
    'biome.json',
    'package-lock.json',
  ]
  expect([...new Set(tracked.map((path) => path.split('/')[0]))].sort()).toEqual([...agreed, ...forced].sort())
})

it('the packages that the project was asked to stand on are those it has', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
  expect(Object.keys(dependencies)).toEqual(
    expect.arrayContaining(['better-sqlite3', 'kysely', 'p-queue', 'ofetch', 'vega-lite', 'commander']),
  )
  expect(Object.keys(devDependencies)).toEqual(expect.arrayContaining(['typescript', 'vitest']))
})
