/** A study on several markets has one best configuration, and a bot trades on one market: which one is said, never guessed. */
import { expect, it } from 'vitest'
import { choosePromoted, planPromotion } from '../../../src/workbench/bots/promote/plan.ts'
import { idOfTrial } from '../../../src/workbench/store/find-trial.ts'
import { storeSeveralMarkets } from '../store/several-markets.ts'

const userEmail = 'researcher@localhost'
const made = { BTC: [9, 3, 4], ETH: [-8, 3, 2], SOL: [-1, 2, 9] } // medians: -1, 3, 4

it('is refused without its market', async () => {
  const { store, trials } = await storeSeveralMarkets({ made })
  const best = idOfTrial(store, trials[6].fingerprint)
  expect(() => planPromotion(store, { target: 'several', userEmail })).toThrow(
    expect.objectContaining({
      code: 'usage',
      problems: [
        { place: '--market binance/BTC-USDT', message: `its best is ${best}, net profit 40` },
        { place: '--market binance/ETH-USDT', message: `its best is ${best}, net profit 20` },
        { place: '--market binance/SOL-USDT', message: `its best is ${best}, net profit 90` },
      ],
      hint: 'add --market',
    }),
  )
  expect(() => planPromotion(store, { target: 'several', userEmail, market: 'binance/XRP-USDT' })).toThrow(
    /not tried on/,
  )
})

it('means the best over all markets, on the one that is named', async () => {
  const { store, trials } = await storeSeveralMarkets({ made })
  const plan = planPromotion(store, { target: 'several', userEmail, market: 'binance/ETH-USDT' })
  const id = idOfTrial(store, trials[7].fingerprint)
  expect(planPromotion(store, { target: `${id}@ETH-USDT`, userEmail })).toMatchObject({ trial: plan.trial })
  expect(() => planPromotion(store, { target: id, userEmail })).toThrow(`${id} was tried 3 times`)
  expect(plan).toMatchObject({
    botName: `dcalab-several-ETH-USDT-${id}`,
    trial: trials[7].fingerprint,
    market: 'binance/ETH-USDT',
    netProfit: 20,
  })
  const rankOf = (trial: number) => choosePromoted(store, { target: trials[trial].fingerprint }).standing?.rank
  expect([rankOf(7), rankOf(3)]).toEqual([1, 2]) // two trials made more on this market
  expect(() => planPromotion(store, { target: trials[3].fingerprint, userEmail, market: 'binance/ETH-USDT' })).toThrow(
    /[0-9a-f]{64} was not tried on binance\/ETH-USDT/,
  )
})

it('a configuration that failed on one market is not the best, and its trials have no rank', async () => {
  const { store, trials } = await storeSeveralMarkets({ made: { ...made, SOL: [-1, 2, null] } })
  const market = 'binance/BTC-USDT'
  expect(planPromotion(store, { target: 'several', userEmail, market }).trial).toBe(trials[3].fingerprint)
  expect(choosePromoted(store, { target: trials[6].fingerprint }).standing).toMatchObject({
    rank: null,
    isSample: false,
  })
})

it('of a screen what it chose is the best; a sample that made more only compares', async () => {
  const { store, trials } = await storeSeveralMarkets({
    made: { BTC: [9, 3, 4] },
    roles: ['sample', 'chosen', 'chosen'],
  })
  expect(planPromotion(store, { target: 'several', userEmail }).trial).toBe(trials[2].fingerprint)
  expect(choosePromoted(store, { target: trials[0].fingerprint }).standing).toMatchObject({
    rank: null,
    isSample: true,
  })
})
