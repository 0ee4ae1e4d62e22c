/**
 * Reads from JSON text what JSON.parse loses: ids above 2^53, keys that occur twice, and the exact text of an item. JSON.parse
 * alone decides what is JSON; the functions below scan text that it has accepted, without recursion, so that deep nesting is no
 * problem.
 */

/** Half-open range of a text. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** How a number that may be too large begins; to look for all of its digits takes five times as long. */
const largeNumber = [/^-?\d{16}/, /[[:,\s]-?\d{16}/]

const quote = 0x22
const backslash = 0x5c
const minus = 0x2d

/**
 * Parses strictly; whole numbers that a float cannot hold become strings of their digits, so that ids survive (H23).
 * undefined when the text is not JSON (empty, HTML, cut off, NaN, a byte order mark …).
 */
export function parseLossless(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return largeNumber.some((digits) => digits.test(text)) ? { value: JSON.parse(quoteLargeNumbers(text)) } : { value }
  } catch {
    return undefined
  }
}

/** The members of the object that begins at `start`, in order, repeated keys included. */
export function membersAt(text: string, start: number): { readonly key: string; readonly value: Span }[] {
  const members: { key: string; value: Span }[] = []
  let at = skipSpace(text, start + 1)
  while (text[at] === '"') {
    const keyEnd = skipValue(text, at)
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const end = skipValue(text, valueStart)
    members.push({ key: JSON.parse(text.slice(at, keyEnd)), value: { start: valueStart, end } })
    at = skipComma(text, end)
  }
  return members
}

/** The items of the array that begins at `start`. */
export function itemsAt(text: string, start: number): Span[] {
  const items: Span[] = []
  let at = skipSpace(text, start + 1)
  while (text[at] !== ']') {
    const end = skipValue(text, at)
    items.push({ start: at, end })
    at = skipComma(text, end)
  }
  return items
}

/** The position of the value at `path` (object keys from the root; of repeated keys the last one, as JSON.parse does). */
export function spanAt(text: string, path: readonly string[]): Span | undefined {
  const start = skipSpace(text, 0)
  let span: Span = { start, end: skipValue(text, start) }
  for (const key of path) {
    if (text[span.start] !== '{') return undefined
    const member = membersAt(text, span.start).findLast((candidate) => candidate.key === key)
    if (member === undefined) return undefined
    span = member.value
  }
  return span
}

function quoteLargeNumbers(text: string): string {
  let result = ''
  let copied = 0
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === quote) at = skipString(text, at)
    else if (code === minus || isDigit(code)) {
      const end = skipScalar(text, at)
      const literal = text.slice(at, end)
      if (/^-?\d+$/.test(literal) && !Number.isSafeInteger(Number(literal))) {
        result += `${text.slice(copied, at)}"${literal}"`
        copied = end
      }
      at = end
    } else at++
  }
  return copied === 0 ? text : result + text.slice(copied)
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++
  return at
}

function skipComma(text: string, from: number): number {
  const at = skipSpace(text, from)
  return text[at] === ',' ? skipSpace(text, at + 1) : at
}

function skipString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text.charCodeAt(at - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return at + 1
  }
}

function skipScalar(text: string, start: number): number {
  let at = start
  while (at < text.length && !',]} \n\r\t'.includes(text.charAt(at))) at++
  return at
}

function skipValue(text: string, start: number): number {
  const first = text[start]
  if (first === '"') return skipString(text, start)
  if (first !== '{' && first !== '[') return skipScalar(text, start)
  let depth = 0
  for (let at = start; ; at++) {
    const character = text[at]
    if (character === '"') at = skipString(text, at) - 1
    else if (character === '{' || character === '[') depth++
    else if ((character === '}' || character === ']') && --depth === 0) return at + 1
  }
}
