/** `dcalab examine` on a study with folds and several markets, and on a revision of it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { loadCandles } from '../../src/candles/folder/folder.ts'
import { NO_SYMBOL_RULES } from '../../src/engine/conventions.ts'
import { enumerateConfigs } from '../../src/workbench/study/grid.ts'
import { parseStudy } from '../../src/workbench/study/parse.ts'
import { type ExaminedJson, unexplained } from '../support/examined.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { plainWalkForward } from '../workbench/examine/plain-walk-forward.ts'

const { takeProfit, ...base } = STUDY_BASE
const MARKETS = ['T', 'U'].map((baseAsset) => ({ exchange: 'synthetic', baseAsset, quoteAsset: 'USDT' }))
const FIRST = 'synthetic/T-USDT'
const SECOND = 'synthetic/U-USDT'
const study = {
  name: 'folded',
  markets: MARKETS,
  period: { from: '2024-01-02', to: '2024-08-09' },
  interval: '1h',
  validate: { walkForward: { train: '60d', test: '40d' } },
  base,
  grid: { dcaPriceScalePercent: [0.8, 1.5], takeProfit: [0.6, takeProfit, 2] },
  objective: { maximize: 'netProfit', across: { markets: 'worst' } },
}

const folder = temporaryFolder()
let dcalab: Program
const json = async (...args: readonly string[]) => {
  const { code, out } = await dcalab([...args, '--json'])
  expect(code).toBe(0)
  return JSON.parse(out)
}

const file = join(folder, 'study.json')
let both: readonly ExaminedJson[]
beforeAll(async () => {
  dcalab = program(folder, { XDG_STATE_HOME: folder })
  for (const [seed, market] of [FIRST, SECOND].entries()) {
    const made = ['--market', market, '--interval', '1h', '--from', '2024-01-01', '--days', '222', '--volatility', '60']
    await json('candles', 'generate', ...made, '--seed', String(seed + 1))
  }
  writeFileSync(file, JSON.stringify(study))
  await json('run', file)
  both = await json('examine', 'folded')
})

it('several markets are an array, one for each in the order of the study; --market asks for one', async () => {
  expect(both.map(({ market }) => market)).toEqual([FIRST, SECOND])
  const [first, second] = both
  expect(first.trial).not.toBe(second.trial)
  expect(first.candlesHash).not.toBe(second.candlesHash)
  expect(both.flatMap(unexplained)).toEqual([])
  const one = await json('examine', 'folded', '--market', SECOND)
  expect({ ...one, examinedAt: '' }).toEqual({ ...second, examinedAt: '' })
  const { out } = await dcalab(['examine', 'folded', '--all'])
  expect(out.match(/^[0-9a-f]{8} of folded on .*$/gm)).toHaveLength(2)
  expect(await dcalab(['examine', 'folded', '--market', 'synthetic/X-USDT'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('folded is not tried on "synthetic/X-USDT"'),
  })
})

it('walk-forward is that of plain backtests on each market, its folds added and not compounded', () => {
  const parsed = parseStudy(JSON.stringify(study), { file })
  const configs = [...enumerateConfigs(parsed)].map(({ config }) => config)
  for (const [at, { market, checks }] of both.entries()) {
    const { candles } = loadCandles(join(folder, 'candles'), { market, ...parsed.period, interval: '1h' })
    const onOne = { ...parsed, markets: [parsed.markets[at]] }
    const plain = plainWalkForward(onOne, [{ candles, symbol: NO_SYMBOL_RULES }], configs)
    const said = checks.walkForward
    expect(plain).toHaveLength(4)
    expect(said).toMatchObject({ configs: configs.length })
    plain.forEach(({ train, test, chosen }, fold) => {
      const iso = ([from, to]: readonly [number, number]) => ({
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
      })
      expect(said?.folds[fold]).toMatchObject({
        train: iso(train),
        test: iso(test),
        chosen: chosen?.fingerprint,
        why: null,
        netProfit: expect.closeTo(chosen?.testNetProfit ?? Number.NaN, 8),
        percentile: expect.closeTo(chosen?.percentile ?? Number.NaN, 8),
      })
    })
    const profits = plain.map(({ chosen }) => chosen?.testNetProfit ?? Number.NaN)
    expect(said?.profit).toBeCloseTo(
      profits.reduce((sum, profit) => sum + profit, 0),
      8,
    )
    expect(said?.worstFold).toBe(1 + profits.indexOf(Math.min(...profits)))
  }
})

it('with 200 days and more the vetoes are numbers, and speak only against', () => {
  for (const said of both) {
    const { overfitting, tried } = said.checks
    expect(overfitting?.dailyReturns).toBe(220)
    for (const probability of [overfitting?.psr, overfitting?.dsr, overfitting?.pbo]) {
      expect(probability).toBeGreaterThanOrEqual(0)
      expect(probability).toBeLessThanOrEqual(1)
    }
    expect(overfitting?.dsr).toBeLessThan(overfitting?.psr ?? 0)
    expect([overfitting?.dsrOf?.tried, tried?.total]).toEqual([6, 6])
  }
})

it('a revision is compared with its own configurations', async () => {
  const wider = { ...study, grid: { ...study.grid, dcaPriceScalePercent: [0.8, 1.5, 2.5] } }
  writeFileSync(file, JSON.stringify(wider))
  await json('run', file)
  const now: readonly ExaminedJson[] = await json('examine', 'folded')
  const before: readonly ExaminedJson[] = await json('examine', 'folded@1')
  expect(now.map(({ checks }) => checks.ambiguity?.of)).toEqual([9, 9])
  expect(before.map(({ checks }) => checks.ambiguity?.of)).toEqual([6, 6])
  expect(before.map(({ checks }) => checks.walkForward)).toEqual(both.map(({ checks }) => checks.walkForward))
})
