/** What the line with the next command is made of. */
import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { Failure } from '../errors.ts'
import type { Store } from '../workbench/store/store.ts'
import type { StudyCount } from '../workbench/store/study-counts.ts'
import type { Context } from './context.ts'

/** The name that a study file states, without reading the rest of it; its own where it states none. */
export function nameIn(file: string): string {
  return /^name: *([a-z0-9-]+)/m.exec(readFileSync(file, 'utf8'))?.[1] ?? basename(file, extname(file))
}

/** What the verdict on the best of a study says to do; null = it was not judged. */
export async function bestVerdict(context: Context, store: Store, { study, service }: StudyCount) {
  const [{ chooseTrials, lastVerdictOn }, { serviceQuestion }] = await Promise.all([
    import('./shown-service.ts'),
    import('./shown-service.ts'),
  ])
  try {
    const question = await serviceQuestion(context, store, service === null ? {} : { service: service.name })
    const choices = await chooseTrials(store, study, { question })
    const found = await lastVerdictOn(
      store,
      choices.map(({ choice }) => choice.trial),
    )
    if (found === undefined) return null
    const { next }: { readonly next?: { readonly command?: unknown } | null } = Object(found.verdict)
    const command = next?.command
    return { grade: found.grade, isStale: found.isStale, next: typeof command === 'string' ? command : null }
  } catch (error) {
    if (error instanceof Failure) return null // nothing of it has a place
    throw error
  }
}

/** A word as a shell takes it: quoted where it holds more than letters, digits and what paths are made of. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
