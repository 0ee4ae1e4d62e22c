import { expect, it } from 'vitest'
import type { Market } from '../../../src/contract/market.ts'
import type { Objective } from '../../../src/workbench/study/study.ts'
import { falling, netProfit, profit, setup, task } from './screening.ts'
import { answered, MARKETS, play } from './scripted.ts'

it('says at every step what is known, in whole sentences', async () => {
  const service = (number: number) => profit(95 - number + 5 * Math.sin(number))
  const { search, service: answers } = setup({ localEngine: falling, service, tests: [70, 71] })
  const { steps, history } = await play(search, answers)
  expect(steps.map(({ before }) => search.describe(before).lines.length)).toEqual([2, 2, 2, 2, 5, 6])
  expect(search.describe(history).lines).toMatchInlineSnapshot(`
    [
      "service and local screen agree: median netProfit: first ones chosen 91.62, controls 46.53; 94.12 % of 17 profits have the same sign",
      "stopped early, the second batch found nothing better: 12 backtests saved (12 configurations)",
      "best confirmed: 51215988 with netProfit 98.21; behind it 97.55, 95, 92.71, 91.95",
      "8 control configurations and 20 of the best of the local screen done: 28 of 40 configurations",
      "rank correlation of screen and service (controls): Spearman 1 (no interval: the order is the same, 8 pairs)",
      "screened under the fees and fill rules that 2 test backtests showed",
    ]
  `)
})

it('says nothing before the first test has answered, and then what is looked for', async () => {
  const { search, service } = setup({ localEngine: falling, service: falling, tests: [70, 71] })
  expect(search.describe([]).lines).toEqual([])
  const advice = await search.propose([])
  if (advice.kind === 'end') throw new Error('no test was proposed')
  const told = advice.proposals.map((proposal) => answered(proposal, 1, service))
  expect(search.describe(told).lines).toEqual(['1 test backtest done: working out the service’s fees and fill rules'])
})

it('says of a search that distrusts its screen what did not hold, and what to do', async () => {
  const objective: Objective = { ...netProfit, where: [{ metric: 'maxDrawdownPercent', bounds: { max: 20 } }] }
  const given = task({ objective, markets: MARKETS.slice(0, 2) })
  const service = (number: number, market: Market) =>
    market === MARKETS[0] ? { netProfit: number - 100, maxDrawdownPercent: 25 } : null
  const { search, service: answers } = setup({ localEngine: falling, service }, given)
  const { history } = await play(search, answers)
  expect(search.describe(history).lines).toMatchInlineSnapshot(`
    [
      "service and local screen disagree: median netProfit: first ones chosen unknown, controls unknown; 0 % of 34 profits have the same sign; 0 % of the trials meet the limits in both or in neither; \`dcalab service calibrate\` works out its fill rules; \`run --anyway\` continues",
      "stopped early: 46 backtests saved (23 configurations)",
      "none of the chosen is within the limits on every market",
      "8 control configurations and 10 of the best of the local screen done: 17 of 40 configurations",
      "rank correlation of screen and service (controls): n/a, fewer than 4 pairs: 0",
      "screened under the study’s fees and fill rules; the service was not calibrated",
    ]
  `)
})

it('says over which markets a value is, and when nothing is clear enough to compare', async () => {
  const given = task({ markets: MARKETS.slice(0, 2), objective: { ...netProfit, across: 'worst' }, anyway: true })
  const { search, service } = setup({ localEngine: () => profit(1), service: falling }, given)
  const { history } = await play(search, service)
  expect(search.describe(history).lines).toMatchInlineSnapshot(`
    [
      "the local screen did not help: no local profit is above 0.2 % of the investment, so signs are not compared; continuing (--anyway)",
      "stopped early, the second batch found nothing better: 28 backtests saved (14 configurations)",
      "best confirmed: 09819f38 with netProfit 100 (worst of binance/BTC-USDT, binance/ETH-USDT); behind it 99, 98, 97, 96",
      "8 control configurations and 20 of the best of the local screen done: 26 of 40 configurations",
      "rank correlation of screen and service (controls): n/a, one side has only equal values",
      "screened under the study’s fees and fill rules; the service was not calibrated",
    ]
  `)
})
