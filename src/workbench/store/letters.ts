/**
 * Six letters that end the names of the jobs of a store. Two stores with one key send the same trials: by its letters each knows its own
 * jobs from those of the other. A store draws them before its first submission. They belong to the file: a copy draws its own, because
 * the original may go on sending. A store that is moved or restored only has new letters, since what it sent stands under its full name.
 */
import { statSync } from 'node:fs'
import { hostname } from 'node:os'
import type Database from 'better-sqlite3'
import type { System } from '../../system.ts'
import { type Store, write } from './store.ts'
import { prepared } from './tables.ts'
import { isoTime } from './times.ts'

/** Without vowels, so that they spell nothing. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz'
const LENGTH = 6

/** null = nothing was sent yet since names have letters. */
export function readLetters(db: Database.Database): string | null {
  return prepared<[], { letters: string }>(db, 'select letters from store_letters').get()?.letters ?? null
}

/** Draws letters where the store has none, or was copied since it drew them. Call while its key's lock is held. */
export async function keepLetters(store: Store, system: Pick<System, 'randomBytes'>): Promise<void> {
  const drawnFor = prepared<[], { file: string }>(store.db, 'select file from store_letters').get()?.file
  if (drawnFor !== nameFile(store)) await drawLetters(store, system)
}

/** New letters, whatever there was: somebody else may use those of before. */
export function drawLetters(store: Store, { randomBytes }: Pick<System, 'randomBytes'>): Promise<void> {
  const letters = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  const row = { letters, file: nameFile(store), at: isoTime(store.clock.wall()) }
  return write(store, () => {
    store.db
      .prepare(
        `insert into store_letters (one, letters, file, drawn_at) values (1, :letters, :file, :at)
         on conflict do update set letters = :letters, file = :file, drawn_at = :at`,
      )
      .run(row)
  })
}

function nameFile({ path }: Store): string {
  return `${hostname()} ${statSync(path, { bigint: true }).ino}`
}
