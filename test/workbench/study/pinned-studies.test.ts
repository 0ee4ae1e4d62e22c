/** Fingerprints of studies that stores hold under these names: computed before the program could say which field it hashes. One has changed since: of bounds on `safetyOrders`, which were `rungs`. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseStudy } from '../../../src/workbench/study/parse.ts'
import { starterStudy } from '../../../src/workbench/study/starter.ts'

const folder = new URL('../../../studies/', import.meta.url)

const EXAMPLES = {
  'btc-may-2021': '8b4730bc3b115cc15d0d6ed0b9e58aa9b89e596bd700bf853d657eb8191c1a67',
  demo: '794fc1b26ca20fdaea0a2a069d158997f32eed1cb43af6258599992ad317fbf1',
  'screen-btc-may-2021': 'dd64fc8131be647dff8a8d803881e3d272bb257a8984816a00d9b651294a4da0',
}

/** One study by hand for each part of a study that another one leaves out. */
const HEAD =
  'market: { exchange: binance, baseAsset: BTC, quoteAsset: USDT }\nperiod: { from: 2021-04-21, to: 2021-05-19 }'
const BASE =
  'base: { investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 25, dcaMaxSafetyOrders: 4, dcaPriceScalePercent: 1, dcaVolumeScale: 1.2, dcaPriceStepMultiplier: 1.1 }'
const GRID = 'grid: { takeProfit: [1, 2] }'
/** What a study ranked by that named no objective, when these were pinned. */
const PROFIT = 'objective: { maximize: netProfit }'

const BY_HAND: readonly (readonly [what: string, parts: readonly string[], fingerprint: string])[] = [
  [
    'only what every study says',
    [HEAD, BASE, GRID],
    'aca409036f812b3cac73ae36fa148cfdc7bb207496c48053e525019d548a5917',
  ],
  [
    'the search that was always there, written out',
    [HEAD, BASE, GRID, 'search: { method: grid }'],
    'aca409036f812b3cac73ae36fa148cfdc7bb207496c48053e525019d548a5917',
  ],
  [
    'an interval',
    [HEAD, BASE, GRID, 'interval: 5m'],
    '14527f8ca0d621ea96d588b40b945686b9841920dd9ae72b0cf6c308c9778f30',
  ],
  [
    'costs of its own',
    [HEAD, BASE, GRID, 'costs: { feePercent: 0.075, slippagePercent: 0.05 }'],
    '64d7b96de6941462f8dfb6183ce7b195cc759e7c969e8115984cdb204c2afc8c',
  ],
  [
    'a preset of conventions',
    [HEAD, BASE, GRID, 'conventions: { preset: three-commas, safetyOrderSize: 15 }'],
    '4db1558528a3c60cbd6b3706326f12273e1d4bd7a0ccf5c22cdd6574346d065d',
  ],
  [
    'every convention changed',
    [
      HEAD,
      BASE,
      GRID,
      'conventions: { safetyOrderSizing: first-equals-base, spacing: from-previous, takeProfitBasis: net, basePrice: fill-with-fee, stopLossBasis: average, afterStopLoss: stop, lotRounding: up, intrabar: candle-colour }',
    ],
    '10685bdde76aaa16f195d29aaf1b17c87c4cfa188e6abb59006712b4ed224286',
  ],
  [
    'bounds on the ladder',
    [HEAD, BASE, GRID, 'where: { ladderCost: { max: 1000 }, safetyOrders: { min: 2, max: 6 } }'],
    'a5f6ca39c6c5611a8f244404a35b6a55db245388a3071945b2f41cfea60dbc1a',
  ],
  [
    'a metric to make small',
    [HEAD, BASE, GRID, 'objective: { minimize: maxDrawdownPercent }'],
    '685c9fb3b6839c64d280bacd924bc8aa1c19edb0c53441e3b5f8c7ae87e98a3f',
  ],
  [
    'a bounded objective',
    [HEAD, BASE, GRID, 'objective: { maximize: calmar, where: { closedDeals: { min: 30 }, netProfit: { min: 0 } } }'],
    'f7fde5a9045e7c68b56cf439ec9d28b06370468b4a4ee3bbda31c6666ef025c8',
  ],
  [
    'a hold-out, an embargo before it',
    [HEAD, BASE, GRID, 'validate: { holdout: 25%, embargo: 2d }'],
    'd51a8a4fb54881bbd338aa2986f84854fd30366c7cad617545bc2cdf912116c7',
  ],
  [
    'the worst market deciding',
    [HEAD, BASE, GRID, 'objective: { maximize: calmar, across: { markets: worst } }'],
    '9e1ab6b75974486275e075134e8e1d426aa69166264f2bed5f0075f8c3edb54f',
  ],
  [
    'the way across folds that is usual, written out',
    [HEAD, BASE, GRID, 'objective: { maximize: netProfit, folds: mean }'],
    'aca409036f812b3cac73ae36fa148cfdc7bb207496c48053e525019d548a5917',
  ],
  [
    'ranges of every kind',
    [
      HEAD,
      'base: { investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 25, dcaMaxSafetyOrders: 4, dcaPriceStepMultiplier: 1.1 }',
      'grid: { stopLoss: [20, 0], dcaPriceScalePercent: { from: 0.5, to: 1.5, step: 0.25 }, dcaVolumeScale: { from: 1, to: 2, count: 3 }, takeProfit: { from: 0.5, to: 2, count: 3, scale: log } }',
    ],
    '78502f0502a0813268420416e98b96cc001ba0829f289d9620aaea99e9bb2815',
  ],
]

describe('the fingerprint of a study stays what it was', () => {
  it.each(Object.entries(EXAMPLES))('of the example %s', (name, fingerprint) => {
    const file = `${name}.yaml`
    expect(parseStudy(readFileSync(new URL(file, folder), 'utf8'), { file }).fingerprint).toBe(fingerprint)
  })

  it('of the starter file', () => {
    expect(parseStudy(starterStudy('mine'), { file: 'mine.yaml' }).fingerprint).toBe(
      '21f0c8ee2b8379f1ceabfc2117a8664f28b2c83185e706ee03aa15ce646b8b6a',
    )
  })

  it.each(BY_HAND)('of a study with %s', (_, parts, fingerprint) => {
    const all = parts.some((part) => part.startsWith('objective')) ? parts : [...parts, PROFIT]
    expect(parseStudy(`name: pinned\n${all.join('\n')}\n`, { file: 'pinned.yaml' }).fingerprint).toBe(fingerprint)
  })
})
