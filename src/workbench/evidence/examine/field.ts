/**
 * The configurations that a trial is compared with: all of its study's on the trial's market, or, where these are many, drawn ones. Each is computed
 * by the local engine as a sweep, as closely as what is asked of it needs.
 */
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import type { MetricName } from '../../../contract/metrics.ts'
import type { PreparedCandles } from '../../../engine/jump/prepared.ts'
import type { Clock } from '../../../system.ts'
import { createAppraiser } from '../../screen/appraise.ts'
import { DEPTHS, type Depth, depthOf } from '../../screen/measures.ts'
import { createSimulation } from '../../screen/simulate.ts'
import { drawConfigs } from '../../search/draw-configs.ts'
import { configFingerprint } from '../../study/fingerprint.ts'
import { countPoints, createGrid } from '../../study/grid.ts'
import { decidingMetrics } from '../../study/objective.ts'
import type { Study } from '../../study/study.ts'
import type { Terms } from '../replay/read-terms.ts'

/** A grid of so many points or fewer is taken whole. */
const MOST_POINTS = 10_000
/** Of those, different feasible ones. */
const MOST_CONFIGS = 2_000
/** Sobol points of a larger space. */
const DRAWN = 1_000
/** Configurations between two checks of the signal. */
const AT_ONCE = 250

interface FieldConfig {
  readonly config: DcaSpotConfig
  /** The config fingerprint. */
  readonly fingerprint: string
}

/** Configurations of a study, and which of them is the trial's. */
export interface Field {
  readonly study: Study
  readonly configs: readonly FieldConfig[]
  readonly own: number
  /** All that the study allows; else drawn ones, and the trial's. */
  readonly isWhole: boolean
}

/** What they came to on some candles, in the order of the field. */
export interface FieldValues {
  /** The objective; null = undefined. */
  readonly objective: readonly (number | null)[]
  /** Those inside the objective's bounds that have a value. */
  readonly isRanked: readonly boolean[]
  /** The metrics asked for besides. */
  readonly metrics: Readonly<Partial<Record<MetricName, readonly (number | null)[]>>>
}

export interface LongWork {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onProgress: (text: string) => void
}

/** By fingerprint, so that the order of axes and values in the file changes nothing. */
export function createField(study: Study, config: DcaSpotConfig): Field {
  const whole = wholeGrid(study)
  const drawn = whole ?? drawConfigs(study, { by: 'sobol', count: DRAWN, seed: seedOf(study) }).configs
  const fingerprint = configFingerprint(config)
  const others = drawn.filter((one) => one.fingerprint !== fingerprint)
  const configs = [...others, { config, fingerprint }].sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1))
  const own = configs.findIndex((one) => one.fingerprint === fingerprint)
  return { study, configs, own, isWhole: whole !== null }
}

/** null where it is too large, or has no levels. */
function wholeGrid(study: Study): readonly FieldConfig[] | null {
  if (study.axes.some(({ continuous }) => continuous !== undefined) || countPoints(study) > MOST_POINTS) return null
  const grid = createGrid(study)
  const configs: FieldConfig[] = []
  for (const { config, fate } of grid.walk(0, grid.points)) {
    if (fate !== 'trial') continue
    if (configs.length === MOST_CONFIGS) return null
    configs.push({ config, fingerprint: configFingerprint(config) })
  }
  return configs
}

function seedOf({ search }: Study): number {
  return 'seed' in search ? search.seed : 1
}

/** @param on.prepared valid until all is measured. @throws the signal's reason */
export async function measureField(
  { study, configs }: Field,
  on: Terms & { readonly prepared: PreparedCandles; readonly metrics?: readonly MetricName[] },
  { clock, signal, onProgress }: LongWork,
): Promise<FieldValues> {
  const { objective } = study
  const metrics = on.metrics ?? []
  const read = [...decidingMetrics(objective), ...metrics]
  const depth = deepest(read)
  const { prepared } = on
  const chunks = { order: study.axes, size: AT_ONCE }
  const simulation = createSimulation({ chunks, prepared, symbol: on.symbol }, on, read)
  const appraise = createAppraiser(objective, depth)
  const rows: { readonly value: number | null; readonly isInside: boolean; readonly asked: (number | null)[] }[] = []
  for (let from = 0; from < configs.length; from += AT_ONCE) {
    const part = configs.slice(from, from + AT_ONCE).map(({ config }) => config)
    const { verdicts } = simulation.evaluate(part, depth, (read) => ({
      value: read(objective.metric),
      isInside: appraise(read).isInside,
      asked: metrics.map(read),
    }))
    rows.push(...verdicts)
    onProgress(`${Math.min(from + AT_ONCE, configs.length)} of ${configs.length} configurations`)
    await clock.sleep(0, signal) // lets an interrupt take effect
  }
  return {
    objective: rows.map(({ value }) => value),
    isRanked: rows.map(({ value, isInside }) => value !== null && isInside),
    metrics: Object.fromEntries(metrics.map((metric, at) => [metric, rows.map(({ asked }) => asked[at])])),
  }
}

function deepest(metrics: readonly MetricName[]): Depth {
  return metrics
    .map(depthOf)
    .reduce((most, depth) => (DEPTHS.indexOf(depth) > DEPTHS.indexOf(most) ? depth : most), 'profit')
}
