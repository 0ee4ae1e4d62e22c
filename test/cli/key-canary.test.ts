/**
 * H55 where the process itself fails: Node's reports of a crash, its debug output, what a child process inherits, and a report page made
 * of a service that throws both pairs of keys back. Every byte said or written is searched.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Desk, type Ended, ended, program } from '../support/dcalab.ts'
import { deskInProcess } from '../support/program.ts'
import { withBlocks } from '../support/report-blocks.ts'
import { share } from '../support/share.ts'
import { storedTexts } from '../support/stored-bodies.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { byTurn } from '../support/turn.ts'
import { json, type ScriptedService, scriptedService } from '../workbench/api/world.ts'

const KEYS = {
  DCALAB_API_KEY: 'cAnArY+api/key="1234\\5678~',
  DCALAB_SECRET_KEY: 'S3cr3t?canary&value%41<abcdef>',
  DCALAB_TRADE_API_KEY: 'tRaDe+canary/key=0001~abc',
  DCALAB_TRADE_SECRET_KEY: 'tRaDe?secret&canary%42<9>',
}

/** Every key in plain, percent-encoded, JSON-escaped, base64 (at each alignment) and hex spelling. */
const SPELLINGS = Object.values(KEYS).flatMap((key) => [
  key,
  encodeURIComponent(key),
  JSON.stringify(key).slice(1, -1),
  Buffer.from(key).toString('hex'),
  ...[0, 1, 2].map((offset) => {
    const text = Buffer.from(`${'\0'.repeat(offset)}${key}`)
      .toString('base64')
      .replaceAll('=', '')
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + key.length) * 8) / 6))
  }),
])

let at: Desk
let service: ScriptedService
beforeAll(async () => {
  at = deskInProcess()
  service = await scriptedService((hit, response, index) => {
    // What came in goes out again, in every field and in every spelling.
    const said = Object.entries(hit.headers)
      .filter(([name]) => /key/.test(name))
      .flatMap(([, key]) => {
        const text = String(key)
        return [text, encodeURIComponent(text), btoa(`x${text}`), Buffer.from(text).toString('hex')]
      })
      .join(' ')
    const job = { id: `job-${index}`, name: said, state: 'completed', error: said }
    const result = { metrics: { netProfit: said, sampleSize: said }, candles: { interval: said, hash: said } }
    const conventions = { [said]: said }
    const jobBody = { ...job, said, result: { ...result, conventions, engineVersion: said } }
    if (hit.url === '/api/backtest/limits') return json(response, 200, { limit: 100, used: 0, remaining: 100, said })
    if (hit.method === 'POST' && index % 2 === 0) return json(response, 400, { error: { code: 'No', message: said } })
    json(response, 200, hit.method === 'GET' ? { jobs: [], bots: [], next: null, said } : jobBody)
  })
  writeFileSync(join(at.folder, 'study.json'), JSON.stringify(study))
  for (const [name, code] of Object.entries(CRASHES)) writeFileSync(join(at.folder, `${name}.mjs`), code)
})
afterAll(async () => {
  await service.close()
})

const study = {
  name: 'canary',
  market: { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-21' },
  base: STUDY_BASE,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [0.5, 1, 1.5, 2] },
}

/** Code in the program's own process that goes wrong where nobody can catch it, as soon as a service has answered. A dialect runs elsewhere. */
const CRASHES = {
  throws: onAnswer('setImmediate(() => { throw new Error(text) })'),
  rejects: onAnswer('Promise.reject(new Error(text))'),
  aborts: onAnswer('process.abort()'),
}

function onAnswer(crash: string): string {
  return `const parse = JSON.parse
let answered = false
JSON.parse = (text, ...rest) => {
  if (!answered && String(text).includes('"limit"')) { answered = true; ${crash} }
  return parse(text, ...rest)
}`
}

async function dcalab(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  node: readonly string[] = [],
): Promise<Ended> {
  return ended(at.startNode([...node, program, ...args], { ...withKeys(), ...environment }))
}

const withKeys = () => ({ DCALAB_BASE_URL: service.url, DCALAB_USER_EMAIL: 'a@b.example', ...KEYS })

const filesOf = () =>
  readdirSync(at.folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(at.folder, name))
    .filter((file) => statSync(file).isFile())

function expectClean({ stdout, stderr }: Ended): void {
  const stores = filesOf().filter((file) => file.endsWith('workbench.sqlite'))
  const files = filesOf().map((file) => withBlocks(readFileSync(file).toString('latin1')))
  const texts = [stdout, stderr, ...files, ...stores.flatMap(storedTexts)]
  for (const text of texts) expect(SPELLINGS.filter((spelling) => text.includes(spelling))).toEqual([])
}

describe.each(Object.keys(CRASHES))('a crash of the process: %s', (name) => {
  it('leaves a report of Node without a key in it', async () => {
    const before = filesOf().length
    const flags = ['--report-uncaught-exception', '--report-on-fatalerror', '--report-on-signal', '--trace-uncaught']
    const end = await dcalab(['run', 'study.json'], {}, [...flags, '--import', `./${name}.mjs`])
    expect(end.code).not.toBe(0)
    const reports = filesOf().filter((file) => /report\.\d+.*\.json$/.test(file))
    // An abort leaves no report, only what was said; the other two must leave one, or nothing was tried.
    if (name !== 'aborts') {
      expect(filesOf().length).toBeGreaterThan(before)
      const variables: object = JSON.parse(readFileSync(reports.at(-1) ?? '', 'utf8')).environmentVariables
      expect(Object.keys(variables)).toContain('HOME')
      expect(Object.keys(variables).filter((variable) => variable.startsWith('DCALAB_'))).toEqual([])
    }
    expectClean(end)
  })
})

const DEBUGGED = ['net', 'undici', 'fetch', 'tls', 'stream', 'h*']

// One of them at each commit beside the first.
it.each(['foo,HTTP', ...share({ usual: byTurn(DEBUGGED), long: DEBUGGED })])(
  'NODE_DEBUG=%s is refused before anything is sent',
  async (value) => {
    const before = service.hits.length
    const end = await dcalab(['service', 'limits'], { NODE_DEBUG: value })
    expect(end.code).toBe(2)
    expect(end.stderr).toContain('NODE_DEBUG would print the keys')
    expect(service.hits.length).toBe(before)
    expectClean(end)
  },
)

it('a report page, made of results that throw the keys back, holds none; nor does any command with either pair', async () => {
  const commands = [
    ['run', 'study.json', '--settle', '0'],
    ['report', 'canary'],
    ['leaderboard', 'canary', '--json'],
    ['sql', 'select * from results', '--json'],
    ['promote', 'canary', '--yes', '--accept', 'notJudged'],
    ['bots', 'list', '--json'],
    ['bots', 'stop', 'bot-1', '--keep-position'],
    ['service', 'check'],
  ]
  for (const args of commands) expectClean(await at.dcalab(args, withKeys()))
  expect(service.hits.some(({ headers }) => headers['x-api-key'] === KEYS.DCALAB_TRADE_API_KEY)).toBe(true)
  const page = readFileSync(join(at.folder, 'reports/canary.html'), 'utf8')
  expect(page).toContain('[secret]') // it was all there but the keys
})

it.skipIf(process.platform !== 'linux')('a program that we start inherits no key', async () => {
  const bin = join(at.folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const opener = join(bin, 'xdg-open')
  writeFileSync(
    opener,
    `#!/bin/sh\nenv > "${at.folder}/inherited.tmp"; mv "${at.folder}/inherited.tmp" "${at.folder}/inherited"\n`,
  )
  chmodSync(opener, 0o755)
  const end = await dcalab(['report', 'canary', '--open'], { PATH: `${bin}:${process.env.PATH}` })
  expect(end.code).toBe(0)
  const inherited = join(at.folder, 'inherited')
  while (!existsSync(inherited)) await delay(5)
  expect(readFileSync(inherited, 'utf8')).toContain('HOME=')
  expectClean(end)
})

it('the search finds what is there (control)', () => {
  writeFileSync(join(at.folder, 'leak'), `x${KEYS.DCALAB_TRADE_SECRET_KEY}`)
  expect(() => expectClean({ code: 0, stdout: '', stderr: '' })).toThrow()
})
