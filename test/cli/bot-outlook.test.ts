/** A demo bot on a recorded market is started by a clock that stands years after its candles: it is said at once that it will not trade. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'

const hour = 3_600_000
const start = Date.UTC(2021, 3, 21)

let folder: string
let dcalab: Program
beforeAll(async () => {
  folder = temporaryFolder()
  dcalab = program(folder)
  await importHours('recorded/R-USDT', start)
  for (const from of [Date.UTC(2017, 7, 17), start, Date.UTC(2099, 0, 1)])
    await importHours('recorded/PARTS-USDT', from)
  const now = new Date(Date.now() - 24 * hour).toISOString().slice(0, 10)
  await dcalab(['candles', 'generate', '--market', 'synthetic/G-USDT', '--from', now, '--days', '1'])
})

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** Two days of hours. */
async function importHours(market: string, from: number): Promise<void> {
  const rows = Array.from({ length: 48 }, (_, n) => `${from + n * hour},100,${101 + (n % 3)},${99 - (n % 2)},100,5`)
  const candles = file('candles.csv', ['timestamp,open,high,low,close,volume', ...rows, ''].join('\n'))
  const imported = await dcalab(['candles', 'import', candles, '--market', market, '--interval', '1h'])
  expect(imported.code, imported.err).toBe(0)
}

const warning =
  /^note: the candles of recorded\/R-USDT end at 2021-04-23\S*, before the market clock \(\S+\)\. .*`dcalab serve --now 2021-04-21`/gm

async function startBot(market: string) {
  const bot = file('bot.json', JSON.stringify({ config: { ...STUDY_BASE, dcaPriceScalePercent: 1 } }))
  const made = await dcalab(['bots', 'create', bot, '--market', market, '--name', market.replace('/', '-'), '--json'])
  expect(made.code, made.err).toBe(0)
  const started = await dcalab(['bots', 'start', JSON.parse(made.out).botId])
  expect(started.code, started.err).toBe(0)
  return started.err
}

it('bots start says so, and not of a market that goes on', async () => {
  expect((await startBot('recorded/R-USDT')).match(warning)).toHaveLength(1)
  expect(await startBot('synthetic/G-USDT')).not.toContain('note:')
})

it('of a market held in parts, the part before the market clock is meant, and when the next one begins is said', async () => {
  expect(await startBot('recorded/PARTS-USDT')).toMatch(
    /^note: the candles of recorded\/PARTS-USDT end at 2021-04-23\S*, before the market clock \(\S+\), and continue at 2099-01-01\S*\. This bot will not trade until then\. .*`dcalab serve --now 2021-04-21`/m,
  )
})

const study = {
  name: 'recorded',
  market: { exchange: 'recorded', baseAsset: 'R', quoteAsset: 'USDT' },
  period: { from: '2021-04-21', to: '2021-04-23' },
  base: STUDY_BASE,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [1] },
}
const promotion = ['promote', 'recorded', '--yes', '--accept', 'notJudged', '--start']

it('promote --start says so, and --replay lets the same bot trade what its backtest traded', async () => {
  const ran = await dcalab(['run', file('study.json', JSON.stringify(study)), '--json'])
  expect(ran.code, ran.err).toBe(0)
  const promoted = await program(folder, {}, { onTerminal: true, talkOnTerminal: true })(promotion)
  expect(promoted.code, promoted.err).toBe(0)
  expect(promoted.err).toMatch(
    /This bot will not trade\.\n {2}`dcalab promote recorded --accept notJudged --start --replay`/,
  )
  expect(promoted.err).not.toContain('next:') // it was not judged

  const { code, out, err } = await dcalab([...promotion, '--replay', '--json'])
  expect(code, err).toBe(0)
  const replayed = JSON.parse(out)
  const { metrics } = JSON.parse((await dcalab(['show', replayed.trial, '--json'])).out)
  expect(metrics.closedDeals).toBeGreaterThan(3)
  expect(replayed).toMatchObject({
    ...{ reused: true, started: true, isDemo: true, closedDeals: metrics.closedDeals },
    ...{ replayedFrom: '2021-04-21T00:00:00.000Z', tradedUntil: '2021-04-23T00:00:00.000Z' },
  })
  expect(replayed.netProfit).toBeCloseTo(metrics.netProfit, 6)
  const drift = await dcalab(['bots', 'compare', replayed.botId, '--json'])
  expect(JSON.parse(drift.out).verdict.drift, drift.err).toBe('none')
  const again = await dcalab([...promotion, '--replay'])
  expect(again.out).toMatch(
    /it traded the candles of 2021-04-21 to 2021-04-23: \d+ deals closed, net profit [\d.]+ USDT$/m,
  )
})

it('no bot that has traded since another time, no held-out days, and no other service', async () => {
  const held = { ...study, name: 'held', validate: { holdout: '1d' } }
  const ran = await dcalab(['run', file('held.json', JSON.stringify(held))])
  expect(ran.code, ran.err).toBe(0)
  const refused = await dcalab(['promote', 'held', ...promotion.slice(2), '--replay'])
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('the days that held holds out') })
  const elsewhere = program(folder, {
    ...{ DCALAB_BASE_URL: 'http://127.0.0.1:1', DCALAB_API_KEY: 'key', DCALAB_SECRET_KEY: 'secret' },
  })
  const other = await elsewhere([...promotion, '--replay'])
  expect(other).toMatchObject({ code: 2, err: expect.stringContaining('--replay works on the embedded service only') })
  expect((await dcalab(['promote', 'recorded', '--replay'])).err).toContain('--replay goes with --start')
})
