/** Tables of finite state entropy (RFC 8878, 4.1): each state has a symbol and the rule for the next state. */
import { bitsAt } from './bits.ts'

export interface FseTable {
  readonly log: number
  readonly symbol: Uint8Array
  readonly bits: Uint8Array
  readonly base: Uint16Array
}

/** `end` = the byte behind the description. @throws Error when it is no description of symbols up to `maxSymbol` */
export function readFseTable(
  bytes: Uint8Array,
  start: number,
  { end: limit, maxLog, maxSymbol }: { readonly end: number; readonly maxLog: number; readonly maxSymbol: number },
): { readonly table: FseTable; readonly end: number } {
  if (start >= limit) throw new Error('a ZSTD table is missing')
  const log = (bytes[start] & 15) + 5
  if (log > maxLog) throw new Error('a ZSTD table is too large')
  const counts: number[] = []
  let at = 8 * start + 4
  let left = 1 << log
  while (left > 0) {
    // Values 0 … left + 1: the small ones take one bit less where they stay unambiguous.
    const width = 32 - Math.clz32(left + 1)
    const word = bitsAt(bytes, at, width)
    const small = word & ((1 << (width - 1)) - 1)
    const spare = (1 << width) - 2 - left
    const isSmall = small < spare
    at += isSmall ? width - 1 : width
    const value = isSmall ? small : word >= 1 << (width - 1) ? word - spare : word
    counts.push(value - 1) // −1 means a probability below 1 in 2^log
    left -= Math.abs(value - 1)
    for (let repeat = value === 1 ? 3 : 0; repeat === 3; ) {
      repeat = bitsAt(bytes, at, 2)
      at += 2
      for (let i = 0; i < repeat; i++) counts.push(0)
    }
    if (at > 8 * limit || counts.length > maxSymbol + 1) throw new Error('a ZSTD table is damaged')
  }
  if (left < 0) throw new Error('a ZSTD table is damaged')
  return { table: buildFseTable(counts, log), end: (at + 7) >> 3 }
}

/** `counts[s]` = states of symbol s out of 2^log, −1 for a probability below one. Their sum is 2^log. */
export function buildFseTable(counts: readonly number[], log: number): FseTable {
  const size = 1 << log
  const symbol = new Uint8Array(size)
  const next = counts.map(Math.abs)
  let high = size - 1
  counts.forEach((count, s) => {
    if (count === -1) symbol[high--] = s
  })
  const step = (size >> 1) + (size >> 3) + 3
  let place = 0
  counts.forEach((count, s) => {
    for (let i = 0; i < count; i++) {
      symbol[place] = s
      do place = (place + step) & (size - 1)
      while (place > high)
    }
  })
  const bits = new Uint8Array(size)
  const base = new Uint16Array(size)
  for (let state = 0; state < size; state++) {
    const n = next[symbol[state]]++
    bits[state] = log - 31 + Math.clz32(n)
    base[state] = (n << bits[state]) - size
  }
  return { log, symbol, bits, base }
}

/** A table that always gives one symbol and reads no bits. */
export function repeatedSymbol(symbol: number): FseTable {
  return { log: 0, symbol: Uint8Array.of(symbol), bits: new Uint8Array(1), base: new Uint16Array(1) }
}
