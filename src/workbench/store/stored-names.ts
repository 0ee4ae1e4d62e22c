/**
 * Names that the store knows, for a shell that completes a word: read-only, at once, and without the rest of the store's code. Whatever is wrong
 * with the file, no name is known then; the command itself says why.
 */

import Database from 'better-sqlite3'
import { ID_DIGITS } from '../../contract/bot.ts'
import { shortNames } from './choose-service.ts'

export type StoredKind = 'studies' | 'trials' | 'bots' | 'views' | 'columns' | 'services'

interface StoredName {
  readonly name: string
  /** A few words about it; empty where there are none. */
  readonly about: string
}

const MOST = 500

/** `:prefix` is how the name begins. */
const QUESTIONS: Readonly<Record<StoredKind, string>> = {
  studies: `select name, 'study' as about from study where substr(name, 1, length(:prefix)) = :prefix
    and name not in (select name from study_archive) group by name order by max(saved_at) desc limit ${MOST}`,
  trials: `select substr(config_fingerprint, 1, ${ID_DIGITS}) as name, min(market) as about from trial
    where config_fingerprint >= :prefix and config_fingerprint < :prefix || 'g' group by config_fingerprint limit ${MOST}`,
  bots: `select name, market as about from (
      select p.name, t.market, p.opened_at from promotion p join trial t on t.fingerprint = p.fingerprint where p.bot_id is not null
      union all select name, 'of a file', opened_at from bot_order where bot_id is not null)
    where substr(name, 1, length(:prefix)) = :prefix group by name order by max(opened_at) desc limit ${MOST}`,
  views: `select name, 'view' as about from sqlite_schema where type = 'view' and substr(name, 1, length(:prefix)) = :prefix
    order by name limit ${MOST}`,
  columns: `select column_name as name, min(relation) as about from column_doc
    where substr(column_name, 1, length(:prefix)) = :prefix group by column_name order by column_name limit ${MOST}`,
  services: `select s.identity as name, (select count(*) from job j where j.identity = s.identity and j.state = 'done') || ' done' as about
    from service s where :prefix is not null order by s.first_seen_at limit ${MOST}`, // what it is called follows from all of them
}

export function listStoredNames(path: string, kind: StoredKind, prefix: string): readonly StoredName[] {
  let db: Database.Database | undefined
  try {
    db = new Database(path, { readonly: true, fileMustExist: true, timeout: 50 })
    const found = db.prepare<[object], StoredName>(QUESTIONS[kind]).all({ prefix })
    if (kind !== 'services') return found
    const names = shortNames(found.map(({ name }) => name))
    return found
      .map(({ name, about }) => ({ name: names.get(name) ?? name, about }))
      .filter(({ name }) => name.startsWith(prefix))
  } catch {
    return []
  } finally {
    db?.close()
  }
}
