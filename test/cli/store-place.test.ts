/** Where a store may lie: in a folder that is there and that we may enter. A store is never made in place of one that cannot be reached. */
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Desk, type Ended, ended, program } from '../support/dcalab.ts'
import { heldByPermissions } from '../support/permissions.ts'
import { deskInProcess } from '../support/program.ts'
import { share } from '../support/share.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { byTurn } from '../support/turn.ts'

let at: Desk
beforeAll(async () => {
  at = deskInProcess()
  const study = {
    name: 'place',
    market: { exchange: 'synthetic', baseAsset: 'P', quoteAsset: 'USDT' },
    period: { from: '2024-01-01', to: '2024-01-02' },
    base: STUDY_BASE,
    objective: { maximize: 'netProfit' },
    grid: { dcaPriceScalePercent: [0.5, 1] },
  }
  writeFileSync(join(at.folder, 'study.json'), JSON.stringify(study))
  writeFileSync(join(at.folder, 'bot.json'), JSON.stringify({ config: {} }))
  const market = ['--market', 'synthetic/P-USDT', '--from', '2024-01-01', '--days', '1']
  await at.dcalab(['candles', 'generate', ...market, '--candles-dir', 'candles'])
})

const ours = { DCALAB_CANDLES: 'candles' }
const there = { ...ours, DCALAB_STORE: 'mine.sqlite', DCALAB_SERVICE_STORE: 'service.sqlite' }

/** Every database in the working folder. */
function stores(): string[] {
  const names = readdirSync(at.folder, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.sqlite'))
}

function clearStores(): void {
  for (const name of readdirSync(at.folder)) {
    if (!['study.json', 'bot.json', 'candles'].includes(name)) rmSync(join(at.folder, name), { recursive: true })
  }
}
beforeEach(clearStores)

const makingResults = [
  'run study.json',
  'run study.json --dry-run',
  'screen study.json --save',
  'demo',
  'service limits',
  'service symbols synthetic',
  'service jobs list',
  'service jobs resolve dcalab-place-1 --absent',
  'bots list',
  'bots stop bot_1 --keep-position',
  'service check',
]

const makingService = [
  'run study.json',
  'service limits',
  'serve',
  'serve keys issue',
  'serve keys list',
  'serve keys revoke dk_3fa94c01',
]

describe('a store in a folder that is missing, as a disk leaves it that is not mounted', () => {
  it.each(makingResults)('%s makes no new result store there', async (command) => {
    const shown = await at.dcalab(command.split(' '), { ...there, DCALAB_STORE: 'disk/lab/mine.sqlite' })
    expectNoFolder(shown, 'disk/lab/mine.sqlite', 'disk/lab')
  })

  it.each(makingService)('%s makes no new service store there', async (command) => {
    const shown = await at.dcalab(command.split(' '), { ...there, DCALAB_SERVICE_STORE: 'disk/lab/service.sqlite' })
    expectNoFolder(shown, 'disk/lab/service.sqlite', 'disk/lab')
  })

  it('is refused with the remedy however it was named: flag, environment or .env', async () => {
    const path = 'disk/mine.sqlite'
    const byFlag = await at.dcalab(['service', 'limits', '--store', path], there)
    const byEnvironment = await at.dcalab(['service', 'limits'], { ...there, DCALAB_STORE: path })
    writeFileSync(join(at.folder, '.env'), `DCALAB_STORE=${path}\n`)
    const byFile = await at.dcalab(['service', 'limits'], ours)
    const service = await at.dcalab(['serve', '--store', path], there)
    writeFileSync(join(at.folder, '.env'), `DCALAB_SERVICE_STORE=${path}\n`)
    const serviceByFile = await at.dcalab(['serve', 'keys', 'list'], ours)
    for (const shown of [byFlag, byEnvironment, byFile]) {
      expectNoFolder(shown, path, 'disk')
      expect(shown.stderr).toMatch(/mount its disk, make the folder \(mkdir -p\).*--store, DCALAB_STORE/)
    }
    for (const shown of [service, serviceByFile]) {
      expectNoFolder(shown, path, 'disk')
      expect(shown.stderr).toMatch(/mount its disk, make the folder \(mkdir -p\).*DCALAB_SERVICE_STORE/)
    }
  })

  it('is not mistaken for an empty one when it is a link to such a disk', async () => {
    mkdirSync(join(at.folder, 'data'))
    for (const name of ['workbench', 'service']) symlinkSync(`../disk/${name}`, join(at.folder, `data/${name}.sqlite`))
    for (const args of [['status'], ['service', 'limits'], ['serve', 'keys', 'list']]) {
      const { code, stderr } = await at.dcalab(args, ours)
      expect(stderr, args.join(' ')).toMatch(/is a link to a file that is not there/)
      expect(code).toBe(6)
    }
  })

  function expectNoFolder({ code, stdout, stderr }: Ended, path: string, folder: string): void {
    expect(stdout + stderr).toContain(`${path} cannot be made: there is no folder ${folder}`)
    expect(stderr).not.toMatch(/^\s+at /m)
    expect(code).toBe(6)
    expect(existsSync(join(at.folder, 'disk'))).toBe(false)
  }
})

describe('the usual folder', () => {
  it('is made by itself, readable by its owner only, also when its path is spelled out', async () => {
    expect((await at.dcalab(['service', 'limits'], ours)).code).toBe(0)
    expect(stores()).toEqual(expect.arrayContaining(['data/workbench.sqlite', 'data/service.sqlite']))
    expect(statSync(join(at.folder, 'data')).mode & 0o777).toBe(0o700)
    clearStores()
    const spelled = { ...ours, DCALAB_STORE: './data/workbench.sqlite', DCALAB_SERVICE_STORE: 'data/service.sqlite' }
    expect((await at.dcalab(['service', 'limits'], spelled)).code).toBe(0)
  })

  it('that is a file is an unusable store, not a bug', async () => {
    writeFileSync(join(at.folder, 'data'), 'in the way')
    for (const args of [
      ['service', 'limits'],
      ['serve', 'keys', 'list'],
    ]) {
      const { code, stderr } = await at.dcalab(args, ours)
      expect(stderr).toMatch(/^error: data\/\w+\.sqlite cannot be made/)
      expect(code).toBe(6)
    }
  })
})

const words = heldByPermissions()
const skipped = words === undefined ? ' (skipped: root cannot be held back without setpriv)' : ''

describe.skipIf(words === undefined)(`a store that may not be read${skipped}`, () => {
  const looking = [
    'status',
    'leaderboard place',
    'sql select',
    'study check study.json',
    'service limits',
    'serve keys list',
    'service check',
    'store check',
  ]

  // At length all of them; here every other one, the rest at another commit.
  const asked = share({ usual: byTurn(looking, 2), long: looking })
  it.each(asked)('%s says permission, not that it is missing', async (command) => {
    await at.dcalab(['service', 'limits'], there)
    for (const name of ['mine.sqlite', 'service.sqlite']) chmodSync(join(at.folder, name), 0)
    expectDenied(await held(command, there))
    // What its owner closed stays closed.
    expect(statSync(join(at.folder, 'service.sqlite')).mode & 0o777).toBe(0)
  })

  // Results, in this process and in that of a statement, and the service.
  it.each(['status', 'sql select', 'serve keys list'])(
    '%s says so too when the folder may not be entered',
    async (command) => {
      await at.dcalab(['service', 'limits'], ours)
      const folder = join(at.folder, 'data')
      chmodSync(folder, 0)
      try {
        expectDenied(await held(command, ours))
      } finally {
        chmodSync(folder, 0o700)
      }
    },
  )

  function held(command: string, environment: Readonly<Record<string, string>>): Promise<Ended> {
    const [first, ...rest] = [...(words ?? []), process.execPath, program, ...command.split(' ')]
    const env = { PATH: process.env.PATH ?? '', HOME: at.folder, ...environment }
    return ended(spawn(first, rest, { cwd: at.folder, env, stdio: ['ignore', 'pipe', 'pipe'] }))
  }

  function expectDenied({ code, stdout, stderr }: Ended): void {
    const said = stdout + stderr
    expect(said).toMatch(/\.sqlite cannot be opened: permission denied/)
    expect(said).toMatch(/make it readable and writable for you, and its folder too \(ls -l, chmod, chown\)/)
    expect(said).not.toMatch(/There is no store|no study has been run/)
    expect(code).toBe(6)
  }
})
