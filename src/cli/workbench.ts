/** What a command works with: the paths in force, the open store, the service behind its client. */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Store } from '../store/store.ts'
import type { CommonOptions, Context } from './context.ts'
import { DEFAULT_STORE } from './settings.ts'

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

/** Opens the result store for the length of `work`. */
export async function withOpenStore<T>(context: Context, path: string, work: (store: Store) => Promise<T>): Promise<T> {
  const { openStore } = await import('../store/store.ts')
  mkdirSync(dirname(path), { recursive: true })
  const store = openStore(path, { system: context.system })
  try {
    return await work(store)
  } finally {
    store.close()
  }
}

/**
 * The same for a command that only looks at what is there: it makes no file. Before the first run the usual store counts as empty;
 * a path that was named and leads nowhere is a slip.
 * @throws Failure storeUnusable when there is no store at a path other than the usual one
 */
export async function withKnownStore<T>(
  context: Context,
  path: string,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  if (existsSync(path)) return withOpenStore(context, path, work)
  const { openStore, openNothing } = await import('../store/store.ts')
  const { system } = context
  const store = path === DEFAULT_STORE ? openNothing(path, { system }) : openStore(path, { system, readonly: true })
  try {
    return await work(store)
  } finally {
    store.close()
  }
}
