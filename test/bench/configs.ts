/** What the benchmark runs. Seeded: the same configs on every machine. */
import { CONFIG_DEFAULTS, type DcaSpotConfig } from '../../src/contract/bot.ts'
import { CONFIG_ROW, writeConfigRow } from '../../src/engine/jump/sweep.ts'
import { createDice } from '../engine/jump/cases.ts'

/** Nothing to share between any two of them: steps, multipliers and targets are drawn from continua. */
export function unrelatedConfigs(count: number): DcaSpotConfig[] {
  const dice = createDice(20_211)
  return Array.from({ length: count }, () => ({
    investment: 10_000,
    ...CONFIG_DEFAULTS,
    dcaTotalBudget: 10_000,
    dcaInitialOrderSize: 100,
    dcaMaxSafetyOrders: dice.whole(3, 8),
    dcaPriceScalePercent: dice.between(0.5, 2.5),
    dcaVolumeScale: dice.between(1, 1.5),
    dcaPriceStepMultiplier: dice.between(1, 1.4),
    takeProfit: dice.between(0.6, 2.5),
    stopLoss: dice.chance(0.3) ? dice.between(5, 20) : 0,
  }))
}

export function denseConfigs(count: number): DcaSpotConfig[] {
  const dice = createDice(20_212)
  return unrelatedConfigs(count).map((config) => ({
    ...config,
    takeProfit: 0.3,
    dcaPriceScalePercent: dice.between(0.3, 0.6),
    dcaPriceStepMultiplier: dice.between(1, 1.2),
  }))
}

/** A grid as people write it: 10 steps × 4 multipliers × 4 scales × 8 take profits × 6 ladders × 4 stops = 30,720 points. */
export function gridConfigs(): DcaSpotConfig[] {
  const configs: DcaSpotConfig[] = []
  for (const dcaPriceScalePercent of [0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8, 2, 2.4, 3])
    for (const dcaPriceStepMultiplier of [1, 1.1, 1.2, 1.4])
      for (const dcaVolumeScale of [1, 1.2, 1.4, 1.6])
        for (const takeProfit of [0.6, 0.8, 1, 1.2, 1.5, 1.8, 2.2, 3])
          for (const dcaMaxSafetyOrders of [3, 4, 5, 6, 7, 8])
            for (const stopLoss of [0, 5, 10, 20]) {
              configs.push({
                investment: 20_000,
                ...CONFIG_DEFAULTS,
                dcaTotalBudget: 20_000,
                dcaInitialOrderSize: 100,
                dcaMaxSafetyOrders,
                dcaPriceScalePercent,
                dcaVolumeScale,
                dcaPriceStepMultiplier,
                takeProfit,
                stopLoss,
              })
            }
  return configs
}

export function rowsOf(configs: readonly DcaSpotConfig[]): Float64Array {
  const rows = new Float64Array(configs.length * CONFIG_ROW)
  configs.forEach((config, row) => {
    writeConfigRow(rows, row, config)
  })
  return rows
}
