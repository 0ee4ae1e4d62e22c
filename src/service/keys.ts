/**
 * Accounts and their keys. Keys are random and long, so a plain SHA-256 of them is safe to store. The keys themselves are shown
 * once, when they are issued, and stored nowhere.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import { SCOPES, type Scope } from '../contract/endpoints.ts'
import { Failure } from '../errors.ts'
import type { System } from '../system.ts'
import type { Database } from './database.ts'

export interface IssuedKeys {
  readonly apiKey: string
  readonly secretKey: string
}

export interface KeyRequest {
  readonly userEmail: string
  /** Default: all three. */
  readonly scopes?: readonly Scope[]
  /** IP addresses the key may be used from; default any. */
  readonly addresses?: readonly string[]
}

/** A key as it is shown in lists: by its first characters. Times are ISO 8601. */
export interface ListedKey {
  readonly prefix: string
  readonly userEmail: string
  readonly scopes: readonly Scope[]
  readonly addresses: readonly string[] | null
  readonly issuedAt: string
  readonly revokedAt: string | null
}

/** The account and the rights of a request. */
export interface Caller {
  readonly keyPrefix: string
  readonly accountId: number
  readonly userEmail: string
  readonly scopes: readonly Scope[]
  readonly addresses: readonly string[] | null
}

interface KeyRow {
  readonly prefix: string
  readonly account_id: number
  readonly user_email: string
  readonly secret_key_sha256: Buffer
  readonly scopes_json: string
  readonly addresses_json: string | null
  readonly issued_at_ms: number
  readonly revoked_at_ms: number | null
}

const prefixLength = 'dk_'.length + 8

const selectKeys = `
  select prefix, account_id, user_email, secret_key_sha256, scopes_json, addresses_json, issued_at_ms, revoked_at_ms
  from keys join accounts on accounts.id = keys.account_id`

/** Issues a new pair for an account, and creates the account when it does not exist. @throws Failure usage for an unusable request */
export function issueKeys(db: Database, system: System, request: KeyRequest): IssuedKeys {
  const userEmail = checkEmail(request.userEmail)
  const addresses = request.addresses?.map(checkAddress) ?? null
  const scopes = SCOPES.filter((scope) => request.scopes?.includes(scope) ?? true)
  if (scopes.length === 0) throw new Failure('usage', 'A key needs at least one scope')
  const random = (bytes: number) => Buffer.from(system.randomBytes(bytes))
  const prefix = `dk_${random(4).toString('hex')}`
  const apiKey = `${prefix}_${random(18).toString('base64url')}`
  const secretKey = `ds_${random(32).toString('base64url')}`
  const now = Math.floor(system.clock.wall())
  db.transaction(() => {
    db.prepare('insert into accounts (user_email, created_at_ms) values (?, ?) on conflict do nothing').run(
      userEmail,
      now,
    )
    db.prepare(
      `insert into keys (prefix, account_id, api_key_sha256, secret_key_sha256, scopes_json, addresses_json, issued_at_ms)
       select ?, id, ?, ?, ?, ?, ? from accounts where user_email = ?`,
    ).run(
      prefix,
      sha256(apiKey),
      sha256(secretKey),
      JSON.stringify(scopes),
      addresses === null ? null : JSON.stringify(addresses),
      now,
      userEmail,
    )
  }).immediate()
  return { apiKey, secretKey }
}

export function listKeys(db: Database): ListedKey[] {
  return db
    .prepare<[], KeyRow>(`${selectKeys} order by issued_at_ms, prefix`)
    .all()
    .map((row) => {
      const { userEmail, scopes, addresses } = toCaller(row)
      return {
        prefix: row.prefix,
        userEmail,
        scopes,
        addresses,
        issuedAt: new Date(row.issued_at_ms).toISOString(),
        revokedAt: row.revoked_at_ms === null ? null : new Date(row.revoked_at_ms).toISOString(),
      }
    })
}

/**
 * Revokes a key: its next request is refused.
 * @param key its first characters as `listKeys` shows them, or the whole API key
 * @returns whether an active key was found
 */
export function revokeKey(db: Database, system: System, key: string): boolean {
  const revoke = db.prepare(
    'update keys set revoked_at_ms = ? where prefix = ? and revoked_at_ms is null and (? or api_key_sha256 = ?)',
  )
  const now = Math.floor(system.clock.wall())
  const named = key.length === prefixLength ? 1 : 0
  return revoke.run(now, key.slice(0, prefixLength), named, sha256(key)).changes > 0
}

/** Revokes a key and deletes it from the list, together with its request count. @param apiKey the whole API key */
export function deleteKey(db: Database, apiKey: string): void {
  const hash = sha256(apiKey)
  db.transaction(() => {
    db.prepare('delete from requests where key_prefix = (select prefix from keys where api_key_sha256 = ?)').run(hash)
    db.prepare('delete from keys where api_key_sha256 = ?').run(hash)
  }).immediate()
}

/** The caller of an active pair of keys, else undefined: unknown, mismatched and revoked keys get the same answer. */
export function findCaller(db: Database, pair: IssuedKeys): Caller | undefined {
  const row = db.prepare<[Buffer], KeyRow>(`${selectKeys} where api_key_sha256 = ?`).get(sha256(pair.apiKey))
  const matches = timingSafeEqual(sha256(pair.secretKey), row?.secret_key_sha256 ?? sha256(''))
  return row === undefined || !matches || row.revoked_at_ms !== null ? undefined : toCaller(row)
}

function toCaller(row: KeyRow): Caller {
  return {
    keyPrefix: row.prefix,
    accountId: row.account_id,
    userEmail: row.user_email,
    scopes: JSON.parse(row.scopes_json), // written by issueKeys alone
    addresses: row.addresses_json === null ? null : JSON.parse(row.addresses_json), // written by issueKeys alone
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}

function checkEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (email.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(email)) return email
  throw new Failure('usage', `An account is named by an e-mail address, found "${text}"`)
}

function checkAddress(text: string): string {
  if (isIP(text) !== 0) return text
  throw new Failure('usage', `A key is bound to IP addresses, found "${text}"`)
}
