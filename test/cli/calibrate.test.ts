/** `study calibrate` on services that compute by other conventions and costs than the study names, and do not tell. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { describeExplanation } from '../../src/cli/commands/service/calibrate.ts'
import { CONVENTION_PRESETS } from '../../src/engine/conventions.ts'
import { type RunningService, type ServiceOptions, startService } from '../../src/service/start.ts'
import { realSystem } from '../../src/system.ts'
import { projectRoot } from '../support/dcalab.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'

const folder = temporaryFolder()
const theirs = {
  conventions: {
    ...CONVENTION_PRESETS.default,
    spacing: 'from-previous',
    takeProfitBasis: 'net',
    intrabar: 'optimistic',
  },
  costs: { feePercent: 0.075, slippagePercent: 0 },
} as const

const STUDY = `# the question of a stranger
name: stranger
market: { exchange: synthetic, baseAsset: T, quoteAsset: USDT }   # made up
period: { from: 2024-01-01, to: 2024-01-09 }
interval: 5m
base: { investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 25, dcaPriceStepMultiplier: 1.1, stopLoss: 0 }
objective: { maximize: netProfit }
grid:
  dcaMaxSafetyOrders: [3, 5]   # rungs
  dcaPriceScalePercent: [0.5, 1]
  dcaVolumeScale: [1.4]
  takeProfit: [0.5, 1]
conventions: default   # to be found out
`

const services: RunningService[] = []

/** A service on candles of its own folder, and the program that is pointed at it, with a store of its own. */
async function setup(options: Partial<ServiceOptions> = {}, candles = 'candles') {
  const name = `world-${services.length}`
  const start = async (more: Partial<ServiceOptions> = {}) => {
    const started = await startService({
      system: realSystem({}),
      storePath: join(folder, `${name}-service.sqlite`),
      candlesFolder: join(folder, candles),
      workerFile: pathToFileURL(join(projectRoot, 'dist/engine-worker.js')),
      rate: 0,
      undisclosed: true,
      ...theirs,
      ...options,
      ...more,
    })
    services.push(started)
    return started
  }
  const service = await start()
  const { apiKey, secretKey } = service.issueKeys({ userEmail: 'me@example.org' })
  const dcalab = program(folder, {
    XDG_STATE_HOME: folder,
    DCALAB_STORE: join(folder, `${name}.sqlite`),
    DCALAB_BASE_URL: service.url,
    DCALAB_API_KEY: apiKey,
    DCALAB_SECRET_KEY: secretKey,
    DCALAB_USER_EMAIL: 'me@example.org',
  })
  const file = join(folder, `${name}.yaml`)
  writeFileSync(file, STUDY)
  const json = async (...args: string[]) => {
    const { code, out, err } = await dcalab([...args, '--json'])
    return { code, err, said: code === 0 || code === 7 ? JSON.parse(out) : undefined }
  }
  const spent = async () => (await json('status')).said.allowance.used
  /** The same service, begun again with other terms. */
  const restart = async (more: Partial<ServiceOptions>) => {
    await service.close()
    services.splice(services.indexOf(service), 1)
    await start({ ...more, port: Number(new URL(service.url).port) })
  }
  return { dcalab, file, json, spent, restart }
}

let plain: Program
beforeAll(async () => {
  plain = program(folder, { XDG_STATE_HOME: folder })
  const make = (...more: string[]) =>
    plain([
      'candles',
      'generate',
      '--market',
      'synthetic/T-USDT',
      '--interval',
      '5m',
      '--from',
      '2024-01-01',
      '--days',
      '8',
      ...more,
    ])
  expect((await make('--volatility', '120')).code).toBe(0)
  expect((await make('--volatility', '120', '--seed', '9', '--candles-dir', join(folder, 'others'))).code).toBe(0)
})
afterAll(async () => {
  for (const service of services) await service.close()
  expect(plain.said()).not.toContain('bug:')
})

describe('a service that does not tell', () => {
  let known: Awaited<ReturnType<typeof setup>>
  let found: { readonly jobs: number }
  beforeAll(async () => {
    known = await setup()
  })

  it('is found out by at most six jobs, which are kept and not paid for again', async () => {
    const { file, json, spent } = known
    const { code, said } = await json('service', 'calibrate', file)
    expect(code).toBe(0)
    expect(said).toMatchObject({
      best: { costs: theirs.costs },
      candidates: 640,
      poor: false,
      settled: true,
      setAside: [],
      written: false,
    })
    const { lotRounding, ...decidedBy } = theirs.conventions
    const open = new Map<string, readonly string[]>(said.ties.map(([name, ...values]: string[]) => [name, values]))
    expect(open.get('lotRounding')).toEqual(['down', 'up'])
    for (const [name, value] of Object.entries(decidedBy))
      expect(open.get(name) ?? [said.best.conventions[name]]).toContain(value)
    expect(said.residual).toBeLessThan(1e-9)
    expect(said.jobs).toBeLessThanOrEqual(6)
    expect(said.evidence).toHaveLength(said.jobs)
    expect(await spent()).toBe(said.jobs)
    found = said
  })

  it('is described in words', async () => {
    const { dcalab, file } = known
    const { code, out } = await dcalab(['service', 'calibrate', file])
    expect(code).toBe(0)
    expect(out).toMatch(/^\d backtests, 640 rule sets, each with the fee and slippage that fit it best: /)
    expect(out).toMatch(/\nspacing +from-previous +- +[0-9a-f]{12} +/)
    expect(out).toMatch(/\nlotRounding +down +up +- +/)
    expect(out).toMatch(/\nfeePercent +0.075 +/)
    expect(out).toMatch(/\njob +service +predicted +service +predicted\n/)
    expect(out).toMatch(
      /\nthis service fills optimistically: job [0-9a-f]{12} earned -?\d+\.\d\d as the service counts, -?\d+\.\d\d by /,
    )
    expect(out).toContain('--write puts this into the file')
  })

  it('is written into the file, of which nothing else changes; then its study and its service agree', async () => {
    const { file, json, spent } = known
    const { said } = await json('service', 'calibrate', file, '--write')
    expect(said).toEqual({ ...found, written: true })
    expect(await spent()).toBe(said.jobs)
    const written = readFileSync(file, 'utf8')
    expect(parse(written)).toMatchObject({
      conventions: { preset: 'default', spacing: 'from-previous', takeProfitBasis: 'net' },
      costs: theirs.costs,
    })
    const others = (text: string) => text.split('\n').filter((line) => !/^(conventions|costs):/.test(line))
    expect(others(written)).toEqual(others(STUDY))
    expect(written).toMatch(/\nconventions: \{ preset: default, .+ \} {3}# to be found out\n/)
    const paid = await spent()
    const again = await json('service', 'calibrate', file)
    expect(again.said).toMatchObject({ best: said.best, poor: false })
    expect(await spent()).toBe(paid)
    expect((await json('study', 'check', file)).code).toBe(0)
  })

  it('that computes on other candles is a poor match: exit 7, and the file stays as it is', async () => {
    const { dcalab, file, json } = await setup({}, 'others')
    const { code, said } = await json('service', 'calibrate', file, '--write')
    expect({ code, poor: said.poor, written: said.written }).toEqual({ code: 7, poor: true, written: false })
    expect(said.residual).toBeGreaterThan(0.01)
    expect(readFileSync(file, 'utf8')).toBe(STUDY)
    const { code: again, out } = await dcalab(['service', 'calibrate', file, '--write'])
    expect(again).toBe(7)
    expect(out).toMatch(/^not found: no rule set explains this service\. The nearest differ by up to /)
    expect(out).toContain('not written: no rule set fits well enough; copy it into the file by hand to accept it')
  })

  it('whose allowance is spent is asked further by the same command later', async () => {
    const { file, json, spent, restart } = await setup({ allowance: 1 })
    const { code, err } = await json('service', 'calibrate', file)
    expect(code).toBe(3)
    expect(err).toContain('stopped by allowance after 1 test backtest: run the same command to continue')
    await restart({ allowance: 100 })
    const { said } = await json('service', 'calibrate', file)
    expect(said).toMatchObject({ poor: false, best: { costs: theirs.costs } })
    expect(await spent()).toBe(said.jobs)
  })
})

describe('a service of ours computes under what a study asks, so there is nothing to find out', () => {
  it.each([
    ['the embedded one', undefined],
    ['one that announces itself', { undisclosed: false }],
  ])('%s', async (_, options) => {
    const { dcalab, file } = await setup(options)
    const asked = options === undefined ? plain : dcalab
    const { code, err } = await asked(['service', 'calibrate', file])
    expect({ code, isSaid: err.includes('nothing to work out') }).toEqual({ code: 2, isSaid: true })
  })
})

it('a match of rounded profits alone says that wrong fill rules may match them too', () => {
  const said = (
    service: Readonly<Partial<Record<'netProfit' | 'closedDeals', number>>>,
    residual: number,
    setAside: readonly 'closedDeals'[] = [],
  ) =>
    describeExplanation({
      ...{ best: theirs, ties: [], traits: [], setAside, sets: 640, remaining: 1, fills: null },
      ...{ isSettled: true, isPoor: false, isConfirmed: true, residual },
      jobs: [{ trial: 'abcd'.repeat(16), service, predicted: service }],
    })
  const sentence = 'only rounded profits could be compared: now and then wrong fill rules match all of them'
  expect(said({ netProfit: 12.34 }, 4e-4)).toContain(sentence)
  expect(said({ netProfit: 12.34 }, 1e-12)).not.toContain(sentence)
  expect(said({ netProfit: 12.34, closedDeals: 3 }, 4e-4)).not.toContain(sentence)
  expect(said({ netProfit: 12.34, closedDeals: 3 }, 4e-4, ['closedDeals'])).toContain(sentence)
})
