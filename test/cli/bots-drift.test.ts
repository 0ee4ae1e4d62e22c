/** `dcalab bots compare`: a demo bot that trades fourteen days of real candles, beside its backtest. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { CONVENTION_PRESETS, type Conventions, type Costs, DEFAULT_COSTS } from '../../src/engine/conventions.ts'
import { type RunningService, startService } from '../../src/service/start.ts'
import { projectRoot } from '../support/dcalab.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { selectObjects } from '../support/run-select.ts'
import { sharedData } from '../support/shared-data.ts'
import { shiftedSystem } from '../support/shifted-system.ts'

const ether = sharedData('candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz') ?? ''
const start = Date.UTC(2025, 5, 3, 7, 12, 30)
const days = 14
const DAY = 86_400_000
const owner = 'trader@example.com'

let candles: string
beforeAll(async () => {
  if (ether === '') return
  const folder = temporaryFolder()
  candles = join(folder, 'candles')
  // The file is of ninety days: those before the bot starts and after it was read say nothing here.
  const [header, ...rows] = gunzipSync(readFileSync(ether)).toString('utf8').split('\n')
  const isNear = (row: string) => Math.abs(Number(row.slice(0, 13)) - start - 7 * DAY) < 10 * DAY
  const file = join(folder, 'binance_ETH-USDT_1m.csv')
  writeFileSync(file, [header, ...rows.filter(isNear), ''].join('\n'))
  const { code, err } = await program(folder)(['candles', 'import', file, '--market', 'binance/ETH-USDT', '--json'])
  expect(code, err).toBe(0)
})

interface Terms {
  readonly conventions?: Partial<Conventions>
  readonly costs?: Partial<Costs>
  readonly undisclosed?: boolean
}

interface Desk {
  readonly dcalab: Program
  readonly botId: string
  readonly folder: string
  /** The program with a dialect of this text. */
  under(dialect: string): Program
}

/** Executions five hours ahead, and a realized profit that they do not make. */
const DIALECT_OF_ZONE = `export const dialect = {
  execution: (item) => ({ ...item, executedAt: new Date(Date.parse(item.executedAt) + 5 * 3600_000).toISOString() }),
  pnl: (body) => ({ ...body, realizedProfit: body.realizedProfit + 4.4 }),
}
`

/** A bot that was started on a service with these terms fourteen market days ago. */
async function tradedBot(terms: Terms, work: (desk: Desk) => Promise<void>): Promise<void> {
  const folder = temporaryFolder()
  const { system } = shiftedSystem([])
  const serve = (now: number) =>
    startService({
      system,
      storePath: join(folder, 'service.sqlite'),
      candlesFolder: candles,
      workerFile: pathToFileURL(join(projectRoot, 'dist/engine-worker.js')),
      conventions: { ...CONVENTION_PRESETS.default, ...terms.conventions },
      costs: { ...DEFAULT_COSTS, ...terms.costs },
      undisclosed: terms.undisclosed ?? false,
      market: { now },
    })
  const desk = (service: RunningService, dialect = '') => {
    const keys = service.issueKeys({ userEmail: owner })
    return program(folder, {
      DCALAB_BASE_URL: service.url,
      DCALAB_API_KEY: keys.apiKey,
      DCALAB_SECRET_KEY: keys.secretKey,
      DCALAB_USER_EMAIL: owner,
      DCALAB_CANDLES: candles,
      XDG_STATE_HOME: folder,
      DCALAB_DIALECT: dialect,
    })
  }
  const first = await serve(start)
  const before = desk(first)
  const file = join(folder, 'bot.json')
  writeFileSync(file, JSON.stringify({ config }))
  const created = await before(['bots', 'create', file, '--market', 'binance/ETH-USDT', '--name', 'ladder', '--json'])
  expect(created.code, created.err).toBe(0)
  const { botId: id } = JSON.parse(created.out)
  const started = await before(['bots', 'start', id])
  expect(started.code, started.err).toBe(0)
  await first.close()
  const second = await serve(start + days * DAY)
  try {
    const under = (text: string) => {
      const dialect = join(folder, 'zone.mjs')
      writeFileSync(dialect, text)
      return desk(second, dialect)
    }
    await work({ dcalab: desk(second), botId: id, folder, under })
  } finally {
    await second.close()
  }
}

const config = {
  investment: 1000,
  dcaTotalBudget: 1000,
  dcaInitialOrderSize: 60,
  dcaMaxSafetyOrders: 3,
  dcaPriceScalePercent: 1,
  dcaPriceStepMultiplier: 1.2,
  dcaVolumeScale: 1.4,
  takeProfit: 0.9,
  stopLoss: 4,
}

async function driftOf({ dcalab }: Desk, ...options: string[]) {
  const { code, out, err } = await dcalab(['bots', 'compare', 'ladder', ...options, '--json'])
  expect(code, err).toBe(0)
  return JSON.parse(out)
}

describe.skipIf(ether === '')('fourteen days of ether', () => {
  it('a bot does what the service’s own settings say: every deal, order and amount, and so it is kept', async () => {
    await tradedBot({}, async (desk) => {
      const drift = await driftOf(desk)
      expect(drift).toMatchObject({
        bot: desk.botId,
        trial: null,
        terms: { source: 'bot' },
        deals: { early: 0, late: 0, missing: 0, extra: 0 },
        orders: { early: 0, late: 0, missing: 0, extra: 0, different: 0 },
        alternatives: [],
        verdict: { drift: 'none', causes: [] },
        unknown: [],
      })
      expect(drift.deals.matched).toBeGreaterThan(10)
      expect(drift.from).toMatch(/^2025-06-03T07:1\d:00/)
      for (const part of Object.values<number>(drift.profit.causes)) expect(part).toBeCloseTo(0, 9)
      expect(drift.profit.bot).toBeCloseTo(drift.profit.backtest, 9)
      const stored = 'select bot_id, drift, deals_matched, is_latest from bots'
      expect(selectObjects(join(desk.folder, 'workbench.sqlite'), stored)).toEqual([
        { bot_id: desk.botId, drift: 'none', deals_matched: drift.deals.matched, is_latest: 1 },
      ])
      const shown = await desk.dcalab(['bots', 'compare', desk.botId.slice(0, 8)])
      expect(shown.out).toMatch(/^verdict {2}no drift: \d+ of \d+ deals match/m)
    })
  })

  it.each([
    [{ conventions: { afterStopLoss: 'stop' } }, { afterStopLoss: 'stop' }, 'convention'],
    [{ conventions: { takeProfitBasis: 'net' } }, { takeProfitBasis: 'net' }, 'convention'],
    [{ costs: { feePercent: 0.05 } }, { feePercent: 0.05 }, 'fee'],
    [{ costs: { slippagePercent: 0.05 } }, { slippagePercent: 0.05 }, 'price'],
  ] as const)('a service that says nothing of its %j is found out', async (terms, changes, cause) => {
    await tradedBot({ ...terms, undisclosed: true }, async (desk) => {
      const drift = await driftOf(desk)
      expect(drift.terms.source).toBe('assumed')
      expect(drift.verdict.causes).toEqual([cause])
      expect(drift.alternatives).toMatchObject([{ changes, isExact: true }])
      const { gap, causes } = drift.profit
      const sum = Object.values<number>(causes).reduce((total, part) => total + part, 0)
      expect(sum).toBeCloseTo(gap, 8)
      expect(causes.unexplained).toBeCloseTo(0, 6)
      expect(gap).not.toBe(0)
    })
  })

  it('the fee and the slippage that a bot showed go into the next study, and its base order fits the capital', async () => {
    const costs = { feePercent: 0.04, slippagePercent: 0.03 }
    await tradedBot({ costs, undisclosed: true }, async ({ dcalab, folder }) => {
      const [file, finer] = [join(folder, 'study.yaml'), join(folder, 'finer.yaml')]
      const { takeProfit, ...base } = config
      const study = {
        ...{ name: 'next', market: { exchange: 'binance', baseAsset: 'ETH', quoteAsset: 'USDT' } },
        ...{ period: { from: '2025-06-03', to: '2025-06-05' }, base, grid: { takeProfit: [takeProfit] } },
      }
      writeFileSync(file, JSON.stringify(study))
      const ran = await dcalab(['run', file])
      expect(ran.code, ran.err).toBe(0)
      const flags = ['--costs-of', 'ladder', '--fit-budget', '--out', finer]
      const { code, out, err } = await dcalab(['study', 'refine', 'next', ...flags, '--json'])
      expect(code, err).toBe(0)
      const refined = JSON.parse(out)
      expect(refined).toMatchObject({ costs })
      // A base order and three safety orders of 1.4, 1.96 and 2.744 times its size, with the fee.
      expect(refined.baseOrder * (1 + 1.4 + 1.96 + 2.744) * 1.0004).toBeCloseTo(1000, 3)
      expect(JSON.parse(readFileSync(finer, 'utf8'))).toMatchObject({
        costs,
        base: { dcaInitialOrderSize: refined.baseOrder },
      })
    })
  })

  it('a service whose executions come in another zone, beside a wrong total: named, and the deals match', async () => {
    await tradedBot({}, async (desk) => {
      const under = { ...desk, dcalab: desk.under(DIALECT_OF_ZONE) }
      const drift = await driftOf(under)
      expect(drift.books.map(({ code }: { readonly code: string }) => code)).toEqual(['clock', 'realized'])
      expect(drift.books[0].text).toContain('5 h ahead of UTC')
      expect(drift.deals).toMatchObject({ early: 0, late: 0, missing: 0, extra: 0 })
      expect(drift.verdict.drift).toBe('none')
      const { out } = await under.dcalab(['bots', 'compare', 'ladder'])
      expect(out).toMatch(/^books {4}its times are 5 h ahead of UTC: another time zone; compared without it$/m)
    })
  })

  it('a backtest under another fee than the bot’s is told apart from it', async () => {
    await tradedBot({}, async (desk) => {
      const drift = await driftOf(desk, '--fee-percent', '0.2')
      expect(drift).toMatchObject({
        terms: { source: 'given', costs: { feePercent: 0.2 } },
        alternatives: [{ changes: { feePercent: 0.1 }, isExact: true }],
        verdict: { causes: ['fee'] },
      })
      const { out } = await desk.dcalab(['bots', 'compare', 'ladder', '--fee-percent', '0.2'])
      const said = /^profit {3}bot (.*) USDT, backtest (.*) USDT, gap (.*) USDT\n(?: {2}fee {10}(.*) USDT)$/m.exec(out)
      const kept = 'select profit_bot, profit_backtest, gap, gap_fee from bots where is_latest'
      const [amounts] = selectObjects(join(desk.folder, 'workbench.sqlite'), kept)
      expect(said?.slice(1)).toEqual(Object.values(amounts).map((amount) => Number(amount).toFixed(2)))
    })
  })
})
