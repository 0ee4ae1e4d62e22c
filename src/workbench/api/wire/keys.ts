/**
 * The only value that holds keys, and where they may be sent. The value prints as `[secret]`, returns the keys only as request headers, and
 * removes them from any text, in every spelling that a service or a library may use. A base address is checked before its name is resolved;
 * keys are never sent unencrypted to another machine.
 */
import { createHash } from 'node:crypto'
import { KEY_HEADER, SECRET_HEADER } from '../../../contract/endpoints.ts'
import { Failure } from '../../../errors.ts'

const MASK = '[secret]'

/** `util.inspect.custom`, under the name by which Node documents it: so `node:util` need not be loaded. */
const inspected = Symbol.for('nodejs.util.inspect.custom')

/** Visible ASCII only. Checked before any `Headers` is built: its error message contains the whole value. */
const keyPattern = /^[\x21-\x7e]+$/

/** Shorter keys are not secret, and removing them would damage ordinary words. */
const shortestSecret = 4
/** So many first characters of a key are looked for. */
const foundBy = 8

export class Keys {
  readonly #apiKey: string
  readonly #secretKey: string
  readonly #spellings: RegExp | undefined
  /** How each spelling begins: a text without one need not be searched for all, and a pattern of all takes 20 ms to compile. */
  readonly #beginnings: RegExp | undefined

  /** Surrounding white space is dropped. @throws Failure settingInvalid, without the value */
  constructor(apiKey: string, secretKey: string) {
    this.#apiKey = checkKey('DCALAB_API_KEY', apiKey)
    this.#secretKey = checkKey('DCALAB_SECRET_KEY', secretKey)
    const secrets = [this.#apiKey, this.#secretKey].filter((key) => key.length >= shortestSecret)
    if (secrets.length === 0) return
    // Longest first, so that a key that contains the other one is removed completely.
    const spellings = secrets.flatMap(spellingsOf).sort((a, b) => b.length - a.length)
    this.#spellings = new RegExp(spellings.join('|'), 'g')
    this.#beginnings = new RegExp(secrets.flatMap((key) => spellingsOf(key.slice(0, foundBy))).join('|'))
  }

  /** Both documented headers; call it only when a request is sent. */
  headers(): Record<string, string> {
    return { [KEY_HEADER]: this.#apiKey, [SECRET_HEADER]: this.#secretKey }
  }

  /** SHA-256 hex of the API key: distinguishes accounts in the store without storing a key. */
  fingerprint(): string {
    return createHash('sha256').update(this.#apiKey).digest('hex')
  }

  /** `text` without either key in plain, percent-encoded, JSON-escaped, base64 or hex spelling. */
  scrub(text: string): string {
    return this.#spellings !== undefined && this.#beginnings?.test(text) ? text.replace(this.#spellings, MASK) : text
  }

  toString(): string {
    return MASK
  }

  toJSON(): string {
    return MASK
  }

  [inspected](): string {
    return MASK
  }
}

function checkKey(name: string, value: string): string {
  const key = value.trim()
  if (keyPattern.test(key)) return key
  const found = key === '' ? 'it is empty' : 'it holds a space, a control character or a letter outside ASCII'
  throw new Failure('settingInvalid', `${name} cannot be sent in a header: ${found}`)
}

/** Patterns for one key: character by character (plain, %41, \u0041 and \/ in any mixture, escaped up to three times: a text of JSON in a text of JSON), base64 at each alignment, hex. */
function spellingsOf(key: string): string[] {
  const bytes = Buffer.from(key, 'latin1')
  const characters = [...key].map((character) => {
    const hex = anyCase(character.charCodeAt(0).toString(16).padStart(2, '0'))
    return `(?:\\\\{0,7}${escapePattern(character)}|%${hex}|\\\\{1,7}u00${hex})`
  })
  return [characters.join(''), ...[0, 1, 2].map((offset) => base64Core(bytes, offset)), anyCase(bytes.toString('hex'))]
}

/** The base64 characters that depend on the key alone when `offset` bytes (modulo 3) stand before it; both alphabets. */
function base64Core(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replaceAll('=', '')
  const first = Math.ceil((offset * 8) / 6)
  const last = Math.floor(((offset + bytes.length) * 8) / 6)
  return [...text.slice(first, last)]
    .map((character) => (character === '+' ? '[+-]' : character === '/' ? '(?:\\\\?/|_)' : character))
    .join('')
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
}

function escapePattern(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&')
}

/** A service identity from address and key: origin # SHA-256 of the API key. */
export function keyIdentity(origin: string, keys: Keys): string {
  return `${origin}#${keys.fingerprint()}`
}

// Where requests may be sent.

export interface BaseAddress {
  /** Scheme, host and port. */
  readonly origin: string
  /** Path before the documented paths, without a trailing slash; usually empty. */
  readonly prefix: string
  /** The address is this machine: plain http is allowed, and the service's identification is trusted. */
  readonly loopback: boolean
}

/**
 * Reads DCALAB_BASE_URL. `tlsUnverified`: certificate checks are switched off in the environment.
 * @throws Failure settingInvalid
 */
export function checkBaseUrl(text: string, options: { readonly tlsUnverified: boolean }): BaseAddress {
  const url = parseUrl(text)
  const host = url.hostname.replace(/\.$/, '')
  const loopback = isLoopback(host)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') refuseAddress(`${url.protocol} is not a web address`)
  if (url.protocol === 'http:' && !loopback) refuseAddress('keys travel only over https:, except to this machine')
  if (url.username !== '' || url.password !== '') refuseAddress('it carries a user name or password')
  if (text.includes('?') || text.includes('#')) refuseAddress('it carries a query or a fragment')
  if (isForbiddenHost(host)) refuseAddress(`${host} is a link-local, metadata or unspecified address`)
  if (url.pathname.includes('//') || url.pathname.includes('%')) refuseAddress('its path holds // or an escape')
  if (options.tlsUnverified && !loopback) {
    refuseAddress('NODE_TLS_REJECT_UNAUTHORIZED=0 switches certificate checks off; unset it')
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/$/, ''), loopback }
}

function parseUrl(text: string): URL {
  try {
    return new URL(text)
  } catch {
    return refuseAddress('it is not a URL')
  }
}

function refuseAddress(reason: string): never {
  // The message does not contain the address, which may include a password.
  throw new Failure('settingInvalid', `The base address (DCALAB_BASE_URL) cannot be used: ${reason}`)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || /^127\.\d+\.\d+\.\d+$/.test(host) || host === '[::1]'
}

/** Metadata services of clouds that are outside the link-local range: Alibaba, Oracle, Azure, AWS, Google. */
const METADATA_HOSTS: readonly string[] = [
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'instance-data',
  'instance-data.ec2.internal',
]

/** Hosts to which keys must not be sent: cloud metadata services, link-local and unspecified addresses (H67). */
function isForbiddenHost(host: string): boolean {
  if (METADATA_HOSTS.includes(host) || /^169\.254\./.test(host) || /^0\./.test(host)) return true
  // fe80::/10, and IPv4 addresses written as IPv6: ::, ::ffff:a9fe:…, ::a9fe:…, 64:ff9b:… (NAT64), 2002:… (6to4).
  return /^\[(fe[89ab]|::(?!1\])|64:ff9b:|2002:)/.test(host)
}
