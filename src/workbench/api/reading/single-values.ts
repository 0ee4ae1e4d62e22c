/** Tolerant readers of single values. Each returns null for what it cannot read; none throws. */
import { type Form, money, type Read, time } from './dialect-library.ts'

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
export function timeOf(value: unknown, more: Form = {}): number | null {
  return numberIn(time(value, more))
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
