/** Reads decimal numbers from bytes. Making strings first would take most of the time of reading a year of CSV. */

const powersOfTen = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))
const decimalSyntax = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?$/

/**
 * The number written in bytes start ≤ i < end, exactly as `Number` would read it, or NaN when it is no decimal number. It is the
 * digits without their point, divided by a power of ten. Below 2^53 and with at most 22 decimals both are exact in a float64, so the
 * one division rounds correctly (Clinger 1990). `Number` reads longer numbers, and those with an exponent, from a string.
 */
export function parseDecimal(bytes: Uint8Array, start: number, end: number): number {
  let i = start
  const negative = bytes[i] === 45 // -
  if (negative) i++
  let digits = 0
  let decimals = -1
  const first = i
  for (; i < end; i++) {
    const byte = bytes[i]
    if (byte >= 48 && byte <= 57) {
      digits = digits * 10 + (byte - 48)
      if (decimals >= 0) decimals++
    } else if (byte === 46 && decimals < 0 && i > first && i + 1 < end)
      decimals = 0 // a point between digits
    else return parseText(bytes, start, end)
  }
  if (i === first) return Number.NaN
  if (digits > Number.MAX_SAFE_INTEGER || decimals > 22) return parseText(bytes, start, end)
  const value = decimals > 0 ? digits / powersOfTen[decimals] : digits
  return negative ? -value : value
}

function parseText(bytes: Uint8Array, start: number, end: number): number {
  const text = textOf(bytes, start, end)
  return decimalSyntax.test(text) ? Number(text) : Number.NaN
}

/** Bytes as text for messages and headers; at most `most` of them. */
export function textOf(bytes: Uint8Array, start: number, end: number, most = 1000): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(end - start, most)).toString('utf8')
}
