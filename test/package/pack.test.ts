/** What `npm pack` takes: the program, its pages and its own examples; and the examples come back by `study init`. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Desk, ended, projectRoot } from '../support/dcalab.ts'
import { deskInProcess } from '../support/program.ts'

let own: Desk
let packed: string[]

beforeAll(() => {
  own = deskInProcess()
  const listing = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: projectRoot,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const answer = JSON.parse(listing)
  const [pack] = Array.isArray(answer) ? answer : Object.values<{ files: { path: string }[] }>(answer)
  packed = pack.files.map(({ path }: { path: string }) => path)
})

describe('npm pack', () => {
  it('takes the program whole and nothing of the tests or of the machine', () => {
    expect(packed).toEqual(expect.arrayContaining(['dist/main.js', 'dist/engine-worker.js', 'dist/screen-worker.js']))
    const strange = packed.filter((path) =>
      /^(test|data|reports|node_modules|\.ci)\/|\.env|\.sqlite|^dist\/(bench|exercise|kernel)/.test(path),
    )
    expect(strange).toEqual([])
  })

  it('names every example by itself, so that a study of the user stays at home', () => {
    const { files } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
    const studies = files.filter((path: string) => path.startsWith('studies'))
    expect(studies.filter((path: string) => /\*|\/$|^studies$/.test(path))).toEqual([])
    expect(packed.filter((path) => path.startsWith('studies/')).sort()).toEqual([...studies].sort())
  })

  it.each(['README.md', 'src/workbench/api/DIALECT.md'])('takes every page and file that %s points to', (page) => {
    const text = readFileSync(join(projectRoot, page), 'utf8')
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) =>
      normalize(join(dirname(page), link)),
    )
    const named = [...text.matchAll(/`((?:src|studies)\/[\w./-]+)`/g)].map(([, path]) => path)
    // In backquotes stand also paths that a reader is told to make.
    const wanted = [...links, ...named.filter((path) => existsSync(join(projectRoot, path)))]
    const missing = wanted.filter(
      (path) => !packed.some((file) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`)),
    )
    expect(missing).toEqual([])
  })
})

describe('dcalab study init', () => {
  it('writes the schema that the first line of a study names', async () => {
    expect((await own.dcalab(['study', 'init', 'my-ladder'])).code).toBe(0)
    const [first] = readFileSync(join(own.folder, 'studies/my-ladder.yaml'), 'utf8').split('\n')
    const [, schema] = /\$schema=(\S+)/.exec(first) ?? []
    const written = JSON.parse(readFileSync(join(own.folder, 'studies', schema), 'utf8'))
    expect(written).toEqual(JSON.parse((await own.dcalab(['study', 'schema'])).stdout))
  })

  it('brings a shipped example, under its own name or another', async () => {
    expect((await ended(own.start(['study', 'init', '--example', 'btc-may-2021']))).code).toBe(0) // the built program
    const shipped = readFileSync(join(projectRoot, 'studies/btc-may-2021.yaml'), 'utf8')
    expect(readFileSync(join(own.folder, 'studies/btc-may-2021.yaml'), 'utf8')).toBe(shipped)
    expect((await own.dcalab(['study', 'init', 'my-crash', '--example', 'btc-may-2021'])).code).toBe(0)
    const renamed = readFileSync(join(own.folder, 'studies/my-crash.yaml'), 'utf8')
    expect(renamed).toBe(shipped.replace('name: btc-may-2021', 'name: my-crash'))
    expect((await own.dcalab(['study', 'check', 'studies/my-crash.yaml'])).code).toBe(0)
  })

  it('never writes over a study, and leaves another schema alone', async () => {
    mkdirSync(join(own.folder, 'studies'), { recursive: true })
    writeFileSync(join(own.folder, 'studies/kept.yaml'), 'mine')
    const refused = await own.dcalab(['study', 'init', 'kept'])
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('it exists already') })
    writeFileSync(join(own.folder, 'studies/study.schema.json'), '{}')
    const told = await own.dcalab(['study', 'init', 'another'])
    expect(told).toMatchObject({ code: 0, stderr: expect.stringContaining('dcalab study schema >') })
    expect(readFileSync(join(own.folder, 'studies/study.schema.json'), 'utf8')).toBe('{}')
  })

  it('names the examples when there is none of that name, and what is needed when nothing is said', async () => {
    const wrong = await own.dcalab(['study', 'init', '--example', 'eth'])
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('btc-may-2021') })
    const empty = await own.dcalab(['study', 'init'])
    expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('needs a name') })
  })
})
