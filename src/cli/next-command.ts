/** The one line that a command may end with: what to type next. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import type { Command } from 'commander'
import { Failure } from '../errors.ts'
import type { Store } from '../workbench/store/store.ts'
import type { StudyCount } from '../workbench/store/study-counts.ts'
import type { CommonOptions, Context } from './context.ts'
import type { ServiceOptions } from './shown-service.ts'

/**
 * After which command it follows from where the work stands: that of the study in its first argument, or of the folder. All others are listings, run
 * until they are stopped, or name the next command themselves (`context.suggestNext`).
 */
const FOLLOWS: Readonly<Record<string, 'study' | 'folder'>> = {
  status: 'study',
  run: 'study',
  leaderboard: 'study',
  holdout: 'study',
  report: 'study',
  'candles resample': 'folder',
}

/** @param path of the command, without `dcalab` */
export async function findNext(context: Context, path: string, command: Command): Promise<string | null> {
  const [given] = command.processedArgs.flat()
  const follows = FOLLOWS[path]
  if (follows === undefined) return null
  const { readWork } = await import('./commands/status.ts')
  const [{ pathsOf, withStoreToRead }, { nextStep }] = await Promise.all([
    import('./workbench.ts'),
    import('../workbench/store/standing.ts'),
  ])
  const options = command.opts<CommonOptions & ServiceOptions>()
  const study = follows === 'study' && typeof given === 'string' ? studyNamed(given) : undefined
  const just = ['dcalab', path, ...(study === undefined ? [] : [study])].join(' ')
  try {
    return await withStoreToRead(context, pathsOf(context, options).store, async (store) => {
      const { state } = await readWork(context, store, { ...options, study })
      return nextStep(state, just)
    })
  } catch (error) {
    if (error instanceof Failure) return null // the command itself has said what there is to say
    throw error
  }
}

/** Of a study, or of its file. */
function studyNamed(given: string): string {
  return existsSync(given) ? nameIn(given) : given
}

/** The name that a study file states, without reading the rest of it; its own where it states none. */
export function nameIn(file: string): string {
  return /^name: *([a-z0-9-]+)/m.exec(readFileSync(file, 'utf8'))?.[1] ?? basename(file, extname(file))
}

/** What the verdict on the best of a study says to do; null = it was not judged. */
export async function judgedBest(context: Context, store: Store, { study, service }: StudyCount) {
  const [{ chooseTrials, lastVerdictOn }, { serviceQuestion }] = await Promise.all([
    import('./chosen-results.ts'),
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
