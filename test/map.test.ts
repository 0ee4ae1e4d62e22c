/** Pages name what is there; the map, `src/ARCHITECTURE.md`, says where. And the top level holds nothing but what was agreed. */
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
const tops = ['src', 'test', 'studies', '.ci', '.github']
const places = [...tops.map((top) => `${top}/`), ...tops.flatMap(below)]
  .filter((path) => !path.includes('/node_modules/'))
  .map((path) => `/${path}`)

/** Words in backticks. */
const quoted = (text: string) => [...new Set([...text.matchAll(/`([\w./-]+)`/g)].map(([, word]) => word))]

/** What can only be a place: it ends like a file or a folder of ours, or is a decision; `.test.ts` alone is an ending, `/openapi.json` an address. */
const placesNamed = (text: string) =>
  quoted(text).filter(
    (word) => /\.(?:ts|mjs|md|json)$|[a-z]\/$|^decisions\/\d{4}$/.test(word) && !/^\/|^\.[\w.]+$/.test(word),
  )

/** What the user makes, what a build makes, where it runs, and what lies in the folder above. */
const MADE_LATER = ['data/', 'reports/', 'data/candles/', 'dist/', 'package.json', 'dist/chunks/', 'dist/charts/']

const isThere = (word: string) =>
  places.some((path) => (word.startsWith('decisions/') ? path.includes(`/src/${word}-`) : path.endsWith(`/${word}`)))
const absentPlaces = (text: string) => placesNamed(text).filter((word) => !MADE_LATER.includes(word) && !isThere(word))

const { scripts, ...pack } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
const absentScripts = (text: string) =>
  [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name).filter((name) => !(name in scripts))

const pages = ['/README.md', ...places.filter((path) => path.endsWith('.md'))]

it.each(pages)('%s names no file, folder or npm script that is not there', (page) => {
  const text = readFileSync(join(projectRoot, page), 'utf8')
  expect([...absentPlaces(text), ...absentScripts(text)]).toEqual([])
})

it('recognizes a place and a script that are not there', () => {
  expect(absentPlaces('`engine/no-such-file.ts`, `nowhere/` and `decisions/9999`')).toHaveLength(3)
  expect(absentPlaces('`engine/levels.ts`, `engine/` and `decisions/0012`')).toEqual([])
  expect(absentScripts('`npm run bench:nothing`, `npm run bench`')).toEqual(['bench:nothing'])
  expect(placesNamed(map).length).toBeGreaterThan(200)
  expect(pages.length).toBeGreaterThan(50)
})

/** Where a place is that is written in full, from the root or from `src/`. */
const inFull = (word: string) => ['/', '/src/'].map((start) => `${start}${word}`).find((path) => places.includes(path))

/** Files of one paragraph or row that are written short and lie neither beside, nor below nor above one that is written in full. */
function placedNowhere(block: string): readonly string[] {
  const named = placesNamed(block).filter((word) => !MADE_LATER.includes(word) && !word.startsWith('decisions/'))
  const folders = named.flatMap((word) => {
    const parts = (inFull(word) ?? '').split('/').slice(0, -1)
    return parts.map((_, depth) => `${parts.slice(0, depth + 1).join('/')}/`).slice(2)
  })
  return named.filter((word) => inFull(word) === undefined && !folders.some((at) => places.includes(`${at}${word}`)))
}

it('the map says of each file in which folder it is', () => {
  expect(map.split(/\n\n+|\n(?=\|)/).flatMap(placedNowhere)).toEqual([])
  expect(placedNowhere('| `engine/levels.ts`, `numbers.ts` and `calibrator.ts` |')).toEqual(['calibrator.ts'])
})

it('the map calls functions and types as the code does', () => {
  const isCode = (path: string) => /\.(?:ts|mjs)$/.test(path) && path !== '/test/map.test.ts'
  const code = places.filter(isCode).map((path) => readFileSync(join(projectRoot, path), 'utf8'))
  const known = new Set(code.join('\n').match(/[A-Za-z_]\w*/g))
  const absent = (text: string) =>
    quoted(text).filter((word) => /^\w*[a-z]\w*[A-Z]\w*$|^[A-Z]\w+$/.test(word) && !known.has(word))
  expect(absent(map)).toEqual([])
  expect(absent('`RunStop` and `RunMemory`')).toEqual(['RunMemory'])
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
  const { dependencies, devDependencies } = pack
  expect(Object.keys(dependencies)).toEqual(
    expect.arrayContaining(['better-sqlite3', 'kysely', 'p-queue', 'ofetch', 'vega-lite', 'commander']),
  )
  expect(Object.keys(devDependencies)).toEqual(expect.arrayContaining(['typescript', 'vitest']))
})
