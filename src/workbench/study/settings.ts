/**
 * A study says under which costs and conventions and on which candles its numbers are meant; a service computes with its own, and its
 * results may state them. What is to be said where the two differ: `../analysis/warnings/find-in-settings.ts`.
 */
import type { Conventions, Costs } from '../../engine/conventions.ts'

/** What a result (or a service, of the results to come) states; null where it does not. */
interface StatedSettings {
  readonly costs: Costs | null
  readonly conventions: Readonly<Record<string, unknown>> | null
}

/** The same of a result, which states its interval with its candles. */
export interface StatedByResult extends StatedSettings {
  readonly candles: { readonly interval: string } | null
}

/** What results are computed under. A part that is null is not known, and matches any. */
export interface Settings extends StatedSettings {
  readonly interval: string | null
  readonly symbol: Readonly<Record<string, unknown>> | null
}

export const NOTHING_KNOWN: Settings = { interval: null, conventions: null, costs: null, symbol: null }

export interface AskedSettings {
  readonly costs: Costs
  readonly conventions: Conventions
  /** null = any. */
  readonly interval: string | null
  /** Whether the file has the block: only then is it reported that a service does not state its settings. */
  readonly names: { readonly costs: boolean; readonly conventions: boolean; readonly interval: boolean }
}

export interface SettingsEvidence {
  /** `count`: so many results state the same; absent = one. */
  readonly results: readonly (StatedByResult & { readonly count?: number })[]
  /** The settings with which the service will compute; absent = nothing will be computed, or the next result will state them. */
  readonly service?: Omit<Settings, 'symbol'> | undefined
}
