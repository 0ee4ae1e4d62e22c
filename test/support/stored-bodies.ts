/** The replies that a store holds, as texts: they are compressed in the file, where a search would find nothing. */
import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'

export interface StoredBody {
  readonly endpoint: string
  readonly object: string
  readonly status: number
  readonly bytes: Buffer | null
}

/** Of every endpoint, in the order of their names. */
export function serviceReplies(path: string): StoredBody[] {
  return reading(path, (db) =>
    db
      .prepare<[], Omit<StoredBody, 'bytes'> & { body: Buffer | null }>(
        'select endpoint, object, status, body from service_reply order by endpoint, object',
      )
      .all()
      .map(({ body, ...row }) => ({ ...row, bytes: body === null ? null : gunzipSync(body) })),
  )
}

/** Every body that the store keeps, those of jobs included; none of a file that is not a store, or not yet. */
export function storedTexts(path: string): string[] {
  return reading(path, (db) => {
    const tables = db.prepare<[], string>("select name from sqlite_schema where type = 'table'").pluck().all()
    if (!tables.includes('service_reply')) return []
    return db
      .prepare<[], Buffer>(
        'select body from reply where body is not null union all select body from service_reply where body is not null',
      )
      .pluck()
      .all()
      .map((body) => gunzipSync(body).toString('latin1'))
  })
}

function reading<T>(path: string, work: (db: Database.Database) => T): T {
  const db = new Database(path, { readonly: true })
  try {
    return work(db)
  } finally {
    db.close()
  }
}
