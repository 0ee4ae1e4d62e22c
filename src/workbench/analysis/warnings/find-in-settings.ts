/**
 * Whether results rest on the costs, conventions and candles that a study asks about. Where they differ, or the service does not state them, a
 * reader has to know before believing a ranking.
 */
import { INTERVALS, isInterval } from '../../../contract/market.ts'
import type { AskedSettings, SettingsEvidence } from '../../study/settings.ts'
import { type Warning, warning } from './warnings.ts'

export interface SettingsWarning extends Warning<'termsDiffer' | 'coarseCandles'> {
  /** Dotted path in the study file. */
  readonly path: Part
  /** Nothing is known to differ: what was computed with is not stated. */
  readonly isUnknown: boolean
}

const PARTS = ['costs', 'conventions', 'interval'] as const
type Part = (typeof PARTS)[number]

/** What there is to say, with both values: ours and what is stated. Empty when everything agrees and no candles are coarse. */
export function compareSettings(asked: AskedSettings, evidence: SettingsEvidence): readonly SettingsWarning[] {
  const compared = PARTS.flatMap((path) => {
    const ours = valuesOf(path, asked)
    const judgeOne = (stated: Parameters<typeof valuesOf>[1]) => judge(ours, valuesOf(path, stated), asked.names[path])
    const fromResults = evidence.results.map((stated) => ({
      judged: judgeOne({ ...stated, interval: stated.candles?.interval ?? null }),
      count: stated.count ?? 1,
    }))
    const fromService = evidence.service === undefined ? null : judgeOne(evidence.service)
    const said = [...describeResults(fromResults), ...(fromService === null ? [] : [describeService(fromService)])]
    if (said.length === 0) return []
    const differing = [...fromResults.map(({ judged }) => judged), fromService].flatMap((each) =>
      each === null || each === 'unknown' ? [] : Object.keys(each),
    )
    const isUnknown = differing.length === 0
    const names = Object.keys(ours).filter((name) => isUnknown || differing.includes(name))
    const raised = warning('termsDiffer', { asked: describe(ours, names), stated: said.join('; ') })
    return [{ ...raised, path, isUnknown }]
  })
  return [...compared, ...findCoarse(evidence)]
}

/** Of results; stored candles are wanted finer. */
const coarseMs = 3_600_000

function findCoarse({ results }: SettingsEvidence): readonly SettingsWarning[] {
  const statements = results.map(({ candles, count = 1 }) => {
    const interval = candles?.interval ?? ''
    const isCoarse = isInterval(interval) && INTERVALS[interval] > coarseMs
    return { text: isCoarse ? interval : null, count }
  })
  const said = describeGroups(statements)
  if (said.length === 0) return []
  return [{ ...warning('coarseCandles', { interval: said.join('; ') }), path: 'interval', isUnknown: false }]
}

type Values = Readonly<Record<string, unknown>>

/** The stated values that differ; null where none does, or where nothing is stated and nothing was asked for. */
type Judgement = Values | 'unknown' | null

/** One part by its names; none where it is not stated, or any will do. */
function valuesOf(path: Part, parts: { readonly [Each in Part]: object | string | null }): Values {
  const part = parts[path]
  return typeof part === 'string' ? { [path]: part } : { ...part }
}

function judge(ours: Values, stated: Values, isNamed: boolean): Judgement {
  const theirs = Object.entries(stated).filter(([name]) => Object.hasOwn(ours, name))
  if (theirs.length === 0) return isNamed ? 'unknown' : null
  const different = theirs.filter(([name, value]) => ours[name] !== value)
  return different.length === 0 ? null : Object.fromEntries(different)
}

function describeResults(results: readonly { readonly judged: Judgement; readonly count: number }[]): string[] {
  return describeGroups(
    results.map(({ judged, count }) => ({
      text: judged === 'unknown' ? 'unknown: not stated' : judged && describe(judged, Object.keys(judged)),
      count,
    })),
  )
}

/** One phrase for each different text, with how many results it is said of; null = there is nothing to say of them. */
function describeGroups(statements: readonly { readonly text: string | null; readonly count: number }[]): string[] {
  const counts = new Map<string, number>()
  let total = 0
  for (const { text, count } of statements) {
    total += count
    if (text !== null) counts.set(text, (counts.get(text) ?? 0) + count)
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
