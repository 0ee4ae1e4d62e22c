/**
 * The shapes of many ladders. `ladder.ts` says plainly what a shape is; here what neighbours of a grid share is worked out once:
 *
 *     rail     depths and prices of the orders      from dcaPriceScalePercent, dcaPriceStepMultiplier
 *     sizes    what the orders cost                 from dcaInitialOrderSize, dcaVolumeScale
 *     cuts     the first order at or below a stop, and the first beyond the money
 *
 * The number of safety orders only says how far these are read. So configs should come with the fields of the rail varying slowest.
 */
import type { DcaSpotConfig } from '../contract/bot.ts'
import type { Conventions, Costs } from './conventions.ts'
import type { LadderShape } from './ladder.ts'
import { CAP_TOLERANCE, ladderTerms, nextDepthPercent, TOUCH } from './levels.ts'

interface LadderShapes {
  /** The shape of a valid config with up to `mostSafetyOrders`, equal to `ladderShape` to the last bit. Valid until the next call. */
  shapeOf(config: DcaSpotConfig): LadderShape
}

/** @param mostSafetyOrders of any of the configs */
export function createLadderShapes(conventions: Conventions, costs: Costs, mostSafetyOrders: number): LadderShapes {
  const rail = createRail(mostSafetyOrders)
  const sizesOf = createSizes(mostSafetyOrders, (config) => ladderTerms(config, conventions, costs))
  const dependsOnSizes = conventions.stopLossBasis === 'average'
  const feeRate = costs.feePercent / 100
  let sizes: Sizes | null = null
  const stopped = { at: Number.NaN, end: 0 }
  const shape = emptyShape()
  return { shapeOf }

  function shapeOf(config: DcaSpotConfig): LadderShape {
    if (!rail.isOf(config)) {
      rail.write(config, ladderTerms(config, conventions, costs))
      stopped.at = Number.NaN
    }
    if (sizes === null || !areOf(sizes, config)) {
      sizes = sizesOf(config)
      if (dependsOnSizes) stopped.at = Number.NaN
    }
    const { stopLoss, dcaMaxSafetyOrders, dcaTotalBudget, investment } = config
    if (stopLoss !== stopped.at) {
      stopped.end = findStopEnd(stopLoss, sizes)
      stopped.at = stopLoss
    }
    const { capped } = sizes
    const cap = Math.min(dcaTotalBudget, investment)
    if (cap !== capped.at) {
      capped.end = findCapEnd(cap, sizes)
      capped.at = cap
    }
    const configured = Math.min(dcaMaxSafetyOrders, rail.end - 1)
    const orders = Math.min(configured + 1, stopped.end, sizes.end)
    const affordable = Math.min(orders, capped.end)
    const rungs = Math.max(0, affordable - 1)
    const aboveStop = orders - 1
    const depthPercent = rail.depth[configured]
    shape.rungs = rungs
    shape.baseOrderFits = affordable > 0
    shape.depthPercent = depthPercent
    shape.cost = sizes.quote[configured] * (1 + feeRate)
    shape.lastToFirstSize = sizes.size[configured] / config.dcaInitialOrderSize
    shape.stopLossToDepth = stopLoss === 0 || depthPercent === 0 ? null : stopLoss / depthPercent
    shape.depthOver100 = configured < dcaMaxSafetyOrders
    shape.cutByStop = configured - aboveStop
    shape.cutByBudget = aboveStop - rungs
    return shape
  }

  /** The first order that would lie at or below the stop in force before it; `rail.end` where none does. */
  function findStopEnd(stopLoss: number, { size, quote }: Sizes): number {
    if (stopLoss === 0) return rail.end
    const { price, anchor, end } = rail
    const keep = 1 - stopLoss / 100
    let held = 0
    for (let k = 1; k < end; k++) {
      held += dependsOnSizes ? size[k - 1] / price[k - 1] : 0
      const stop = (dependsOnSizes ? quote[k - 1] / held : anchor) * keep
      if (price[k] <= stop * (1 + TOUCH)) return k
    }
    return end
  }

  function findCapEnd(cap: number, { quote }: Sizes): number {
    const limit = cap * (1 + CAP_TOLERANCE)
    let count = 0
    while (count <= mostSafetyOrders && quote[count] * (1 + feeRate) <= limit) count++
    return count
  }
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

function emptyShape(): Writable<LadderShape> {
  return {
    rungs: 0,
    baseOrderFits: false,
    depthPercent: 0,
    cost: 0,
    lastToFirstSize: 1,
    stopLossToDepth: null,
    depthOver100: false,
    cutByStop: 0,
    cutByBudget: 0,
  }
}

type Terms = ReturnType<typeof ladderTerms>

/** Depths below the anchor, percent, and prices of deals that start at 1; row 0 is the base order, `end` the first row that is 100 % deep. */
function createRail(mostSafetyOrders: number) {
  let [first, multiplier] = [Number.NaN, Number.NaN]
  const rail = {
    depth: new Float64Array(mostSafetyOrders + 1),
    price: new Float64Array(mostSafetyOrders + 1),
    anchor: 1,
    end: 0,
    isOf: (config: DcaSpotConfig) =>
      config.dcaPriceScalePercent === first && config.dcaPriceStepMultiplier === multiplier,
    write,
  }
  return rail

  function write(config: DcaSpotConfig, terms: Terms): void {
    first = config.dcaPriceScalePercent
    multiplier = config.dcaPriceStepMultiplier
    const { depth, price } = rail
    rail.anchor = terms.anchorRatio
    price[0] = 1
    let step = terms.firstStepPercent
    let k = 1
    for (; k <= mostSafetyOrders; k++) {
      depth[k] = nextDepthPercent(terms, depth[k - 1], step)
      if (depth[k] >= 100) break
      price[k] = rail.anchor * (1 - depth[k] / 100)
      step *= terms.stepMultiplier
    }
    rail.end = k
  }
}

/** What the orders of a config cost. */
interface Sizes {
  base: number
  scale: number
  /** Quote of each order. */
  readonly size: Float64Array
  /** Quote of it and all before it. */
  readonly quote: Float64Array
  /** The first order that would buy nothing. */
  end: number
  /** The first order beyond the money, and for which money. */
  readonly capped: { at: number; end: number }
  /** Those that came after these the last time. */
  next: Sizes | null
}

function areOf({ base, scale }: Sizes, config: DcaSpotConfig): boolean {
  return config.dcaInitialOrderSize === base && config.dcaVolumeScale === scale
}

/** So many are kept, at most 1.6 kB each. */
const MOST_SIZES = 4096

/**
 * A grid comes to the same sizes on every rail, in the same order. So they are kept, each with those that come next, and looking them up costs as much as
 * comparing two numbers, whatever number of orders they have.
 */
function createSizes(mostSafetyOrders: number, termsOf: (config: DcaSpotConfig) => Terms) {
  let first: Sizes | null = null
  let last: Sizes | null = null
  let kept = 0
  return (config: DcaSpotConfig): Sizes => {
    const sizes = find(config) ?? write(config)
    first ??= sizes
    if (last !== null && last !== sizes) last.next = sizes
    last = sizes
    return sizes
  }

  function find(config: DcaSpotConfig): Sizes | null {
    const next = last?.next ?? null
    if (next !== null && areOf(next, config)) return next
    return first !== null && areOf(first, config) ? first : null
  }

  function write(config: DcaSpotConfig): Sizes {
    // Beyond the most, the last ones are written over; where they stood in the order, they no longer match.
    const sizes = kept < MOST_SIZES || last === null ? emptySizes(mostSafetyOrders) : last
    kept++
    const terms = termsOf(config)
    const { size, quote } = sizes
    sizes.base = config.dcaInitialOrderSize
    sizes.scale = config.dcaVolumeScale
    sizes.capped.at = Number.NaN
    size[0] = terms.baseSize
    quote[0] = terms.baseSize
    sizes.end = mostSafetyOrders + 1
    let next = terms.firstSize
    for (let k = 1; k <= mostSafetyOrders; k++) {
      size[k] = next
      quote[k] = quote[k - 1] + next
      if (next === 0 && sizes.end > k) sizes.end = k
      next *= terms.volumeScale
    }
    return sizes
  }
}

function emptySizes(mostSafetyOrders: number): Sizes {
  return {
    base: Number.NaN,
    scale: Number.NaN,
    size: new Float64Array(mostSafetyOrders + 1),
    quote: new Float64Array(mostSafetyOrders + 1),
    end: 0,
    capped: { at: Number.NaN, end: 0 },
    next: null,
  }
}
