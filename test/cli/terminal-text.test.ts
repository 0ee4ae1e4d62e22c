/** H60: whatever a service writes into whatever field, a terminal obeys none of it: no control byte but the newline, in any command. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { say } from '../../src/cli/output.ts'
import { fittingTable } from '../../src/cli/table.ts'
import { temporaryFolder } from '../support/folder.ts'
import { program } from '../support/program.ts'
import { selectObjects } from '../support/run-select.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { testSystem } from '../support/system.ts'
import {
  API_KEY,
  goodBody,
  type Hit,
  json,
  type ScriptedService,
  SECRET_KEY,
  scriptedService,
} from '../workbench/api/world.ts'

/** Title, clear screen, 8-bit CSI, DEL, backspaces, carriage return, right-to-left override, NUL, and a link. */
const evil = 'a\u001b]0;owned\u0007\u001b[2J\u009b31m\u007f\b\b\r\u202eb\u2066\u0000\t\u001b]8;;http://x\u001b\\c'
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what must not come through
const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

let folder: string
beforeAll(() => {
  folder = temporaryFolder()
  for (const name of ['study', 'again']) {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ ...study, name }))
  }
  writeFileSync(join(folder, 'bot.json'), JSON.stringify({ config: { ...market, ...study.base, ...point } }))
})

const market = { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' }
const point = { dcaPriceScalePercent: 1 }
const study = {
  market,
  period: { from: '2024-01-01', to: '2024-01-21' },
  base: STUDY_BASE,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [0.5, 1] },
}

/** What a program needs to find its way; all other text is spoilt. */
const KEPT = new Set(['id', 'next', 'botId'])
/** Besides, so that results and bots are understood. */
const NEEDED = new Set(
  'name state exchange baseAsset quoteAsset strategyType userEmail from to createdAt finishedAt windowType nextAt'.split(
    ' ',
  ),
)

function spoil(value: unknown, kept: ReadonlySet<string>, key = ''): unknown {
  if (typeof value === 'string') return kept.has(key) || KEPT.has(key) ? value : `${value}${evil}`
  if (Array.isArray(value)) return value.map((item) => spoil(item, kept, key))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, field]) => [name, spoil(field, kept, name)] as const)
  return { ...Object.fromEntries(fields), [evil]: evil, error: { code: evil, message: evil }, stopReason: evil }
}

/** A job that has ended, with text wherever text may stand. */
function jobBody(id: string, hit: Hit): unknown {
  const asked: { name?: string } = hit.body === '' ? {} : JSON.parse(hit.body)
  return {
    id,
    name: asked.name ?? 'somebody',
    state: 'completed',
    createdAt: '2026-01-01T00:00:00Z',
    finishedAt: '2026-01-01T00:00:01Z',
    request: asked,
    result: {
      metrics: { netProfit: 1, roiPercent: 'x', sampleSize: 'z', closedDeals: 2 },
      deals: [{ exit: 'x' }],
      candles: { interval: '1m', count: 1, missing: 0, hash: 'x', synthetic: false },
      conventions: { intrabar: 'x', nested: { a: ['x'] } },
      engineVersion: 'x',
    },
  }
}

function answer(hit: Hit, index: number): unknown {
  if (hit.url.startsWith('/api/markets')) return { symbols: [{ symbol: 'S', baseAsset: 'B', quoteAsset: 'Q' }] }
  if (/\/executions/.test(hit.url)) return { executions: [{ id: 'e', side: 'buy', price: 1, quantity: 1 }] }
  if (/\/orders/.test(hit.url)) return { orders: [{ id: 'o', side: 'sell', state: 'open', price: 1, quantity: 1 }] }
  if (/^\/api\/bots\?/.test(hit.url)) return { bots: [{ id: 'bot-1', name: 'n', state: 'created', isDemo: true }] }
  if (/^\/api\/backtest\/jobs(\?|$)/.test(hit.url)) {
    return hit.method === 'GET' ? { jobs: [jobBody('job-1', hit)], next: null } : jobBody(`job-${index}`, hit)
  }
  if (hit.url.startsWith('/api/backtest/jobs')) return jobBody('job-1', hit)
  return goodBody(hit)
}

const COMMANDS: readonly (readonly string[])[] = [
  ['run', 'study.json', '--settle', '0'],
  ['run', 'again.json', '--settle', '0', '--rerun'],
  ['status'],
  ['study', 'list'],
  ['leaderboard', 'study'],
  ['show', '<trial>'],
  ['sql', 'select * from results'],
  ['sql', 'select * from results', '--format=csv'],
  ['service', 'jobs', 'list'],
  ['service', 'jobs', 'show', 'job-1'],
  ['service', 'jobs', 'delete', 'job-9'],
  ['service', 'symbols', 'binance'],
  ['service', 'limits'],
  ['service', 'check'],
  ['bots', 'list'],
  ['bots', 'show', 'bot-1'],
  ['bots', 'trades', 'bot-1'],
  ['bots', 'trades', 'bot-1', '--orders'],
  ['bots', 'create', 'bot.json', '--dry-run'],
  ['bots', 'create', 'bot.json', '--name', 'n'],
  ['bots', 'update', 'bot-1', 'bot.json'],
  ['bots', 'start', 'bot-1'],
  ['bots', 'stop', 'bot-1', '--keep-position'],
  ['promote', 'study', '--yes', '--accept', 'notJudged'],
]
/** Whatever service there is. */
const TYPED: typeof COMMANDS = [
  ['sql', `select '${evil.replace('\0', '')}' as "${evil.replace('\0', '')}"`],
  ['promote', evil],
  ['show', evil],
  [evil],
]

/** A service that fails is asked again and again, one without a key for it refuses alike; a few commands show all there is to see of that. */
const few = COMMANDS.filter((args) => args.includes('limits') || args.includes('list') || args.includes('--dry-run'))
/** A state that nobody knows is polled for a day: these trials stay at home. */
const unsent = COMMANDS.map((args) => (args[0] === 'run' ? [...args, '--max', '0'] : args))

// At once: they wait for services most of the time.
it.concurrent.each([
  ['a service that answers, its free text spoilt', 200, NEEDED, [...COMMANDS, ...TYPED]],
  ['a service that answers, all its text spoilt', 200, KEPT, unsent],
  ['a service that refuses everything', 400, KEPT, COMMANDS],
  ['a service that fails', 500, KEPT, few],
  ['a service that takes no key', 401, KEPT, few],
] as const)('%s', async (_, status, kept, commands) => {
  const service = await scriptedService((hit, response, index) => {
    // Who the service is has to be told, or no command would get beyond it.
    if (hit.url === '/api/backtest/limits' && status !== 401) return json(response, 200, goodBody(hit))
    const body = status === 200 ? answer(hit, index) : { error: { code: evil, message: evil, details: [evil] } }
    json(response, status, spoil(body, kept))
  })
  try {
    const { bad, said } = await walk(service, commands, kept === NEEDED || status === 401 ? [[], ['--json']] : [[]])
    expect(bad).toEqual([])
    if (kept === NEEDED) expect(said.match(/owned/g)?.length ?? 0).toBeGreaterThan(50) // it did come through, as text
  } finally {
    await service.close()
  }
})

async function walk(
  service: ScriptedService,
  commands: typeof COMMANDS,
  variants: readonly (readonly string[])[],
): Promise<{ bad: string[]; said: string }> {
  const home = temporaryFolder()
  const dcalab = program(
    home,
    {
      DCALAB_BASE_URL: service.url,
      DCALAB_API_KEY: API_KEY,
      DCALAB_SECRET_KEY: SECRET_KEY,
      DCALAB_USER_EMAIL: 'researcher@localhost',
      XDG_STATE_HOME: home,
    },
    { onTerminal: true },
  )
  const bad: string[] = []
  let trial = 'abcdef'
  for (const command of commands) {
    for (const flags of command.includes('--format=csv') ? [[]] : variants) {
      const args = command.map((word) => (word === '<trial>' ? trial : word.replace(/^.*\.json$/, join(folder, word))))
      const { out, err } = await dcalab([...args, ...flags])
      if (obeyed.test(out + err) || /^bug: /m.test(err)) bad.push(`${command.join(' ')} ${flags}: ${out}${err}`)
    }
    if (command.at(-1) === 'select * from results') trial = findTrial(home)
  }
  return { bad, said: dcalab.said() }
}

function findTrial(home: string): string {
  const path = join(home, 'workbench.sqlite')
  const [row] = existsSync(path) ? selectObjects(path, 'select fingerprint from trials limit 1') : []
  return row?.fingerprint ?? 'abcdef'
}

it('H80: words of a service with line breaks stay in their row of a table', () => {
  const rows = [{ words: 'no\nforged  row\u2028and another' }]
  const table = fittingTable(rows, [{ title: 'why', value: ({ words }) => words }]).linesWithin({
    ...{ columns: undefined, colours: false },
  })
  expect(table).toHaveLength(3)
  expect(table.at(-1)).toBe('no\\nforged  row\ufffdand another')
})

it('H80: what is said in one line stays in it, whatever breaks a service’s words have', async () => {
  const words = 'no\r\nerror: forged\u2028error: forged\u2029\u0085error: forged'
  const refusal = { error: { code: 'InvalidPayload', message: words, details: [{ field: words, message: words }] } }
  const service = await scriptedService((hit, response) =>
    json(response, hit.url.includes('limits') ? 200 : 400, refusal),
  )
  const { err } = await program(temporaryFolder(), {
    DCALAB_BASE_URL: service.url,
    DCALAB_API_KEY: API_KEY,
    DCALAB_SECRET_KEY: SECRET_KEY,
    DCALAB_USER_EMAIL: 'you@example.com',
  })(['service', 'jobs', 'list'])
  await service.close()
  expect(err.split(/[\n\r\u0085\u2028\u2029]/).map((line) => line.slice(0, 5))).toEqual(['error', 'hint:', ''])
  const { terminal, printed } = testSystem()
  say(terminal, words)
  expect(printed().err.split('\n')).toHaveLength(2)
})

it.each([
  ['service', 'jobs', 'show', 'job-1'],
  ['service', 'jobs', 'list'],
  ['bots', 'show', 'bot-1'],
  ['bots', 'list'],
])('H80: a newline in a service’s text begins no line of `%s %s`', async (...args) => {
  const broken = (key: string, value: unknown) =>
    typeof value === 'string' && !KEPT.has(key) ? `${value}\nforged   yes\u2028forged   yes` : value
  const said = {
    state: 'failed',
    error: 'no candles',
    problem: 'none',
    result: { metrics: {}, deals: [{ profit: 'x' }] },
  }
  const service = await scriptedService((hit, response) => {
    const body = { ...Object(goodBody(hit)), ...(hit.url.includes('/jobs/') ? said : {}) }
    json(response, 200, JSON.parse(JSON.stringify(body, broken)))
  })
  const { out, err } = await program(temporaryFolder(), {
    DCALAB_BASE_URL: service.url,
    DCALAB_API_KEY: API_KEY,
    DCALAB_SECRET_KEY: SECRET_KEY,
    DCALAB_USER_EMAIL: 'you@example.com',
  })(args)
  await service.close()
  expect(err).not.toContain('error')
  if (args[1] === 'show') expect(out).toContain('\\nforged')
  expect(`${out}${err}`.split(/[\n\r\u0085\u2028\u2029]/).filter((line) => line.startsWith('forged'))).toEqual([])
})
