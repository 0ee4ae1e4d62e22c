/** From a study to a demo bot that trades: what it did in three days is what a backtest over the same candles says, to the cent. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { ExecutionBody, PnlBody } from '../../src/contract/bot-bodies.ts'
import { temporaryFolder } from '../support/folder.ts'
import { program } from '../support/program.ts'
import { visibleText } from '../workbench/report/document.ts'

const minute = 60_000
const day = 1440 * minute

let folder: string
beforeAll(() => {
  folder = temporaryFolder()
})

function file(name: string, content: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(content))
  return path
}

it('a promoted demo bot, started and left alone for three days, equals its backtest', async () => {
  const dcalab = program(folder)
  const ask = async <T>(...args: string[]): Promise<T> => {
    const { code, out, err } = await dcalab([...args, '--json'])
    expect(code, err).toBe(0)
    return JSON.parse(out) // the shapes under test
  }
  const from = Math.floor(Date.now() / day) * day - 4 * day
  const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const market = ['--market', 'synthetic/LIVE-USDT', '--from', dateOf(from), '--seed', '11']
  await ask('candles', 'generate', ...market, '--days', '3')
  const study = file('live.json', {
    name: 'live',
    market: { exchange: 'synthetic', baseAsset: 'LIVE', quoteAsset: 'USDT' },
    period: { from: dateOf(from), to: dateOf(from + 3 * day) },
    base: {
      ...{ investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 50, dcaMaxSafetyOrders: 4, stopLoss: 0 },
      ...{ dcaPriceScalePercent: 0.5, dcaVolumeScale: 1.3, dcaPriceStepMultiplier: 1.2 },
    },
    grid: { takeProfit: [0.4, 0.6] },
    objective: { maximize: 'netProfit' },
  })
  expect(await ask('run', study)).toMatchObject({ trials: { done: 2 } })
  const { botId } = await ask<{ botId: string }>('promote', 'live', '--yes', '--accept', 'notJudged', '--start')
  dcalab.advance(3 * day + minute)

  const { pnl } = await ask<{ pnl: PnlBody }>('bots', 'show', botId)
  const executions = await ask<ExecutionBody[]>('bots', 'trades', botId)
  const bot = await ask<{ config: object; startedAt: string }>('bots', 'show', botId)
  await ask('candles', 'generate', ...market, '--days', '12') // the market goes on as it was generated
  const period = {
    from: new Date(Math.ceil(Date.parse(bot.startedAt) / minute) * minute),
    to: new Date(Math.floor(Date.parse(pnl.marketTime) / minute) * minute),
  }
  expect(period.to.getTime() - period.from.getTime()).toBeGreaterThanOrEqual(3 * day)
  const config = file('config.json', { config: bot.config, period })
  const { metrics, deals, openDeal } = await ask<{
    metrics: Record<string, number>
    deals: { price: number; lowestValue: number }[]
    openDeal: { lowestValue: number } | null
  }>('backtest', config, '--candles', 'synthetic/LIVE-USDT')
  expect(deals.length).toBeGreaterThan(2)
  expect(pnl.closedDeals).toBe(deals.length)
  expect(pnl.orders).toBe(metrics.orders)
  for (const name of ['realizedProfit', 'unrealizedProfit', 'netProfit', 'feesPaid', 'maxDrawdownPercent'] as const) {
    expect(pnl[name], name).toBeCloseTo(metrics[name], 6)
  }
  const lowest = deals.map(({ lowestValue }) => lowestValue)
  expect(lowest.every((value) => value < 0)).toBe(true) // a fee is lost at once
  expect(Math.min(...lowest, openDeal?.lowestValue ?? 0)).toBe(metrics.maxFloatingLoss)
  expect(pnl.openDeal === null).toBe(openDeal === null)
  expect(pnl.openDeal?.lowestValue ?? 0).toBeCloseTo(openDeal?.lowestValue ?? 0, 6)
  const sales = executions.filter(({ profit }) => profit !== null)
  expect(sales.map(({ price }) => price).toSorted()).toEqual(deals.map(({ price }) => price).toSorted())

  const drift = await ask<{ verdict: { drift: string } }>('bots', 'compare', botId)
  expect(drift.verdict.drift).toBe('none')
  const { path } = await ask<{ path: string }>('report', 'live', '--out', join(folder, 'live.html'))
  const said = visibleText(readFileSync(join(folder, path.split('/').at(-1) ?? ''), 'utf8'))
  expect(said).toContain('made, and read back as a demo bot')
  expect(said).toMatch(/beside its backtest No drift\. \d+ of \d+ deals match/)
})
