/** A study: the question a researcher asks, read from a file and checked. Types, and how many trials are run; `parse.ts` makes studies. */
import type { ConfigField, DcaSpotConfig } from '../../contract/bot.ts'
import type { Interval, Market } from '../../contract/market.ts'
import type { MetricName } from '../../contract/metrics.ts'
import type { Conventions, Costs } from '../../engine/conventions.ts'

/** Instants in ms UTC; a candle belongs when from ≤ open time < to. */
export interface Period {
  readonly from: number
  readonly to: number
}

/** One grid dimension: the values of a config field, in the order the study lists them. */
export interface Axis {
  readonly field: ConfigField
  readonly values: readonly number[]
  /** Every value between two ends, which alone stand in `values`; only methods that draw points know such axes. */
  readonly continuous?: ContinuousRange
}

export interface ContinuousRange {
  readonly from: number
  readonly to: number
  readonly scale: 'linear' | 'log'
}

export interface Bounds {
  readonly min?: number
  readonly max?: number
}

/** More trials than this are screened locally, not run: at 100 a day they would take over three months. */
export const MAX_TRIALS = 10_000

/** What a `where` of a study can bound, computed from the configuration alone. */
export const SHAPE_MEASURES = [
  'ladderCost',
  'ladderDepthPercent',
  'safetyOrders',
  'lastToFirstSize',
  'stopLossToDepth',
] as const
export type ShapeMeasure = (typeof SHAPE_MEASURES)[number]

/** How the objective of a configuration is made of its values on several markets, or in several folds; `worst` in the objective's direction. */
export const REDUCERS = ['mean', 'median', 'worst'] as const
export type Reducer = (typeof REDUCERS)[number]

export interface Objective {
  readonly direction: 'maximize' | 'minimize'
  readonly metric: MetricName
  /** To be met on every market. */
  readonly where: readonly { readonly metric: MetricName; readonly bounds: Bounds }[]
  /** Absent = median. */
  readonly across?: Reducer
  /** How the values on the tests of a walk-forward become one; absent = mean. */
  readonly folds?: Reducer
}

/** A choice made on one span and tested on the next, again and again (`folds.ts`). Lengths are whole days. */
export interface WalkForward {
  readonly trainMs: number
  readonly testMs: number
  /** Left out between the two. */
  readonly embargoMs: number
  /** Every train begins on the first day. */
  readonly anchored: boolean
}

/** Paid configurations of a search that sets no number. */
export const USUAL_CONFIGS = 40

/** What a study file can set for a search method. */
export interface SearchSettings {
  /** Paid configurations at most, each a job on every market. */
  readonly configs: number
  /** Of them, those spread over the whole space. */
  readonly samples: number
  /** Whether a service that does not announce its conventions is asked for them first. */
  readonly calibrate: 'auto' | 'off'
  /** Decides the points that are drawn. */
  readonly seed: number
}

interface MethodRow {
  /** For the study schema. */
  readonly what: string
  /** What of the file's `search` it uses. */
  readonly uses: readonly (keyof SearchSettings)[]
  /** It draws points, so that it can do without levels on an axis. */
  readonly draws: boolean
}

/** How the grid is searched: which points are asked of a service. How each method does it: `../search/searches.ts`. */
export const SEARCH_METHODS = {
  grid: { what: 'every point', uses: [], draws: false },
  random: { what: 'points drawn at random, from the seed', uses: ['configs', 'seed'], draws: true },
  sobol: { what: 'points spread evenly, from the seed', uses: ['configs', 'seed'], draws: true },
  screen: {
    what: 'the whole grid locally, then the best and some control configurations are sent',
    uses: ['configs', 'samples', 'calibrate', 'seed'],
    draws: false,
  },
} as const satisfies Record<string, MethodRow>

export type MethodName = keyof typeof SEARCH_METHODS

export const METHOD_NAMES = Object.keys(SEARCH_METHODS) as readonly MethodName[] // keys of a const literal

/** A method with the settings that it uses. */
export type PlanOf<Name extends MethodName = MethodName> = {
  readonly [Each in Name]: { readonly method: Each } & Pick<
    SearchSettings,
    (typeof SEARCH_METHODS)[Each]['uses'][number]
  >
}[Name]

/** How many configurations a search pays for at most; null = it sets itself no limit. */
export function mostConfigs(search: PlanOf): number | null {
  return 'configs' in search ? search.configs : null
}

export interface Study {
  readonly name: string
  /** SHA-256 hex of what the study asks (`fields.ts`). */
  readonly fingerprint: string
  /** At least one; the trials of a configuration are run on each. */
  readonly markets: readonly Market[]
  /** What is measured on, at every step but the last: where a part is held out, the span before it. */
  readonly period: Period
  /** The newest part of the file's period, of which nothing is shown until it is opened; null = none is held out. */
  readonly holdout: Period | null
  /** null = the file asks for none. Nothing that is run or paid for follows from it. */
  readonly walkForward: WalkForward | null
  /** null = the finest stored interval that covers the period. */
  readonly interval: Interval | null
  readonly costs: Costs
  readonly conventions: Conventions
  /** Constants and defaults for every field that no axis varies. */
  readonly base: Readonly<Partial<DcaSpotConfig>>
  readonly axes: readonly Axis[]
  readonly where: readonly { readonly measure: ShapeMeasure; readonly bounds: Bounds }[]
  readonly search: PlanOf
  readonly objective: Objective
  /** Configurations tried by hand before it was written, such as in a report; counted with those that are tried here. */
  readonly tried?: number
  /** The file's text as read. */
  readonly source: string
}

/** One configuration of a study on its market and period. */
export interface Trial {
  /** SHA-256 hex over market, period and canonical config; 12 digits shown. */
  readonly fingerprint: string
  readonly market: Market
  readonly period: Period
  readonly config: DcaSpotConfig
}
