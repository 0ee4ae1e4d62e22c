/**
 * The grid of a study, point by point, and the trials of a point. Nothing is stored: a point's values follow from its number, written in a
 * mixed radix of the axes' lengths (first axis slowest), and its digits also show whether it repeats another point.
 */
import { CONFIG_FIELDS, type ConfigField, type DcaSpotConfig } from '../../contract/bot.ts'
import { type LadderShape, ladderShape } from '../../engine/ladder.ts'
import { createLadderShapes } from '../../engine/ladder-shapes.ts'
import { idleFields, trialFingerprint } from './fingerprint.ts'
import type { Axis, Bounds, ShapeMeasure, Study, Trial } from './study.ts'

interface GridPoint {
  /** Number of the point in the grid's order, from 0. */
  readonly index: number
  readonly config: DcaSpotConfig
  /** `breaksLimit`: outside the study's `where`. `duplicate`: feasible, with the fingerprint of another feasible point, which is the trial. */
  readonly fate: 'trial' | 'duplicate' | 'breaksLimit'
}

export interface Grid {
  readonly points: number
  /** The config of a point, from its number alone. */
  configAt(index: number): DcaSpotConfig
  /** The point that is the trial of this config, were it inside `where`; null = the grid does not have it. */
  findPoint(config: DcaSpotConfig): number | null
  /** The points from ≤ index < to in order, in constant memory. */
  walk(from: number, to: number): Generator<GridPoint, void>
  /** The same without an object for each, ten times as fast: `visit` may keep neither its config nor its shape, which the next point overwrites. */
  visit(from: number, to: number, visit: (point: VisitedPoint) => void): void
}

interface VisitedPoint extends GridPoint {
  readonly shape: LadderShape
}

/** Points that `walk` reads at a time. */
const CHUNK = 1024

/** @param order the study's axes, slowest first; which points are trials and which duplicates does not depend on it */
export function createGrid(study: Study, order: readonly Axis[] = study.axes): Grid {
  const points = countPoints(study)
  return { points, configAt, findPoint, walk, visit }

  function configAt(index: number): DcaSpotConfig {
    return readConfig(study.base, order, digitsOf(index))
  }

  function findPoint(config: DcaSpotConfig): number | null {
    const idle = idleFields(config)
    const isFree = (field: ConfigField) => idle.includes(field) || order.some((axis) => axis.field === field)
    if (CONFIG_FIELDS.some((field) => !isFree(field) && config[field] !== study.base[field])) return null
    let index = 0
    for (const { field, values } of order) {
      const digit = idle.includes(field) ? 0 : values.indexOf(config[field])
      if (digit === -1) return null
      index = index * values.length + digit
    }
    return index
  }

  function* walk(from: number, to: number): Generator<GridPoint, void> {
    for (let index = from; index < to; index += CHUNK) {
      const chunk: GridPoint[] = []
      visit(index, Math.min(to, index + CHUNK), ({ index, config, fate }) =>
        chunk.push({ index, config: { ...config }, fate }),
      )
      yield* chunk
    }
  }

  function visit(from: number, to: number, visitOne: (point: VisitedPoint) => void): void {
    if (from >= to) return
    const digits = digitsOf(from)
    const config: { -readonly [Field in ConfigField]: DcaSpotConfig[Field] } = readConfig(study.base, order, digits)
    const { shapeOf } = createLadderShapes(study.conventions, study.costs, mostSafetyOrders(config, order))
    const fateOf = (shape: LadderShape) => {
      if (!isInside(study.where, shape)) return 'breaksLimit'
      return isRepeated(order, config, digits) ? 'duplicate' : 'trial'
    }
    const shape = shapeOf(config)
    const point: { -readonly [Part in keyof VisitedPoint]: VisitedPoint[Part] } = {
      index: from,
      config,
      fate: fateOf(shape),
      shape,
    }
    for (;;) {
      visitOne(point)
      if (++point.index >= to) return
      for (let axis = increment(order, digits); axis < order.length; axis++)
        config[order[axis].field] = order[axis].values[digits[axis]]
      point.shape = shapeOf(config)
      point.fate = fateOf(point.shape)
    }
  }

  function digitsOf(index: number): number[] {
    const digits = order.map(() => 0)
    let rest = index
    for (let axis = order.length - 1; axis >= 0; axis--) {
      const { length } = order[axis].values
      digits[axis] = rest % length
      rest = Math.floor(rest / length)
    }
    return digits
  }
}

function mostSafetyOrders({ dcaMaxSafetyOrders }: DcaSpotConfig, axes: readonly Axis[]): number {
  const axis = axes.find(({ field }) => field === 'dcaMaxSafetyOrders')
  return axis === undefined ? dcaMaxSafetyOrders : Math.max(...axis.values)
}

const RAIL_FIELDS: readonly ConfigField[] = ['dcaPriceScalePercent', 'dcaPriceStepMultiplier']
const FAST_FIELDS: readonly ConfigField[] = ['dcaTotalBudget', 'investment', 'stopLoss', 'dcaMaxSafetyOrders']

/** The axes in the order in which a visit is fastest: points that share most of their ladder are neighbours. */
export function inLadderOrder(axes: readonly Axis[]): readonly Axis[] {
  const rank = ({ field }: Axis) => (RAIL_FIELDS.includes(field) ? -1 : FAST_FIELDS.indexOf(field) + 1)
  return axes.toSorted((a, b) => rank(a) - rank(b))
}

export function countPoints({ axes }: Pick<Study, 'axes'>): number {
  return axes.reduce((product, { values }) => product * values.length, 1)
}

/** Counts up in place, the last axis fastest. Returns the first axis whose digit is another one. */
function increment(axes: readonly Axis[], digits: number[]): number {
  for (let axis = axes.length - 1; axis >= 0; axis--) {
    digits[axis]++
    if (digits[axis] < axes[axis].values.length) return axis
    digits[axis] = 0
  }
  return 0
}

function readConfig(base: Study['base'], axes: readonly Axis[], digits: readonly number[]): DcaSpotConfig {
  return configWith(base, axes, (axis) => axes[axis].values[digits[axis]])
}

/** The config of a study with a value for each of its axes, by their numbers. */
export function configWith(
  base: Study['base'],
  axes: readonly Axis[],
  valueOn: (axis: number) => number,
): DcaSpotConfig {
  const config: { -readonly [Field in ConfigField]?: DcaSpotConfig[Field] | undefined } = {}
  for (const field of CONFIG_FIELDS) config[field] = base[field]
  for (let axis = 0; axis < axes.length; axis++) config[axes[axis].field] = valueOn(axis)
  return config as DcaSpotConfig // parseStudy has checked that every field is in base or in an axis
}

/**
 * Two points have the same fingerprint exactly when they differ only in fields without effect, because the values of an axis are
 * different. The one with all those axes at their first value is the trial; the others are duplicates. (Such fields do not change
 * the ladder either, so all of them are feasible or none is.)
 */
function isRepeated(axes: readonly Axis[], config: DcaSpotConfig, digits: readonly number[]): boolean {
  const idle = idleFields(config)
  return idle.length > 0 && axes.some(({ field }, axis) => digits[axis] > 0 && idle.includes(field))
}

/** True inside the study's `where`. */
export function isFeasible(
  { where, conventions, costs }: Pick<Study, 'where' | 'conventions' | 'costs'>,
  config: DcaSpotConfig,
): boolean {
  return where.length === 0 || isInside(where, ladderShape(config, conventions, costs))
}

function isInside(where: Study['where'], shape: LadderShape): boolean {
  for (const { measure, bounds } of where) if (!isWithin(measureShape(shape, measure), bounds)) return false
  return true
}

function measureShape(shape: LadderShape, measure: ShapeMeasure): number {
  switch (measure) {
    case 'ladderCost':
      return shape.cost
    case 'ladderDepthPercent':
      return shape.depthPercent
    case 'safetyOrders':
      return shape.rungs
    case 'lastToFirstSize':
      return shape.lastToFirstSize
    case 'stopLossToDepth':
      return shape.stopLossToDepth ?? Infinity // without a stop, or without a ladder
  }
}

/** The tolerance of the budget: a ladder that costs exactly `max` with fees is inside. */
const TOLERANCE = 1e-9

function isWithin(value: number, { min = -Infinity, max = Infinity }: Bounds): boolean {
  return value >= min - Math.abs(min) * TOLERANCE && value <= max + Math.abs(max) * TOLERANCE
}

/** The trials of one configuration: one on each of the study's markets, or of those given. */
export function trialsOfConfig(
  { markets, period }: Pick<Study, 'markets' | 'period'>,
  config: DcaSpotConfig,
): readonly Trial[] {
  return markets.map((market) => ({
    fingerprint: trialFingerprint({ market, period, config }),
    market,
    period,
    config,
  }))
}

/** Every point of the grid in its order, in constant memory. */
export function enumerateConfigs(study: Study) {
  const grid = createGrid(study)
  return grid.walk(0, grid.points)
}
