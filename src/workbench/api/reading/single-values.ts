/** Tolerant readers of single values. Each returns null for what it cannot read; none throws. */

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

/** A finite number; decimal text counts ("12.5"), NaN, Infinity, 1e999, blanks and hex do not. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string' || !/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,4})?\s*$/i.test(value)) return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

export function booleanOf(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null
}

/** 2000-01-01 and 2200-01-01 in ms: outside of it a bare number is not a time in ms. */
const earliestMs = 946_684_800_000
const latestMs = 7_258_118_400_000

/** ms UTC from ISO 8601 text (without an offset: UTC), or from a number in seconds, ms, µs or ns by its size. */
export function timeOf(value: unknown): number | null {
  const number = numberOf(value)
  if (number !== null) {
    const scale = [1, 1000, 1 / 1000, 1 / 1_000_000].find((factor) => {
      const ms = number * factor
      return ms >= earliestMs && ms < latestMs
    })
    return scale === undefined ? null : Math.floor(number * scale)
  }
  if (typeof value !== 'string' || value.length > 40) return null
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/i.exec(value.trim())
  if (match === null) return null
  const [, date, time = '00:00', offset = 'Z'] = match
  const ms = Date.parse(
    `${date}T${time.replace(/(\.\d{3})\d+$/, '$1')}${offset.replace(/^(...)(\d\d)$/, '$1:$2').toUpperCase()}`,
  )
  return Number.isFinite(ms) ? ms : null
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
