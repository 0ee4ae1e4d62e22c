/**
 * Accounts and their keys. Keys are random and long, so a plain SHA-256 of them is safe to store. The keys themselves are shown
 * once, when they are issued, and stored nowhere.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { InferResult } from 'kysely'
import { SCOPES, type Scope } from '../contract/endpoints.ts'
import { Failure } from '../errors.ts'
import { runBuilt, statement } from '../sqlite/statements.ts'
import type { System } from '../system.ts'
import { type Database, query } from './database.ts'
import { LONGEST_TEXT } from './payload.ts'

export interface IssuedKeys {
  readonly apiKey: string
  readonly secretKey: string
}

interface KeyRequest {
  readonly userEmail: string
  /** Default: all three. */
  readonly scopes?: readonly Scope[] | undefined
  /** IP addresses the key may be used from; default any. */
  readonly addresses?: readonly string[] | undefined
}

/** A key as it is shown in lists: by its first characters. Times are ISO 8601. */
interface ListedKey {
  readonly prefix: string
  readonly userEmail: string
  readonly scopes: readonly Scope[]
  readonly addresses: readonly string[] | null
  readonly issuedAt: string
  readonly revokedAt: string | null
}

/** The keys of a service store. Every process that serves the file knows an issued or revoked key at once. */
export interface Keyring {
  /** Issues a new pair of keys; they cannot be read again later. @throws Failure usage for an unusable e-mail, address or scope list */
  issueKeys(request: KeyRequest): IssuedKeys
  listKeys(): ListedKey[]
  /** @param key its first characters as listed, or the whole API key. @returns whether an active key was found */
  revokeKey(key: string): boolean
}

/** The account and the rights of a request. */
export interface Caller {
  readonly keyPrefix: string
  readonly accountId: number
  readonly userEmail: string
  readonly scopes: readonly Scope[]
  readonly addresses: readonly string[] | null
}

const prefixLength = 'dk_'.length + 8

const keysWithAccounts = query
  .selectFrom('keys')
  .innerJoin('accounts', 'accounts.id', 'keys.account_id')
  .select(['prefix', 'account_id', 'user_email', 'secret_key_sha256', 'scopes_json'])
  .select(['addresses_json', 'issued_at_ms', 'revoked_at_ms'])

const everyKey = statement(() => keysWithAccounts.orderBy('issued_at_ms').orderBy('prefix'))
const keyOfApiKey = statement(({ hash }: { readonly hash: Uint8Array }) =>
  keysWithAccounts.where('api_key_sha256', '=', hash),
)

type KeyRow = InferResult<typeof keysWithAccounts>[number]

export function keyringOf(db: Database, system: System): Keyring {
  return {
    issueKeys: (request) => issueKeys(db, system, request),
    listKeys: () => listKeys(db),
    revokeKey: (key) => revokeKey(db, system, key),
  }
}

/** Issues a new pair for an account, and creates the account when it does not exist. @throws Failure usage for an unusable request */
function issueKeys(db: Database, system: System, request: KeyRequest): IssuedKeys {
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
    const account = { user_email: userEmail, created_at_ms: now }
    runBuilt(
      db,
      query
        .insertInto('accounts')
        .values(account)
        .onConflict((known) => known.doNothing()),
    )
    const key = {
      prefix,
      account_id: query.selectFrom('accounts').select('id').where('user_email', '=', userEmail),
      api_key_sha256: sha256(apiKey),
      secret_key_sha256: sha256(secretKey),
      scopes_json: JSON.stringify(scopes),
      addresses_json: addresses === null ? null : JSON.stringify(addresses),
      issued_at_ms: now,
    }
    runBuilt(db, query.insertInto('keys').values(key))
  }).immediate()
  return { apiKey, secretKey }
}

function listKeys(db: Database): ListedKey[] {
  return everyKey.all(db).map((row) => {
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
function revokeKey(db: Database, system: System, key: string): boolean {
  const active = query
    .updateTable('keys')
    .set({ revoked_at_ms: Math.floor(system.clock.wall()) })
    .where('prefix', '=', key.slice(0, prefixLength))
    .where('revoked_at_ms', 'is', null)
  const named = key.length === prefixLength ? active : active.where('api_key_sha256', '=', sha256(key))
  return runBuilt(db, named).changes > 0
}

/** Revokes a key and deletes it from the list, together with its request count. @param apiKey the whole API key */
export function deleteKey(db: Database, apiKey: string): void {
  const hash = sha256(apiKey)
  db.transaction(() => {
    const key = query.selectFrom('keys').select('prefix').where('api_key_sha256', '=', hash)
    runBuilt(db, query.deleteFrom('requests').where('key_prefix', '=', key))
    runBuilt(db, query.deleteFrom('keys').where('api_key_sha256', '=', hash))
  }).immediate()
}

/** The caller of an active pair of keys, else undefined: unknown, mismatched and revoked keys get the same answer. */
export function findCaller(db: Database, pair: IssuedKeys): Caller | undefined {
  const row = keyOfApiKey.first(db, { hash: sha256(pair.apiKey) })
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
  if (email.length <= LONGEST_TEXT && /^[^\s@]+@[^\s@]+$/.test(email)) return email
  throw new Failure(
    'usage',
    `An account is named by an e-mail address of at most ${LONGEST_TEXT} characters, found "${text}"`,
  )
}

function checkAddress(text: string): string {
  if (isIP(text) !== 0) return text
  throw new Failure('usage', `A key is bound to IP addresses, found "${text}"`)
}
