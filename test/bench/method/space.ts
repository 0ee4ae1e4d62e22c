/** The configurations of the bench: the grid that is screened, and random ones from the same ranges without steps (PROTOCOL.md). */
import { CONFIG_DEFAULTS, type ConfigField, type DcaSpotConfig } from '../../../src/contract/bot.ts'
import { power } from '../../../src/engine/numbers.ts'
import type { Random } from '../../../src/engine/random.ts'
import { expandAxis, type RangeInput, readAxis } from '../../../src/workbench/study/axis.ts'
import { configFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import type { Axis } from '../../../src/workbench/study/study.ts'

/** In quote; every configuration has the same. */
export const INVESTMENT = 1000

export const BASE = {
  investment: INVESTMENT,
  leverage: 1,
  dcaTotalBudget: INVESTMENT,
  dcaInitialOrderSize: 25,
} as const satisfies Partial<DcaSpotConfig>

const RANGES = {
  dcaPriceScalePercent: { from: 0.4, to: 4, count: 7, scale: 'log' },
  dcaPriceStepMultiplier: { from: 1, to: 1.4, count: 3, scale: 'linear' },
  dcaVolumeScale: { from: 1, to: 1.75, count: 4, scale: 'linear' },
  takeProfit: { from: 0.4, to: 6, count: 8, scale: 'log' },
} as const satisfies Partial<Record<ConfigField, RangeInput>>

const SAFETY_ORDERS = [2, 4, 6, 8]
const STOPS = [0, 8, 15, 25]

export const GRID_AXES: readonly Axis[] = [
  { field: 'dcaMaxSafetyOrders', values: SAFETY_ORDERS },
  axisOf('dcaPriceScalePercent'),
  axisOf('dcaPriceStepMultiplier'),
  axisOf('dcaVolumeScale'),
  axisOf('takeProfit'),
  { field: 'stopLoss', values: STOPS },
]

function axisOf(field: keyof typeof RANGES): Axis {
  const read = readAxis(field, RANGES[field])
  if ('problems' in read) throw new Error(`${field}: ${read.problems.map(({ message }) => message).join(', ')}`)
  return { field, values: expandAxis(read.spec) }
}

/** So many different configurations. */
export function randomConfigs(random: Random, count: number): DcaSpotConfig[] {
  const found = new Map<string, DcaSpotConfig>()
  while (found.size < count) {
    const config = randomConfig(random)
    found.set(configFingerprint(config), config)
  }
  return [...found.values()]
}

function randomConfig(random: Random): DcaSpotConfig {
  const [fewest, most] = [Math.min(...SAFETY_ORDERS), Math.max(...SAFETY_ORDERS)]
  return {
    ...CONFIG_DEFAULTS,
    ...BASE,
    dcaMaxSafetyOrders: fewest + Math.floor((most - fewest + 1) * random.uniform()),
    dcaPriceScalePercent: valueIn('dcaPriceScalePercent', random),
    dcaPriceStepMultiplier: valueIn('dcaPriceStepMultiplier', random),
    dcaVolumeScale: valueIn('dcaVolumeScale', random),
    takeProfit: valueIn('takeProfit', random),
    stopLoss: oneOf(STOPS, random),
  }
}

function valueIn(field: keyof typeof RANGES, random: Random): number {
  const { from, to, scale } = RANGES[field]
  const share = random.uniform()
  const value = scale === 'log' ? from * power(to / from, share) : from + (to - from) * share
  return Number(value.toPrecision(3))
}

export function oneOf<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(values.length * random.uniform())]
}
