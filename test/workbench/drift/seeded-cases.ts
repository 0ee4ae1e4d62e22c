/** Bots whose service trades under something else than their backtest, drawn by a seed: what it is, and what the service tells of it. */

import type { DcaSpotConfig } from '../../../src/contract/bot.ts'
import { type Candles, sliceCandles } from '../../../src/engine/candles.ts'
import {
  CHOICE_NAMES,
  CONVENTION_PRESETS,
  CONVENTION_VALUES,
  NO_SYMBOL_RULES,
} from '../../../src/engine/conventions.ts'
import type { LiveCommand } from '../../../src/engine/live-state.ts'
import { type LifeGround, replayLife } from '../../../src/workbench/drift/replay-life.ts'
import type { BotLife } from '../../../src/workbench/drift/same-life.ts'
import type { Suspect } from '../../../src/workbench/search/detective/suspects.ts'
import { uniformFrom } from './uniform.ts'

export const OWN: Suspect = {
  conventions: CONVENTION_PRESETS.default,
  costs: { feePercent: 0.1, slippagePercent: 0 },
}

const DAY = 86_400_000

export interface SeededCase {
  readonly seed: number
  /** What the service does otherwise: names of conventions and costs with their values; `timing`, `candles`. */
  readonly truth: Readonly<Record<string, string | number>>
  readonly told: string
  readonly ground: LifeGround
  readonly bot: BotLife
}

export function drawCase(candles: Candles, seed: number, days = 14): SeededCase {
  const uniform = uniformFrom(seed)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(uniform() * values.length)]
  const first = candles.openTime[0]
  const room = (candles.openTime.at(-1) ?? first) - first - days * DAY
  const from = Math.floor((first + uniform() * room) / 60_000) * 60_000
  const part = sliceCandles(candles, from, from + days * DAY)
  const config: DcaSpotConfig = {
    investment: 1000,
    leverage: 1,
    dcaTotalBudget: 1000,
    dcaInitialOrderSize: pick([20, 40, 80]),
    dcaMaxSafetyOrders: pick([2, 3, 5]),
    dcaPriceScalePercent: pick([0.6, 1, 1.5]),
    dcaVolumeScale: pick([1.2, 1.5]),
    dcaPriceStepMultiplier: pick([1.2, 1.5]),
    takeProfit: pick([0.8, 1.2, 2]),
    stopLoss: pick([0, 4, 8]),
  }
  const commands: LiveCommand[] = [{ kind: 'start', at: part.openTime[0], config }]
  const ground: LifeGround = { candles: part, symbol: NO_SYMBOL_RULES, commands }
  const truth: Record<string, string | number> = {}
  const service = { conventions: { ...OWN.conventions } as Record<string, unknown>, costs: { ...OWN.costs } }
  const kind = seed % 6
  if (kind === 0 || kind === 1 || kind === 3) {
    const name = pick(CHOICE_NAMES.filter((each) => each !== 'lotRounding'))
    const value = pick(CONVENTION_VALUES[name].filter((each) => each !== OWN.conventions[name]))
    truth[name] = value
    service.conventions[name] = value
    if (value === 'explicit') service.conventions.safetyOrderSize = pick([15, 30, 55])
  }
  if (kind === 2 || kind === 3) {
    const fee = pick([0, 0.05, 0.075, 0.2, 0.13])
    truth.feePercent = fee
    service.costs.feePercent = fee
  }
  if (kind === 4) {
    truth.slippagePercent = 0.05
    service.costs.slippagePercent = 0.05
  }
  const traded: LiveCommand[] = [...commands]
  let seen = part
  if (kind === 5 && uniform() < 0.5) {
    truth.timing = 'rest'
    const plain = replayLife(ground, OWN)
    for (const deal of plain.deals.slice(0, -1)) {
      if (deal.closedAt === null || uniform() < 0.5) continue
      const at = deal.closedAt + 60_000
      traded.push(
        { kind: 'stop', at, closePosition: false },
        { kind: 'start', at: at + pick([5, 30, 300]) * 60_000, config },
      )
      break
    }
  } else if (kind === 5) {
    truth.candles = 'others'
    const low = part.low.slice()
    const high = part.high.slice()
    for (let row = 0; row < low.length; row++) {
      if (uniform() < 0.002) {
        low[row] *= 0.99
        high[row] *= 1.01
      }
    }
    seen = { ...part, low, high }
  }
  const suspect = service as unknown as Suspect // conventions have one of their own values each
  const life = replayLife({ ...ground, candles: seen, commands: traded }, suspect)
  const told = pick(['all', 'no orders', 'no fees', 'rounded'])
  const round = (value: number) => (told === 'rounded' ? Number(value.toFixed(6)) : value)
  const isFeeTold = told !== 'no fees'
  return {
    seed,
    truth,
    told,
    ground,
    bot: {
      fills: life.fills.map((fill) => ({
        ...fill,
        price: round(fill.price),
        quantity: round(fill.quantity),
        fee: isFeeTold && fill.fee !== null ? round(fill.fee) : null,
      })),
      orders: told === 'all' ? life.orders : null,
      netProfit: round(life.netProfit),
      feePercent: null,
    },
  }
}
