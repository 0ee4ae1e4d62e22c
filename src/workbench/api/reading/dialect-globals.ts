/**
 * The globals that a dialect has beside the language, as the web and Node know them: addresses, bytes, copies. They run inside its
 * interpreter, and `dialect-caller.ts` gives them to it. What an address is made of, the program says, from text to text.
 */

/** JSON of `[address, base or null, part or null, its value]` → JSON of the parts of the address; '' when it is none. */
export type AskAddress = (asked: string) => string

const { parse, stringify } = JSON
const { isArray } = Array
const { entries } = Object
const { fromCharCode, fromCodePoint } = String

// Texts and bytes --------------------------------------------------------------------------------------------------------------

class TextEncoder {
  readonly encoding = 'utf-8'

  encode(text: unknown = ''): Uint8Array {
    const bytes: number[] = []
    for (const character of String(text)) {
      const found = character.codePointAt(0) ?? 0
      const code = found >= 0xd800 && found <= 0xdfff ? 0xfffd : found
      if (code < 0x80) bytes.push(code)
      else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63))
      else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63))
      else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63))
    }
    return new Uint8Array(bytes)
  }
}

class TextDecoder {
  readonly encoding = 'utf-8'
  readonly fatal: boolean
  readonly ignoreBOM: boolean

  constructor(label: unknown = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
    if (!/^\s*utf-?8\s*$/i.test(String(label))) throw new RangeError(`"${label}" is not known here: utf-8 is`)
    this.fatal = fatal
    this.ignoreBOM = ignoreBOM
  }

  decode(given: ArrayBuffer | ArrayBufferView = new Uint8Array()): string {
    const bytes = ArrayBuffer.isView(given)
      ? new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
      : new Uint8Array(given)
    let text = ''
    for (let at = 0; at < bytes.length; ) {
      const { code, length } = characterAt(bytes, at)
      if (code === null && this.fatal) throw new TypeError(`byte ${at} is not utf-8`)
      text += code === null ? '\ufffd' : fromCodePoint(code)
      at += length
    }
    return text.startsWith('\ufeff') && !this.ignoreBOM ? text.slice(1) : text
  }
}

/** Of each first byte: how many follow, and the least and most of the second (no overlong form, no surrogate, none beyond U+10FFFF). */
function sequenceOf(first: number): readonly [more: number, least: number, most: number] | undefined {
  if (first >= 0xc2 && first <= 0xdf) return [1, 0x80, 0xbf]
  if (first >= 0xe0 && first <= 0xef) return [2, first === 0xe0 ? 0xa0 : 0x80, first === 0xed ? 0x9f : 0xbf]
  if (first >= 0xf0 && first <= 0xf4) return [3, first === 0xf0 ? 0x90 : 0x80, first === 0xf4 ? 0x8f : 0xbf]
  return undefined
}

function characterAt(bytes: Uint8Array, at: number): { readonly code: number | null; readonly length: number } {
  const first = bytes[at]
  if (first < 0x80) return { code: first, length: 1 }
  const sequence = sequenceOf(first)
  if (sequence === undefined) return { code: null, length: 1 }
  const [more, least, most] = sequence
  let code = first & (0x3f >> more)
  for (let n = 1; n <= more; n++) {
    const byte = bytes[at + n] ?? 0
    if (byte < (n === 1 ? least : 0x80) || byte > (n === 1 ? most : 0xbf)) return { code: null, length: n }
    code = (code << 6) | (byte & 63)
  }
  return { code, length: more + 1 }
}

const SIXTY_FOUR = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function btoa(given: unknown): string {
  const text = String(given)
  let written = ''
  for (let at = 0; at < text.length; at += 3) {
    const [a, b, c] = [0, 1, 2].map((n) => text.charCodeAt(at + n)) // NaN beyond the end
    if (a > 255 || b > 255 || c > 255) throw new RangeError('btoa takes characters up to U+00FF only')
    const bits = (a << 16) | ((b || 0) << 8) | (c || 0)
    written += SIXTY_FOUR[bits >> 18] + SIXTY_FOUR[(bits >> 12) & 63]
    written +=
      (at + 1 < text.length ? SIXTY_FOUR[(bits >> 6) & 63] : '=') + (at + 2 < text.length ? SIXTY_FOUR[bits & 63] : '=')
  }
  return written
}

function atob(given: unknown): string {
  const packed = String(given).replace(/[\t\n\f\r ]/g, '')
  const text = packed.length % 4 === 0 ? packed.replace(/==?$/, '') : packed
  if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) throw new RangeError('this is not base64')
  let read = ''
  let bits = 0
  for (let at = 0; at < text.length; at++) {
    bits = ((bits << 6) | SIXTY_FOUR.indexOf(text[at])) & 0xffffff
    if (at % 4 > 0) read += fromCharCode((bits >> (6 - 2 * (at % 4))) & 255)
  }
  return read
}

// Addresses --------------------------------------------------------------------------------------------------------------------

let askAddress: AskAddress = () => ''

const PARTS = [
  'href',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const
type Part = (typeof PARTS)[number]
type Parts = Readonly<Record<Part | 'origin', string>>

class URL {
  #parts: Parts
  readonly #parameters: URLSearchParams

  static canParse(address: unknown, base?: unknown): boolean {
    return partsOf([address, base]) !== null
  }

  static parse(address: unknown, base?: unknown): URL | null {
    return URL.canParse(address, base) ? new URL(address, base) : null
  }

  constructor(address: unknown, base?: unknown) {
    const parts = partsOf([address, base])
    if (parts === null) throw new TypeError(`Invalid URL: ${String(address).slice(0, 100)}`)
    this.#parts = parts
    this.#parameters = new URLSearchParams(parts.search)
    follow(this.#parameters, (search) => this.#change('search', search))
  }

  get origin(): string {
    return this.#parts.origin
  }

  get searchParams(): URLSearchParams {
    return this.#parameters
  }

  toString(): string {
    return this.#parts.href
  }

  toJSON(): string {
    return this.#parts.href
  }

  static {
    for (const part of PARTS) {
      Object.defineProperty(URL.prototype, part, {
        get(this: URL) {
          return this.#parts[part]
        },
        set(this: URL, value: unknown) {
          this.#change(part, String(value))
          if (part === 'search' || part === 'href') replaceAll(this.#parameters, this.#parts.search)
        },
        enumerable: true,
        configurable: true,
      })
    }
  }

  /** As everywhere, a part that cannot be changed so stays as it is; an `href` that is none throws. */
  #change(part: Part, value: string): void {
    const parts = partsOf([this.#parts.href, undefined], part, value)
    if (parts === null) throw new TypeError(`Invalid URL: ${value.slice(0, 100)}`)
    this.#parts = parts
  }
}

function partsOf([address, base]: readonly [unknown, unknown], part?: Part, value?: string): Parts | null {
  const asked = [String(address), base === undefined ? null : String(base), part ?? null, value ?? null]
  const answer = askAddress(stringify(asked))
  return answer === '' ? null : parse(answer)
}

/** Both are set in the class, where its members can be reached. */
let follow: (parameters: URLSearchParams, take: (search: string) => void) => void
let replaceAll: (parameters: URLSearchParams, search: string) => void

class URLSearchParams {
  #pairs: [name: string, value: string][] = []
  #take: (search: string) => void = () => {}

  static {
    follow = (parameters, take) => {
      parameters.#take = take
    }
    replaceAll = (parameters, search) => {
      parameters.#pairs = readPairs(search)
    }
  }

  constructor(given: unknown = '') {
    if (typeof given !== 'object' || given === null) this.#pairs = readPairs(String(given))
    else {
      const pairs = Symbol.iterator in given ? [...(given as Iterable<[unknown, unknown]>)] : entries(given)
      this.#pairs = pairs.map(([name, value]) => [String(name), String(value)])
    }
  }

  get size(): number {
    return this.#pairs.length
  }

  append(name: unknown, value: unknown): void {
    this.#become([...this.#pairs, [String(name), String(value)]])
  }

  delete(name: unknown, value?: unknown): void {
    this.#become(
      this.#pairs.filter((pair) => pair[0] !== String(name) || (value !== undefined && pair[1] !== String(value))),
    )
  }

  get(name: unknown): string | null {
    return this.#pairs.find((pair) => pair[0] === String(name))?.[1] ?? null
  }

  getAll(name: unknown): string[] {
    return this.#pairs.filter((pair) => pair[0] === String(name)).map(([, value]) => value)
  }

  has(name: unknown, value?: unknown): boolean {
    return this.#pairs.some((pair) => pair[0] === String(name) && (value === undefined || pair[1] === String(value)))
  }

  set(name: unknown, value: unknown): void {
    const at = this.#pairs.findIndex((pair) => pair[0] === String(name))
    if (at === -1) this.append(name, value)
    else
      this.#become(
        this.#pairs.filter((pair, n) => n <= at || pair[0] !== String(name)).with(at, [String(name), String(value)]),
      )
  }

  sort(): void {
    this.#become(this.#pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
  }

  forEach(take: (value: string, name: string, parameters: URLSearchParams) => void): void {
    for (const [name, value] of this.#pairs) take(value, name, this)
  }

  *entries(): Generator<[string, string]> {
    for (const [name, value] of this.#pairs) yield [name, value]
  }

  *keys(): Generator<string> {
    for (const [name] of this.#pairs) yield name
  }

  *values(): Generator<string> {
    for (const [, value] of this.#pairs) yield value
  }

  [Symbol.iterator](): Generator<[string, string]> {
    return this.entries()
  }

  toString(): string {
    return this.#pairs.map(([name, value]) => `${writePart(name)}=${writePart(value)}`).join('&')
  }

  #become(pairs: [string, string][]): void {
    this.#pairs = pairs
    this.#take(this.toString())
  }
}

function readPairs(search: string): [string, string][] {
  const parts = search
    .replace(/^\?/, '')
    .split('&')
    .filter((part) => part !== '')
  return parts.map((part) => {
    const at = part.indexOf('=')
    return at === -1 ? [readPart(part), ''] : [readPart(part.slice(0, at)), readPart(part.slice(at + 1))]
  })
}

function readPart(written: string): string {
  const spaced = written.replaceAll('+', ' ')
  if (!spaced.includes('%')) return spaced
  const bytes: number[] = []
  for (let at = 0; at < spaced.length; at++) {
    const hex = spaced[at] === '%' ? /^[0-9a-f]{2}/i.exec(spaced.slice(at + 1, at + 3)) : null
    if (hex !== null) {
      bytes.push(Number.parseInt(hex[0], 16))
      at += 2
    } else {
      const character = fromCodePoint(spaced.codePointAt(at) ?? 0)
      bytes.push(...new TextEncoder().encode(character))
      at += character.length - 1
    }
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array(bytes))
}

function writePart(text: string): string {
  const sound = new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text))
  return encodeURIComponent(sound)
    .replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
}

// Copies -------------------------------------------------------------------------------------------------------------------------

function structuredClone(value: unknown): unknown {
  return copyOf(value, new Map())
}

function copyOf(value: unknown, known: Map<object, object>): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw Object.assign(new Error(`a ${typeof value} cannot be cloned`), { name: 'DataCloneError' })
  }
  if (typeof value !== 'object' || value === null) return value
  const before = known.get(value)
  if (before !== undefined) return before
  const keep = <T extends object>(copy: T): T => {
    known.set(value, copy)
    return copy
  }
  if (value instanceof Date) return keep(new Date(value.getTime()))
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags))
  if (value instanceof ArrayBuffer) return keep(value.slice(0))
  if (value instanceof Uint8Array) return keep(value.slice())
  if (value instanceof Map) {
    const copy = keep(new Map())
    for (const [key, inner] of value) copy.set(copyOf(key, known), copyOf(inner, known))
    return copy
  }
  if (value instanceof Set) {
    const copy = keep(new Set())
    for (const inner of value) copy.add(copyOf(inner, known))
    return copy
  }
  if (value instanceof Error) return keep(Object.assign(new Error(value.message), { name: value.name }))
  const copy: object = keep(isArray(value) ? [] : {})
  for (const [key, inner] of entries(value)) Reflect.set(copy, key, copyOf(inner, known))
  return copy
}

/** The globals by their names. */
export function globalsFor(address: AskAddress): Readonly<Record<string, unknown>> {
  askAddress = address
  return { URL, URLSearchParams, TextEncoder, TextDecoder, atob, btoa, structuredClone }
}
