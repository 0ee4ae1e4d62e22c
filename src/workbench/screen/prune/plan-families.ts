/**
 * What the members of a family can make at most, for every family of a grid. A family is the points that differ only in how long the ladder is, what it may cost and where
 * the stop lies: they share the layers of the bound, and lie side by side in the order of the grid (`portions.ts`).
 */
import { CONFIG_BOUNDS, type DcaSpotConfig } from '../../../contract/bot.ts'
import { createProfitBound, type Layers, type ProfitBound } from '../../../engine/bound/profit-bound.ts'
import { createGrid, type Grid } from '../../study/grid.ts'
import { reduceAcross } from '../../study/objective.ts'
import type { Axis, Study } from '../../study/study.ts'
import { createDistinctConfigs, type DistinctConfigs } from '../distinct.ts'
import type { ScreenedMarket } from '../messages.ts'
import { isWithinFamily } from '../portions.ts'
import { stressedTerms } from '../stress.ts'

export interface Families {
  readonly count: number
  /** The bound of the best member of each, in the unit of the objective. */
  readonly bounds: Float64Array
  /** Points of the grid that are trials. */
  readonly trials: number
  /** How many simulations a screen of the whole grid takes on each market: so many were looked at, run or not. */
  readonly looks: readonly number[]
  /** The members of a family whose bound lies at `from` or above and below `below`, as points of the grid. */
  readonly membersBetween: (family: number, from: number, below: number) => readonly number[]
}

/** What of a point that differs only in its take profit is the same. */
interface Ladders {
  /** For each member of each ladder the most safety orders that a deal can fill + 1; NO_TRIAL where there is none. */
  readonly orders: Uint8Array
  /** For each ladder, how many of its members are trials. */
  readonly trials: Uint32Array
  readonly distinct: readonly Uint32Array[]
}

const NO_TRIAL = 255
/** Members that are compared at a time, as many as a portion has at most. */
const MOST_COMPARED = 2048
const MOST_ORDERS = CONFIG_BOUNDS.dcaMaxSafetyOrders.max + 1

export function planFamilies({ study, order, markets }: FamiliesOf): Families {
  const grid = createGrid(study, order)
  const shape = shapeOf(study, order)
  const terms = study.search.score === 'stressed' ? stressedTerms(study) : study
  const bounds = markets.map(({ prepared, symbol }) => createProfitBound(prepared, { ...terms, symbol }))
  const ladders = planLadders({ study, markets }, { grid, shape, bounds })
  const boundOf = boundOfMembers(study, order, shape)
  const best = new Float64Array(shape.families).fill(Number.NEGATIVE_INFINITY)
  // For each market what deals with so many safety orders can earn.
  const most = markets.map(() => new Float64Array(MOST_ORDERS))
  let trials = 0
  for (let ladder = 0; ladder < shape.ladders; ladder++) {
    if (ladders.trials[ladder] === 0) continue
    trials += ladders.trials[ladder] * shape.takeProfits
    const first = familyOf(shape, ladder)
    const layers = layersOf(first)
    for (let takeProfit = 0; takeProfit < shape.takeProfits; takeProfit++) {
      const family = first + takeProfit * shape.stride
      writeBounds(layers, family)
      for (let member = 0; member < shape.size; member++) {
        const orders = ladders.orders[ladder * shape.size + member]
        if (orders !== NO_TRIAL) best[family] = Math.max(best[family], boundOf(most, orders, member))
      }
    }
  }
  const perLadder = shape.families / shape.ladders
  const perConfig = study.search.score === 'stressed' ? 2 : 1
  const looks = ladders.distinct.map((counts) => perLadder * perConfig * counts.reduce((sum, count) => sum + count, 0))
  return { count: shape.families, bounds: best, trials, looks, membersBetween }

  function layersOf(family: number): readonly Layers[] {
    const config = grid.configAt(family * shape.size + shape.longest)
    return bounds.map((bound) => bound.layersOf(config))
  }

  function writeBounds(layers: readonly Layers[], family: number): void {
    const percent = shape.takeProfitPercents[Math.floor(family / shape.stride) % shape.takeProfits]
    bounds.forEach((bound, market) => {
      bound.write(layers[market], percent, most[market])
    })
  }

  function membersBetween(family: number, from: number, below: number): readonly number[] {
    writeBounds(layersOf(family), family)
    const found: number[] = []
    for (let member = 0; member < shape.size; member++) {
      const orders = ladders.orders[ladderOf(shape, family) * shape.size + member]
      if (orders === NO_TRIAL) continue
      const bound = boundOf(most, orders, member)
      if (bound >= from && bound < below) found.push(family * shape.size + member)
    }
    return found
  }
}

interface FamiliesOf {
  readonly study: Study
  /** The axes in the order of the grid. */
  readonly order: readonly Axis[]
  readonly markets: readonly ScreenedMarket[]
}

/** Numbers of a family are those of the slow axes; numbers of a ladder the same without the take profit. */
interface Shape {
  /** Members of a family. */
  readonly size: number
  readonly families: number
  readonly ladders: number
  readonly takeProfits: number
  readonly takeProfitPercents: readonly number[]
  /** Families from one take profit to the next. */
  readonly stride: number
  /** The member that asks for the most safety orders. */
  readonly longest: number
}

function shapeOf({ base }: Study, order: readonly Axis[]): Shape {
  const lengthOf = (axes: readonly Axis[]) => axes.reduce((product, { values }) => product * values.length, 1)
  const slow = order.filter(({ field }) => !isWithinFamily(field))
  const within = order.filter(({ field }) => isWithinFamily(field))
  const at = slow.findIndex(({ field }) => field === 'takeProfit')
  const families = lengthOf(slow)
  const takeProfitPercents = at === -1 ? [base.takeProfit ?? Number.NaN] : slow[at].values
  const takeProfits = takeProfitPercents.length
  let longest = 0
  for (const { field, values } of within)
    longest = longest * values.length + (field === 'dcaMaxSafetyOrders' ? values.indexOf(Math.max(...values)) : 0)
  return {
    size: lengthOf(within),
    families,
    ladders: families / takeProfits,
    takeProfits,
    takeProfitPercents,
    stride: lengthOf(slow.slice(at + 1)),
    longest,
  }
}

function ladderOf({ stride, takeProfits }: Shape, family: number): number {
  return Math.floor(family / (stride * takeProfits)) * stride + (family % stride)
}

/** The first family of a ladder: that of the first take profit. */
function familyOf({ stride, takeProfits }: Shape, ladder: number): number {
  return Math.floor(ladder / stride) * stride * takeProfits + (ladder % stride)
}

/** Which points are trials, and how long their ladders are, does not depend on the take profit. */
function planLadders(
  { study, markets }: Pick<FamiliesOf, 'study' | 'markets'>,
  { grid, shape, bounds }: { readonly grid: Grid; readonly shape: Shape; readonly bounds: readonly ProfitBound[] },
): Ladders {
  const orders = new Uint8Array(shape.ladders * shape.size).fill(NO_TRIAL)
  const trials = new Uint32Array(shape.ladders)
  const most = Math.min(shape.size, MOST_COMPARED)
  const counters: DistinctConfigs[] = markets.map(({ symbol }) => createDistinctConfigs(most, { ...study, symbol }))
  const distinct = markets.map(() => new Uint32Array(shape.ladders))
  for (let ladder = 0; ladder < shape.ladders; ladder++) {
    const from = familyOf(shape, ladder) * shape.size
    const longest = grid.configAt(from + shape.longest).dcaMaxSafetyOrders
    let [deepest, before]: [number, DcaSpotConfig | null] = [-1, null]
    for (const { index, config, fate } of grid.walk(from, from + shape.size)) {
      if ((index - from) % most === 0) countDistinct(ladder)
      if (fate !== 'trial') continue
      // Neighbours mostly differ in nothing but the number of safety orders.
      if (config.stopLoss !== before?.stopLoss || config.dcaTotalBudget !== before.dcaTotalBudget)
        deepest = deepestOf({ ...config, dcaMaxSafetyOrders: longest })
      before = config
      orders[ladder * shape.size + index - from] = Math.min(config.dcaMaxSafetyOrders, deepest) + 1
      trials[ladder]++
      for (const counter of counters) counter.numberOf(config)
    }
    countDistinct(ladder)
  }
  return { orders, trials, distinct }

  function deepestOf(config: DcaSpotConfig): number {
    return bounds.reduce((most, bound) => Math.max(most, bound.deepest(config)), -1)
  }

  function countDistinct(ladder: number): void {
    counters.forEach((counter, market) => {
      distinct[market][ladder] += counter.configs.length
      counter.clear()
    })
  }
}

/** The bound of a member in the unit of the objective, from what deals with so many orders can earn on each market. */
function boundOfMembers({ base, objective }: Study, order: readonly Axis[], { size }: Shape) {
  const investments = order.find(({ field }) => field === 'investment')
  // Investment is the slowest of the axes within a family.
  const investmentOf = (member: number) =>
    investments === undefined
      ? (base.investment ?? Number.NaN)
      : investments.values[Math.floor((member * investments.values.length) / size)]
  const factors = Float64Array.from({ length: size }, (_, member) =>
    objective.metric === 'roiPercent' ? 100 / investmentOf(member) : 1,
  )
  return (most: readonly Float64Array[], orders: number, member: number): number => {
    if (orders === 0) return 0
    const factor = factors[member]
    if (most.length === 1) return most[0][orders - 1] * factor
    const values = most.map((row) => row[orders - 1] * factor)
    return reduceAcross(values, objective) ?? Number.POSITIVE_INFINITY
  }
}
