/** What the views of results say of a real run: the ranking that the program names, fees that the engine charged, days and months that add up. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { selectObjects } from '../support/run-select.ts'
import { STUDY_BASE } from '../support/study-base.ts'

const { takeProfit, stopLoss, ...base } = STUDY_BASE
const question = {
  market: { exchange: 'synthetic', baseAsset: 'V', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-02-10' },
  interval: '1h',
  base: { ...base, dcaPriceScalePercent: 1 },
  objective: { maximize: 'netProfit' },
  grid: { takeProfit: [0.5, 1, 2, 4], stopLoss: [0, 3] },
}

/** All of one grid, so that the second and later ones cost nothing. */
const OBJECTIVES: Readonly<Record<string, object>> = {
  profit: { maximize: 'netProfit' },
  drawdown: { minimize: 'maxDrawdownPercent' },
  'ties-below': { minimize: 'stopLosses' },
  'ties-above': { maximize: 'openDeal' },
  bounded: { maximize: 'netProfit', where: { stopLosses: { max: 0 }, closedDeals: { min: 1 } } },
  'bounded-by-the-undefined': { maximize: 'closedDeals', where: { profitFactor: { min: 0 } } },
  undefined: { minimize: 'profitFactor' },
  'nothing-inside': { maximize: 'netProfit', where: { closedDeals: { min: 1_000_000 } } },
  'group-of-metrics': { minimize: 'dealDuration.max', where: { 'usedCapital.max': { max: 900 } } },
}

let dcalab: Program
let best: Readonly<Record<string, { trial: string } | null>>
let folder: string
beforeAll(async () => {
  folder = temporaryFolder()
  dcalab = program(folder, { XDG_STATE_HOME: folder })
  await answer(
    'candles',
    'generate',
    '--market',
    'synthetic/V-USDT',
    '--from',
    '2024-01-01',
    '--days',
    '40',
    '--interval',
    '1h',
  )
  const found: [string, { trial: string } | null][] = []
  for (const [name, objective] of Object.entries(OBJECTIVES)) {
    const file = join(folder, `${name}.json`)
    writeFileSync(file, JSON.stringify({ name, ...question, objective }))
    found.push([name, JSON.parse(await answer('run', file, '--json')).best])
  }
  best = Object.fromEntries(found)
})

async function answer(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await dcalab(args)
  expect(code, `${args.join(' ')}: ${err}`).toBe(0)
  return out
}

const rows = (select: string) => selectObjects(join(folder, 'workbench.sqlite'), select)

describe('rank', () => {
  it.each(Object.keys(OBJECTIVES))(
    '%s: is the order of the leaderboard, and 1 is the best of the run',
    async (study) => {
      const ranked = rows(
        `select rank, fingerprint from answers where study = '${study}' and rank is not null order by 1`,
      )
      const shown: { rank: number; fingerprint: string }[] = JSON.parse(await answer('leaderboard', study, '--json'))
      expect(ranked).toEqual(shown.map(({ rank, fingerprint }) => ({ rank, fingerprint })))
      expect(ranked.at(0)?.fingerprint ?? null).toBe(best[study]?.trial ?? null)
    },
  )

  it('the questions differ: some rank all, some a part, one none, with ties and undefined numbers among them', async () => {
    const counts = rows(
      'select study, count(*) as n, count(rank) as ranked, count(distinct objective) as objectives from answers group by study',
    )
    const of = (study: string) => counts.find((row) => row.study === study)
    expect(of('profit')).toMatchObject({ n: 8, ranked: 8, objectives: 8 })
    expect(of('ties-below').objectives).toBeLessThan(8)
    expect(of('ties-above').objectives).toBeLessThan(8)
    expect(of('bounded').ranked).toBeGreaterThan(0)
    expect(of('bounded').ranked).toBeLessThan(8)
    expect(of('undefined').ranked).toBeLessThan(8)
    expect(of('nothing-inside').ranked).toBe(0)
  })
})

describe('a paid result', () => {
  it('is one row, of the study that paid for it, however many studies use it', async () => {
    const results = rows('select study, revision, simulated, settings, trial, tried from results')
    expect(results).toHaveLength(8)
    for (const row of results) {
      expect(row).toMatchObject({ study: 'profit', revision: 1, simulated: 1, tried: 8 })
      expect(row.settings).toMatch(/^[0-9a-f]{12}$/)
    }
  })

  it('has deals whose fees are those that the engine charged, and whose minutes are those of its durations', async () => {
    const compared = rows(`
      select r.fees_paid, r.deal_duration_average_minutes as average, r.closed_deals,
        sum(d.fees_quote) + coalesce(json_extract(r.open_deal_json, '$.cost') * r.fee_percent / (100 + r.fee_percent), 0) as fees,
        avg(d.minutes) as minutes, count(*) as deals, sum(d.profit_quote) as profit, r.realized_profit
      from results r join deals d on d.identity = r.identity and d.job_id = r.job_id group by r.job_id`)
    expect(compared).toHaveLength(8)
    for (const row of compared) {
      expect(row.fees).toBeCloseTo(row.fees_paid, 9)
      expect(row.minutes).toBeCloseTo(row.average, 9)
      expect(row.profit).toBeCloseTo(row.realized_profit, 9)
      expect(row.deals).toBe(row.closed_deals)
    }
  })

  it('says between which numbers its deals lie, without those that closed on the candle they opened on', async () => {
    const sizes = rows(`select r.sample_size as size, sum(d.closed_at > d.opened_at) as deals
      from results r join deals d on d.job_id = r.job_id group by r.job_id`)
    expect(new Set(sizes.map(({ size }) => size)).size).toBeGreaterThan(1)
    for (const { size, deals } of sizes) {
      const [first, last] = String(size).match(/\d+/g)?.map(Number) ?? []
      const [from, to] = size.startsWith('under') ? [0, first - 1] : [first, last ?? Number.POSITIVE_INFINITY]
      expect(deals).toBeGreaterThanOrEqual(from)
      expect(deals).toBeLessThanOrEqual(to)
    }
  })

  it('has months and days that add up to its net profit', async () => {
    const compared = rows(`
      select r.net_profit, r.investment, r.max_drawdown_percent as deepest,
        (select sum(m.profit_quote) from monthly_returns m where m.fingerprint = r.fingerprint) as by_month,
        (select max(d.drawdown_percent) from equity_daily d where d.fingerprint = r.fingerprint) as deepest_day,
        (select equity_quote from equity_daily d where d.fingerprint = r.fingerprint order by date desc limit 1) as last,
        (select group_concat(return_percent) from equity_daily d where d.fingerprint = r.fingerprint) as returns
      from results r`)
    expect(compared).toHaveLength(8)
    for (const { net_profit, investment, deepest, by_month, deepest_day, last, returns } of compared) {
      expect(by_month).toBeCloseTo(net_profit, 9)
      expect(last - investment).toBeCloseTo(net_profit, 9)
      expect(deepest_day).toBeGreaterThanOrEqual(0)
      expect(deepest_day).toBeLessThanOrEqual(deepest + 1e-9)
      const grown = String(returns)
        .split(',')
        .reduce((equity, percent) => equity * (1 + Number(percent) / 100), investment)
      expect(grown).toBeCloseTo(last, 6)
    }
  })
})
