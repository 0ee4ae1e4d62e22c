/** A person's words on trials: tags and notes. They are for people: no result and no ranking depends on them. */
import { Failure } from '../../errors.ts'
import { allRows, runBuilt, runEach } from '../../sqlite/statements.ts'
import { type Store, write } from './store.ts'
import { isoTime, query } from './tables.ts'

export interface Note {
  readonly id: number
  readonly note: string
  /** ISO 8601 UTC. */
  readonly addedAt: string
}

const LONGEST_TAG = 64
const LONGEST_NOTE = 10_000

/** In the order of the alphabet. */
export function readTags(store: Store, fingerprint: string): readonly string[] {
  const rows = query.selectFrom('tag').select('tag').where('fingerprint', '=', fingerprint).orderBy('tag')
  return allRows(store.db, rows).map(({ tag }) => tag)
}

/** Adds tags; a tag that the trial has already stays as it is. @throws Failure usage for what is no tag */
export function addTags(store: Store, fingerprint: string, tags: readonly string[]): Promise<void> {
  for (const tag of tags) checkTag(tag)
  const at = isoTime(store.clock.wall())
  return write(store, () => {
    const rows = tags.map((tag) => ({ fingerprint, tag, added_at: at }))
    runEach(store.db, rows, (row) =>
      query
        .insertInto('tag')
        .values(row)
        .onConflict((known) => known.doNothing()),
    )
  })
}

/** @throws Failure notFound when one of them is not there; then none is removed */
export function removeTags(store: Store, fingerprint: string, tags: readonly string[]): Promise<void> {
  return write(store, () => {
    const ofTrial = query.deleteFrom('tag').where('fingerprint', '=', fingerprint)
    for (const tag of tags) {
      if (runBuilt(store.db, ofTrial.where('tag', '=', tag)).changes > 0) continue
      const known = readTags(store, fingerprint)
      throw new Failure('notFound', `trial ${fingerprint.slice(0, 12)} has no tag "${tag}"`, {
        hint: known.length === 0 ? 'it has no tags' : `it has ${known.join(', ')}`,
      })
    }
  })
}

/** Oldest first. */
export function readNotes(store: Store, fingerprint: string): readonly Note[] {
  const rows = query.selectFrom('note').selectAll().where('fingerprint', '=', fingerprint).orderBy('id')
  return allRows(store.db, rows).map(({ id, note, added_at }) => ({ id, note, addedAt: added_at }))
}

/** @throws Failure usage for a note that is empty or longer than 10,000 characters */
export function addNote(store: Store, fingerprint: string, note: string): Promise<void> {
  const length = lengthOf(note)
  if (note.trim() === '' || length > LONGEST_NOTE) {
    throw new Failure('usage', `a note has 1 to ${LONGEST_NOTE} characters, found ${length === 0 ? 'none' : length}`)
  }
  const at = isoTime(store.clock.wall())
  return write(store, () => {
    runBuilt(store.db, query.insertInto('note').values({ fingerprint, note, added_at: at }))
  })
}

/** Takes back the newest note. @throws Failure notFound when there is none */
export function removeNote(store: Store, fingerprint: string): Promise<void> {
  return write(store, () => {
    const newest = query
      .selectFrom('note')
      .select(({ fn }) => fn.max('id').as('id'))
      .where('fingerprint', '=', fingerprint)
    if (runBuilt(store.db, query.deleteFrom('note').where('id', '=', newest)).changes > 0) return
    throw new Failure('notFound', `trial ${fingerprint.slice(0, 12)} has no note`, {
      hint: '`dcalab show` has the notes of a trial',
    })
  })
}

function checkTag(tag: string): void {
  const isTag = tag.trim() === tag && tag !== '' && lengthOf(tag) <= LONGEST_TAG && !/\p{Cc}/u.test(tag)
  if (isTag) return
  throw new Failure(
    'usage',
    `a tag has 1 to ${LONGEST_TAG} characters, none of them a control character and no spaces around it; found ${JSON.stringify(tag)}`,
  )
}

/** In characters, as SQLite counts them. */
function lengthOf(text: string): number {
  return [...text].length
}
