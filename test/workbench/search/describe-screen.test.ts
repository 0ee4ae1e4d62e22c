import { expect, it } from 'vitest'
import type { Market } from '../../../src/contract/market.ts'
import type { Objective } from '../../../src/workbench/study/study.ts'
import { falling, netProfit, profit, setup, task } from './screening.ts'
import { answered, MARKETS, play } from './scripted.ts'

it('says at every step what is known, in whole sentences', async () => {
  const service = (number: number) => profit(95 - number + 5 * Math.sin(number))
  const { search, service: answers } = setup({ twin: falling, service, probes: [70, 71] })
  const { steps, history } = await play(search, answers)
  expect(steps.map(({ before }) => search.describe(before).lines.length)).toEqual([2, 2, 2, 2, 5, 6])
  expect(search.describe(history).lines).toMatchInlineSnapshot(`
    [
      "the service agrees with the twin: the median netProfit of the first chosen is 91.62, of the samples 46.53; 94.12 % of 17 profits have the same sign",
      "the best of two batches is in the first, so that the rest is not sent: 12 units kept (12 configurations)",
      "best confirmed: 51215988 with netProfit 98.21; behind it 97.55, 95, 92.71, 91.95",
      "8 samples and 20 of the twin’s best were tried: 28 of 40 configurations paid",
      "rank correlation of twin and service over the samples: Spearman 1 (no interval: the order is the same, 8 pairs)",
      "the twin computed under the conventions and costs that 2 probes found",
    ]
  `)
})

it('says nothing before the first probe has answered, and then what is looked for', async () => {
  const { search, service } = setup({ twin: falling, service: falling, probes: [70, 71] })
  expect(search.describe([]).lines).toEqual([])
  const advice = await search.propose([])
  if (advice.kind === 'end') throw new Error('no probe was proposed')
  const told = advice.proposals.map((proposal) => answered(proposal, 1, service))
  expect(search.describe(told).lines).toEqual(['1 probe answered: looking for the conventions of the service'])
})

it('says of a search that distrusts its screen what did not hold, and what to do', async () => {
  const objective: Objective = { ...netProfit, where: [{ metric: 'maxDrawdownPercent', bounds: { max: 20 } }] }
  const given = task({ objective, markets: MARKETS.slice(0, 2) })
  const service = (number: number, market: Market) =>
    market === MARKETS[0] ? { netProfit: number - 100, maxDrawdownPercent: 25 } : null
  const { search, service: answers } = setup({ twin: falling, service }, given)
  const { history } = await play(search, answers)
  expect(search.describe(history).lines).toMatchInlineSnapshot(`
    [
      "the service does not agree with the twin: the median netProfit of the first chosen is unknown, of the samples unknown; 0 % of 34 profits have the same sign; 0 % of the trials meet the bounds in both or in neither; \`dcalab service calibrate\` looks for its conventions, and \`run --anyway\` goes on",
      "stopped before the rest of the best: 46 units kept (23 configurations)",
      "none of the chosen is inside the bounds with a value on every market",
      "8 samples and 10 of the twin’s best were tried: 17 of 40 configurations paid",
      "rank correlation of twin and service over the samples: none, fewer than 4 pairs: 0",
      "the twin computed under the study’s own conventions and costs, which the service was not asked about",
    ]
  `)
})

it('says over which markets a value is, and when nothing is clear enough to compare', async () => {
  const given = task({ markets: MARKETS.slice(0, 2), objective: { ...netProfit, across: 'worst' }, anyway: true })
  const { search, service } = setup({ twin: () => profit(1), service: falling }, given)
  const { history } = await play(search, service)
  expect(search.describe(history).lines).toMatchInlineSnapshot(`
    [
      "the service does not agree with the twin: no profit of the twin is more than 0.2 % of the investment, so that no sign can be compared; it goes on anyway",
      "the best of two batches is in the first, so that the rest is not sent: 28 units kept (14 configurations)",
      "best confirmed: 09819f38 with netProfit 100 (worst of binance/BTC-USDT, binance/ETH-USDT); behind it 99, 98, 97, 96",
      "8 samples and 20 of the twin’s best were tried: 26 of 40 configurations paid",
      "rank correlation of twin and service over the samples: none, one side has only equal values",
      "the twin computed under the study’s own conventions and costs, which the service was not asked about",
    ]
  `)
})
