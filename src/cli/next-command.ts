/** What the line with the next command is made of. */
import { Failure } from '../errors.ts'
import type { Store } from '../workbench/store/store.ts'
import type { StudyCount } from '../workbench/store/study-counts.ts'

/** What the verdict on the best of a study says to do; null = it was not judged. Only the best is read, of however many results. */
export async function bestVerdict(store: Store, { study, service }: StudyCount) {
  const [{ lastVerdictOn }, { rankStored }, { findDefinition, findStudy }, { readStoredDefinition }] =
    await Promise.all([
      import('./shown-service.ts'),
      import('../workbench/store/stored-ranking.ts'),
      import('../workbench/store/study-records.ts'),
      import('../workbench/study/definition.ts'),
    ])
  const record = findStudy(store, study)
  if (record === undefined || service === null) return null
  try {
    // The whole reading of a study file takes longer than all the rest: it is for studies that an older program stored.
    const { objective } =
      readStoredDefinition(findDefinition(store, record)) ??
      (await import('../workbench/store/studies.ts')).storedStudy(record)
    const { top } = rankStored(store, { study, identity: service.identity, objective, top: 1, isTopAlone: true })
    const found = top.length === 0 ? undefined : await lastVerdictOn(store, top[0].trials)
    if (found === undefined) return null
    const { next }: { readonly next?: { readonly command?: unknown } | null } = Object(found.verdict)
    return { grade: found.grade, isStale: found.isStale, next: typeof next?.command === 'string' ? next.command : null }
  } catch (error) {
    if (error instanceof Failure) return null // its definition cannot be read
    throw error
  }
}

/** A word as a shell takes it: quoted where it holds more than letters, digits and what paths are made of. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
