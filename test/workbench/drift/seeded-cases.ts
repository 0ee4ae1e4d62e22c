/** Bots whose service trades under something else than their backtest, drawn by a seed: what it is, and what the service tells of it. */
import { CONFIG_DEFAULTS, type DcaSpotConfig } from '../../../src/contract/bot.ts'
import { type Candles, sliceCandles } from '../../../src/engine/candles.ts'
import {
  CHOICE_NAMES,
  CONVENTION_PRESETS,
  CONVENTION_VALUES,
  type Conventions,
  NO_SYMBOL_RULES,
} from '../../../src/engine/conventions.ts'
import type { LiveCommand } from '../../../src/engine/live.ts'
import { createRandom } from '../../../src/engine/random.ts'
import {
  type BotLife,
  type LifeInput,
  type ReplayedLife,
  replayLife,
} from '../../../src/workbench/bots/drift/replay-life.ts'
import type { AssumedTerms } from '../../../src/workbench/search/calibration/hypotheses.ts'

export const OWN: AssumedTerms = {
  conventions: CONVENTION_PRESETS.default,
  costs: { feePercent: 0.1, slippagePercent: 0 },
}

const MINUTE = 60_000
const DAYS = 14
const TOLD = ['all', 'no orders', 'no fees', 'rounded'] as const

export interface SeededCase {
  /** What the service does otherwise: names of conventions and costs with their values; `timing`, `candles`. */
  readonly truth: Readonly<Record<string, unknown>>
  readonly input: LifeInput
  readonly bot: BotLife
  /** What the service computed, with every digit. */
  readonly life: ReplayedLife
}

interface Draw {
  pick<T>(values: readonly T[]): T
  uniform(): number
}

/** `asOwn`: the service does nothing otherwise; else what it does otherwise shows. */
export function drawCase(candles: Candles, seed: number, { asOwn } = { asOwn: false }): SeededCase {
  for (let draw = seed; ; draw += 600) {
    const drawn = drawOnce(candles, draw, asOwn)
    const plain = replayLife(drawn.input, OWN)
    if (asOwn || JSON.stringify(plain.fills) !== JSON.stringify(drawn.life.fills)) return drawn
  }
}

function drawOnce(candles: Candles, seed: number, asOwn: boolean): SeededCase {
  const { uniform } = createRandom(seed)
  const draw: Draw = { uniform, pick: (values) => values[Math.floor(uniform() * values.length)] }
  const [first, last] = [candles.openTime[0], candles.openTime[candles.openTime.length - 1]]
  const from = Math.floor((first + uniform() * (last - first - DAYS * 1440 * MINUTE)) / MINUTE) * MINUTE
  const part = sliceCandles(candles, from, from + DAYS * 1440 * MINUTE)
  const commands: readonly LiveCommand[] = [{ kind: 'start', at: part.openTime[0], config: drawConfig(draw) }]
  const ground: LifeInput = { candles: part, symbol: NO_SYMBOL_RULES, commands }
  const other = asOwn ? { truth: {}, service: OWN, input: ground } : drawOther(draw, ground, seed % 6)
  const life = replayLife(other.input, other.service)
  return { truth: other.truth, input: ground, life, bot: tell(life, draw.pick(TOLD)) }
}

function drawConfig({ pick }: Draw): DcaSpotConfig {
  return {
    ...{ investment: 1000, ...CONFIG_DEFAULTS, dcaTotalBudget: 1000 },
    dcaInitialOrderSize: pick([20, 40, 80]),
    dcaMaxSafetyOrders: pick([2, 3, 5]),
    dcaPriceScalePercent: pick([0.6, 1, 1.5]),
    dcaVolumeScale: pick([1.2, 1.5]),
    dcaPriceStepMultiplier: pick([1.2, 1.5]),
    takeProfit: pick([0.8, 1.2, 2]),
    stopLoss: pick([2, 4, 6]),
  }
}

interface Other {
  readonly truth: Readonly<Record<string, unknown>>
  readonly service: AssumedTerms
  readonly input: LifeInput
}

function drawOther(draw: Draw, ground: LifeInput, kind: number): Other {
  if (kind === 5) return draw.uniform() < 0.5 ? drawRest(draw, ground) : drawCandles(draw, ground)
  const costs = { ...OWN.costs }
  const conventions: Record<string, unknown> = { ...OWN.conventions }
  const truth: Record<string, unknown> = {}
  if (kind === 0 || kind === 1 || kind === 3) {
    const name = draw.pick(CHOICE_NAMES.filter((each) => each !== 'lotRounding')) // a market without a lot
    const value = draw.pick(CONVENTION_VALUES[name].filter((each) => each !== OWN.conventions[name]))
    truth[name] = conventions[name] = value
    if (value === 'explicit') conventions.safetyOrderSize = draw.pick([15, 30, 55])
  }
  if (kind === 2 || kind === 3) truth.feePercent = costs.feePercent = draw.pick([0, 0.05, 0.075, 0.2, 0.13])
  if (kind === 4) truth.slippagePercent = costs.slippagePercent = draw.pick([0.02, 0.05])
  return { truth, input: ground, service: { conventions: conventions as unknown as Conventions, costs } } // each has one of its own values
}

/** After one of its deals the bot rests. */
function drawRest(draw: Draw, ground: LifeInput): Other {
  const closes = replayLife(ground, OWN).deals.flatMap(({ closedAt }) => closedAt ?? [])
  const at = draw.pick(closes.slice(0, -1)) + MINUTE
  const [start] = ground.commands
  if (start.kind !== 'start') throw new Error('a bot begins with a start')
  const back = { ...start, at: at + draw.pick([5, 30, 300]) * MINUTE }
  const commands: readonly LiveCommand[] = [start, { kind: 'stop', at, closePosition: false }, back]
  return { truth: { timing: true }, service: OWN, input: { ...ground, commands } }
}

/** One candle in five hundred of the service's reaches further. */
function drawCandles({ uniform }: Draw, ground: LifeInput): Other {
  const [low, high] = [ground.candles.low.slice(), ground.candles.high.slice()]
  for (let row = 0; row < low.length; row++) {
    if (uniform() >= 0.002) continue
    low[row] *= 0.99
    high[row] *= 1.01
  }
  return { truth: { candles: true }, service: OWN, input: { ...ground, candles: { ...ground.candles, low, high } } }
}

function tell({ fills, orders, netProfit }: ReplayedLife, told: (typeof TOLD)[number]): BotLife {
  const round = (value: number) => (told === 'rounded' ? Number(value.toFixed(6)) : value)
  return {
    fills: fills.map(({ price, quantity, fee, ...fill }) => ({
      ...fill,
      price: round(price),
      quantity: round(quantity),
      fee: told === 'no fees' || fee === null ? null : round(fee),
    })),
    orders: told === 'all' ? orders : null,
    netProfit: round(netProfit),
    feePercent: null,
  }
}
