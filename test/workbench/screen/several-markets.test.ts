/** The command on several markets, with real threads: what it prints, keeps and says of markets without candles. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ScreenReportAcross } from '../../../src/workbench/store/screen-record.ts'
import { configFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import type { Desk } from '../../support/dcalab.ts'
import { deskInProcess } from '../../support/program.ts'

const marketOf = (baseAsset: string) => ({ exchange: 'synthetic', baseAsset, quoteAsset: 'USDT' })

const study = {
  name: 'several',
  markets: [marketOf('T'), marketOf('U'), marketOf('NONE')],
  period: { from: '2024-01-01', to: '2024-01-05' },
  validate: { holdout: '1d' },
  base: {
    investment: 1000,
    dcaTotalBudget: 1000,
    dcaInitialOrderSize: 20,
    dcaPriceStepMultiplier: 1.2,
    dcaVolumeScale: 1.3,
  },
  grid: {
    dcaPriceScalePercent: { from: 0.2, to: 2, count: 10 },
    takeProfit: { from: 0.2, to: 2, count: 10 },
    dcaMaxSafetyOrders: [0, 1, 4],
    stopLoss: [0, 3],
  },
  objective: { maximize: 'netProfit', across: { markets: 'worst' } },
}
const both = { markets: study.markets.slice(0, 2) }

let at: Desk
beforeAll(async () => {
  at = deskInProcess()
  for (const [market, seed] of [
    ['T', '1'],
    ['U', '2'],
  ]) {
    const made = ['candles', 'generate', '--market', `synthetic/${market}-USDT`, '--seed', seed]
    expect((await at.dcalab([...made, '--from', '2024-01-01', '--days', '3'])).code).toBe(0)
  }
})

async function screen(changes: object, ...flags: string[]) {
  writeFileSync(join(at.folder, 'study.yaml'), JSON.stringify({ ...study, ...changes }))
  return at.dcalab(['screen', 'study.yaml', '--top', '5', ...flags])
}

describe('dcalab screen of several markets', () => {
  it('prints one document of the agreed shape, the same for one thread and for three', async () => {
    const [one, three] = [
      await screen(both, '--json', '--workers', '1'),
      await screen(both, '--json', '--workers', '3'),
    ]
    expect([one.code, three.code]).toEqual([0, 0])
    const report: ScreenReportAcross = JSON.parse(one.stdout)
    expect(Object.keys(report)).toEqual(
      'study metric configs distinct markets partial missing across workers elapsedMs complete configYearsPerMinute top folded comparedOnly'.split(
        ' ',
      ),
    )
    expect(report).toMatchObject({ configs: 600, across: 'worst', partial: false, missing: [], complete: true })
    expect(report.markets.map(({ candles }) => [candles.market, candles.count])).toEqual([
      ['synthetic/T-USDT', 4320], // three days: the fourth is held out, and has no candles either
      ['synthetic/U-USDT', 4320],
    ])
    expect(report.distinct).toBe(report.markets.reduce((sum, { distinct }) => sum + distinct, 0))
    const [first] = report.top
    expect(Object.keys(first)).toEqual(['rank', 'fingerprint', 'config', 'value', 'behaviourHash', 'markets'])
    for (const { fingerprint, config, value, markets } of report.top) {
      expect(fingerprint).toBe(configFingerprint(config))
      expect(value).toBe(Math.min(...markets.map(({ metrics }) => metrics.netProfit)))
    }
    const other: ScreenReportAcross = JSON.parse(three.stdout)
    expect([other.top, other.folded, other.markets]).toEqual([report.top, report.folded, report.markets])
  })

  it('goes on without a market that has no candles, and says so in every form', async () => {
    const { code, stdout, stderr } = await screen({}, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ partial: true, missing: ['synthetic/NONE-USDT'], complete: true })
    expect(stderr).toContain('note: synthetic/NONE-USDT is left out: no candles of synthetic/NONE-USDT')
    const shown = await screen({})
    expect(shown.stdout).toContain('Net profit: the worst of 2 markets; partial, without synthetic/NONE-USDT')
    expect(shown.stdout).toContain('held out, not screened: 2024-01-04T00:00:00Z to 2024-01-05T00:00:00Z')
    expect(shown.stdout.replaceAll(/\s+/g, ' ')).toMatch(/ # id worst .* T-USDT U-USDT /)
  })

  it('saves a screen for each market, whose trials have the names that a run gives them, and counts a look at each', async () => {
    const saved = await screen(both, '--json', '--save')
    const report: ScreenReportAcross = JSON.parse(saved.stdout)
    const ask = async (sql: string) => JSON.parse((await at.dcalab(['sql', sql, '--json'])).stdout)
    expect(
      await ask(
        'select s.market, r.rank, r.fingerprint, r.net_profit from screen_result r join screen s on s.id = r.screen_id order by s.id, r.rank',
      ),
    ).toEqual(
      report.markets.flatMap(({ candles: { market } }, place) =>
        report.top.map(({ rank, markets }) => {
          const { fingerprint, metrics } = markets[place]
          return { market, rank, fingerprint, net_profit: metrics.netProfit }
        }),
      ),
    )
    expect(
      await ask(
        'select distinct_configs, (select count(distinct saved_at) from screen) as times from screen order by id',
      ),
    ).toEqual(report.markets.map(({ distinct }) => ({ distinct_configs: distinct, times: 1 })))
    const looks = await at.dcalab([
      'sql',
      "select market, configs from tried where source = 'screen' order by 1",
      '--json',
    ])
    expect(JSON.parse(looks.stdout)).toEqual(
      report.markets.map(({ candles: { market }, distinct }) => ({ market, configs: distinct })),
    )
  })

  it.each([
    [
      'none of them has candles',
      ['candlesMissing', 'synthetic/NONE-USDT', 'synthetic/NO-USDT'],
      { markets: [marketOf('NONE'), marketOf('NO')] },
    ],
    [
      'an axis without levels',
      ['studyInvalid', 'grid.takeProfit'],
      {
        grid: { takeProfit: { from: 1, to: 2 } },
        base: { ...study.base, dcaMaxSafetyOrders: 0, dcaPriceScalePercent: 1 },
        search: { method: 'random' },
      },
    ],
  ])('refuses when %s', async (_, words, changes) => {
    const { code, stderr } = await screen(changes, '--json')
    expect(code).toBe(2)
    for (const word of words) expect(stderr).toContain(word)
  })
})
