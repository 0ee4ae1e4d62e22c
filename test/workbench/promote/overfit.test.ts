/** H53: the plan of a winner says how many were tried, on which days, and whether the next best is as good; `--yes` alone accepts that. */
import { describe, expect, it } from 'vitest'
import { sampleOf } from '../../../src/contract/sample-size.ts'
import { planPromotion } from '../../../src/workbench/bots/promote/plan.ts'
import { OWNER, STUDY, type WorldOptions, worldForEachTest } from './world.ts'

const setup = worldForEachTest()

async function doubtsOf(metrics: WorldOptions['metrics'], n?: number) {
  const lab = await setup(metrics === undefined ? {} : { metrics })
  const { doubts } = planPromotion(lab.store, { target: n === undefined ? STUDY : lab.trials[n], userEmail: OWNER })
  return new Map(doubts.map(({ code, message }) => [code, message]))
}

/** As good as a backtest can look. */
const splendid: WorldOptions['metrics'] = (metrics, i) => ({
  ...metrics,
  netProfit: i === 0 ? 9_000 : 100 - i,
  ...sampleOf(900),
  closedDeals: 900,
  unrealizedProfit: 3,
  ambiguousCandles: 0,
})

/** Their equity goes up and down on other days, by more than they are apart at the end. */
const restless: WorldOptions['metrics'] = (metrics, i) => ({
  ...metrics,
  dailyEquity: Array.from({ length: 30 }, (_, day) => ({
    date: new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10),
    equity: 1000 + 50 * ((day + i) % 2),
  })),
})

describe('a plan', () => {
  it('says how many trials were looked at and on which days, however good the winner looks', async () => {
    const doubts = await doubtsOf(splendid)
    expect(doubts.get('manyLooks')).toContain('one of 6 tried')
    expect(doubts.get('noHoldout')).toMatch(/same \d+(\.\d+)? days \(\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\)/)
  })

  it('says when the next best is as good as chance tells them apart, and only then', async () => {
    expect([...(await doubtsOf(restless)).keys()]).toContain('withinNoise')
    expect([...(await doubtsOf(splendid)).keys()]).not.toContain('withinNoise')
  })

  it('says where a chosen trial stands when others rank above it', async () => {
    expect((await doubtsOf(splendid, 3)).get('notBest')).toContain('3 trials')
  })

  it('names few deals, losses, open losses and an empty account', async () => {
    const doubts = await doubtsOf(
      (metrics) => ({
        ...metrics,
        netProfit: -1,
        ...sampleOf(3),
        closedDeals: 3,
        unrealizedProfit: -50,
        outOfCash: true,
      }),
      0,
    )
    for (const code of ['noProfit', 'fewDeals', 'openLoss', 'outOfCash']) expect([...doubts.keys()]).toContain(code)
    expect(doubts.get('fewDeals')).toContain('3 closed deals (sample size under 107)')
  })
})
