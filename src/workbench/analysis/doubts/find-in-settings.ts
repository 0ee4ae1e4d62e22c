/**
 * Whether results rest on the costs and conventions that a study asks about. Where the two differ, or the service does not tell, a reader
 * has to know before believing a ranking.
 */
import type { AskedSettings, SettingsEvidence } from '../../study/settings.ts'
import { type Doubt, doubt } from './doubts.ts'

export interface SettingsDoubt extends Doubt<'costsDiffer' | 'conventionsDiffer'> {
  /** Dotted path in the study file. */
  readonly path: 'costs' | 'conventions'
  /** Nothing is known to differ: what was computed with is not stated. */
  readonly isUnknown: boolean
}

const CODES = { costs: 'costsDiffer', conventions: 'conventionsDiffer' } as const

/** What there is to say, with both values: ours and what is stated. Empty when everything agrees. */
export function compareSettings(asked: AskedSettings, evidence: SettingsEvidence): readonly SettingsDoubt[] {
  return (['costs', 'conventions'] as const).flatMap((path) => {
    const ours: Values = { ...asked[path] }
    const fromResults = evidence.results.map((stated) => ({
      judged: judge(ours, stated[path], asked.names[path]),
      count: stated.count ?? 1,
    }))
    const fromService = evidence.service === undefined ? null : judge(ours, evidence.service[path], asked.names[path])
    const said = [...describeResults(fromResults), ...(fromService === null ? [] : [describeService(fromService)])]
    if (said.length === 0) return []
    const differing = [...fromResults.map(({ judged }) => judged), fromService].flatMap((each) =>
      each === null || each === 'unknown' ? [] : Object.keys(each),
    )
    const names = Object.keys(ours).filter((name) => differing.length === 0 || differing.includes(name))
    const raised = doubt(CODES[path], { asked: describe(ours, names), stated: said.join('; ') })
    return [{ ...raised, path, isUnknown: differing.length === 0 }]
  })
}

type Values = Readonly<Record<string, unknown>>

/** The stated values that differ; null where none does, or where nothing is stated and nothing was asked for. */
type Judgement = Values | 'unknown' | null

function judge(ours: Values, stated: object | null, isNamed: boolean): Judgement {
  const theirs = Object.entries(stated ?? {}).filter(([name]) => Object.hasOwn(ours, name))
  if (theirs.length === 0) return isNamed ? 'unknown' : null
  const different = theirs.filter(([name, value]) => ours[name] !== value)
  return different.length === 0 ? null : Object.fromEntries(different)
}

/** One phrase for each different statement. */
function describeResults(results: readonly { readonly judged: Judgement; readonly count: number }[]): string[] {
  const counts = new Map<string, number>()
  let total = 0
  for (const { judged, count } of results) {
    total += count
    if (judged === null) continue
    const text = judged === 'unknown' ? 'unknown: not stated' : describe(judged, Object.keys(judged))
    counts.set(text, (counts.get(text) ?? 0) + count)
  }
  return [...counts].map(([text, count]) => {
    const which = total === 1 ? 'the result' : `${count === total ? 'all' : `${count} of`} ${total} results`
    return `${which}: ${text}`
  })
}

function describeService(judged: Values | 'unknown'): string {
  return judged === 'unknown'
    ? 'the service: unknown until a result states it'
    : `the service: ${describe(judged, Object.keys(judged))}`
}

function describe(values: Values, names: readonly string[]): string {
  return names.map((name) => `${name} ${shown(values[name])}`).join(', ')
}

function shown(value: unknown): string {
  if (value === null) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
