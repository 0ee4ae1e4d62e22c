/**
 * The grid of a study, point by point. Nothing is stored: a point's values follow from its number, written in a mixed radix of
 * the axes' lengths (first axis slowest), and its digits also show whether it repeats another point.
 */
import { CONFIG_FIELDS, type ConfigField, type DcaSpotConfig } from '../../contract/bot.ts'
import { ladderShape } from '../../engine/ladder.ts'
import { idleFields } from './fingerprint.ts'
import type { Axis, Bounds, ShapeMeasure, Study } from './study.ts'

export interface GridPoint {
  /** Number of the point in the grid's order, from 0. */
  readonly index: number
  readonly config: DcaSpotConfig
  /** `infeasible`: outside the study's `where`. `duplicate`: feasible, with the fingerprint of another feasible point, which is the trial. */
  readonly fate: 'trial' | 'duplicate' | 'infeasible'
}

export interface Grid {
  readonly points: number
  /** The config of a point, from its number alone. */
  configAt(index: number): DcaSpotConfig
  /** The point that is the trial of this config, were it inside `where`; null = the grid does not have it. */
  findPoint(config: DcaSpotConfig): number | null
  /** The points from ≤ index < to in order, in constant memory. */
  walk(from: number, to: number): Generator<GridPoint, void>
}

/** @param order the study's axes, slowest first; which points are trials and which duplicates does not depend on it */
export function createGrid(study: Study, order: readonly Axis[] = study.axes): Grid {
  const points = countPoints(study)
  return { points, configAt, findPoint, walk }

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
    const digits = digitsOf(from)
    for (let index = from; index < to; index++) {
      const config = readConfig(study.base, order, digits)
      const fate = !isFeasible(study, config) ? 'infeasible' : isRepeated(order, config, digits) ? 'duplicate' : 'trial'
      yield { index, config, fate }
      increment(order, digits)
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

export function countPoints({ axes }: Pick<Study, 'axes'>): number {
  return axes.reduce((product, { values }) => product * values.length, 1)
}

/** Counts up in place, the last axis fastest. */
function increment(axes: readonly Axis[], digits: number[]): void {
  for (let axis = axes.length - 1; axis >= 0; axis--) {
    digits[axis]++
    if (digits[axis] < axes[axis].values.length) return
    digits[axis] = 0
  }
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
  if (where.length === 0) return true
  const shape = ladderShape(config, conventions, costs)
  return where.every(({ measure, bounds }) => isWithin(measureShape(shape, measure), bounds))
}

function measureShape(shape: ReturnType<typeof ladderShape>, measure: ShapeMeasure): number {
  switch (measure) {
    case 'ladderCost':
      return shape.cost
    case 'ladderDepthPercent':
      return shape.depthPercent
    case 'rungs':
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
