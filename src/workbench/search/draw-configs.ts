/**
 * Different feasible configurations drawn from the space of a study's axes, at random or evenly spread (`sobol.ts`). The same seed gives the same
 * ones in the same order, however the file orders axes and values, and fewer are the beginning of more.
 */
import { CONFIG_BOUNDS, CONFIG_FIELDS, type ConfigField, type DcaSpotConfig } from '../../contract/bot.ts'
import { power } from '../../engine/power.ts'
import { createRandom } from '../../engine/random.ts'
import { configFingerprint, idleFields } from '../study/fingerprint.ts'
import { configWith, countPoints, isFeasible } from '../study/grid.ts'
import type { Axis, ContinuousRange, Study } from '../study/study.ts'
import { createSobol } from './sobol.ts'

/** What configurations are drawn from; the settings are those that `where` measures a ladder under. */
export type ConfigSpace = Pick<Study, 'base' | 'axes' | 'where' | 'conventions' | 'costs'>

export interface DrawnConfig {
  readonly config: DcaSpotConfig
  /** The config fingerprint. */
  readonly fingerprint: string
}

export interface Drawing {
  /** In the order drawn; no two have one fingerprint. */
  readonly configs: readonly DrawnConfig[]
  /** Why they are fewer than was asked for; null where they are not. */
  readonly shortfall: string | null
}

/** So many draws without a new configuration end the drawing: a space of which less is new is not searched by drawing. */
const MOST_IN_VAIN = 2 ** 16

/** Significant digits of values on a continuous axis. */
const DIGITS = 3

/** @param seed a whole number from 0 */
export function drawConfigs(
  space: ConfigSpace,
  { by, count, seed }: { readonly by: 'random' | 'sobol'; readonly count: number; readonly seed: number },
): Drawing {
  const axes = space.axes.toSorted((a, b) => CONFIG_FIELDS.indexOf(a.field) - CONFIG_FIELDS.indexOf(b.field))
  const points = axes.some(({ continuous }) => continuous !== undefined) ? Infinity : countPoints(space)
  const valuesAt = axes.map(valueOfShare)
  const shares = by === 'sobol' ? evenly(axes.length, seed) : atRandom(axes.length, seed)
  const configs: DrawnConfig[] = []
  const pointsSeen = new Set<string>()
  const namesSeen = new Set<string>()
  let draws = 0
  let drawsAtLast = 0
  for (; configs.length < count && pointsSeen.size < points && draws - drawsAtLast < MOST_IN_VAIN; draws++) {
    const values = shares(draws).map((share, axis) => valuesAt[axis](share))
    if (points !== Infinity) pointsSeen.add(values.join())
    const config = withoutIdleChoices(
      configWith(space.base, axes, (axis) => values[axis]),
      space.axes,
    )
    // The same fields that can matter have the same fingerprint, which takes ten times as long to work out.
    const name = axes.map(({ field }) => config[field]).join()
    if (namesSeen.has(name)) continue
    namesSeen.add(name)
    if (!isFeasible(space, config)) continue
    configs.push({ config, fingerprint: configFingerprint(config) })
    drawsAtLast = draws
  }
  if (configs.length === count) return { configs, shortfall: null }
  const reason =
    pointsSeen.size === points
      ? `the grid has only ${configs.length} different configurations within limits`
      : `${draws} draws have only ${configs.length} different configurations within limits: widen the axes or where`
  return { configs, shortfall: reason }
}

/** The value of an axis at a share of its length, 0 ≤ share < 1. */
function valueOfShare({ field, values, continuous }: Axis): (share: number) => number {
  if (continuous !== undefined) return (share) => valueBetween(field, continuous, share)
  const levels = values.toSorted((a, b) => a - b)
  return (share) => levels[Math.floor(share * levels.length)]
}

/** Whole numbers are equally likely, as far as the scale lets them; other values are rounded and stay between the ends. */
function valueBetween(field: ConfigField, { from, to, scale }: ContinuousRange, share: number): number {
  const isWhole = CONFIG_BOUNDS[field].integer === true
  const end = isWhole ? to + 1 : to
  const exact = scale === 'log' ? from * power(end / from, share) : from + share * (end - from)
  return Math.min(to, Math.max(from, isWhole ? Math.floor(exact) : Number(exact.toPrecision(DIGITS))))
}

/** With the first value of each axis that has no effect: the same choice as the grid's, so that one fingerprint is one configuration. */
function withoutIdleChoices(config: DcaSpotConfig, axes: readonly Axis[]): DcaSpotConfig {
  const idle = idleFields(config)
  if (idle.length === 0) return config
  const firstValues = axes.filter(({ field }) => idle.includes(field)).map(({ field, values }) => [field, values[0]])
  return { ...config, ...Object.fromEntries(firstValues) }
}

function evenly(dimensions: number, seed: number): (draw: number) => readonly number[] {
  const { pointAt } = createSobol(dimensions, seed)
  return pointAt
}

function atRandom(dimensions: number, seed: number): () => readonly number[] {
  const { uniform } = createRandom(seed)
  return () => Array.from({ length: dimensions }, uniform)
}
