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
  'rungs',
  'lastToFirstSize',
  'stopLossToDepth',
] as const
export type ShapeMeasure = (typeof SHAPE_MEASURES)[number]

export interface Objective {
  readonly direction: 'maximize' | 'minimize'
  readonly metric: MetricName
  readonly where: readonly { readonly metric: MetricName; readonly bounds: Bounds }[]
}

/** How the grid is searched; only `grid`, every point of it, is built. */
export const SEARCH_METHODS = ['grid', 'random', 'sobol', 'screen'] as const

/** What a screen ranks the points of a grid by: the objective, the objective under worse costs, or its mean over neighbouring points. */
export const SEARCH_SCORES = ['point', 'stressed', 'plateau'] as const
export type SearchScore = (typeof SEARCH_SCORES)[number]

interface SearchMethod {
  readonly method: (typeof SEARCH_METHODS)[number]
}

export type Search =
  | (SearchMethod & { readonly score: Exclude<SearchScore, 'plateau'> })
  /** `logFields`: the axes on which neighbours are equal ratios away, which the file wrote with `scale: log`; in the order of CONFIG_FIELDS. */
  | (SearchMethod & { readonly score: 'plateau'; readonly logFields: readonly ConfigField[] })

export interface Study {
  readonly name: string
  /** SHA-256 hex of what the study asks (`fields.ts`). */
  readonly fingerprint: string
  readonly market: Market
  readonly period: Period
  /** null = the finest stored interval that covers the period. */
  readonly interval: Interval | null
  readonly costs: Costs
  readonly conventions: Conventions
  /** Constants and defaults for every field that no axis varies. */
  readonly base: Readonly<Partial<DcaSpotConfig>>
  readonly axes: readonly Axis[]
  readonly where: readonly { readonly measure: ShapeMeasure; readonly bounds: Bounds }[]
  readonly search: Search
  readonly objective: Objective
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
