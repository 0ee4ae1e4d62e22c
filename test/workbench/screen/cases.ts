/** Random studies on random candles, and what brute force says of them. */
import { CONFIG_FIELDS, type ConfigField, type DcaSpotConfig } from '../../../src/contract/bot.ts'
import { METRIC_NAMES, type Metrics, metricValue } from '../../../src/contract/metrics.ts'
import type { Candles } from '../../../src/engine/candles.ts'
import type { SymbolRules } from '../../../src/engine/conventions.ts'
import type { BacktestInput, BacktestResult } from '../../../src/engine/deal.ts'
import { prepareCandles } from '../../../src/engine/jump/prepared.ts'
import type { ScreenSetting } from '../../../src/workbench/screen/messages.ts'
import { createPointColumns } from '../../../src/workbench/screen/point-columns.ts'
import { planPortions } from '../../../src/workbench/screen/portions.ts'
import { behaviourHash } from '../../../src/workbench/study/behaviour.ts'
import { rankByObjective } from '../../../src/workbench/study/objective.ts'
import type { Axis, Objective, Study } from '../../../src/workbench/study/study.ts'
import { planTrials } from '../../../src/workbench/study/trials.ts'
import { type Dice, someInputOf, walkCandles } from '../../engine/jump/cases.ts'
import { plainStudy } from '../../support/plain-study.ts'

export interface ScreenCase {
  readonly study: Study
  readonly candles: Candles
  readonly symbol: SymbolRules
  readonly setting: ScreenSetting
}

/** A study around a random config, in which ladders are cut, fields are idle and many points are one bot. `size`: all axes, whole. */
export function someScreenCase(
  dice: Dice,
  objective: Objective,
  size: 'small' | 'large' = 'small',
  search: Study['search'] = { method: 'grid', score: 'point' },
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
    market: { exchange: 'synthetic', baseAsset: 'T', quoteAsset: 'USDT' },
    costs,
    conventions,
    base: Object.fromEntries(
      CONFIG_FIELDS.filter((field) => !varied.has(field)).map((field) => [field, config[field]]),
    ),
    axes,
    where: size === 'small' && dice.chance(0.3) ? [{ measure: 'rungs', bounds: { min: 1 } }] : [],
    objective,
    search,
  })
  const { order } = planPortions(study, candles.close.length)
  const prepared = prepareCandles(candles)
  const portions = { order, size: dice.whole(1, 90) }
  const setting = { study, portions, prepared, symbol, points: createPointColumns(study) }
  return { study, candles, symbol, setting }
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

interface BruteTrial {
  readonly fingerprint: string
  readonly config: DcaSpotConfig
  readonly metrics: Metrics
  readonly behaviourHash: string
  readonly score: number | null
}

/**
 * Every trial of the study, run one by one and ranked, of each behaviour the first: the plain way that a screen must agree with.
 * @param scoredUnder what the objective is computed under, where it is not what the study says
 */
export function bruteForce(
  { study, candles, symbol }: ScreenCase,
  run: (input: BacktestInput) => BacktestResult,
  scoredUnder?: Pick<Study, 'conventions' | 'costs'>,
) {
  const plan = planTrials(study, { limit: 100_000 })
  const { conventions, costs, objective } = study
  const trials = plan.trials.map(({ fingerprint, config }): BruteTrial => {
    const input = { candles, config, conventions, costs, symbol }
    const { metrics, deals, openDeal } = run(input)
    const name = behaviourHash({ deals, openDeal, dailyEquity: metrics.dailyEquity })
    const scored = scoredUnder === undefined ? metrics : run({ ...input, ...scoredUnder }).metrics
    return { fingerprint, config, metrics, behaviourHash: name, score: metricValue(scored, objective.metric) }
  })
  const { ranked } = rankByObjective(trials, objective, ({ score }) => score)
  const isFirst = ({ behaviourHash: name }: BruteTrial, at: number) =>
    ranked.findIndex((other) => other.behaviourHash === name) === at
  return { plan, trials, ranked, distinct: ranked.filter(isFirst) }
}
