/** Stores by the hundred start as copies: making one is tried in `workbench/store/`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../src/workbench/store/store.ts'
import { folderInMemory, removeFolder } from './folder.ts'
import { testSystem } from './system.ts'

let empty: Buffer | undefined

/** Puts a store at `path` that was made and never used. */
export function putEmptyStore(path: string): void {
  empty ??= makeOne()
  writeFileSync(path, empty, { mode: 0o600 })
}

function makeOne(): Buffer {
  const folder = folderInMemory()
  const path = join(folder, 'empty.sqlite')
  openStore(path, { system: testSystem() }).close()
  const bytes = readFileSync(path)
  removeFolder(folder)
  return bytes
}
