/** The command on a synthetic market, with real threads: what does not need recorded candles. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ScreenReport } from '../../../src/workbench/store/screen-record.ts'
import { type Desk, ended, program } from '../../support/dcalab.ts'
import { deskInProcess } from '../../support/program.ts'

const study = {
  name: 'small',
  market: { exchange: 'synthetic', baseAsset: 'T', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-04' },
  base: { investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 20, dcaPriceStepMultiplier: 1.2 },
  grid: {
    dcaPriceScalePercent: { from: 0.2, to: 2, count: 10 },
    takeProfit: { from: 0.2, to: 2, count: 10 },
    dcaMaxSafetyOrders: [0, 1, 2, 4, 8],
    dcaVolumeScale: [1, 1.3],
    stopLoss: [0, 3, 6],
  },
  objective: { maximize: 'calmar', where: { closedDeals: { min: 1 } } },
}

let at: Desk
beforeAll(async () => {
  at = deskInProcess()
  await at.dcalab(['candles', 'generate', '--market', 'synthetic/T-USDT', '--from', '2024-01-01', '--days', '3'])
})

async function screen(changes: object, ...flags: string[]) {
  writeFileSync(join(at.folder, 'study.yaml'), JSON.stringify({ ...study, ...changes }))
  return at.dcalab(['screen', 'study.yaml', '--json', ...flags])
}

describe('dcalab screen', () => {
  it('prints one document of the agreed shape, the same for one thread and for three', async () => {
    const objective = { maximize: 'netProfit', where: { maxDrawdownPercent: { max: 10 } } }
    const [one, three] = [
      await screen({ objective }, '--workers', '1', '--top', '5'),
      await screen({ objective }, '--workers', '3', '--top', '5'),
    ]
    expect([one.code, three.code]).toEqual([0, 0])
    const report: ScreenReport = JSON.parse(one.stdout)
    expect(Object.keys(report)).toEqual(
      'study metric configs distinct candles workers elapsedMs complete configYearsPerMinute top folded comparedOnly'.split(
        ' ',
      ),
    )
    expect(report).toMatchObject({ study: 'small', configs: 3000, workers: 1, complete: true })
    expect(report.distinct).toBeLessThan(3000)
    expect(Object.keys(report.top[0])).toEqual(['rank', 'fingerprint', 'config', 'metrics', 'behaviourHash'])
    const other: ScreenReport = JSON.parse(three.stdout)
    expect({ ...other, workers: 1, elapsedMs: 0, configYearsPerMinute: 0 }).toEqual({
      ...report,
      elapsedMs: 0,
      configYearsPerMinute: 0,
    })
  })

  it('finds what a service computed to be the same behaviour, under its name in every view', async () => {
    await at.dcalab('candles symbols --market synthetic/T-USDT --tick 0.01 --lot 0.00001 --min-notional 15'.split(' '))
    const asked = { dcaMaxSafetyOrders: [2, 8], takeProfit: [0.4, 1], stopLoss: [0, 60] }
    const base = { ...study.base, dcaPriceScalePercent: 0.5, dcaVolumeScale: 0.8 }
    const few = { base, grid: asked, objective: { maximize: 'netProfit' } }
    expect((await screen(few, '--save')).code).toBe(0)
    expect((await at.dcalab(['run', 'study.yaml'])).code).toBe(0)
    const { stdout } = await at.dcalab([
      'sql',
      `select count(*) as trials, count(r.behaviour_hash) as named, count(distinct r.behaviour_hash) as behaviours,
        count(t.rank) as shown, sum(r.behaviour_hash = t.behaviour_hash) as agreeing, sum(r.unplaced_orders > 0) as cut,
        (select folded_configs from screen) as folded from results r left join screen_result t
        using (fingerprint)`,
      '--json',
    ])
    // Of 16 and 12.8 quote the first is placed. So ladders of two and of eight do the same, and no price touches the stop.
    expect(JSON.parse(stdout)).toEqual([
      { trials: 8, named: 8, behaviours: 2, shown: 2, agreeing: 2, cut: 8, folded: 6 },
    ])
  })

  it('with --nice has the lowest priority of the machine, and the same result', async () => {
    const { dcaMaxSafetyOrders, ...grid } = study.grid
    const small = { base: { ...study.base, dcaMaxSafetyOrders: 2 }, grid, objective: { maximize: 'netProfit' } }
    const usual: ScreenReport = JSON.parse((await screen(small)).stdout)
    const tell = join(at.folder, 'tell.cjs')
    writeFileSync(tell, "process.on('exit', () => process.stderr.write('nice ' + require('node:os').getPriority()))")
    const run = (flags: readonly string[]) =>
      ended(at.startNode(['--require', tell, program, 'screen', 'study.yaml', '--json', ...flags]))
    const [nice, plain] = [await run(['--nice']), await run([])]
    expect(nice.stderr).toContain('nice 19')
    expect(plain.stderr).not.toContain('nice 19')
    expect(JSON.parse(nice.stdout).top).toEqual(usual.top)
  })

  it('says so when no configuration can be ranked', async () => {
    const { code, stdout } = await screen({}) // calmar needs 30 days
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ complete: true, top: [] })
    const shown = await at.dcalab(['screen', 'study.yaml'])
    expect(shown.stdout).toContain('no configuration is within the limits')
  })

  it.each([
    ['candles that are not there', ['candlesMissing'], { period: { from: '2023-01-01', to: '2024-01-04' } }, []],
    ['a top of nothing', ['usage', '--top'], {}, ['--top', '0']],
    ['no worker', ['usage', '--workers'], {}, ['--workers', '0']],
    [
      'more than ten million points',
      ['studyInvalid'],
      { grid: { takeProfit: { from: 1, to: 2, count: 10_000_001 } } },
      [],
    ],
  ])('refuses %s', async (_, words, changes, flags) => {
    const { code, stderr } = await screen(changes, ...flags)
    expect(code).toBe(2)
    for (const word of words) expect(stderr).toContain(word)
  })
})
