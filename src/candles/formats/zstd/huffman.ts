/** Huffman codes of literals (RFC 8878, 4.2): a table of all possible values of the next `log` bits. */
import { type BackwardBits, bitsAt, openBackward, readPaddedBits } from './bits.ts'
import { readFseTable } from './fse.ts'

export interface HuffmanTable {
  readonly log: number
  readonly symbol: Uint8Array
  readonly bits: Uint8Array
}

const mostBits = 11
const mostSymbols = 256

/** `end` = the byte behind the description. @throws Error when the description is invalid */
export function readHuffmanTable(
  bytes: Uint8Array,
  start: number,
  limit: number,
): { readonly table: HuffmanTable; readonly end: number } {
  const head = start < limit ? bytes[start] : 0
  const isDirect = head >= 128
  const end = start + 1 + (isDirect ? (head - 126) >> 1 : head)
  if (end > limit) throw new Error('ZSTD literals are cut short')
  const weights = isDirect ? directWeights(bytes, start + 1, head - 127) : packedWeights(bytes, start + 1, end)
  return { table: buildHuffmanTable(weights), end }
}

function directWeights(bytes: Uint8Array, start: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => (bytes[start + (i >> 1)] >> (i % 2 === 0 ? 4 : 0)) & 15)
}

/** Two states alternate until the stream has no bits for the next one. Both then still have a symbol, and the last one is the other state's. */
function packedWeights(bytes: Uint8Array, start: number, end: number): number[] {
  const { table, end: streamStart } = readFseTable(bytes, start, { end, maxLog: 6, maxSymbol: 15 })
  const stream = openBackward(bytes, streamStart, end)
  const weights: number[] = []
  const states = [readPaddedBits(stream, table.log), readPaddedBits(stream, table.log)]
  if (stream.at < stream.floor) throw new Error('a ZSTD stream ends early')
  for (let turn = 0; ; turn = 1 - turn) {
    const state = states[turn]
    weights.push(table.symbol[state])
    states[turn] = table.base[state] + readPaddedBits(stream, table.bits[state])
    if (stream.at < stream.floor) break
    // A table of one symbol reads no bits: without this check the loop would not end.
    if (weights.length >= mostSymbols) throw new Error('a ZSTD code has too many symbols')
  }
  weights.push(table.symbol[states[1 - ((weights.length - 1) % 2)]])
  if (weights.length >= mostSymbols) throw new Error('a ZSTD code has too many symbols')
  return weights
}

/** The last symbol's weight is not stored: it completes the sum of the others to a power of two. */
function buildHuffmanTable(told: readonly number[]): HuffmanTable {
  const sum = told.reduce((total, weight) => total + (weight === 0 ? 0 : 2 ** (weight - 1)), 0)
  const log = sum === 0 ? 0 : 32 - Math.clz32(sum)
  const rest = 2 ** log - sum
  if (sum === 0 || log > mostBits || (rest & (rest - 1)) !== 0) throw new Error('a ZSTD code is damaged')
  const weights = [...told, 32 - Math.clz32(rest)]
  const symbol = new Uint8Array(1 << log)
  const bits = new Uint8Array(1 << log)
  let place = 0
  for (let weight = 1; weight <= log; weight++) {
    weights.forEach((own, s) => {
      if (own !== weight) return
      const next = place + 2 ** (weight - 1)
      symbol.fill(s, place, next)
      bits.fill(log + 1 - weight, place, next)
      place = next
    })
  }
  return { log, symbol, bits }
}

/** Fills `out` from one stream. @throws Error unless it holds exactly that many symbols */
export function decodeHuffman(stream: BackwardBits, { log, symbol, bits }: HuffmanTable, out: Uint8Array): void {
  const { bytes, floor } = stream
  let { at } = stream
  for (let i = 0; i < out.length; i++) {
    const code =
      at - log >= floor ? bitsAt(bytes, at - log, log) : bitsAt(bytes, floor, at - floor) << (log - at + floor)
    out[i] = symbol[code]
    at -= bits[code]
    if (at < floor) throw new Error('ZSTD literals end early')
  }
  if (at !== floor) throw new Error('ZSTD literals hold more than they say')
}
