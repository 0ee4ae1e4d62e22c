/** `screen --points`: every point as Parquet, whole or part by part. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { beforeAll, expect, it } from 'vitest'
import type { ScreenReport } from '../../../src/workbench/store/screen-record.ts'
import type { Desk } from '../../support/dcalab.ts'
import { deskInProcess } from '../../support/program.ts'

const study = {
  name: 'small',
  period: { from: '2024-01-01', to: '2024-01-03' },
  base: { investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 20, dcaPriceStepMultiplier: 1.2 },
  grid: {
    dcaPriceScalePercent: { from: 0.2, to: 2, count: 15 },
    takeProfit: { from: 0.2, to: 2, count: 12 },
    dcaMaxSafetyOrders: [0, 1, 2, 4, 8],
    dcaVolumeScale: [1, 1.3],
    stopLoss: [0, 3, 6],
  },
  where: { ladderDepthPercent: { max: 14 } },
  objective: { maximize: 'netProfit', where: { closedDeals: { min: 2 } } },
}
const market = (baseAsset: string) => ({ exchange: 'synthetic', baseAsset, quoteAsset: 'USDT' })

let at: Desk
beforeAll(async () => {
  at = deskInProcess()
  for (const name of ['T', 'U'])
    await at.dcalab(`candles generate --market synthetic/${name}-USDT --from 2024-01-01 --days 2`.split(' '))
})

async function screen(changes: object, ...flags: string[]) {
  writeFileSync(join(at.folder, 'study.yaml'), JSON.stringify({ ...study, market: market('T'), ...changes }))
  const ended = await at.dcalab(['screen', 'study.yaml', '--json', ...flags])
  expect(ended).toMatchObject({ code: 0 })
  return JSON.parse(ended.stdout)
}

function bytesOf(folder: string, name: string): ArrayBuffer {
  return Uint8Array.from(readFileSync(join(at.folder, folder, name))).buffer
}

async function rowsIn(folder: string): Promise<Record<string, unknown>[]> {
  const files = readdirSync(join(at.folder, folder)).sort()
  const rows = await Promise.all(files.map((name) => parquetReadObjects({ file: bytesOf(folder, name) })))
  return rows.flat()
}

it('the points of all parts are the points of the whole screen, in the order of the grid', async () => {
  const report: ScreenReport = await screen({}, '--points', 'whole', '--top', '1')
  for (const part of ['1/3', '2/3', '3/3']) await screen({}, '--points', 'cut', '--part', part, '--out', 'parts')
  const whole = await rowsIn('whole')
  expect(readdirSync(join(at.folder, 'cut'))).toHaveLength(3)
  expect(await rowsIn('cut')).toEqual(whole)
  expect(whole.length).toBeGreaterThan(1000)
  expect(whole.length).toBeLessThan(report.configs) // ladders outside `where` have no row, nor have duplicates
  const points = whole.map(({ point }) => Number(point))
  expect(points).toEqual(points.toSorted((a, b) => a - b))
  expect(new Set(points).size).toBe(points.length)
})

it('the best row inside the bounds is the winner of the screen, under the names that the views have', async () => {
  const report: ScreenReport = await screen({}, '--points', 'best', '--top', '1')
  const rows = await rowsIn('best')
  const inside = rows.filter((row) => row.inside_bounds === true)
  expect(inside.length).toBeLessThan(rows.length)
  const scores = inside.map(({ score }) => Number(score))
  const [{ config, metrics }] = report.top
  expect(Math.max(...scores)).toBeCloseTo(metrics.netProfit, 9)
  const winner = inside.find(
    (row) =>
      row.take_profit_percent === config.takeProfit &&
      row.dca_price_scale_percent === config.dcaPriceScalePercent &&
      row.dca_max_safety_orders === config.dcaMaxSafetyOrders &&
      row.dca_volume_scale === config.dcaVolumeScale &&
      row.stop_loss_percent === config.stopLoss,
  )
  expect(winner).toMatchObject({ market: 'synthetic/T-USDT', closed_deals: metrics.closedDeals, investment: 1000 })
  expect(winner?.net_profit).toBeCloseTo(metrics.netProfit, 9)
  const [name] = readdirSync(join(at.folder, 'best'))
  const facts = parquetMetadata(bytesOf('best', name)).key_value_metadata ?? []
  expect(facts.map(({ key }) => key)).toContain('dcalab.candles')
  expect(facts.find(({ key }) => key === 'dcalab.study')?.value).toBe('small')
})

it('where a limit is on a metric that the rows have not, none is said to be inside, and who breaks a known one is outside', async () => {
  const where = { closedDeals: { min: 30 }, maxDrawdownPercent: { max: 0.001 } }
  await screen({ objective: { maximize: 'netProfit', where } }, '--points', 'unknown')
  const rows = await rowsIn('unknown')
  expect(rows[0]).not.toHaveProperty('max_drawdown_percent')
  expect(rows.map((row) => row.inside_bounds)).toEqual(
    rows.map((row) => (Number(row.closed_deals) < 30 ? false : null)),
  )
  expect(new Set(rows.map((row) => row.inside_bounds)).size).toBe(2)
})

it('on two markets a point has a row for each; where lower is better, scores are as the objective has them', async () => {
  const markets = { market: undefined, markets: [market('T'), market('U')] }
  const objective = { minimize: 'maxDrawdownPercent' }
  await screen({ ...markets, objective }, '--points', 'two')
  const rows = await rowsIn('two')
  expect(rows.slice(0, 2).map((row) => row.market)).toEqual(['synthetic/T-USDT', 'synthetic/U-USDT'])
  expect(rows[0].point).toBe(rows[1].point)
  expect(Number(rows[0].score)).toBeCloseTo(
    (Number(rows[0].max_drawdown_percent) + Number(rows[1].max_drawdown_percent)) / 2, // the median of two
    9,
  )
})
