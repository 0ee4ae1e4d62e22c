/** H37: a reader that leaves early ends the program without a word, a slow one gets everything, and one that does not listen stops nothing. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { openStore } from '../../src/workbench/store/store.ts'
import { program } from '../support/dcalab.ts'
import { temporaryFolder } from '../support/folder.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { testSystem } from '../support/system.ts'
import { json, scriptedService } from '../workbench/api/world.ts'

let folder: string
beforeAll(() => {
  folder = temporaryFolder()
  openStore(join(folder, 'workbench.sqlite'), { system: testSystem() }).close()
})

const environment = () => ({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  DCALAB_STORE: join(folder, 'workbench.sqlite'),
})

/** More than 1.1 MB in every spelling, which no pipe holds. */
const rowCount = 2_700
const big = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rowCount}) select i, hex(randomblob(200)) as text, -i / 7.0 as number from n`

const SPELLINGS: readonly (readonly [name: string, flags: readonly string[]])[] = [
  ['as a table', []],
  ['as JSON', ['--json']],
  ['as CSV', ['--format=csv']],
  ['as NDJSON', ['--format=ndjson']],
]

it.skipIf(process.platform === 'win32').each(SPELLINGS)('… | head -1 ends quietly (%s)', async (_, flags) => {
  const script = `"$0" "$@" 2>errors | head -1; echo "\${PIPESTATUS[0]} $(wc -c <errors)"`
  const { stdout } = await run('bash', ['-c', script, process.execPath, program, 'sql', big, ...flags])
  const [, end] = stdout.trimEnd().split('\n')
  expect(['0 0', '141 0']).toContain(end)
})

it.skipIf(process.platform !== 'linux')('a full disk behind > is said in one sentence', async () => {
  const script = `"$0" "$@" 2>&1 >/dev/full; echo "$?"`
  const { stdout } = await run('bash', ['-c', script, process.execPath, program, 'sql', 'select 1'])
  expect(stdout).toMatch(/^error: the output cannot be written: [^\n]*\n6\n$/)
})

it.each(SPELLINGS)('a slow reader gets all of it (%s)', async (_, flags) => {
  const child = spawn(process.execPath, [program, 'sql', big, ...flags], {
    cwd: folder,
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { stdout } = child
  const ended = new Promise((resolve) => child.on('close', resolve))
  let text = ''
  for await (const part of stdout.setEncoding('utf8')) {
    text += part
    for (let n = 0; n < 20; n++) await nextTurn() // the pipe is full meanwhile
  }
  expect(await ended).toBe(0)
  if (flags.includes('--json')) {
    const rows: readonly { i: number }[] = JSON.parse(text)
    expect(rows.length).toBe(rowCount)
    expect(rows.at(-1)?.i).toBe(rowCount)
    expect(text.length).toBeGreaterThan(1.1e6)
  } else {
    expect(text.endsWith('\n')).toBe(true)
    expect(text.trimEnd().split(/\r?\n/).length).toBe(rowCount + headLines(flags))
  }
})

function headLines(flags: readonly string[]): number {
  return flags.includes('--format=csv') ? 1 : flags.includes('--format=ndjson') ? 0 : 2
}

it.skipIf(process.platform === 'win32')(
  'what streams has no limit of rows: … | head ends an endless answer',
  async () => {
    const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n) select i from n'
    for (const flags of ['--format=ndjson', '--format=csv']) {
      const script = `"$0" "$@" 2>errors | head -n 110000 | tail -n 1; echo "\${PIPESTATUS[0]} $(wc -c <errors)"`
      const { stdout } = await run('bash', ['-c', script, process.execPath, program, 'sql', endless, flags])
      const [last, end] = stdout.trimEnd().split(/\r?\n/)
      expect(last).toBe(flags === '--format=csv' ? '109999' : '{"i":110000}')
      expect(end).toBe('0 0')
    }
  },
)

it('what streams is not held: 60 MB pass through a program that may hold 40', async () => {
  const large =
    'with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000) select hex(zeroblob(500)) as text from n'
  const child = spawn(process.execPath, ['--max-old-space-size=40', program, 'sql', large, '--format=ndjson'], {
    cwd: folder,
    env: { ...environment(), NODE_OPTIONS: '--max-old-space-size=40' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let length = 0
  child.stdout.on('data', (part: Uint8Array) => (length += part.length))
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
  expect(length).toBe(60_000 * '{"text":""}\n'.length + 60e6)
})

it.skipIf(process.platform === 'win32')('a run whose talk nobody reads is carried to its end', async () => {
  const service = await scriptedService((hit, response, index) => {
    if (hit.url === '/api/backtest/limits') return json(response, 200, { limit: 100, used: 0, remaining: 100 })
    if (hit.method === 'GET') return json(response, 200, { jobs: [], next: null })
    const { name } = JSON.parse(hit.body)
    json(response, 201, { id: `job-${index}`, name, state: 'failed', error: { message: 'no candles' } })
  })
  writeFileSync(join(folder, 'study.json'), JSON.stringify(study))
  const environment = {
    DCALAB_BASE_URL: service.url,
    DCALAB_API_KEY: 'pipe-key-1',
    DCALAB_SECRET_KEY: 'pipe-secret-1',
    NODE_OPTIONS: '--trace-warnings --no-deprecation',
  }
  // Its stderr is a pipe without a reader from the start; --wat makes it say something, a failed trial too.
  const script = `mkfifo talk; exec 4<>talk 5>talk 4<&-; "$0" "$@" 2>&5; echo "ended with $?"`
  const wrong = await run('bash', ['-c', script, process.execPath, program, 'run', 'study.json', '--wat'], environment)
  expect(wrong.stdout).toBe('ended with 2\n')
  const { stdout } = await run(
    'bash',
    ['-c', script.replaceAll('talk', 'talk2'), process.execPath, program, 'run', 'study.json', '--json'],
    environment,
  )
  await service.close()
  expect(stdout).toContain('"failed": 2')
  expect(stdout).toMatch(/ended with 0\n$/)
  expect(service.hits.filter(({ method }) => method === 'POST').length).toBe(2)
})

const study = {
  name: 'piped',
  market: { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-21' },
  base: STUDY_BASE,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [0.5, 1] },
}

function run(command: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const child = spawn(command, [...args], {
    cwd: folder,
    env: { ...environment(), ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  return new Promise<{ stdout: string; code: number | null }>((resolve) =>
    child.on('close', (code) => resolve({ stdout, code })),
  )
}
