/**
 * The grid of a study, point by point. Nothing is kept but the trials asked for: a point's values follow from its number, written in
 * the mixed radix of the axes' lengths (first axis slowest), and whether it repeats an earlier point follows from its own digits.
 */
import { CONFIG_FIELDS, type ConfigField, type DcaSpotConfig } from '../contract/bot.ts'
import { ladderShape } from '../engine/ladder.ts'
import { Failure } from '../errors.ts'
import { idleFields, trialFingerprint } from './fingerprint.ts'
import { readSourceDocument } from './source-document.ts'
import type { Bounds, ShapeMeasure, Study, Trial } from './study.ts'

export interface GridPoint {
  /** Number of the point in grid order, from 0. */
  readonly index: number
  readonly config: DcaSpotConfig
  /** `infeasible`: outside the study's `where`. `duplicate`: feasible, with the fingerprint of an earlier feasible point. */
  readonly fate: 'trial' | 'duplicate' | 'infeasible'
}

export interface TrialPlan {
  /** Points of the grid = infeasible + duplicates + trials. */
  readonly grid: number
  readonly infeasible: number
  readonly duplicates: number
  /** In grid order. */
  readonly trials: readonly Trial[]
}

/** More trials than this are screened locally, not run: at 100 a day they would take over three months. */
const MAX_TRIALS = 10_000

/** @throws Failure studyInvalid when there are more than `limit` distinct feasible trials */
export function planTrials(study: Study, { limit = MAX_TRIALS }: { readonly limit?: number } = {}): TrialPlan {
  const { market, period } = study
  const trials: Trial[] = []
  const counts = { trial: 0, duplicate: 0, infeasible: 0 }
  for (const { config, fate } of enumerateConfigs(study)) {
    counts[fate]++
    if (fate !== 'trial') continue
    if (trials.length === limit) throw tooManyTrials(study, limit)
    trials.push({ fingerprint: trialFingerprint({ market, period, config }), market, period, config })
  }
  return { grid: countPoints(study), infeasible: counts.infeasible, duplicates: counts.duplicate, trials }
}

/** Every point of the grid in its order, in constant memory. */
export function* enumerateConfigs(study: Study): Generator<GridPoint, void> {
  const digits = study.axes.map(() => 0)
  const points = countPoints(study)
  for (let index = 0; index < points; index++) {
    const config = configAt(study, digits)
    const fate = !isFeasible(study, config) ? 'infeasible' : isRepeated(study, config, digits) ? 'duplicate' : 'trial'
    yield { index, config, fate }
    increment(study, digits)
  }
}

function countPoints({ axes }: Study): number {
  return axes.reduce((product, { values }) => product * values.length, 1)
}

/** Counts up in place, the last axis fastest. */
function increment({ axes }: Study, digits: number[]): void {
  for (let axis = axes.length - 1; axis >= 0; axis--) {
    digits[axis]++
    if (digits[axis] < axes[axis].values.length) return
    digits[axis] = 0
  }
}

function configAt({ base, axes }: Study, digits: readonly number[]): DcaSpotConfig {
  const config: { -readonly [Field in ConfigField]?: DcaSpotConfig[Field] | undefined } = {}
  for (const field of CONFIG_FIELDS) config[field] = base[field]
  axes.forEach(({ field, values }, axis) => {
    config[field] = values[digits[axis]]
  })
  return config as DcaSpotConfig // parseStudy has seen every field in base or in an axis
}

/**
 * Two points share a fingerprint exactly when they differ only in fields that cannot matter, because the values of an axis differ. The
 * first of them has all those axes at their first value. (Such fields do not change the ladder either, so all are equally feasible.)
 */
function isRepeated({ axes }: Study, config: DcaSpotConfig, digits: readonly number[]): boolean {
  const idle = idleFields(config)
  return idle.length > 0 && axes.some(({ field }, axis) => digits[axis] > 0 && idle.includes(field))
}

function isFeasible({ where, conventions, costs }: Study, config: DcaSpotConfig): boolean {
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
      return shape.stopLossToDepth ?? Infinity // no stop to lie inside the ladder, or no ladder for it to lie in
  }
}

/** Bounds compare with the tolerance of the budget itself: a ladder that costs exactly `max` with fees is inside. */
const TOLERANCE = 1e-9

function isWithin(value: number, { min = -Infinity, max = Infinity }: Bounds): boolean {
  return value >= min - Math.abs(min) * TOLERANCE && value <= max + Math.abs(max) * TOLERANCE
}

function tooManyTrials(study: Study, limit: number): Failure {
  const document = readSourceDocument(study.source, study.name)
  const place = document.placeAt(document.offsetOf(['grid'], 'key'))
  const message = `grid: more than ${limit} distinct feasible trials; expected at most ${limit} to run`
  return new Failure('studyInvalid', `${study.name} has too many trials to run`, {
    problems: [{ place, message }],
    hint: 'narrow the grid or bound it with where',
  })
}
