/**
 * Configs that a test backtest may try: ordinary ones, from the study's grid and varied around it so that hypotheses differ on them. Rungs that grow
 * show sizing and spacing; levels as near to each other as a candle is high show what happens inside it; stops show where they lie and
 * what follows them; every deal shows fees.
 */
import { CONFIG_FIELDS, type DcaSpotConfig, findBoundProblem } from '../../../contract/bot.ts'
import { CONVENTION_PRESETS, DEFAULT_COSTS, type SymbolRules } from '../../../engine/conventions.ts'
import type { PreparedCandles } from '../../../engine/jump/prepared.ts'
import { CONFIG_ROW, createSweep, writeConfigRow } from '../../../engine/jump/sweep.ts'
import { power } from '../../../engine/numbers.ts'
import { createRandom } from '../../../engine/random.ts'
import { configFingerprint } from '../../study/fingerprint.ts'
import { type ConfigSpace, drawConfigs } from '../draw-configs.ts'

const CANDIDATES = 40
/** So many are drawn, and the best of them taken. */
const DRAWN = 160
/** Of the study's own grid; each is varied as often as there are shapes, several times. */
const POINTS = 10

/**
 * Closed deals of a good candidate under the usual settings. Fewer would hardly show a rare choice; more take thousands of simulations
 * longer and show nothing more.
 */
const GOOD_DEALS = { fewest: 10, most: 500 }

/**
 * Under which candidates are drawn and measured. The study's own are not asked for: once a calibration is written into its file they are
 * others, and the same test backtests are to be found paid.
 */
const USUAL = { conventions: CONVENTION_PRESETS.default, costs: DEFAULT_COSTS }

/** Simulated between two pauses. */
const CONFIGS_PER_PAUSE = 16

export interface CandidateTerms {
  readonly space: Omit<ConfigSpace, 'conventions' | 'costs'>
  readonly prepared: PreparedCandles
  readonly symbol: SymbolRules
  /** A whole number from 0. */
  readonly seed: number
  readonly pause: () => Promise<void>
}

/** About 40 configs, no two alike, each inside the contract's bounds. The same for the same terms. */
export async function drawCandidates(terms: CandidateTerms): Promise<readonly DcaSpotConfig[]> {
  const configs = drawShapes(terms)
  const deals = await countDeals(configs, terms)
  const excess = (at: number) => Math.max(GOOD_DEALS.fewest / Math.max(0.5, deals[at]), deals[at] / GOOD_DEALS.most, 1)
  return configs
    .map((config, at) => ({ config, excess: excess(at) }))
    .sort((one, other) => one.excess - other.excess)
    .slice(0, CANDIDATES)
    .map(({ config }) => config)
}

async function countDeals(configs: readonly DcaSpotConfig[], terms: CandidateTerms): Promise<readonly number[]> {
  const { prepared, symbol, pause } = terms
  const sweep = createSweep(prepared, { ...USUAL, symbol, want: 'profit' })
  const deals: number[] = []
  for (let from = 0; from < configs.length; from += CONFIGS_PER_PAUSE) {
    const part = configs.slice(from, from + CONFIGS_PER_PAUSE)
    const rows = new Float64Array(part.length * CONFIG_ROW)
    part.forEach((config, row) => {
      writeConfigRow(rows, row, config)
    })
    deals.push(...sweep.run(rows).closedDeals)
    await pause()
  }
  return deals
}

function drawShapes({ space, prepared, seed }: CandidateTerms): readonly DcaSpotConfig[] {
  const { uniform } = createRandom(seed)
  const ranges = measureRanges(prepared)
  const points = pointsOf(space, seed)
  const found = new Map<string, DcaSpotConfig>()
  for (let drawn = 0; drawn < DRAWN; drawn++) {
    const shape = SHAPES[drawn % SHAPES.length]
    const config = shape(points[Math.floor(drawn / SHAPES.length) % points.length], draw, ranges)
    const isValid = CONFIG_FIELDS.every((field) => findBoundProblem(field, config[field]) === undefined)
    if (isValid) found.set(configFingerprint(config), config)
  }
  return [...found.values()]

  /** Equal ratios are equally likely; three digits, as people write them. */
  function draw(from: number, to: number): number {
    return inThreeDigits(from * power(Math.max(1, to / from), uniform()))
  }
}

/** Feasible points of the grid; where there is none, points of it as if all were. */
export function pointsOf(space: CandidateTerms['space'], seed: number): readonly DcaSpotConfig[] {
  const by = { by: 'random', count: POINTS, seed } as const
  const feasible = drawConfigs({ ...space, ...USUAL }, by).configs
  const drawn = feasible.length > 0 ? feasible : drawConfigs({ ...space, ...USUAL, where: [] }, by).configs
  return drawn.map(({ config }) => config)
}

function inThreeDigits(value: number): number {
  return Number(value.toPrecision(3))
}

/** In percent: how far apart high and low of a candle lie on average, and how far those of a day. */
interface Ranges {
  readonly candle: number
  readonly day: number
}

type Draw = (from: number, to: number) => number
type Shape = (point: DcaSpotConfig, draw: Draw, ranges: Ranges) => DcaSpotConfig

const growing: Shape = (point, draw, { candle, day }) =>
  affordable({
    ...point,
    dcaMaxSafetyOrders: Math.round(draw(3, 8)),
    dcaPriceScalePercent: draw(candle, day / 4),
    dcaVolumeScale: draw(1.1, 1.8),
    dcaPriceStepMultiplier: draw(1, 1.5),
    takeProfit: draw(2 * candle, day / 2),
    stopLoss: 0,
  })

const stoppedAmongRungs: Shape = (point, draw, ranges) => {
  const config = growing(point, draw, ranges)
  return { ...config, stopLoss: inThreeDigits(Math.min(99, draw(0.3, 1.3) * depthOf(config))) }
}

const endedWithinACandle: Shape = (point, draw, ranges) => ({
  ...growing(point, draw, ranges),
  takeProfit: draw(ranges.candle, 4 * ranges.candle),
  stopLoss: draw(2 * ranges.candle, ranges.day),
})

const SHAPES: readonly Shape[] = [(point) => point, growing, stoppedAmongRungs, endedWithinACandle]

/** Percent, as if spaced from the base order. */
function depthOf({ dcaMaxSafetyOrders, dcaPriceScalePercent, dcaPriceStepMultiplier }: DcaSpotConfig): number {
  let depth = 0
  let step = dcaPriceScalePercent
  for (let rung = 0; rung < dcaMaxSafetyOrders; rung++, step *= dcaPriceStepMultiplier) depth += step
  return depth
}

/** Of a deal's capital, what all orders together may cost: fees are on top, and another sizing costs more. */
const AFFORDABLE_SHARE = 0.9
/** Fewer do not tell the two spacings apart. */
const FEWEST_RUNGS = 2

/** The same with as many rungs, and such a base order, as the capital of a deal pays for. */
function affordable(config: DcaSpotConfig): DcaSpotConfig {
  const capital = AFFORDABLE_SHARE * Math.min(config.investment, config.dcaTotalBudget)
  let rungs = 0
  let sizes = 1
  let size = config.dcaVolumeScale
  while (rungs < config.dcaMaxSafetyOrders) {
    if (rungs >= FEWEST_RUNGS && (sizes + size) * config.dcaInitialOrderSize > capital) break
    sizes += size
    size *= config.dcaVolumeScale
    rungs++
  }
  const dcaInitialOrderSize = Math.min(config.dcaInitialOrderSize, inThreeDigits(capital / sizes))
  return { ...config, dcaMaxSafetyOrders: rungs, dcaInitialOrderSize }
}

const DAY_MS = 86_400_000
/** A market that hardly moves has candles of this height. */
const LOWEST_CANDLE = 0.05

function measureRanges({ count, high, low, open, intervalMs }: PreparedCandles): Ranges {
  let sum = 0
  for (let i = 0; i < count; i++) sum += (high[i] - low[i]) / open[i]
  const candle = Math.max(LOWEST_CANDLE, (100 * sum) / Math.max(1, count))
  // A price that wanders moves with the square root of time.
  return { candle, day: candle * Math.max(4, Math.sqrt(DAY_MS / intervalMs)) }
}
