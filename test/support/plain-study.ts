import { CONVENTION_PRESETS, DEFAULT_COSTS } from '../../src/engine/conventions.ts'
import type { Study } from '../../src/workbench/study/study.ts'

/** A study that asks for nothing in particular. Tests name what matters to them; a new field of a study needs its value here alone. */
export function plainStudy(changes: Partial<Study>): Study {
  return {
    name: 'ladder',
    fingerprint: 'f'.repeat(64),
    markets: [{ exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' }],
    period: { from: 0, to: 1 },
    holdout: null,
    walkForward: null,
    interval: null,
    costs: DEFAULT_COSTS,
    conventions: CONVENTION_PRESETS.default,
    base: {},
    axes: [],
    where: [],
    search: { method: 'grid' },
    objective: { direction: 'maximize', metric: 'netProfit', where: [] },
    source: '',
    ...changes,
  }
}
