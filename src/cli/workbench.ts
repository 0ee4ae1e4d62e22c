/** What a command works with: the paths in force, the open store, the service behind its client. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Store } from '../store/store.ts'
import type { CommonOptions, Context } from './context.ts'

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
