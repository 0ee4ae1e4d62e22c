/**
 * Single values of a body, each read tolerantly, and tables that describe whole bodies: the fields we look for and the kind of each. One
 * table is used to read a body and to report what was understood, so that `service check` always agrees with the calls.
 */
import { CONFIG_FIELDS, type ConfigField } from '../../../contract/bot.ts'
import { type Form, money, type Read, time } from './dialect-library.ts'

// Readers of single values. Each returns null for what it cannot read; none throws.

export type Fields = Readonly<Record<string, unknown>>

/** `value` as an object whose keys can be read, or null. Read them with `own`, which ignores the prototype. */
export function fieldsOf(value: unknown): Fields | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  return value as Fields // any plain object may be read by key
}

export function own(fields: Fields | null, key: string): unknown {
  return fields !== null && Object.hasOwn(fields, key) ? fields[key] : undefined
}

/** The value under the first of `keys` that is present. */
export function firstOwn(fields: Fields | null, keys: readonly string[]): unknown {
  const key = keys.find((candidate) => own(fields, candidate) !== undefined)
  return key === undefined ? undefined : own(fields, key)
}

/** A number that stands alone: without a unit, and without a guess at its form. */
const ALONE: Form = { unit: '' }

/** A finite number; a text counts where the whole of it is one ("12.5", "1,853.34"), by the rules of `money` and without a unit. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return numberIn(readAlone(value))
}

/** As `numberOf`, with the reason where there is none. */
export function readAlone(value: unknown): Read {
  return money(value, ALONE)
}

/** What a helper read, or null. */
export function numberIn(read: Read): number | null {
  return typeof read === 'number' ? read : null
}

const longestReason = 300

/** Why a helper read nothing; null where nothing was there. Of a value that a dialect’s helper could not read, its own reason. */
export function whyUnread(read: unknown): string | null {
  const reason = own(fieldsOf(read), 'unread')
  return typeof reason === 'string' ? reason.slice(0, longestReason) : null
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

export function booleanOf(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null
}

/** ms UTC, by the rules of `time`; `more`: what the text need not say itself. */
export function timeOf(value: unknown, more?: Form): number | null {
  return isWrittenTime(value) ? Date.parse(value) : numberIn(time(value, more))
}

/** As a time is written here, from 2000 to 2199; on the last days of a month, which it may not have, it is read whole. */
const WRITTEN = /^2[01]\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

export function isWrittenTime(value: unknown): value is string {
  return typeof value === 'string' && WRITTEN.test(value)
}

/** An id from text or a whole number; large numbers arrive here as text of their digits. */
export function idOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null
}

/** Whether `id` may be used in a path: 1–200 characters, not `.` or `..`, no control characters or broken Unicode. */
export function isUsableId(id: string): boolean {
  if (id.length < 1 || id.length > 200 || id === '.' || id === '..') return false
  return !/[\p{Cc}\p{Cs}]/u.test(id)
}

// Tables of whole bodies.

const READERS = {
  id: idOf,
  text: textOf,
  number: numberOf,
  time: timeOf,
  yesNo: booleanOf,
  list: (value: unknown): readonly unknown[] | null => (Array.isArray(value) ? value : null),
  object: fieldsOf,
  any: (value: unknown): unknown => value,
} as const

type Kind = keyof typeof READERS

const KIND_WORDS: Readonly<Record<Kind, string>> = {
  id: 'a text or a whole number',
  text: 'a text',
  number: 'a finite number',
  time: 'a time',
  yesNo: 'true or false',
  list: 'a list',
  object: 'an object',
  any: 'anything',
}

export type Shape = Readonly<Record<string, Kind>>

/** Every field of a shape with its value; null where it could not be read. */
export type Understood<S extends Shape> = { readonly [Field in keyof S]: ReturnType<(typeof READERS)[S[Field]]> }

/** null when `body` is not an object. */
export function readShape<S extends Shape>(body: unknown, shape: S): Understood<S> | null {
  const fields = fieldsOf(body)
  if (fields === null) return null
  const entries = Object.entries(shape).map(([field, kind]) => [field, READERS[kind](own(fields, field))])
  return Object.fromEntries(entries) as Understood<S> // one entry per field, by the reader its kind names
}

/** How one field was read: `null` is the service's own null; `absent` and `unreadable` are our findings. */
export interface FieldReport {
  readonly field: string
  readonly found: 'read' | 'null' | 'absent' | 'unreadable'
  /** Why it is unreadable, else null. */
  readonly reason: string | null
}

export function reportShape(body: unknown, shape: Shape): readonly FieldReport[] {
  const fields = fieldsOf(body)
  return Object.entries(shape).map(([field, kind]): FieldReport => {
    const value = own(fields, field)
    if (value === undefined) return { field, found: 'absent', reason: null }
    if (value === null) return { field, found: 'null', reason: null }
    if (READERS[kind](value) !== null) return { field, found: 'read', reason: null }
    return { field, found: 'unreadable', reason: whyNot(value, kind) }
  })
}

/** In the words of what read it: "1,234 is 1234 or 1.234: …". */
function whyNot(value: unknown, kind: Kind): string {
  const read = kind === 'number' ? readAlone(value) : kind === 'time' ? time(value) : value
  const shown = (JSON.stringify(value) ?? typeof value).slice(0, 60)
  return whyUnread(read) ?? `expected ${KIND_WORDS[kind]}, found ${shown}`
}

const CONFIG = Object.fromEntries(CONFIG_FIELDS.map((field) => [field, 'number'])) as Record<ConfigField, 'number'> // one entry per field

const MARKET = { exchange: 'text', baseAsset: 'text', quoteAsset: 'text' } as const

/** */
export const JOB_REQUEST_SHAPE = {
  ...MARKET,
  from: 'time',
  to: 'time',
  ...CONFIG,
} as const satisfies Shape

/** */
export const LIMITS_SHAPE = {
  limit: 'number',
  windowHours: 'number',
  windowType: 'text',
  used: 'number',
  remaining: 'number',
  nextAt: 'time',
  scopes: 'list',
} as const satisfies Shape

/** */
export const SYMBOL_SHAPE = {
  exchange: 'text',
  type: 'text',
  symbol: 'text',
  baseAsset: 'text',
  quoteAsset: 'text',
  tickSize: 'number',
  lotSize: 'number',
  minNotional: 'number',
  candles: 'list',
} as const satisfies Shape

/** */
export const BOT_SHAPE = {
  id: 'id',
  userEmail: 'text',
  name: 'text',
  strategyType: 'text',
  ...MARKET,
  ...CONFIG,
  isDemo: 'yesNo',
  state: 'text',
  createdAt: 'time',
  updatedAt: 'time',
  startedAt: 'time',
  stoppedAt: 'time',
  stopReason: 'text',
  tradedUntil: 'time',
  problem: 'text',
} as const satisfies Shape

/** */
export const EXECUTION_SHAPE = {
  id: 'id',
  orderId: 'id',
  deal: 'number',
  side: 'text',
  role: 'text',
  safetyOrder: 'number',
  price: 'number',
  quantity: 'number',
  quote: 'number',
  fee: 'number',
  profit: 'number',
  executedAt: 'time',
} as const satisfies Shape

/** */
export const ORDER_SHAPE = {
  id: 'id',
  deal: 'number',
  side: 'text',
  type: 'text',
  role: 'text',
  safetyOrder: 'number',
  state: 'text',
  price: 'number',
  quantity: 'number',
  placedAt: 'time',
  updatedAt: 'time',
} as const satisfies Shape

/** */
export const PNL_SHAPE = {
  marketTime: 'time',
  candles: 'object',
  investment: 'number',
  cash: 'number',
  equity: 'number',
  realizedProfit: 'number',
  unrealizedProfit: 'number',
  netProfit: 'number',
  roiPercent: 'number',
  maxDrawdownPercent: 'number',
  feesPaid: 'number',
  volume: 'number',
  orders: 'number',
  closedDeals: 'number',
  winRatePercent: 'number',
  stopLosses: 'number',
  ambiguousCandles: 'number',
  unaffordableOrders: 'number',
  unplacedOrders: 'number',
  openDeal: 'object',
  dailyEquity: 'list',
  conventions: 'object',
  costs: 'object',
  engineVersion: 'text',
} as const satisfies Shape
