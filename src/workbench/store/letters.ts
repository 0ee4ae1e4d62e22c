/**
 * Six letters that end the names of the jobs of a store. Two stores with one key send the same trials: by its letters each knows its own
 * jobs from those of the other. A store draws them before its first submission. They belong to the file: a copy draws its own, because
 * the original may go on sending. A store that is moved or restored only has new letters, since what it sent stands under its full name.
 */

import { statSync } from 'node:fs'
import { hostname } from 'node:os'
import type Database from 'better-sqlite3'
import { runBuilt, statement } from '../../sqlite/statements.ts'
import type { System } from '../../system.ts'
import { type Store, write } from './store.ts'
import { isoTime, query } from './tables.ts'

/** Without vowels, so that they spell nothing. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz'
const LENGTH = 6

const drawn = statement(() => query.selectFrom('store_letters').select(['letters', 'file']))

/** null = nothing was sent yet since names have letters. */
export function readLetters(db: Database.Database): string | null {
  return drawn.first(db)?.letters ?? null
}

/** Draws letters where the store has none, or was copied since it drew them. Call while its key's lock is held. */
export async function keepLetters(store: Store, system: Pick<System, 'randomBytes'>): Promise<void> {
  if (drawn.first(store.db)?.file !== nameFile(store)) await drawLetters(store, system)
}

/** New letters, whatever there was: somebody else may use those of before. */
export function drawLetters(store: Store, { randomBytes }: Pick<System, 'randomBytes'>): Promise<void> {
  const letters = Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  const row = { letters, file: nameFile(store), drawn_at: isoTime(store.clock.wall()) }
  const first = query.insertInto('store_letters').values({ one: 1, ...row })
  return write(store, () => {
    runBuilt(
      store.db,
      first.onConflict((known) => known.doUpdateSet(row)),
    )
  })
}

function nameFile({ path }: Store): string {
  return `${hostname()} ${statSync(path, { bigint: true }).ino}`
}
