/** Random studies on random candles, and what brute force says of them. */
import { CONFIG_FIELDS, type ConfigField } from '../../../src/contract/bot.ts'
import type { Market } from '../../../src/contract/market.ts'
import { METRIC_NAMES } from '../../../src/contract/metrics.ts'
import type { Candles } from '../../../src/engine/candles.ts'
import type { SymbolRules } from '../../../src/engine/conventions.ts'
import { prepareCandles } from '../../../src/engine/jump/prepared.ts'
import { planChunks } from '../../../src/workbench/screen/chunks.ts'
import type { ScreenedMarket, ScreenSetting } from '../../../src/workbench/screen/messages.ts'
import type { Axis, Objective, Study } from '../../../src/workbench/study/study.ts'
import { type Dice, someInputOf, someSymbolOf, walkCandles } from '../../engine/jump/cases.ts'
import { plainStudy } from '../../support/plain-study.ts'

export interface ScreenCase {
  readonly study: Study
  /** On which each market of the study is backtested. */
  readonly inputs: readonly { readonly candles: Candles; readonly symbol: SymbolRules }[]
  readonly setting: ScreenSetting
}

const MARKETS: readonly Market[] = ['T', 'U', 'V'].map((baseAsset) => ({
  exchange: 'synthetic',
  baseAsset,
  quoteAsset: 'USDT',
}))

/** A study around a random config, in which ladders are cut, fields are idle and many points are one bot. `size`: all axes, whole. */
export function someScreenCase(
  dice: Dice,
  objective: Objective,
  size: 'small' | 'large' = 'small',
  marketCount = 1,
): ScreenCase {
  const candles = walkCandles(dice, dice.whole(50, 500))
  const { config, conventions, costs, symbol } = someInputOf(dice, candles)
  const choices: readonly (readonly [ConfigField, readonly number[]])[] = [
    ['dcaMaxSafetyOrders', [0, 1, 2, 3, 5, 8]],
    ['stopLoss', [0, ...spread(dice, Math.min(40, 2 * config.dcaPriceScalePercent), 3)]],
    ['dcaPriceStepMultiplier', [1, 1.3, 1.6]],
    ['takeProfit', spread(dice, config.takeProfit, 5)],
    ['dcaVolumeScale', [1, 1.5, 2]],
    ['dcaPriceScalePercent', spread(dice, config.dcaPriceScalePercent, 4)],
    ['dcaTotalBudget', spread(dice, config.dcaTotalBudget, 2)],
    ['investment', spread(dice, config.investment, 2)],
  ]
  const axes: Axis[] = []
  let points = 1
  for (const [field, values] of choices.toSorted(() => dice.between(-1, 1))) {
    const kept = values.filter(() => size === 'large' || dice.chance(0.7))
    if (kept.length === 0 || (size === 'small' && points * kept.length > MOST_POINTS)) continue
    axes.push({ field, values: kept })
    points *= kept.length
  }
  const varied = new Set<ConfigField>(axes.map(({ field }) => field))
  const study = plainStudy({
    name: 'random',
    markets: MARKETS.slice(0, marketCount),
    costs,
    conventions,
    base: Object.fromEntries(
      CONFIG_FIELDS.filter((field) => !varied.has(field)).map((field) => [field, config[field]]),
    ),
    axes,
    where: size === 'small' && dice.chance(0.3) ? [{ measure: 'safetyOrders', bounds: { min: 1 } }] : [],
    objective,
  })
  const { order } = planChunks(study, candles.close.length)
  const portions = { order, size: dice.whole(1, 90) }
  const inputs = study.markets.map((_, at) => (at === 0 ? { candles, symbol } : someOtherMarket(dice)))
  const markets = inputs.map((input, at): ScreenedMarket => {
    return { market: study.markets[at], prepared: prepareCandles(input.candles), symbol: input.symbol }
  })
  const setting = { study, chunks: portions, markets }
  return { study, inputs, setting }
}

/** Prices, intervals and lengths of its own. */
function someOtherMarket(dice: Dice): { readonly candles: Candles; readonly symbol: SymbolRules } {
  const candles = walkCandles(dice, dice.whole(50, 500))
  return { candles, symbol: someSymbolOf(dice, candles.open[0]) }
}

const MOST_POINTS = 400

function spread(dice: Dice, around: number, count: number): number[] {
  const values = Array.from({ length: count }, () => around * dice.between(0.4, 1.8))
  return [...new Set(values.map((value) => Math.max(0.1, Math.round(value * 10) / 10)))]
}

export function someObjective(dice: Dice): Objective {
  const metric = dice.chance(0.3) ? 'netProfit' : dice.of(METRIC_NAMES)
  const bounds = [
    { metric: 'closedDeals', bounds: { min: dice.whole(0, 3) } },
    { metric: 'maxDrawdownPercent', bounds: { max: dice.between(0.5, 30) } },
    { metric: 'profitFactor', bounds: { min: dice.between(0.5, 2) } },
    { metric: 'safetyOrdersFilled.average', bounds: { min: 0.1, max: 3 } },
  ] as const
  return {
    direction: dice.chance(0.7) ? 'maximize' : 'minimize',
    metric,
    where: bounds.filter(() => dice.chance(0.25)),
  }
}
