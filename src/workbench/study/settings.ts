/**
 * A study says under which costs and conventions its numbers are meant; a service computes with its own, and its results may state
 * them. Where the two differ, or the service does not tell, a reader has to know before believing a ranking.
 */
import type { Conventions, Costs } from '../../engine/conventions.ts'
import { valueAt } from './path.ts'
import { readSourceDocument } from './source-document.ts'
import type { Study } from './study.ts'

/** What a result (or a service, of the results to come) states; null where it does not. */
export interface StatedSettings {
  readonly costs: Costs | null
  readonly conventions: Readonly<Record<string, unknown>> | null
}

export interface AskedSettings {
  readonly costs: Costs
  readonly conventions: Conventions
  /** Whether the file has the block: only then is it worth saying that a service does not tell. */
  readonly names: { readonly costs: boolean; readonly conventions: boolean }
}

export interface SettingsEvidence {
  readonly results: readonly StatedSettings[]
  /** What the service will compute with; absent = nothing will be computed, or its next result tells. */
  readonly service?: StatedSettings
}

export interface SettingsDoubt {
  readonly code: 'costsDiffer' | 'conventionsDiffer'
  readonly message: string
  /** Dotted path in the study file. */
  readonly path: 'costs' | 'conventions'
  /** Nothing is known to differ: what was computed with is not stated. */
  readonly isUnknown: boolean
}

export function askedSettings({ costs, conventions, source }: Study): AskedSettings {
  const { value } = readSourceDocument(source, 'the study')
  const isNamed = (key: string) => valueAt(value, [key]) !== undefined
  return { costs, conventions, names: { costs: isNamed('costs'), conventions: isNamed('conventions') } }
}

/** What there is to say, with both values: ours and what is stated. Empty when everything agrees. */
export function compareSettings(asked: AskedSettings, evidence: SettingsEvidence): readonly SettingsDoubt[] {
  return (['costs', 'conventions'] as const).flatMap((path) => {
    const ours: Values = { ...asked[path] }
    const fromResults = evidence.results.map((stated) => differenceOf(ours, stated[path], asked.names[path]))
    const fromService =
      evidence.service === undefined ? null : differenceOf(ours, evidence.service[path], asked.names[path])
    const said = [...describeResults(fromResults), ...(fromService === null ? [] : [describeService(fromService)])]
    if (said.length === 0) return []
    const differing = [...fromResults, ...(fromService === null ? [] : [fromService])].flatMap((each) =>
      each === null || each === 'unknown' ? [] : Object.keys(each),
    )
    const names = Object.keys(ours).filter((name) => differing.length === 0 || differing.includes(name))
    const message = `the study says ${describe(ours, names)}; ${said.join('; ')}`
    return [{ code: `${path}Differ` as const, message, path, isUnknown: differing.length === 0 }]
  })
}

type Values = Readonly<Record<string, unknown>>

/** The stated values that differ; null where none does, or where nothing is stated and nothing was asked for. */
type Difference = Values | 'unknown' | null

function differenceOf(ours: Values, stated: object | null, isNamed: boolean): Difference {
  const theirs = Object.entries(stated ?? {}).filter(([name]) => Object.hasOwn(ours, name))
  if (theirs.length === 0) return isNamed ? 'unknown' : null
  const different = theirs.filter(([name, value]) => ours[name] !== value)
  return different.length === 0 ? null : Object.fromEntries(different)
}

/** One phrase for each different statement. */
function describeResults(differences: readonly Difference[]): string[] {
  const counts = new Map<string, number>()
  for (const each of differences) {
    if (each === null) continue
    const text = each === 'unknown' ? 'unknown: not stated' : describe(each, Object.keys(each))
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const total = differences.length
  return [...counts].map(([text, count]) => {
    const which = total === 1 ? 'the result' : `${count === total ? 'all' : `${count} of`} ${total} results`
    return `${which}: ${text}`
  })
}

function describeService(difference: Values | 'unknown'): string {
  return difference === 'unknown'
    ? 'the service: unknown until a result states it'
    : `the service: ${describe(difference, Object.keys(difference))}`
}

function describe(values: Values, names: readonly string[]): string {
  return names.map((name) => `${name} ${shown(values[name])}`).join(', ')
}

function shown(value: unknown): string {
  if (value === null) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
