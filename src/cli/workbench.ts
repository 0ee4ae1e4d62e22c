/** What a command works with: the paths, the open store, the service's client. */

import { Failure } from '../errors.ts'
import { mayBeWritten } from '../workbench/store/may-be-written.ts'
import type { Store } from '../workbench/store/store.ts'
import type { TriedLocally } from '../workbench/store/tried-count.ts'
import type { CommonOptions, Context } from './context.ts'
import { say } from './output.ts'
import { DEFAULT_STORE, isUsual } from './settings.ts'

export interface Paths {
  readonly store: string
  readonly candlesFolder: string
}

export function pathsOf(context: Context, options: CommonOptions): Paths {
  const settings = context.settings()
  return {
    store: options.store ?? settings.store,
    candlesFolder: options.candlesDir ?? settings.candlesFolder,
  }
}

/**
 * Opens the result store while `work` runs, and makes it when it is absent.
 * @throws Failure storeUnusable, also when the folder of a path other than the default is missing
 */
export async function withOpenStore<T>(context: Context, path: string, work: (store: Store) => Promise<T>): Promise<T> {
  const [{ makeStoreFolder, openStore }, { sqliteFailure }] = await Promise.all([
    import('../workbench/store/store.ts'),
    import('../workbench/store/sqlite-failure.ts'),
  ])
  if (isUsual(path, DEFAULT_STORE)) makeStoreFolder(path)
  const store = openStore(path, openingOf(context))
  try {
    return await work(store)
  } catch (error) {
    throw sqliteFailure(path, error) ?? error // damage shows when a damaged page is read
  } finally {
    store.close()
  }
}

/**
 * The same for a command that only reads: it makes no file. Before the first run the default store counts as empty; a path that
 * the user named must exist.
 * @throws Failure storeUnusable when there is no store at a path other than the usual one
 */
export async function withKnownStore<T>(
  context: Context,
  path: string,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const { openStore, openNothing, storeIsThere } = await import('../workbench/store/store.ts')
  if (storeIsThere(path)) return withOpenStore(context, path, work)
  const { system } = context
  const store = isUsual(path, DEFAULT_STORE)
    ? openNothing(path, { system })
    : openStore(path, { system, readonly: true })
  try {
    return await work(store)
  } finally {
    store.close()
  }
}

/**
 * The same for a command that changes nothing: it also reads a store that may not be written, which is left as it is.
 * @throws Failure as `withKnownStore`
 */
export async function withStoreToRead<T>(
  context: Context,
  path: string,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  if (mayBeWritten(path) || !(await storeExists(path))) return withKnownStore(context, path, work)
  const [{ openToRead }, { sqliteFailure }] = await Promise.all([
    import('../workbench/store/read-only.ts'),
    import('../workbench/store/sqlite-failure.ts'),
  ])
  const store = openToRead(path, openingOf(context))
  try {
    return await work(store)
  } catch (error) {
    throw sqliteFailure(path, error) ?? error
  } finally {
    store.close()
  }
}

/** The file that a reader opens itself: the store, or what stands for one that may not be written. */
export async function withFileToRead<T>(
  context: Context,
  path: string,
  work: (file: string) => Promise<T>,
): Promise<T> {
  if (mayBeWritten(path) || !(await storeExists(path))) return work(path)
  const { findStandIn } = await import('../workbench/store/read-only.ts')
  const standIn = findStandIn(path, openingOf(context))
  try {
    return await work(standIn.path)
  } finally {
    standIn.remove()
  }
}

/** Asked of a file that may not be written, or is not there: others need not load the store to know. */
async function storeExists(path: string): Promise<boolean> {
  const { storeIsThere } = await import('../workbench/store/store.ts')
  return storeIsThere(path)
}

function openingOf({ system }: Context) {
  return { system, onNote: (text: string) => say(system.terminal, `note: ${text}`) }
}

/** The result was computed without a store, so one that cannot be written is said and ends nothing. */
export async function recordTried(context: Context, path: string, triedHere: TriedLocally): Promise<void> {
  const { recordTriedLocally } = await import('../workbench/store/tried-count.ts')
  try {
    await withOpenStore(context, path, (store) => recordTriedLocally(store, triedHere))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    say(context.system.terminal, `note: this is not counted as tried: ${error.message}`)
  }
}
