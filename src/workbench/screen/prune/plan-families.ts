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
import type { GiveUp, ScreenedMarket } from '../messages.ts'
import { stressedTerms } from '../stress.ts'
import {
  type FamilyShape,
  firstFamilyOf,
  ladderOfFamily,
  shapeOfFamilies,
  takeProfitPercentOf,
} from './family-shape.ts'

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
  /** From when on these points cannot come to the floor any more, by what they have earned and a bound of the rest; null = not known here. */
  readonly giveUp: (points: readonly number[], floor: number) => GiveUp | null
}

/** What of a point that differs only in its take profit is the same. */
interface Ladders {
  /** For each member of each ladder the most safety orders that a deal can fill + 1; NO_TRIAL where there is none. */
  readonly orders: Uint8Array
  /** For each ladder, how many of its members are trials. */
  readonly trials: Uint32Array
  /** On each market, of all of them, how many are different simulations. */
  readonly distinct: readonly number[]
}

const NO_TRIAL = 255
/** Members that are compared at a time, as many as a portion has at most. */
const MOST_COMPARED = 2048
/** After such shares of the candles a point is looked at again. */
const CUTS = [1 / 8, 1 / 4, 1 / 2]
const MOST_ORDERS = CONFIG_BOUNDS.dcaMaxSafetyOrders.max + 1

export function planFamilies({ study, order, markets }: FamiliesOf): Families {
  const grid = createGrid(study, order)
  const shape = shapeOfFamilies(study, order)
  const terms = study.search.score === 'stressed' ? stressedTerms(study) : study
  const cuts = cutsOf(study, markets)
  const bounds = markets.map(({ prepared, symbol }) => createProfitBound(prepared, { ...terms, symbol }, cuts))
  const ladders = planLadders({ study, markets }, { grid, shape, bounds })
  const factors = factorsOf(study, order, shape)
  const best = new Float64Array(shape.families).fill(Number.NEGATIVE_INFINITY)
  // For each market what deals with so many safety orders can earn.
  const most = markets.map(() => new Float64Array(MOST_ORDERS))
  const boundOf = (orders: number, factor: number) => boundAcross(most, { orders, factor }, study)
  let trials = 0
  for (let ladder = 0; ladder < shape.ladders; ladder++) {
    if (ladders.trials[ladder] === 0) continue
    trials += ladders.trials[ladder] * shape.takeProfits
    const first = firstFamilyOf(shape, ladder)
    const layers = layersOf(first)
    for (let takeProfit = 0; takeProfit < shape.takeProfits; takeProfit++) {
      const family = first + takeProfit * shape.stride
      writeBounds(layers, family)
      for (let member = 0; member < shape.size; member++) {
        const orders = ladders.orders[ladder * shape.size + member]
        if (orders !== NO_TRIAL) best[family] = Math.max(best[family], boundOf(orders, factors[member]))
      }
    }
  }
  const perConfig = study.search.score === 'stressed' ? 2 : 1
  const looks = ladders.distinct.map((count) => perConfig * shape.takeProfits * count)
  return { count: shape.families, bounds: best, trials, looks, membersBetween, giveUp }

  function layersOf(family: number): readonly Layers[] {
    const config = grid.configAt(family * shape.size + shape.longest)
    return bounds.map((bound) => bound.layersOf(config))
  }

  function writeBounds(layers: readonly Layers[], family: number): void {
    bounds.forEach((bound, market) => {
      bound.write(layers[market], takeProfitPercentOf(shape, family), most[market])
    })
  }

  function membersBetween(family: number, from: number, below: number): readonly number[] {
    writeBounds(layersOf(family), family)
    const found: number[] = []
    for (let member = 0; member < shape.size; member++) {
      const orders = ladders.orders[ladderOfFamily(shape, family) * shape.size + member]
      if (orders === NO_TRIAL) continue
      const bound = boundOf(orders, factors[member])
      if (bound >= from && bound < below) found.push(family * shape.size + member)
    }
    return found
  }

  function giveUp(points: readonly number[], floor: number): GiveUp | null {
    if (cuts.length === 0 || floor === Number.NEGATIVE_INFINITY) return null
    const [bound] = bounds
    const rest = cuts.map(() => new Float64Array(MOST_ORDERS))
    const least = new Float64Array(points.length * cuts.length)
    let before = -1
    points.forEach((point, at) => {
      const family = Math.floor(point / shape.size)
      if (family !== before) {
        const [layers] = layersOf(family)
        cuts.forEach((_, cut) => {
          bound.writeAfter(layers, takeProfitPercentOf(shape, family), cut, rest[cut])
        })
      }
      before = family
      const member = point % shape.size
      const orders = ladders.orders[ladderOfFamily(shape, family) * shape.size + member]
      rest.forEach((most, cut) => {
        const earned = orders === 0 ? 0 : most[orders - 1]
        least[at * cuts.length + cut] = floor / factors[member] - earned
      })
    })
    return { after: cuts, least }
  }
}

interface FamiliesOf {
  readonly study: Study
  /** The axes in the order of the grid. */
  readonly order: readonly Axis[]
  readonly markets: readonly ScreenedMarket[]
}

/** Which points are trials, and how long their ladders are, does not depend on the take profit. */
function planLadders(
  { study, markets }: Pick<FamiliesOf, 'study' | 'markets'>,
  {
    grid,
    shape,
    bounds,
  }: { readonly grid: Grid; readonly shape: FamilyShape; readonly bounds: readonly ProfitBound[] },
): Ladders {
  const orders = new Uint8Array(shape.ladders * shape.size).fill(NO_TRIAL)
  const trials = new Uint32Array(shape.ladders)
  const most = Math.min(shape.size, MOST_COMPARED)
  const counters: DistinctConfigs[] = markets.map(({ symbol, prepared }) =>
    createDistinctConfigs(most, { ...study, symbol }, prepared),
  )
  const distinct = markets.map(() => 0)
  for (let ladder = 0; ladder < shape.ladders; ladder++) {
    const from = firstFamilyOf(shape, ladder) * shape.size
    const longest = grid.configAt(from + shape.longest).dcaMaxSafetyOrders
    let [deepest, before]: [number, DcaSpotConfig | null] = [-1, null]
    for (const { index, config, fate } of grid.walk(from, from + shape.size)) {
      if ((index - from) % most === 0) countDistinct()
      if (fate !== 'trial') continue
      // Neighbours mostly differ in nothing but the number of safety orders.
      if (config.stopLoss !== before?.stopLoss || config.dcaTotalBudget !== before.dcaTotalBudget)
        deepest = deepestOf({ ...config, dcaMaxSafetyOrders: longest })
      before = config
      orders[ladder * shape.size + index - from] = Math.min(config.dcaMaxSafetyOrders, deepest) + 1
      trials[ladder]++
      for (const counter of counters) counter.numberOf(config)
    }
    countDistinct()
  }
  return { orders, trials, distinct }

  function deepestOf(config: DcaSpotConfig): number {
    return bounds.reduce((most, bound) => Math.max(most, bound.deepest(config)), -1)
  }

  function countDistinct(): void {
    counters.forEach((counter, market) => {
      distinct[market] += counter.configs.length
      counter.clear()
    })
  }
}

/** From what deals with so many orders can earn on each market, in the unit of the objective. */
function boundAcross(
  most: readonly Float64Array[],
  { orders, factor }: { readonly orders: number; readonly factor: number },
  { objective }: Study,
): number {
  if (orders === 0) return 0
  if (most.length === 1) return most[0][orders - 1] * factor
  const values = most.map((row) => row[orders - 1] * factor)
  return reduceAcross(values, objective) ?? Number.POSITIVE_INFINITY
}

/** Values that are made of several runs are not known before all of them are through: then nothing is cut. */
function cutsOf({ search }: Study, markets: FamiliesOf['markets']): readonly number[] {
  if (markets.length > 1 || search.score !== 'point') return []
  return CUTS.map((share) => Math.floor(share * markets[0].prepared.count))
}

/** For each member of a family what a quote of profit is in the unit of the objective. */
function factorsOf({ base, objective }: Study, order: readonly Axis[], { size }: FamilyShape): Float64Array {
  const investments = order.find(({ field }) => field === 'investment')
  // Investment is the slowest of the axes within a family.
  const investmentOf = (member: number) =>
    investments === undefined
      ? (base.investment ?? Number.NaN)
      : investments.values[Math.floor((member * investments.values.length) / size)]
  return Float64Array.from({ length: size }, (_, member) =>
    objective.metric === 'roiPercent' ? 100 / investmentOf(member) : 1,
  )
}
