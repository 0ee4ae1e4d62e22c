/** The recipes for a run of days, as the guide has them: judged by the program that reads them, and run with the little that systemd, cron and a container give. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { EXIT_CODES } from '../../src/errors.ts'
import { type Ended, ended, projectRoot } from '../support/dcalab.ts'
import { temporaryFolder } from '../support/folder.ts'
import { program } from '../support/program.ts'
import { readRecipes } from '../support/recipes.ts'
import { isLong } from '../support/share.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { readContainerfile } from './containerfile.ts'

const recipes = readRecipes('long-runs.md')

function recipe(name: string): string {
  const found = recipes.get(name)
  if (found === undefined) throw new Error(`the guide has no recipe "${name}"`)
  return found
}

const study = {
  name: 'my-study',
  market: { exchange: 'synthetic', baseAsset: 'L', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-02' },
  base: STUDY_BASE,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [1, 2] },
}

let home: string
let clone: string
beforeAll(async () => {
  home = temporaryFolder()
  clone = join(home, 'dca-lab')
  await prepareFolder(clone)
  for (const name of ['dist', 'node_modules', 'package.json']) symlinkSync(join(projectRoot, name), join(clone, name))
  writeFileSync(join(clone, 'ended.sh'), recipe('at the end'))
  chmodSync(join(clone, 'ended.sh'), 0o755)
})

/** Studies and candles, as they lie where a person works. */
async function prepareFolder(folder: string): Promise<void> {
  mkdirSync(join(folder, 'studies'), { recursive: true })
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'studies/my-study.yaml'), JSON.stringify(study))
  const made = await program(join(folder, 'data'))(
    'candles generate --market synthetic/L-USDT --from 2024-01-01 --days 1 --seed 1'.split(' '),
  )
  expect(made.code).toBe(0)
}

/** The values that a section of the unit gives a key, in their order. */
function unitValues(key: string): string[] {
  return [...recipe('systemd').matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value)
}

/** All that systemd and cron give a program of one's own. */
function bare(): Record<string, string> {
  return { HOME: home, LOGNAME: 'you', SHELL: '/bin/sh', PATH: '/usr/bin:/bin' }
}

const analyze = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' })
const hasSystemd = analyze.status === 0
if (!hasSystemd) process.stderr.write('skipped: systemd is not installed (apt-get install systemd)\n')

describe('the unit for systemd', () => {
  it.skipIf(!hasSystemd)('is one that systemd has nothing to say against', () => {
    const file = join(home, 'dcalab.service')
    const { status, stderr } = verify(file, recipe('systemd'))
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    // It would have said something.
    expect(
      verify(file, recipe('systemd').replace('RestartForceExitStatus=3 5', 'RestartForceExit=3 5')).stderr,
    ).toContain('RestartForceExit')
  })

  it('is started again after 3, 5 and a crash, and after nothing that needs a person', () => {
    expect(unitValues('Restart')).toEqual(['on-abnormal'])
    expect(unitValues('RestartForceExitStatus')).toEqual(['3 5'])
    expect(unitValues('SuccessExitStatus')).toEqual(['130 143'])
    expect([EXIT_CODES[3], EXIT_CODES[5]]).toEqual([
      expect.stringContaining('run again later'),
      expect.stringContaining('another run uses this key'),
    ])
  })

  it('runs the study to its end and makes the report, then has nothing left to pay for, and so has cron', async () => {
    const [folder] = unitValues('WorkingDirectory').map(inHome)
    const [first, ...words] = unitValues('ExecStart').flatMap((line) => inHome(line).split(' '))
    const ran = await ended(spawn(first, words, { cwd: folder, env: bare(), stdio: ['ignore', 'pipe', 'pipe'] }))
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('2 of 2 done') })
    expect(ran.stderr).not.toContain('exit code')
    expect(existsSync(join(clone, 'reports/my-study.html'))).toBe(true)

    const { minute, hour, command } = readCrontab(recipe('cron'))
    expect([minute, hour]).toEqual(['7', '*'])
    const env = bare()
    const again = await ended(spawn('/bin/sh', ['-c', command], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] }))
    expect(again).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(readFileSync(join(clone, 'run.log'), 'utf8')).toContain('2 of 2 done, 2 reused')
  })

  it('tells what is left where it is not over', () => {
    const told = execFileSync(join(clone, 'ended.sh'), {
      cwd: clone,
      encoding: 'utf8',
      env: {
        ...bare(),
        DCALAB_RUN_STUDY: 'my-study',
        DCALAB_RUN_EXIT_CODE: '3',
        DCALAB_RUN_DONE: '100',
        DCALAB_RUN_TOTAL: '250',
        DCALAB_RUN_NEXT_AT: '2026-01-02T00:01:00Z',
      },
    })
    expect(told).toBe('my-study: exit code 3, 100 of 250 done, next at 2026-01-02T00:01:00Z\n')
  })
})

describe('the Containerfile', () => {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
  const image = readContainerfile(recipe('container'))

  it('takes the package of this version, a Node that is new enough, and nothing else', () => {
    expect(image.from).toMatch(/^docker\.io\/library\/node:(2[46])-slim$/)
    expect(image.steps.filter(({ kind }) => kind === 'COPY').map(({ text }) => text)).toEqual([
      `dca-lab-${version}.tgz package.tgz`,
    ])
    expect(image.entrypoint).toEqual(['dcalab'])
    const words = recipe('container run').trim().split(' ')
    expect(words.slice(words.indexOf('dcalab'))).toEqual(['dcalab', 'run', 'studies/my-study.yaml', '--wait'])
  })

  // Installs the package from the registry, as an image does: a minute, and none of it is ours.
  it.skipIf(!isLong)('is built step by step in an empty folder, and what it starts runs the study', async () => {
    const root = temporaryFolder()
    const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', root], {
      cwd: projectRoot,
      encoding: 'utf8',
    }).trim()
    const work = join(root, 'lab')
    await prepareFolder(work)
    const container = image.build(root, { [packed]: join(root, packed) })
    expect((await container.start([])).stdout).toContain('candles')
    const words = recipe('container run').trim().split(' ')
    const ran: Ended = await container.start(words.slice(words.indexOf('dcalab') + 1))
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('2 of 2 done') })
    expect(existsSync(join(work, 'data/workbench.sqlite'))).toBe(true)
  })
})

function verify(file: string, text: string): { readonly status: number | null; readonly stderr: string } {
  writeFileSync(file, inHome(text))
  return spawnSync('systemd-analyze', ['verify', '--user', file], {
    encoding: 'utf8',
    env: { ...bare(), XDG_RUNTIME_DIR: home },
  })
}

/** `%h` is what systemd calls the home folder. */
function inHome(text: string): string {
  return text.replaceAll('%h', home)
}

/** A line of a crontab, as cron reads it: five fields, and the rest up to a `%`, which ends the command. */
function readCrontab(line: string): { readonly minute: string; readonly hour: string; readonly command: string } {
  const [, minute, hour, rest] = /^([\d*/,-]+) +([\d*/,-]+) +[\d*/,-]+ +[\d*/,-]+ +[\d*/,-]+ +(.+)\n$/.exec(line) ?? []
  return { minute, hour, command: rest.split('%')[0] }
}
