/** Wrong input and a hostile world: one clear message and the exit code of the contract, each time. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Desk, firstLine } from '../support/dcalab.ts'
import { deskInProcess, program } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'

let at: Desk
beforeAll(async () => {
  at = deskInProcess()
  await at.dcalab(['candles', 'generate', '--market', 'synthetic/T-USDT', '--from', '2024-01-01', '--days', '3'])
})

const good = {
  name: 'small',
  market: { exchange: 'synthetic', baseAsset: 'T', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-04' },
  base: STUDY_BASE,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [0.5, 1] },
}
type Wrong = Record<string, unknown>
const { name, market, period, base, grid } = good

/** Twenty ways to write a study wrongly, and the words that must name the mistake. */
const wrongStudies: readonly [string, Wrong | string, RegExp][] = [
  ['no YAML at all', 'name: [', /study\.yaml:\d+:\d+/],
  ['an unknown key', { ...good, sudy: 1 }, /sudy/],
  ['no market', { name, period, base, grid }, /market/],
  ['no period', { name, market, base, grid }, /period/],
  ['a bad name', { ...good, name: 'Not A Name' }, /name/],
  ['a lower-case asset', { ...good, market: { ...market, baseAsset: 'btc-x' } }, /baseAsset/],
  ['an impossible date', { ...good, period: { from: '2024-02-30', to: '2024-03-02' } }, /2024-02-30/],
  ['an end before its start', { ...good, period: { from: '2024-01-04', to: '2024-01-01' } }, /period/],
  ['an unknown interval', { ...good, interval: '7m' }, /7m/],
  ['a number as text', { ...good, base: { ...base, takeProfit: '1' } }, /takeProfit/],
  ['a negative investment', { ...good, base: { ...base, investment: -1 } }, /investment/],
  ['leverage', { ...good, base: { ...base, leverage: 3 } }, /leverage/],
  ['a field given twice', { ...good, grid: { ...grid, takeProfit: [1, 2] } }, /takeProfit/],
  ['a field forgotten', { ...good, grid: { dcaMaxSafetyOrders: [1] } }, /dcaPriceScalePercent/],
  ['an empty grid list', { ...good, grid: { dcaPriceScalePercent: [] } }, /dcaPriceScalePercent/],
  [
    'a step that misses its end',
    { ...good, grid: { dcaPriceScalePercent: { from: 0.5, to: 1.2, step: 0.5 } } },
    /step|to/,
  ],
  ['too many trials', { ...good, grid: { dcaPriceScalePercent: { from: 0.001, to: 20, step: 0.001 } } }, /10,?000/],
  ['an impossible bound', { ...good, where: { safetyOrders: { min: 3, max: 1 } } }, /safetyOrders/],
  ['an unknown metric', { ...good, objective: { maximize: 'netProft' } }, /netProft/],
  ['a method that does not exist', { ...good, search: { method: 'gird' } }, /gird/],
  ['isDemo', { ...good, isDemo: false }, /isDemo/],
  ['a fee of 100 %', { ...good, costs: { feePercent: 100, slippagePercent: 0 } }, /feePercent/],
]

describe('a wrong study', () => {
  it.each(wrongStudies)('%s ends with exit 2 and says where', async (_, study, words) => {
    const { code, stdout, stderr } = await runStudy(study)
    expect(stderr).toMatch(words)
    expect(stderr).not.toMatch(/^\s+at /m)
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })

  it('lists all its problems at once', async () => {
    const { stderr } = await runStudy({ ...good, name: '?', interval: '7m', costs: { feePercent: -1 } })
    for (const words of [/name/, /7m/, /feePercent/]) expect(stderr).toMatch(words)
  })
})

describe('the world', () => {
  it('candles that do not cover the period end with exit 2 and say what there is', async () => {
    const { code, stderr } = await runStudy({ ...good, period: { from: '2024-01-01', to: '2024-01-09' } })
    expect(stderr).toMatch(/2024-01-04/)
    expect(code).toBe(2)
  })

  it('a service that is down ends with exit 5', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`
    // On a clock that runs faster: it is asked for half a minute before the run gives up.
    const dcalab = program(at.folder, { DCALAB_BASE_URL: url, DCALAB_API_KEY: 'k', DCALAB_SECRET_KEY: 's' })
    writeFileSync(join(at.folder, 'down.json'), JSON.stringify(good))
    const { code, err } = await dcalab(['run', join(at.folder, 'down.json')])
    expect(err).toContain(new URL(url).host)
    expect(code).toBe(5)
  })

  it('a revoked key ends with exit 4 and is named nowhere', async () => {
    const serving = at.start(['serve', '--json'])
    const announced = JSON.parse(await firstLine(serving))
    const keys = {
      DCALAB_BASE_URL: announced.url,
      DCALAB_API_KEY: announced.apiKey,
      DCALAB_SECRET_KEY: announced.secretKey,
    }
    const { stdout } = await at.dcalab(['serve', 'keys', 'list', '--json'])
    const prefix: string = JSON.parse(stdout).at(-1).prefix
    expect((await at.dcalab(['serve', 'keys', 'revoke', prefix])).code).toBe(0)
    const { code, stderr } = await runStudy(good, keys)
    serving.kill('SIGTERM')
    expect(stderr).toMatch(/ApiKeyInvalid/)
    expect(stderr).not.toContain(announced.apiKey)
    expect(stderr).not.toContain(announced.secretKey)
    expect(code).toBe(4)
  })

  it('an address that is not https is refused before anything is sent', async () => {
    const { code, stderr } = await runStudy(good, {
      DCALAB_BASE_URL: 'http://example.com',
      DCALAB_API_KEY: 'k',
      DCALAB_SECRET_KEY: 's',
    })
    expect(stderr).toMatch(/https/)
    expect(code).toBe(2)
  })

  it('an unknown command, an unknown flag and a missing file end with exit 2', async () => {
    for (const args of [['rnu'], ['run', 'study.yaml', '--wat'], ['run', 'absent.yaml']]) {
      const { code, stderr } = await at.dcalab(args)
      expect(stderr).toMatch(/^error: /)
      expect(code).toBe(2)
    }
  })

  it('errors are JSON where the command speaks JSON', async () => {
    const { stderr } = await at.dcalab(['show', 'abcdef', '--json'])
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'notFound', message: expect.any(String), hint: expect.any(String) },
    })
  })
})

function runStudy(study: Wrong | string, environment?: Readonly<Record<string, string>>) {
  mkdirSync(at.folder, { recursive: true })
  writeFileSync(join(at.folder, 'study.yaml'), typeof study === 'string' ? study : JSON.stringify(study))
  return at.dcalab(['run', 'study.yaml'], environment)
}

function closedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
