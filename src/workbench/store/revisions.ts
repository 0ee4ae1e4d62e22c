/** The revisions of a study: what changed from each to the next, and how far each has come. */

import { statement } from '../../sqlite/statements.ts'
import type { WrittenReplacement } from '../study/rerun.ts'
import type { Store } from './store.ts'
import { query } from './tables.ts'

export interface Revision {
  readonly number: number
  readonly fingerprint: string
  /** ISO 8601 UTC: its first and its latest run. */
  readonly firstSavedAt: string
  readonly savedAt: string
  readonly isCurrent: boolean
  readonly trials: number
  /** Of its trials, those that some service has finished. */
  readonly results: number
  /** What it replaced of the file's definition; null = it is a file's own. */
  readonly rerun: WrittenReplacement | null
  /** Against the file's revision before; of the first one and of a rerun nothing. Values are as the study says them; null = not there. */
  readonly changed: readonly { readonly key: string; readonly old: string | null; readonly new: string | null }[]
}

const revisions = statement(({ name }: { readonly name: string }) =>
  query
    .selectFrom('study as s')
    .leftJoin('study_trial as m', (join) =>
      join.onRef('m.study', '=', 's.name').onRef('m.study_fingerprint', '=', 's.fingerprint'),
    )
    .select(['s.number', 's.fingerprint', 's.first_saved_at', 's.saved_at', 's.definition_json', 's.rerun_json'])
    .select(({ fn }) => fn.count<number>('m.fingerprint').as('trials'))
    .select(({ fn, case: when, exists, selectFrom }) => {
      const done = selectFrom('job as j').select('j.id').where('j.state', '=', 'done')
      const isDone = exists(done.whereRef('j.fingerprint', '=', 'm.fingerprint'))
      return fn.count<number>(when().when(isDone).then(1).end()).as('results')
    })
    .where('s.name', '=', name)
    .groupBy(['s.name', 's.fingerprint'])
    .orderBy('s.number'),
)

/** Oldest first; empty where the store has no study of this name. */
export function readRevisions(store: Store, name: string): readonly Revision[] {
  const found = revisions.all(store.db, { name })
  const own = found.filter(({ rerun_json }) => rerun_json === null)
  const latest = own.map(({ saved_at }) => saved_at).reduce((a, b) => (a > b ? a : b), '')
  return found.map((row) => {
    const before = own.findLast(({ number }) => number < row.number)
    return {
      number: row.number,
      fingerprint: row.fingerprint,
      firstSavedAt: row.first_saved_at,
      savedAt: row.saved_at,
      isCurrent: row.rerun_json === null && row.saved_at === latest,
      trials: row.trials,
      results: row.results,
      rerun: row.rerun_json === null ? null : (JSON.parse(row.rerun_json) as WrittenReplacement), // as `saveDefinition` wrote it
      changed:
        row.rerun_json !== null || before === undefined
          ? []
          : changesBetween(flatDefinition(before.definition_json), flatDefinition(row.definition_json)),
    }
  })
}

type Flat = ReadonlyMap<string, string>

function changesBetween(before: Flat, after: Flat): Revision['changed'] {
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort()
  return keys.flatMap((key) => {
    const [old, now] = [before.get(key) ?? null, after.get(key) ?? null]
    return old === now ? [] : [{ key, old, new: now }]
  })
}

const ABOUT_IT: readonly string[] = ['name', 'fingerprint']

/** Dotted keys as a study file spells them, each with its value as JSON. */
function flatDefinition(json: string | null): Flat {
  const definition: unknown = json === null ? {} : JSON.parse(json)
  const flat = new Map<string, string>()
  const walk = (path: readonly string[], value: unknown): void => {
    if (value === null) return // not there, as in definitions from before there was such a field
    for (const [key, part] of partsOf(value) ?? []) walk([...path, key], part)
    if (partsOf(value) === undefined) flat.set(path.join('.'), spell(path, value))
  }
  for (const [key, value] of partsOf(definition) ?? []) {
    if (ABOUT_IT.includes(key)) continue
    if (key === 'walkForward') walk(['validate', key], lengthsInDays(value))
    else walk([key === 'axes' ? 'grid' : key], value)
  }
  return flat
}

const DAY_MS = 86_400_000

/** `{ trainMs: 2592000000 }` as a file has it: `{ train: 30d }`. */
function lengthsInDays(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const written = Object.entries(value).map(([name, length]: [string, unknown]) => [
    name.replace(/Ms$/, ''),
    typeof length === 'number' ? `${length / DAY_MS}d` : length,
  ])
  return Object.fromEntries(written)
}

/** Of a mapping its entries; of a list whose items are named (`field`, `measure`, `metric`) those, by that name. */
function partsOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value)) return Object.entries(value)
  const named = value.map(namedItem)
  return named.every((item) => item !== undefined) ? named : undefined
}

function namedItem(item: unknown): readonly [string, unknown] | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return undefined
  const entries = Object.entries(item)
  const name = entries.find(([key]) => ['field', 'measure', 'metric'].includes(key))
  const rest = entries.filter((entry) => entry !== name)
  if (name === undefined || typeof name[1] !== 'string') return undefined
  return [name[1], rest.length === 1 ? rest[0][1] : Object.fromEntries(rest)]
}

function spell(path: readonly string[], value: unknown): string {
  if (path[0] === 'period' && typeof value === 'number') return new Date(value).toISOString().replace('.000Z', 'Z')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
