/** H56: whatever the program writes belongs to its owner alone, under an umask that would let everybody read and write. */
import { spawn } from 'node:child_process'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { ended, program } from '../support/dcalab.ts'
import { temporaryFolder } from '../support/folder.ts'
import { STUDY_BASE } from '../support/study-base.ts'

let folder: string
beforeAll(() => {
  folder = temporaryFolder()
})

const study = {
  name: 'modes',
  market: { exchange: 'synthetic', baseAsset: 'M', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-03' },
  base: STUDY_BASE,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [0.5, 1] },
}

const COMMANDS = [
  'candles generate --market synthetic/M-USDT --from 2024-01-01 --days 2',
  'candles symbols --market synthetic/M-USDT --tick 0.01',
  'candles resample synthetic/M-USDT --into 1h',
  'candles export synthetic/M-USDT --out out/m.csv.gz',
  'study init another',
  'run study.json',
  'screen study.json --save --workers 1',
  'report modes',
  'promote modes --yes --accept notJudged',
  'serve keys issue --email a@b.example --json',
]

it.skipIf(process.platform === 'win32')('every file has mode 600 and every folder 700, under umask 000', async () => {
  writeFileSync(join(folder, 'study.json'), JSON.stringify(study))
  const given = new Set(readdirSync(folder))
  const seen = new Map<string, number>()
  const look = () => {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (given.has(name)) continue
      const found = statSync(join(folder, name), { throwIfNoEntry: false })
      if (found !== undefined) seen.set(`${name}${found.isDirectory() ? '/' : ''}`, found.mode & 0o7777)
    }
  }
  for (const command of COMMANDS) {
    const { code, stderr } = await runWithOpenUmask(command.split(' '), look)
    expect(code, `${command}: ${stderr}`).toBe(0)
    look()
  }
  const wrong = [...seen].filter(([name, mode]) => mode !== (name.endsWith('/') ? 0o700 : 0o600))
  expect(wrong.map(([name, mode]) => `${name} ${mode.toString(8)}`)).toEqual([])
  // Stores with their companions, locks, candles, a study, reports, an export: they were all looked at.
  for (const part of [
    'workbench.sqlite',
    'service.sqlite',
    '-wal',
    '.arrow',
    'symbols.json',
    'another.yaml',
    '.html',
  ]) {
    expect(
      [...seen.keys()].some((name) => name.includes(part)),
      part,
    ).toBe(true)
  }
  expect([...seen.keys()].some((name) => name.startsWith('.local/state/dcalab'))).toBe(true)
})

/** `look` sees what exists only while it runs. */
function runWithOpenUmask(args: readonly string[], look: () => void) {
  const child = spawn('sh', ['-c', 'umask 000; exec "$0" "$@"', process.execPath, program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const looking = setInterval(look, 20)
  return ended(child).finally(() => clearInterval(looking))
}
